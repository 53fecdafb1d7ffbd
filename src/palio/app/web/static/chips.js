// A set of names, each a button that is pressed or not: what is in, and what is out.

import { count, element, fill, name, spoken } from "./dom.js";

const SEARCH_FROM = 13;
const LONGEST = 40;

export class Chips {
  // `change` is called with the names that are in, in the table's order; null when all are.
  constructor({ title, singular, least, change, folded = false }) {
    this.singular = singular;
    this.least = least;
    this.change = change;
    this.names = [];
    this.chosen = new Set();
    this.summary = element("span", { class: "quiet" });
    this.search = element("input", {
      type: "search", placeholder: `Find ${title.toLowerCase()}`, "aria-label": `Find ${title.toLowerCase()}`,
      oninput: () => this.show(),
    });
    this.list = element("ul", { class: "chips", onkeydown: (event) => this.step(event), onfocusin: ({ target }) => this.reach(target) });
    this.all = element("button", { type: "button", class: "small", onclick: () => this.choose(this.found()) }, "All");
    this.few = element("button", { type: "button", class: "small", onclick: () => this.drop(this.found()) }, "None");
    const buttons = element("div", { class: "row" }, this.all, this.few);
    this.element = element(
      "details",
      { class: "field chips-field", open: !folded },
      element("summary", {}, `${title} `, this.summary),
      this.search,
      buttons,
      this.list,
    );
  }

  set(names, chosen) {
    // Of many, the rest of the question would be out of sight.
    if (!this.names.length && names.length >= SEARCH_FROM) this.element.open = false;
    this.names = names;
    this.chosen = new Set(chosen ?? names);
    this.show();
  }

  found() {
    const wanted = this.search.value.trim().toLowerCase();
    return this.names.filter((each) => each.toLowerCase().includes(wanted));
  }

  show() {
    this.search.hidden = this.names.length < SEARCH_FROM;
    this.summary.textContent = `${this.chosen.size} of ${this.names.length}`;
    const found = this.found();
    this.reached = found.includes(this.reached) ? this.reached : found[0];
    const chips = found.map((each) => element("li", {}, this.chip(each)));
    fill(this.list, chips.length ? chips : [element("li", { class: "quiet" }, "none has that name")]);
  }

  chip(each) {
    const inside = this.chosen.has(each);
    return element(
      "button",
      {
        type: "button", class: "chip", tabindex: each === this.reached ? "0" : "-1", "aria-pressed": String(inside), "aria-label": spoken(each, LONGEST), "data-key": `chip ${each}`,
        onclick: () => (inside ? this.drop([each]) : this.choose([each])),
      },
      name(each, LONGEST),
    );
  }

  // All of them are one stop for Tab, from which the arrows go on.
  reach(chip) {
    if (!chip.matches(".chip")) return;
    for (const each of this.list.querySelectorAll(".chip")) each.tabIndex = each === chip ? 0 : -1;
    this.reached = chip.dataset.key.slice("chip ".length);
  }

  step(event) {
    const way = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, Home: -Infinity, End: Infinity }[event.key];
    if (way === undefined) return;
    event.preventDefault();
    const chips = [...this.list.querySelectorAll(".chip")];
    const at = chips.indexOf(document.activeElement) + way;
    chips[Math.min(Math.max(at, 0), chips.length - 1)]?.focus();
  }

  choose(names) {
    this.settle(new Set([...this.chosen, ...names]));
  }

  drop(names) {
    const left = new Set([...this.chosen].filter((each) => !names.includes(each)));
    // The last few stay, in the table's order: there is nothing to compare without them.
    for (const each of this.names) {
      if (left.size >= this.least) break;
      if (this.chosen.has(each)) left.add(each);
    }
    this.settle(left);
  }

  settle(chosen) {
    const same = chosen.size === this.chosen.size && [...chosen].every((each) => this.chosen.has(each));
    if (same) {
      if (chosen.size <= this.least) this.summary.textContent = `at least ${count(this.least, this.singular)}`;
      return;
    }
    this.chosen = chosen;
    this.show();
    const inside = this.names.filter((each) => chosen.has(each));
    this.change(inside.length === this.names.length ? undefined : inside);
  }
}
