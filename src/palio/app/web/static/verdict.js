// The verdict, and what moved since the last question.

import { count, element, fill, name, put } from "./dom.js";

export function showVerdict(section, answer) {
  const tiles = element("div");
  put(tiles, answer.tiles);
  fill(section, element("h2", { id: "verdict-title" }, answer.verdict.headline), ...tiles.childNodes);
}

// Who differs from whom, by a key that does not depend on the order of the table.
function verdicts(answer) {
  const found = new Map();
  for (const [i, j, significant, better] of answer.pairs) {
    const [a, b] = [answer.algorithms[i], answer.algorithms[j]];
    const key = a < b ? JSON.stringify([a, b]) : JSON.stringify([b, a]);
    found.set(key, significant ? answer.algorithms[better] : null);
  }
  return found;
}

export function moved(before, now) {
  const said = [];
  if (now.best !== before.best) said.push([name(now.best), " leads now; it was ", name(before.best), "."]);
  const [first, was] = [now.order.rows[0].algorithm, before.order.rows[0].algorithm];
  // Where no preference differs from the score the first of the order is the one that leads.
  const same = first === now.best && was === before.best;
  if (first !== was && !same) said.push([name(first), " is first in the order now; it was ", name(was), "."]);
  const earlier = verdicts(before);
  for (const [key, winner] of verdicts(now)) {
    if (!earlier.has(key) || earlier.get(key) === winner) continue;
    const [a, b] = JSON.parse(key);
    const change = winner === null ? ["no longer different"] : ["now different, ", name(winner), " is better"];
    said.push([name(a), " – ", name(b), ": ", ...change]);
  }
  // Of very many pairs the server only counts those that differ.
  if (!(now.pairs.length && before.pairs.length) && now.different !== before.different) said.push([`${count(now.different, "pair")} differ significantly now; it was ${before.different}.`]);
  const places = new Map(before.order.rows.map((row) => [row.algorithm, row.place]));
  const shifted = elsewhere(now, places);
  if (shifted.length) said.push([`${count(shifted.length, "algorithm")} changed places: `, ...shifts(shifted, places)]);
  return said;
}

// Those that stand elsewhere among the ones that were there before, too.
function elsewhere(now, places) {
  const kept = now.order.rows.filter((each) => places.has(each.algorithm));
  const old = [...kept].sort((one, other) => places.get(one.algorithm) - places.get(other.algorithm));
  return kept.filter((row, i) => row !== old[i]);
}

function shifts(rows, places) {
  const parts = [];
  rows.slice(0, 6).forEach((row, i) => parts.push(i ? ", " : "", name(row.algorithm), ` ${places.get(row.algorithm)} → ${row.place}`));
  if (rows.length > 6) parts.push(` and ${rows.length - 6} more`);
  return parts;
}

const MOST = 8;

export function showMoved(section, said, pool) {
  const lines = said.map((parts) => element("li", {}, parts));
  const flips = pool.map((parts) => element("li", {}, parts));
  section.hidden = false;
  const nothing = lines.length || flips.length ? null : element("p", { class: "quiet" }, "Nothing: every verdict and place is as it was.");
  fill(
    section,
    element("h2", { id: "moved-title" }, "What moved"),
    nothing,
    ...some(lines),
    flips.length ? element("h3", {}, "By mean ranks alone, because the pool changed (Nemenyi; no score of these pairs did)") : null,
    ...some(flips),
  );
}

function some(lines) {
  if (!lines.length) return [null];
  const rest = lines.slice(MOST);
  const more = rest.length ? element("details", {}, element("summary", {}, `${rest.length} more`), element("ul", {}, rest)) : null;
  return [element("ul", {}, lines.slice(0, MOST)), more];
}
