// What stands above the answer when something is wrong: what it is, and what to do next.

import { element, name } from "./dom.js";
import { isReading } from "./question.js";

const button = (text, onclick) => element("button", { type: "button", onclick }, text);

// Only what a question says, and no table, can be left out of it.
export function mendable(error, question) {
  return error.status === 422 && error.parameter in question && !isReading(error.parameter);
}

// `below` says what the answer below is about, if there is one; each of `ways` is a text and what it does.
export function problem(error, offers, { below = null, ways = [] } = {}) {
  const message = error.message.replace(/^./, (first) => first.toUpperCase());
  const row = ways.length ? element("div", { class: "row", role: "group", "aria-label": "What can be done" }, ways.map(([text, act]) => button(text, act))) : null;
  return [element("p", {}, message), offers, row, below ? element("p", { class: "quiet" }, below) : null];
}

// What the answer that still stands there is about.
export function whose(error, { file, table, without }) {
  if (file) return `${file} was not opened. The answer below is still about ${table}.`;
  if (error.status === 0) return "The answer below is the last one that the server gave.";
  return without ? "The answer below is without it." : "The answer below is the last one that could be given.";
}

// Say which file it is that the error is about: nothing else on the page may be taken for it.
export function named(file, note) {
  return file ? [name(file, 40), ` — ${note}`] : [];
}
