// Panels beside the order: figures, which verdicts hang on the pool, audit, posterior.
// They come after the verdict, two at a time and only where they can be seen, so that nothing on
// the way keeps the next verdict waiting.

import { ask, askPiece, figureUrl } from "./api.js";
import { element, fill, put } from "./dom.js";

// As many as the server has processes that draw.
const AT_ONCE = 2;

// What is worth waiting for, a few at a time; a new question empties the line.
class Line {
  constructor() {
    this.waiting = new Map();
    this.busy = 0;
    this.round = 0;
    this.ends = [];
  }

  // When there is nothing more to wait for.
  end() {
    return new Promise((resolve) => {
      this.ends.push(resolve);
      this.next();
    });
  }

  empty() {
    this.waiting.clear();
    this.round += 1;
  }

  leave(key) {
    return this.waiting.delete(key);
  }

  join(key, task) {
    this.waiting.set(key, task);
    this.next();
  }

  async next() {
    if (!this.waiting.size && !this.busy) for (const resolve of this.ends.splice(0)) resolve();
    if (!this.waiting.size || this.busy >= AT_ONCE) return;
    // The audit is the longest, and nothing that can be looked at waits for it.
    const [key, task] = [...this.waiting].find(([each]) => each !== "audit") ?? [...this.waiting][0];
    this.waiting.delete(key);
    this.busy += 1;
    const round = this.round;
    try {
      await task(() => round === this.round);
    } finally {
      this.busy -= 1;
      this.next();
    }
  }
}

const FORMATS = ["svg", "png", "pdf"];

class Panel {
  constructor(key, title, offers) {
    this.key = key;
    this.offers = offers;
    this.body = element("div", { class: "panel-body" });
    this.heading = element("h2", { id: `panel-${key}` }, title);
    this.element = element("section", { class: "card panel", "aria-labelledby": `panel-${key}`, "data-panel": key }, this.heading, this.body);
    this.shown = null;
  }

  stale() {
    this.element.classList.add("stale");
    this.element.setAttribute("aria-busy", "true");
    if (!this.body.childElementCount) fill(this.body, element("p", { class: "quiet waiting" }, "Working it out …"));
  }

  settle(...children) {
    this.element.classList.remove("stale");
    this.element.removeAttribute("aria-busy");
    if (children.length) fill(this.body, ...children);
  }

  refuse(error) {
    this.settle(element("p", { class: "quiet" }, error.message), this.offers(error));
  }
}

// Figures are drawn for such windows apart.
export const NARROW = window.matchMedia("(max-width: 599px)");

// A figure may be shown a little larger or smaller than it would be printed; then it scrolls. Its smallest
// text is 8 pixels high as printed.
const [SMALLEST, LARGEST] = [0.94, 1.2];

// One that has no room in half a row gets a whole one.
function size(svg, panel) {
  const width = Number(svg.getAttribute("width"));
  panel.classList.remove("wide");
  panel.classList.toggle("wide", svg.parentElement.clientWidth < SMALLEST * width);
  svg.style.minWidth = `${SMALLEST * width}px`;
  svg.style.width = `${LARGEST * width}px`;
}

class FigurePanel extends Panel {
  constructor(key, title, offers) {
    super(key, title, offers);
    this.links = element("p", { class: "downloads" });
    this.element.append(this.links);
  }

  async load(query, entry, current) {
    try {
      const piece = await askPiece(`figures/${this.key}.html`, NARROW.matches ? `${query}&narrow=1` : query);
      if (!current()) return;
      this.settle();
      put(this.body, piece);
      const svg = this.body.querySelector(".drawing svg");
      if (svg && !NARROW.matches) size(svg, this.element);
      this.links.hidden = !svg;
    } catch (error) {
      if (current()) this.refuse(error);
      return;
    }
    const links = FORMATS.map((format) => [element("a", { href: figureUrl(this.key, format, query), download: `${this.key}.${format}` }, format.toUpperCase()), " "]);
    fill(this.links, element("span", {}, "Figure: ", links));
  }
}

