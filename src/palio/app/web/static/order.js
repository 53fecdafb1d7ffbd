// The order, best first, and what there is to say of the algorithm that is looked at.

import { breakable, byId, element, fade, fill, listed, name, scroller, spoken } from "./dom.js";
import { downloadUrl } from "./api.js";

const SENTENCES = [
  ["overrides", ({ other }) => `${capital(other)}, but significantly better than:`],
  ["waits_for", ({ other }) => `Waits for these, ${other} but significantly better:`],
  ["beats", () => "Significantly better than:"],
  ["beaten_by", () => "Significantly worse than:"],
  ["level_with", () => "No difference found to:"],
];

const capital = (word) => word[0].toUpperCase() + word.slice(1);

const FILES = [
  ["Order", ["order.csv", "order.tex", "order.json"]],
  ["Pairs", ["pairs.csv", "pairs.tex", "pairs.json"]],
  ["All", ["report.json"]],
];

// With so many the figures stand beside the order; with more they have the whole width.
const FEW = 16;

// Longer names are cut in the table; their details have them whole.
const LONGEST = 40;

// Where there is room for the reasons beside the table, as the style sheet has it.
const WIDE = window.matchMedia("(min-width: 1280px)");

export class Order {
  // `focused` is told of the algorithm that is looked at, or null; `details` asks what there is to say of it.
  constructor(section, { focused, details }) {
    this.section = section;
    this.focused = focused;
    this.details = details;
    this.looked = null;
    this.title = element("h2", { id: "order-title" }, "Order");
    this.how = element("p", { class: "quiet" });
    this.table = scroller("The order as a table", "tall");
    this.said = element("div", { class: "quiet" });
    this.detail = scroller("Details", "detail");
    this.detail.setAttribute("aria-live", "polite");
    this.detail.hidden = true;
    this.links = element("p", { class: "downloads" });
    this.reasons = element("ol");
    const reasons = scroller("Reasons, by place", "reasons", this.reasons);
    this.why = element("details", { class: "why" }, element("summary", {}, "Why this order"), reasons);
    section.append(this.title, this.how, this.table, this.said, element("div", { class: "about" }, this.detail, this.why, this.links));
  }

  show(answer, query, looked) {
    this.answer = answer;
    const { columns, rows, how, about, boards } = answer.order;
    this.how.textContent = how;
    const head = element("tr", {}, columns.map((column) => element("th", { scope: "col", class: column.numeric ? "number" : null }, column.name)));
    const caption = element("caption", { class: "unseen" }, "Algorithms, best first; press one to see why it stands there.");
    fill(this.table, element("table", { class: "order" }, caption, element("thead", {}, head), this.bodies(rows, boards, columns)));
    fade(this.table);
    fill(this.said, about.map((line) => element("p", {}, line)));
    byId("beside").classList.toggle("many", rows.length > FEW);
    fill(this.links, FILES.map(([title, files]) => element("span", {}, `${title}: `, links(files, query))));
    this.why.hidden = !answer.order.reasons.length;
    if (this.shown !== answer.table) this.why.open = rows.length <= FEW || WIDE.matches;
    this.shown = answer.table;
    fill(this.reasons, answer.order.reasons.map(([mark, reason]) => element("li", {}, `${mark} ${reason}`)));
    this.look(looked ?? null, { anew: true });
  }

  // Parts that no data set joins are boards apart, with places of their own.
  bodies(rows, boards, columns) {
    let from = 0;
    return boards.map((size, i) => {
      const own = rows.slice(from, from + size);
      from += size;
      const title = boards.length > 1 ? element("tr", {}, element("th", { scope: "rowgroup", class: "board", colspan: columns.length }, `Board ${i + 1}`)) : null;
      return element("tbody", {}, title, own.map((row) => this.row(row, columns)));
    });
  }

  row(row, columns) {
    const cells = row.cells.map((text, i) => element("td", { class: columns[i + 2].numeric ? "number" : null }, text));
    const button = element("button", { type: "button", class: "algorithm", "data-key": `row ${row.algorithm}`, "aria-label": spoken(row.algorithm, LONGEST), "aria-expanded": "false" }, name(row.algorithm, LONGEST, breakable));
    const press = () => this.look(this.looked === row.algorithm ? null : row.algorithm);
    return element("tr", { "data-algorithm": row.algorithm, class: row.algorithm === this.answer.best ? "best" : null, onclick: press }, element("td", { class: "number" }, String(row.place)), element("th", { scope: "row" }, button), cells);
  }

  async look(algorithm, { anew = false } = {}) {
    const row = this.answer.order.rows.find((each) => each.algorithm === algorithm);
    this.looked = row ? algorithm : null;
    const { answer } = this;
    if (!anew || this.looked !== (algorithm ?? null)) this.focused(this.looked);
    for (const shown of this.table.querySelectorAll("tr[data-algorithm]")) {
      const on = shown.dataset.algorithm === this.looked;
      shown.classList.toggle("looked", on);
      shown.querySelector("button").setAttribute("aria-expanded", String(on));
      if (on && anew) bringIntoView(this.table, shown);
    }
    this.detail.hidden = !row;
    if (!row) return;
    const title = element("h3", {}, `${row.place}. `, name(row.algorithm, 60));
    fill(this.detail, title, element("p", { class: "quiet" }, "Working it out …"));
    let found;
    try {
      found = await this.details(algorithm);
    } catch (error) {
      if (this.looked === algorithm && this.answer === answer) fill(this.detail, title, element("p", { class: "quiet" }, error.message));
      return;
    }
    if (this.looked !== algorithm || this.answer !== answer) return;
    const lines = [found.reason, ...found.said].map((line) => element("p", {}, line));
    const said = SENTENCES.filter(([key]) => found[key].length).map(([key, sentence]) => element("p", {}, `${sentence(answer.order)} `, listed(found[key], 60)));
    const costs = found.costs.length ? element("p", {}, `Mean costs: ${found.costs.map(([cost, value]) => `${cost} ${value}`).join(", ")}.`) : null;
    fill(this.detail, title, lines, said, costs);
    this.detail.scrollTop = 0;
    fade(this.detail);
  }
}

// The page stays where it is; only the frame scrolls.
function bringIntoView(frame, row) {
  const [outer, inner] = [frame.getBoundingClientRect(), row.getBoundingClientRect()];
  if (inner.top < outer.top || inner.bottom > outer.bottom) frame.scrollTop += inner.top - outer.top - outer.height / 2;
}

function links(files, query) {
  return files.map((file) => [element("a", { href: downloadUrl(file, query), download: file }, file), " "]);
}
