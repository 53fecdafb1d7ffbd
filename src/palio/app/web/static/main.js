// The workbench: a question on the left, the answer on the right, the link in the address bar.

import { Refused, ask, downloadUrl, upload } from "./api.js";
import { Controls } from "./controls.js";
import { byId, element, fill, name, put } from "./dom.js";
import { Order } from "./order.js";
import { Panels } from "./panels.js";
import { Progress } from "./progress.js";
import { choiceIn, fromQuery, isReading, readingOf, setReading, toLink, toQuery } from "./question.js";
import { mendable, named, problem, whose } from "./states.js";
import { moved, showMoved, showVerdict } from "./verdict.js";

const TYPING = 250;

class Workbench {
  async start() {
    this.question = {};
    this.order = new Order(byId("order"), {
      focused: (algorithm) => this.focus(algorithm),
      details: (algorithm) => ask("focus", toQuery({ ...this.question, focus: algorithm })),
    });
    this.panels = new Panels({ figure: byId("figures"), text: byId("texts") }, {
      flipped: (found, query) => this.flipped(found, query),
      offers: (error) => this.offers(error),
    });
    this.progress = new Progress(byId("progress"), () => this.open({ keep: true }), (lost) => this.lost(lost));
    this.before = null;
    this.files = {};
    this.ready = ask("start");
    this.wire();
    try {
      this.server = await this.ready;
    } catch (error) {
      this.refuse(error);
      return;
    }
    setReading(this.server.reading);
    this.question = fromQuery(location.search.slice(1));
    byId("file").accept = this.server.limits.formats.join(",");
    this.controls = new Controls(byId("controls"), this.server.methods, (part, how) => this.change(part, how));
    if (!this.question.table && this.server.opened) this.question.table = this.server.opened.id;
    if (this.question.table) await this.open();
    else this.empty();
  }

  wire() {
    const file = byId("file");
    file.addEventListener("change", () => file.files.length && this.take(file.files[0]));
    for (const button of document.querySelectorAll(".open-file")) button.addEventListener("click", () => file.click());
    byId("copy").addEventListener("click", () => this.copy());
    document.querySelector('.skip[href="#order"]').addEventListener("click", (event) => {
      const first = byId("order").querySelector("tbody .algorithm");
      if (!first) return;
      event.preventDefault();
      first.focus();
    });
    byId("print").addEventListener("click", () => this.print());
    // A cost that the second tile offers.
    byId("verdict").addEventListener("click", ({ target }) => {
      const offer = target.closest("[data-cost]");
      if (offer) this.choose({ cost: { [offer.dataset.cost]: 1 } });
    });
    byId("verdict").addEventListener("change", ({ target }) => {
      if (target.matches("select.offer") && target.value) this.choose({ cost: { [target.value]: 1 } });
    });
    byId("answer").addEventListener("click", ({ target }) => {
      const offer = target.closest("[data-choice]");
      if (offer) this.choose(choiceIn(offer.dataset.choice, this.question));
    });
    window.addEventListener("popstate", () => {
      this.question = fromQuery(location.search.slice(1));
      if (!this.question.table && this.server.opened) this.question.table = this.server.opened.id;
      this.open();
    });
    // Who is pinned stands in the link, and changes no answer.
    document.addEventListener("palio:pins", ({ detail }) => {
      this.question = { ...this.question, pins: detail.names };
      this.remember({ push: false });
    });
    this.wireDrop();
    this.wireDrawer();
    this.wireReading();
  }

  wireReading() {
    byId("how-read").addEventListener("click", () => (this.previewed ? this.hidePreview() : this.preview("asked")));
    byId("preview").addEventListener("change", ({ target }) => {
      if (target.matches("[data-field]")) this.change({ [target.dataset.field]: target.value.trim() || undefined, higher_is_better: undefined });
      else if (target.value) this.change(choiceIn(target.value, this.question));
    });
    byId("read-pasted").addEventListener("click", () => this.paste(byId("pasted").value));
    document.addEventListener("paste", (event) => {
      if (event.target.closest?.("input, textarea, select")) return;
      const { clipboardData: held } = event;
      // Of cells a spreadsheet also gives a picture.
      if (held.getData("text/plain").trim()) this.paste(held.getData("text/plain"));
      else if (held.files.length) this.take(held.files[0]);
    });
  }

  async paste(text) {
    if (text.trim() && (await this.ready.catch(() => null))) await this.take(new File([text], this.server.pasted));
  }

