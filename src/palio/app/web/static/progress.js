// How far an experiment is, told by the server as it goes; the order so far is the answer's.

import { ask } from "./api.js";
import { element, fill, put } from "./dom.js";

const AGAIN = 5000;

export class Progress {
  // `changed` is called when there are new results, `lost` with whether the server is out of reach.
  constructor(section, changed, lost = () => {}) {
    this.section = section;
    this.changed = changed;
    this.lost = lost;
    this.facts = element("div", { class: "run-facts" });
    this.order = element("div", { class: "run-order", "aria-live": "polite" });
    this.opened = {};
    section.replaceChildren(this.facts, this.order);
    // What someone has opened or closed stays so.
    section.addEventListener("click", ({ target }) => {
      const kept = target.closest("summary")?.parentElement;
      if (kept?.dataset.kept) this.opened[kept.dataset.kept] = !kept.open;
    });
  }

  start(version) {
    this.version = version;
    this.section.hidden = false;
    if (!this.source && !this.over) this.listen();
  }

  stop() {
    clearTimeout(this.timer);
    this.source?.close();
    this.source = null;
    this.over = false;
    this.section.hidden = true;
  }

  listen() {
    this.source = new EventSource("/api/progress/events");
    this.source.onmessage = ({ data }) => this.hear(JSON.parse(data));
    this.source.onerror = () => {
      this.lost(true);
      // It tries again by itself, unless it was refused.
      if (this.source.readyState !== EventSource.CLOSED) return;
      this.source = null;
      this.timer = setTimeout(() => this.listen(), AGAIN);
    };
  }

  hear(found) {
    this.lost(false);
    if (found.error) {
      this.facts.replaceChildren(element("h2", { id: "progress-title" }, "Experiment"), element("p", { class: "quiet" }, found.error));
      return;
    }
    this.show(found.html);
    this.over = found.finished;
    if (found.finished) {
      this.source.close();
      this.source = null;
    }
    if (found.version === this.version) return;
    this.version = found.version;
    this.changed(found);
  }

  // What someone has opened, or scrolled to, stays in sight.
  show(html) {
    if (html === this.shown) return;
    this.shown = html;
    const { scrollTop, scrollLeft } = this.facts.querySelector(".run-grid") ?? {};
    put(this.facts, html);
    for (const each of this.facts.querySelectorAll("details[data-kept]")) each.open = this.opened[each.dataset.kept] ?? each.open;
    if (scrollTop || scrollLeft) this.facts.querySelector(".run-grid")?.scrollTo(scrollLeft, scrollTop);
  }

  // There is no order yet, and this is what can be chosen meanwhile.
  wait(offers) {
    fill(this.order, element("p", { class: "quiet" }, "No data set is complete yet, so there is no order yet."), offers);
  }

  // The order of the answer to this question, each with the places it may have, and had before.
  async stand(query) {
    if (this.section.hidden) return;
    const { html } = this.over ? { html: "" } : await ask("standing", query).catch(() => ({ html: "" }));
    const before = new Map([...this.order.querySelectorAll(".run-set")].map((svg) => [svg.dataset.of, svg.querySelector("rect:last-child")]));
    put(this.order, html);
    for (const svg of this.order.querySelectorAll(".run-set")) {
      const was = before.get(svg.dataset.of);
      if (!was) continue;
      was.setAttribute("class", "was");
      svg.prepend(was);
    }
  }
}
