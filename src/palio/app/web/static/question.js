// The question: what the controls say, and what a link holds. Both are one query string, in the
// grammar that the server reads; what is left out is left to the server.

const LISTS = ["algorithms", "datasets", "checks", "prior"];
const TEXTS = [
  "table", "missing", "keep_failing", "score", "higher_is_better", "method", "fold_test", "fold_correction", "posthoc",
  "test_fraction", "over", "item_test", "test", "correction", "control", "alpha", "model", "rope",
  "focus",
];

export const READING = ["table", "missing", "keep_failing", "score", "higher_is_better"];

export const DEFAULTS = { method: "auto", test: "wilcoxon", correction: "holm", alpha: "0.05" };

export function fromQuery(query) {
  const given = new URLSearchParams(query);
  const question = {};
  for (const key of TEXTS) if (given.has(key)) question[key] = given.getAll(key).at(-1);
  for (const key of LISTS) if (given.has(key)) question[key] = given.getAll(key).filter(Boolean);
  if (given.has("cost")) question.cost = weights(given.getAll("cost"));
  if (given.has("pin")) question.pins = given.getAll("pin").filter(Boolean);
  // What nobody here knows goes to the server, which says what is wrong with it.
  const unknown = [...given.keys()].filter((key) => ![...TEXTS, ...LISTS, "cost", "pin"].includes(key));
  if (unknown.length) question.unknown = unknown.map((key) => [key, given.get(key)]);
  return question;
}

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
  for (const key of TEXTS) {
    const value = question[key];
    if (value === undefined || value === "" || value === DEFAULTS[key]) continue;
    pairs.push([key, value]);
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

// What an option that an error offers would change of a question; null where the page cannot set it.
export function choiceOf({ parameter, value }) {
  if (value === null || parameter === "table" || !TEXTS.includes(parameter)) return null;
  // Another score has a direction of its own.
  if (parameter === "score") return { score: value, higher_is_better: undefined };
  return { [parameter]: parameter === "higher_is_better" ? value.toLowerCase() : value };
}

// What a button that the server has written stands for, as in a link; what is empty is left out.
export function choiceIn(text) {
  return Object.fromEntries([...new URLSearchParams(text)].map(([key, value]) => [key, value || undefined]));
}

// What of a question is about reading the file: the description depends on these alone.
export function readingOf(question) {
  return toQuery(Object.fromEntries(READING.map((key) => [key, question[key]])));
}
