// How far an experiment is, while it runs.

import { ask } from "./api.js";
import { element, fill, name } from "./dom.js";

const SECONDS = 3;

export class Progress {
  // `changed` is called when there are new results.
  constructor(section, changed) {
    this.section = section;
    this.changed = changed;
    this.timer = null;
  }

  start(version) {
    this.version = version;
    this.section.hidden = false;
    clearTimeout(this.timer);
    this.look();
  }

  stop() {
    clearTimeout(this.timer);
    this.section.hidden = true;
  }

  async look() {
    try {
      const found = await ask("progress");
      this.show(found);
      if (found.version !== this.version) {
        this.version = found.version;
        this.changed(found);
      }
      if (found.finished) return;
    } catch (error) {
      fill(this.section, element("h2", { id: "progress-title" }, "Experiment"), element("p", { class: "quiet" }, error.message));
    }
    this.timer = setTimeout(() => this.look(), 1000 * SECONDS);
  }

  show(found) {
    const bar = element("progress", { value: found.done, max: String(Math.max(found.jobs, 1)), "aria-label": "Jobs done" });
    const failures = found.failures.map((each) => element("li", {}, `${each.jobs} × ${each.cause}`));
    const leader = found.leader
      ? element("p", {}, found.finished ? "First: " : "Ahead so far: ", name(found.leader.algorithm), `. ${found.leader.sentence}`)
      : element("p", { class: "quiet" }, "No data set is complete yet, so there is no order yet.");
    fill(
      this.section,
      element("h2", { id: "progress-title" }, found.title),
      bar,
      element("p", {}, found.sentence),
      leader,
      failures.length ? element("details", { open: failures.length < 4 }, element("summary", {}, found.failed), element("ul", {}, failures)) : null,
    );
  }
}
