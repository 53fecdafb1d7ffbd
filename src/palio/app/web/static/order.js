// The leaderboard, and what there is to say of the algorithm that is looked at.

import { element, fade, fill, put, scroller } from "./dom.js";
import { downloadUrl } from "./api.js";

const FILES = [
  ["Order", ["order.csv", "order.tex", "order.json"]],
  ["Pairs", ["pairs.csv", "pairs.tex", "pairs.json"]],
  ["All", ["report.json"]],
];

export class Order {
  // `focused` is told of the algorithm that is looked at, or null; `details` asks what there is to say of it.
  constructor(section, { focused, details }) {
    this.focused = focused;
    this.details = details;
    this.looked = null;
    this.how = element("p", { class: "quiet" });
    this.board = element("div", { class: "boards" });
    this.detail = scroller("Details", "looked-at");
    this.detail.setAttribute("aria-live", "polite");
    this.detail.hidden = true;
    this.links = element("p", { class: "downloads" });
    this.reasons = element("ol");
    this.why = element("details", { class: "why" }, element("summary", {}, "Why this order"), this.how, scroller("Reasons, by place", "reasons", this.reasons));
    section.append(element("h2", { id: "order-title" }, "Leaderboard"), element("div", { class: "order" }, this.board, this.detail), this.why, this.links);
    section.addEventListener("click", (event) => this.pressed(event));
  }

  show(answer, query, looked) {
    this.answer = answer;
    put(this.board, answer.board);
    fill(this.links, FILES.map(([title, files]) => element("span", {}, `${title}: `, links(files, query))));
    this.how.textContent = answer.order.how;
    fill(this.reasons, answer.order.reasons.map(([mark, reason]) => element("li", {}, `${mark} ${reason}`)));
    this.look(looked ?? null, { anew: true });
  }

  // Anywhere on a row will do, and so does a name in the details; its other buttons have their own work.
  pressed(event) {
    const link = event.target.closest(".looked-at a[data-a]");
    if (link) {
      event.preventDefault();
      this.look(this.nameOf(link));
      return;
    }
    const row = event.target.closest("tbody tr[data-a]");
    if (!row || event.target.closest("button:not(.algorithm)")) return;
    const name = this.nameOf(row);
    this.look(this.looked === name ? null : name);
  }

  nameOf(mark) {
    return this.answer.algorithms[Number(mark.dataset.a)];
  }

  async look(algorithm, { anew = false } = {}) {
    const { answer } = this;
    const known = answer.algorithms.includes(algorithm);
    this.looked = known ? algorithm : null;
    if (!anew || this.looked !== (algorithm ?? null)) this.focused(this.looked);
    for (const row of this.board.querySelectorAll("tbody tr[data-a]")) {
      const on = this.nameOf(row) === this.looked;
      row.classList.toggle("looked", on);
      row.querySelector(".algorithm")?.setAttribute("aria-expanded", String(on));
      if (on && anew) bringIntoView(row.closest(".scroll"), row);
    }
    this.detail.hidden = !known;
    if (!known) return;
    this.detail.classList.add("stale");
    let found;
    try {
      found = await this.details(algorithm);
    } catch (error) {
      if (this.looked === algorithm && this.answer === answer) fill(this.detail, element("p", { class: "quiet" }, error.message));
      return;
    }
    if (this.looked !== algorithm || this.answer !== answer) return;
    this.detail.classList.remove("stale");
    put(this.detail, found.html);
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