class TextPanel extends Panel {
  // `found` is told of what has come.
  constructor(key, title, offers, found = () => {}) {
    super(key, title, offers);
    this.found = found;
  }

  async load(query, entry, current) {
    try {
      const found = await ask(this.key, query);
      if (!current()) return;
      this.settle();
      put(this.body, found.html);
      this.found(found, query);
    } catch (error) {
      if (current()) this.refuse(error);
    }
  }
}

export class Panels {
  // `places` has an element for each kind of panel: figure and text; `offers` makes the buttons of an error.
  constructor(places, { flipped, offers }) {
    this.places = places;
    this.flipped = flipped;
    this.offers = offers;
    this.line = new Line();
    this.panels = new Map();
    this.wanted = new Map();
    this.seen = new IntersectionObserver((entries) => this.look(entries), { rootMargin: "200px" });
    NARROW.addEventListener("change", () => this.redraw());
  }

  // The window has become narrow, or is no longer: what is drawn for the other one is drawn anew.
  redraw() {
    for (const [key, panel] of this.panels) {
      if (!(panel instanceof FigurePanel)) continue;
      panel.stale();
      this.wanted.set(key, this.entries.get(key));
      this.seen.unobserve(panel.element);
      this.seen.observe(panel.element);
    }
  }

  // The answer says which panels there are, in which order, and whom the marks in them stand for.
  show({ panels: entries, algorithms }, query, pins = []) {
    this.line.empty();
    const facts = (also) => ask("facts", `${query}&${new URLSearchParams(also.map((name) => ["also", name]))}`);
    document.dispatchEvent(new CustomEvent("palio:answer", { detail: { names: algorithms, pins, ask: facts } }));
    this.entries = new Map(entries.map((entry) => [entry.key, entry]));
    this.wanted = new Map(this.entries);
    this.query = query;
    for (const [key, panel] of this.panels) {
      if (!entries.some((entry) => entry.key === key)) {
        this.seen.unobserve(panel.element);
        panel.element.remove();
        this.panels.delete(key);
      }
    }
    const last = {};
    for (const entry of entries) {
      const panel = this.panels.get(entry.key) ?? this.make(entry);
      panel.heading.textContent = entry.title;
      panel.stale();
      const [place, before] = [this.places[entry.kind], last[entry.kind]];
      const next = before ? before.nextSibling : place.firstChild;
      if (next !== panel.element) place.insertBefore(panel.element, next);
      last[entry.kind] = panel.element;
      // Observed anew, it is looked at again.
      this.seen.unobserve(panel.element);
      this.seen.observe(panel.element);
    }
    // What moved needs these, seen or not.
    for (const entry of entries) if (entry.needed) this.start(entry.key);
  }

  make(entry) {
    const told = entry.key === "pools" ? this.flipped : undefined;
    const panel = entry.kind === "text" ? new TextPanel(entry.key, entry.title, this.offers, told) : new FigurePanel(entry.key, entry.title, this.offers);
    this.panels.set(entry.key, panel);
    return panel;
  }

  // Everything, seen or not, as paper has no window; and again if there was a new answer meanwhile.
  async all() {
    this.whole = true;
    do {
      for (const key of [...this.wanted.keys()]) this.start(key);
      await this.line.end();
    } while (this.wanted.size);
    this.whole = false;
  }

  look(entries) {
    for (const { isIntersecting, target } of entries) {
      if (isIntersecting) this.start(target.dataset.panel);
      else this.leave(target.dataset.panel);
    }
  }

  // What has been scrolled past does not keep what is looked at waiting.
  leave(key) {
    if (!this.whole && !this.entries.get(key)?.needed && this.line.leave(key)) this.wanted.set(key, this.entries.get(key));
  }

  start(key) {
    const [entry, panel] = [this.wanted.get(key), this.panels.get(key)];
    if (!entry || !panel) return;
    this.wanted.delete(key);
    const query = this.query;
    this.line.join(key, (current) => panel.load(query, entry, current));
  }
}
