// The question: what the controls say, and what a link holds. Both are one query string, in the
// grammar that the server reads; what is left out is left to the server.

const LISTS = ["algorithms", "datasets", "checks", "prior"];
// What the file does not say may be part of the question.
const MEASURE = ["score", "higher_is_better"];
const TEXTS = [
  "table", ...MEASURE, "method", "fold_test", "fold_correction", "posthoc", "test_fraction", "over", "item_test",
  "test", "correction", "control", "alpha", "model", "rope", "focus",
];
// How a table is read: names that the server tells, each of one or several texts.
const reading = [];

export const DEFAULTS = { method: "auto", test: "wilcoxon", correction: "holm", alpha: "0.05" };

export function setReading(names) {
  reading.push(...names);
}

// Whether the table has to be read again where this changes.
export function isReading(key) {
  return key === "table" || MEASURE.includes(key) || reading.includes(key);
}

export function fromQuery(query) {
  const given = new URLSearchParams(query);
  const question = {};
  for (const key of TEXTS) if (given.has(key)) question[key] = given.getAll(key).at(-1);
  for (const key of reading) if (given.has(key)) question[key] = textOrTexts(given.getAll(key));
  for (const key of LISTS) if (given.has(key)) question[key] = given.getAll(key).filter(Boolean);
  if (given.has("cost")) question.cost = weights(given.getAll("cost"));
  if (given.has("pin")) question.pins = given.getAll("pin").filter(Boolean);
  // What nobody here knows goes to the server, which says what is wrong with it.
  const unknown = [...given.keys()].filter((key) => ![...TEXTS, ...reading, ...LISTS, "cost", "pin"].includes(key));
  if (unknown.length) question.unknown = unknown.map((key) => [key, given.get(key)]);
  return question;
}

const textOrTexts = (texts) => (texts.length > 1 ? texts : texts[0]);

function weights(texts) {
  return Object.fromEntries(
    texts.filter(Boolean).map((text) => {
      const at = text.lastIndexOf("=");
      return at < 0 ? [text, 1] : [text.slice(0, at), Number(text.slice(at + 1))];
    }),
  );
}

export function toQuery(question) {
  const pairs = [];
  for (const key of [...TEXTS, ...reading]) {
    const value = question[key];
    if (value === undefined || value === "" || value === DEFAULTS[key]) continue;
    for (const each of [value].flat()) pairs.push([key, each]);
  }
  if (question.cost !== undefined) {
    for (const [cost, weight] of Object.entries(question.cost)) {
      pairs.push(["cost", weight === 1 && !cost.includes("=") ? cost : `${cost}=${weight}`]);
    }
  }
  for (const key of LISTS) {
    if (question[key] === undefined) continue;
    for (const each of question[key].length ? question[key] : [""]) pairs.push([key, each]);
  }
  pairs.push(...(question.unknown ?? []));
  return new URLSearchParams(pairs).toString();
}

// A link also says who is pinned.
export function toLink(question) {
  const pins = new URLSearchParams((question.pins ?? []).map((name) => ["pin", name]));
  return [toQuery(question), pins.toString()].filter(Boolean).join("&");
}

// What a button or a menu that the server has written would change of a question, as in a link; what is empty is
// left out, and what begins with + is one more of several.
export function choiceIn(text, question) {
  const given = new URLSearchParams(text);
  return Object.fromEntries(
    [...new Set(given.keys())].map((key) => {
      const name = key.replace(/^\+/, "");
      const before = name === key ? [] : [question[name] ?? []].flat();
      return [name, textOrTexts([...before, ...given.getAll(key)]) || undefined];
    }),
  );
}

// What of a question is about reading the file: the description depends on these alone.
export function readingOf(question) {
  return toQuery(Object.fromEntries(Object.entries(question).filter(([key]) => isReading(key))));
}
