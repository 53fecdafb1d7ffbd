// The server's blocks (title, paragraph, table, list) as elements.

import { element, name } from "./dom.js";

const WRITERS = {
  title: (block, level) => element(`h${level}`, {}, block.text),
  paragraph: (block) => paragraph(block.text),
  table: (block) => table(block),
  items: (block) => items(block),
};

export function blocks(list, level = 3) {
  return list.map((block) => WRITERS[block.kind](block, level));
}

const LONG = 500;

// A paragraph that would fill the screen folds away behind its beginning.
function paragraph(text) {
  if (text.length <= LONG) return element("p", {}, text);
  return element("details", {}, element("summary", {}, `${text.slice(0, 100)}…`), element("p", {}, text));
}

function table(block) {
  const head = block.columns.map((column) =>
    element("th", { scope: "col", class: column.numeric ? "number" : null }, column.name),
  );
  const body = block.rows.map((row) =>
    element(
      "tr",
      {},
      row.map((cell, i) =>
        element("td", { class: block.columns[i].numeric ? "number" : null }, name(cell, 60)),
      ),
    ),
  );
  const caption = block.title ? element("caption", {}, block.title) : null;
  const shown = element(
    "table",
    {},
    caption,
    element("thead", {}, element("tr", {}, head)),
    element("tbody", {}, body),
  );
  const label = block.title || "Table";
  return element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label }, shown);
}

const MOST = 8;

function items(block) {
  if (!block.items.length) return element("p", { hidden: true });
  const line = ([mark, text]) => element("li", {}, mark === "-" ? text : `${mark} ${text}`);
  const first = element("ul", {}, block.items.slice(0, MOST).map(line));
  const rest = block.items.slice(MOST);
  const more = rest.length
    ? element("details", {}, element("summary", {}, `${rest.length} more`), element("ul", {}, rest.map(line)))
    : null;
  if (block.quiet) {
    const whole = element("ul", {}, block.items.map(line));
    return element("details", {}, element("summary", {}, block.title), whole);
  }
  return element("div", { class: "items" }, element("h4", {}, block.title), first, more);
}
