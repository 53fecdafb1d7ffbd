// The server's blocks (title, paragraph, table, list) as elements.

import { element, name, scroller } from "./dom.js";

const WRITERS = {
  title: (block, level) => element(`h${level}`, {}, block.text),
  paragraph: (block) => paragraph(block.text),
  table: (block) => table(block),
  items: (block) => items(block),
};

export function blocks(list, level = 3) {
  return list.map((block) => WRITERS[block.kind](block, level));
}

const LONG = { paragraph: 500, item: 250 };

function paragraph(text) {
  return text.length <= LONG.paragraph ? element("p", {}, text) : unfolding(text);
}

// A text that would fill the screen shows its beginning, if possible as far as an aside.
function unfolding(text) {
  const aside = text.lastIndexOf(" (", LONG.item);
  const at = aside > 0 ? aside : text.lastIndexOf(" ", LONG.item);
  return element("details", { class: "more" }, element("summary", {}, `${text.slice(0, at)} …`), element("p", {}, `… ${text.slice(at).trim()}`));
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
  return scroller(block.title || "Table", "", shown);
}

const MOST = 8;

function items(block) {
  if (!block.items.length) return element("p", { hidden: true });
  const said = ([mark, text]) => (mark === "-" ? text : `${mark} ${text}`);
  const line = (item) => element("li", {}, said(item).length <= LONG.item ? said(item) : unfolding(said(item)));
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