  wireDrop() {
    const over = byId("drop");
    const holdsFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
    window.addEventListener("dragover", (event) => {
      if (!holdsFiles(event)) return;
      event.preventDefault();
      over.hidden = false;
    });
    window.addEventListener("dragleave", (event) => {
      if (event.relatedTarget === null) over.hidden = true;
    });
    window.addEventListener("drop", (event) => {
      over.hidden = true;
      if (!holdsFiles(event)) return;
      event.preventDefault();
      if (event.dataTransfer.files.length) this.take(event.dataTransfer.files[0]);
    });
  }

  wireDrawer() {
    const [button, drawer, shade] = [byId("drawer-button"), byId("question"), byId("shade")];
    const narrow = window.matchMedia("(max-width: 859px)");
    const set = (open) => {
      drawer.classList.toggle("open", open);
      button.setAttribute("aria-expanded", String(open));
      shade.hidden = !(open && narrow.matches);
      // Closed, it is out of the keyboard's way too.
      drawer.inert = narrow.matches && !open;
    };
    button.addEventListener("click", () => {
      const open = !drawer.classList.contains("open");
      set(open);
      if (open) drawer.querySelector("button, input, select, summary")?.focus();
    });
    shade.addEventListener("click", () => set(false));
    drawer.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !narrow.matches) return;
      set(false);
      button.focus();
    });
    narrow.addEventListener("change", () => set(false));
    set(false);
  }

  // --- files ---------------------------------------------------------------------------------

  async take(file) {
    byId("file").value = "";
    // A file may be quicker than the server's word on what it takes; what fails there is told there.
    if (!(await this.ready.catch(() => null))) return;
    if (file.size > this.server.limits.upload_bytes) {
      this.refuse(new Refused(413, { parameter: "file", message: this.server.limits.too_large }), { file: file.name });
      return;
    }
    this.busy(true);
    try {
      const { id } = await upload(file);
      this.files[id] = file.name;
      // The same file again is what a link was waiting for; another file is a new question.
      this.question = id === this.question.table ? this.question : { table: id };
      this.remember({ push: true });
      await this.open();
    } catch (error) {
      this.busy(false);
      this.refuse(error, { file: file.name });
    }
  }

  empty() {
    byId("opening").hidden = true;
    byId("start").hidden = false;
    byId("work").hidden = true;
    byId("copy").disabled = true;
    byId("report").hidden = true;
    byId("source").textContent = "";
    byId("how-read").hidden = true;
    this.hidePreview();
    this.progress.stop();
  }

  // --- tables --------------------------------------------------------------------------------

  // Read the table that the question is about, and then answer.
  async open({ keep = false } = {}) {
    if (!this.question.table) {
      this.empty();
      return;
    }
    this.busy(true);
    try {
      this.table = await ask("table", readingOf(this.question));
    } catch (error) {
      this.busy(false);
      this.unreadable(error, keep);
      return;
    }
    byId("start").hidden = true;
    this.quiet();
    this.nameChosen();
    if (this.previewed === "asked") this.preview("asked");
    else this.hidePreview();
    this.showSource();
    if (!keep || !this.before) this.controls.show(this.question, this.table);
    if (this.table.is_store) this.progress.start(this.table.version);
    else this.progress.stop();
    await this.answer();
  }

  // What the command line chose of the table stands in the link, so that it holds elsewhere too.
  nameChosen() {
    // Another score has a direction of its own.
    const other = this.question.score !== undefined;
    const unnamed = Object.entries(this.table.chosen).filter(([key]) => this.question[key] === undefined && !(other && key === "higher_is_better"));
    if (!unnamed.length) return;
    const said = new URLSearchParams(unnamed.flatMap(([key, texts]) => texts.map((text) => [key, text])));
    this.question = { ...this.question, ...fromQuery(said) };
    this.remember({ push: false });
  }

  unreadable(error, keep) {
    // What stands there is about another table.
    if (this.before && this.before.answer.table !== this.question.table) {
      byId("work").hidden = true;
      byId("work").classList.remove("answered");
      byId("report").hidden = true;
      byId("copy").disabled = true;
      byId("how-read").hidden = true;
      this.progress.stop();
      this.before = null;
    }
    if (!this.before && error.status !== 0) fill(byId("source"), named(this.files[this.question.table], "not read"));
    this.refuse(error);
    if (error.status === 404) {
      this.empty();
    } else if (this.server.opened?.is_store && this.server.opened.id === this.question.table) {
      // An experiment without a result yet: wait for the first. That scores are missing is no news.
      if (["missing", "store"].includes(error.parameter)) this.quiet();
      byId("start").hidden = true;
      byId("work").hidden = false;
      if (!this.before) fill(byId("source"), named(this.server.opened.name, "no results yet"));
      if (!keep) this.progress.start("");
      this.progress.wait(this.offers(error));
    } else if (error.status !== 0) {
      byId("start").hidden = true;
      if (!this.before) this.controls.clear();
      this.preview("needed");
    }
  }

  // The first rows of the table and what can be said of its columns: on demand, or because it could not be read.
  async preview(why) {
    const query = readingOf(this.question);
    this.previewed = why;
    let found;
    try {
      found = await ask("preview", query);
    } catch {
      found = null; // what is no table has no rows, and the page has said so
    }
    if (this.previewed !== why || query !== readingOf(this.question)) return;
    if (!found) {
      this.hidePreview();
      return;
    }
    put(byId("preview"), found.html);
    byId("preview").hidden = false;
    byId("how-read").setAttribute("aria-expanded", "true");
  }

  hidePreview() {
    if (byId("preview").contains(document.activeElement)) byId("answer").focus({ preventScroll: true });
    this.previewed = null;
    byId("preview").hidden = true;
    byId("how-read").setAttribute("aria-expanded", "false");
  }

  showSource() {
    const table = this.table;
    fill(byId("source"), name(table.name, 40), ` — ${table.sentence}`);
    document.title = `${table.name} – Palio`;
    byId("copy").disabled = false;
    byId("report").hidden = false;
    byId("how-read").hidden = !table.has_preview;
  }

  // --- questions -----------------------------------------------------------------------------

  change(part, { typing = false } = {}) {
    this.question = { ...this.question, ...part };
    clearTimeout(this.timer);
    const reread = Object.keys(part).some(isReading);
    this.timer = setTimeout(
      () => {
        this.remember({ push: !typing });
        if (reread || !this.table) this.open();
        else {
          if (!typing) this.controls.show(this.question, this.table);
          this.answer();
        }
      },
      typing ? TYPING : 0,
    );
  }

  remember({ push }) {
    const link = `${location.pathname}?${toLink(this.question)}`;
    if (push) history.pushState(null, "", link);
    else history.replaceState(null, "", link);
  }

  async answer() {
    this.asking?.abort();
    this.asking = new AbortController();
    // Who is looked at changes no answer.
    const query = toQuery({ ...this.question, focus: undefined });
    this.busy(true);
    let answer;
    try {
      answer = await ask("answer", query, this.asking.signal);
    } catch (error) {
      if (error.name === "AbortError") return;
      this.busy(false);
      if (mendable(error, this.question) && this.before?.answer.table !== this.question.table) await this.without(error);
      else this.refuse(error);
      return;
    }
    this.busy(false);
    this.quiet();
    this.show(answer, query);
  }

  // A link asks for what cannot be: the answer without it, and why it is without it.
  async without(error) {
    const rest = toQuery({ ...this.question, focus: undefined, [error.parameter]: undefined });
    try {
      this.show(await ask("answer", rest, this.asking.signal), rest);
      byId("report").href = downloadUrl("report.html", rest);
    } catch (other) {
      if (other.name === "AbortError") return;
    }
    this.refuse(error);
  }

  show(answer, query) {
    byId("opening").hidden = true;
    byId("work").hidden = false;
    byId("work").classList.add("answered");
    showVerdict(byId("verdict"), answer);
    const { version } = this.table;
    const known = this.before?.answer.table === answer.table;
    const same = known && (this.before.query !== query || this.before.version !== version);
    this.said = same ? moved(this.before.answer, answer) : null;
    if (this.said) showMoved(byId("moved"), this.said, []);
    else if (this.before?.query !== query) byId("moved").hidden = true;
    this.order.show(answer, query, this.question.focus);
    this.linkReport();
    this.method(answer);
    this.earlierPool = same ? this.pool : null;
    this.before = { answer, query, version };
    this.last = { question: this.question, name: this.table.name };
    put(byId("gaps"), this.table.gaps);
    this.progress.stand(query);
    this.panels.show(answer, query, this.question.pins);
  }

  // Figures that nobody has looked at are drawn first.
  async print() {
    this.busy(true);
    await this.panels.all();
    this.busy(false);
    window.print();
  }

  // The algorithm that is looked at stands in the link, and in the report that is taken away.
  focus(algorithm) {
    this.question = { ...this.question, focus: algorithm ?? undefined };
    this.remember({ push: false });
    this.linkReport();
  }

  linkReport() {
    byId("report").href = downloadUrl("report.html", toQuery(this.question));
  }

  // The mean-ranks verdicts of this pool are known: say which the change of pool has flipped.
  flipped(found, query) {
    if (query !== this.before.query) return;
    const earlier = this.earlierPool;
    this.pool = found;
    if (!this.said || !earlier || earlier.pool.join("\n") === found.pool.join("\n")) return;
    const key = ([a, b]) => (a < b ? JSON.stringify([a, b]) : JSON.stringify([b, a]));
    const [was, is] = [new Set(earlier.different.map(key)), new Set(found.different.map(key))];
    const both = new Set(earlier.pool.filter((each) => found.pool.includes(each)));
    const flips = [];
    for (const pair of new Set([...was, ...is])) {
      const [a, b] = JSON.parse(pair);
      if (!both.has(a) || !both.has(b) || was.has(pair) === is.has(pair)) continue;
      flips.push([name(a), " – ", name(b), is.has(pair) ? ": now different" : ": no longer different"]);
    }
    if (flips.length) showMoved(byId("moved"), this.said, flips);
  }

  method(answer) {
    const line = (text) => element("li", {}, text);
    const part = (title, lines) => (lines.length ? element("details", {}, element("summary", {}, title), element("ul", {}, lines.map(line))) : null);
    fill(
      byId("method"),
      element("h2", { id: "method-title" }, "How it was found"),
      answer.choices.length ? element("ul", {}, answer.choices.map(line)) : null,
      part("What is left out, and why", answer.not_done),
      part("Conventions and notes", answer.notes),
      part("References", answer.references),
    );
  }

  // --- what stands above everything ------------------------------------------------------------

  busy(on) {
    byId("work").classList.toggle("busy", on);
    byId("work").setAttribute("aria-busy", String(on));
  }

  // `file` is one that was not taken; what stands there is still about the one before.
  refuse(error, { file = null } = {}) {
    byId("opening").hidden = true;
    this.controls?.complain(error.parameter, error.message);
    const ways = [];
    const shown = this.before && !byId("work").hidden;
    if (error.status === 0) ways.push(["Try again", () => this.again()]);
    if (mendable(error, this.question)) ways.push(["Leave this out of the question", () => this.choose({ [error.parameter]: undefined })]);
    if (!shown && this.last && this.last.question.table !== this.question.table) ways.push([`Back to ${this.last.name}`, () => this.back()]);
    if (file && shown) ways.push([`Stay with ${this.table.name}`, () => this.quiet()]);
    if (!shown && error.status !== 0) ways.push(["Open another file", () => byId("file").click()]);
    const without = toQuery({ ...this.question, focus: undefined, [error.parameter]: undefined });
    const below = shown ? whose(error, { file, table: this.table.name, without: this.before.query === without }) : null;
    byId("problem").hidden = false;
    fill(byId("problem"), problem(error, this.offers(error), { below, ways }));
  }

  // Back to the last table that could be read, as it was asked about.
  back() {
    this.question = this.last.question;
    this.remember({ push: true });
    this.open();
  }

  again() {
    if (this.server) this.open({ keep: true });
    else location.reload();
  }

  // The server tells how an experiment goes on; while it cannot, nobody knows.
  lost(on) {
    if (on && !this.away) this.refuse(new Refused(0, { message: "the server cannot be reached; it is asked again every few seconds." }));
    if (!on && this.away) this.quiet();
    this.away = on;
  }

  // A button for each choice that an error offers and the page can make.
  offers({ options = [] }) {
    const buttons = options.map(({ choice, text }) => element("button", { type: "button", "data-choice": choice }, text));
    return buttons.length ? element("div", { class: "row", role: "group", "aria-label": "What can be chosen" }, buttons) : null;
  }

  // The button goes with its error, so the keyboard goes to the answer.
  choose(part) {
    byId("answer").focus({ preventScroll: true });
    this.change(part);
  }

  quiet() {
    byId("problem").hidden = true;
    this.controls.complain(null, "");
  }

  async copy() {
    const link = `${location.origin}${location.pathname}?${toLink(this.question)}`;
    try {
      await navigator.clipboard.writeText(link);
      byId("copied").textContent = "The link is copied; it holds the whole question.";
    } catch {
      byId("copied").textContent = "The link is in the address bar; it holds the whole question.";
    }
    byId("copied").classList.add("seen");
    setTimeout(() => byId("copied").classList.remove("seen"), 4000);
  }
}

new Workbench().start();
