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
  constructor(section) {
    this.section = section;
    this.looked = null;
    this.title = element("h2", { id: "order-title" }, "Order");
    this.how = element("p", { class: "quiet" });
    this.table = scroller("Order", "tall");
    this.detail = scroller("Details", "detail");
    this.detail.setAttribute("aria-live", "polite");
    this.detail.hidden = true;
    this.links = element("p", { class: "downloads" });
    this.reasons = element("ol");
    const reasons = scroller("Reasons, by place", "reasons", this.reasons);
    this.why = element("details", { class: "why" }, element("summary", {}, "Why this order"), reasons);
    section.append(this.title, this.how, this.table, element("div", { class: "about" }, this.detail, this.why, this.links));
  }

  show(answer, query) {
    this.answer = answer;
    const { columns, rows, how } = answer.order;
    this.how.textContent = how;
    const head = element("tr", {}, columns.map((column) => element("th", { scope: "col", class: column.numeric ? "number" : null }, column.name)));
    fill(this.table, element("table", { class: "order" }, element("caption", { class: "unseen" }, "Algorithms, best first; press one to see why it stands there."), element("thead", {}, head), element("tbody", {}, rows.map((row) => this.row(row, columns)))));
    fade(this.table);
    byId("beside").classList.toggle("many", rows.length > FEW);
    fill(this.links, FILES.map(([title, files]) => element("span", {}, `${title}: `, links(files, query))));
    this.why.hidden = !answer.order.reasons.length;
    if (this.shown !== answer.table) this.why.open = rows.length <= FEW || WIDE.matches;
    this.shown = answer.table;
    fill(this.reasons, answer.order.reasons.map(([mark, reason]) => element("li", {}, `${mark} ${reason}`)));
    this.look(this.looked);
  }

  row(row, columns) {
    const cells = row.cells.map((text, i) => element("td", { class: columns[i + 2].numeric ? "number" : null }, text));
    const button = element("button", { type: "button", class: "algorithm", "data-key": `row ${row.algorithm}`, "aria-label": spoken(row.algorithm, LONGEST), "aria-expanded": "false", onclick: () => this.look(this.looked === row.algorithm ? null : row.algorithm) }, name(row.algorithm, LONGEST, breakable));
    return element("tr", { "data-algorithm": row.algorithm, class: row.algorithm === this.answer.best ? "best" : null }, element("td", { class: "number" }, String(row.place)), element("th", { scope: "row" }, button), cells);
  }

  look(algorithm) {
    const row = this.answer.order.rows.find((each) => each.algorithm === algorithm);
    this.looked = row ? algorithm : null;
    for (const shown of this.table.querySelectorAll("tr[data-algorithm]")) {
      const on = shown.dataset.algorithm === this.looked;
      shown.classList.toggle("looked", on);
      shown.querySelector("button").setAttribute("aria-expanded", String(on));
    }
    this.detail.hidden = !row;
    if (!row) return;
    const said = SENTENCES.filter(([key]) => row[key]?.length).map(([key, sentence]) => element("p", {}, `${sentence(this.answer.order)} `, listed(row[key], 60)));
    const costs = row.costs.length ? element("p", {}, `Mean costs: ${row.costs.map(([cost, value]) => `${cost} ${value}`).join(", ")}.`) : null;
    fill(this.detail, element("h3", {}, `${row.place}. `, name(row.algorithm, 60)), element("p", {}, row.reason), said, costs);
    this.detail.scrollTop = 0;
    fade(this.detail);
  }
}

function links(files, query) {
  return files.map((file) => [element("a", { href: downloadUrl(file, query), download: file }, file), " "]);
}
