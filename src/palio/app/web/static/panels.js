// Panels beside the order: figures, which verdicts hang on the pool, audit, posterior.
// They come after the verdict, one after another and only where they can be seen, so that nothing
// on the way keeps the next verdict waiting.

import { ask, figureUrl } from "./api.js";
import { blocks } from "./blocks.js";
import { element, fill, name } from "./dom.js";

// What is worth waiting for, one at a time; a new question empties the line.
class Line {
  constructor() {
    this.waiting = new Map();
    this.busy = false;
    this.round = 0;
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
    if (this.busy || !this.waiting.size) return;
    const [key, task] = this.waiting.entries().next().value;
    this.waiting.delete(key);
    this.busy = true;
    const round = this.round;
    try {
      await task(() => round === this.round);
    } finally {
      this.busy = false;
      this.next();
    }
  }
}

const FORMATS = ["svg", "png", "pdf"];

class Panel {
  constructor(key, title) {
    this.key = key;
    this.body = element("div", { class: "panel-body" });
    this.links = element("p", { class: "downloads" });
    this.heading = element("h2", { id: `panel-${key}` }, title);
    this.element = element("section", { class: "card panel", "aria-labelledby": `panel-${key}`, "data-panel": key }, this.heading, this.body, this.links);
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
    this.settle(element("p", { class: "quiet" }, error.message));
  }
}

class FigurePanel extends Panel {
  async load(query, entry, current) {
    const image = new Image();
    image.alt = entry.alt;
    image.src = figureUrl(this.key, "svg", query);
    try {
      await image.decode();
    } catch {
      if (!current()) return;
      const said = await fetch(image.src).then((r) => (r.ok ? {} : r.json())).catch(() => ({}));
      this.refuse({ message: said.message ?? "The figure could not be drawn." });
      return;
    }
    if (!current()) return;
    const frame = element("div", { class: "figure scroll", tabindex: "0", role: "region", "aria-label": `Figure: ${entry.title}` }, image);
    this.settle(frame);
    // One that would be too small to read keeps its size, and scrolls.
    frame.classList.toggle("wide", image.naturalWidth > 1.6 * frame.clientWidth);
    fill(this.links, "Figure: ", FORMATS.map((format) => [element("a", { href: figureUrl(this.key, format, query), download: `${this.key}.${format}` }, format.toUpperCase()), " "]));
  }
}

class TextPanel extends Panel {
  constructor(key, title, write) {
    super(key, title);
    this.write = write;
  }

  async load(query, entry, current) {
    try {
      const found = await ask(this.key, query);
      if (current()) this.settle(...this.write(found, query));
    } catch (error) {
      if (current()) this.refuse(error);
    }
  }
}

export class Panels {
  constructor(parent, { flipped }) {
    this.parent = parent;
    this.flipped = flipped;
    this.line = new Line();
    this.panels = new Map();
    this.wanted = new Map();
    this.seen = new IntersectionObserver((entries) => this.look(entries), { rootMargin: "200px" });
  }

  // `entries` are the answer's panels: which there are, in which order, and what they show.
  show(entries, query) {
    this.line.empty();
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
    let last = null;
    for (const entry of entries) {
      const panel = this.panels.get(entry.key) ?? this.make(entry);
      panel.heading.textContent = entry.title;
      panel.stale();
      if (last ? last.nextSibling !== panel.element : this.parent.firstChild !== panel.element) {
        if (last) last.after(panel.element);
        else this.parent.prepend(panel.element);
      }
      last = panel.element;
      // Observed anew, it is looked at again.
      this.seen.unobserve(panel.element);
      this.seen.observe(panel.element);
    }
    // What moved needs it, seen or not.
    this.start("pools");
  }

  make(entry) {
    const panel = this.text(entry) ?? new FigurePanel(entry.key, entry.title);
    this.panels.set(entry.key, panel);
    return panel;
  }

  text(entry) {
    if (entry.key === "pools") return new TextPanel(entry.key, entry.title, (found, query) => this.pools(found, query));
    if (entry.kind === "text") return new TextPanel(entry.key, entry.title, (found) => blocks(found.blocks));
    return null;
  }

  pools(found, query) {
    this.flipped(found, query);
    const rows = found.steps.map((step) =>
      element(
        "li",
        {},
        element("strong", {}, step.inside ? "Without " : "With ", name(step.algorithm)),
        ": ",
        step.flips.slice(0, 6).flatMap(([a, b, differ], i) => [i ? "; " : "", name(a), " – ", name(b), differ ? " would differ" : " would no longer differ"]),
        step.flips.length > 6 ? ` and ${step.flips.length - 6} more pairs` : "",
      ),
    );
    const list = rows.length ? element("ul", { class: "tall scroll", tabindex: "0", "aria-label": "Algorithms and the verdicts that hang on them" }, rows) : null;
    return [element("p", {}, found.sentence), list, element("p", { class: "quiet" }, found.note)];
  }

  look(entries) {
    for (const { isIntersecting, target } of entries) {
      if (isIntersecting) this.start(target.dataset.panel);
      else this.leave(target.dataset.panel);
    }
  }

  // What has been scrolled past does not keep what is looked at waiting.
  leave(key) {
    if (key !== "pools" && this.line.leave(key)) this.wanted.set(key, this.entries.get(key));
  }

  start(key) {
    const [entry, panel] = [this.wanted.get(key), this.panels.get(key)];
    if (!entry || !panel) return;
    this.wanted.delete(key);
    const query = this.query;
    this.line.join(key, (current) => panel.load(query, entry, current));
  }
}
