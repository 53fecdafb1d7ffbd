// Tables in a notebook: a heading sorts its own table, up, down, and back. This runs once for every
// result that is shown, in notebooks that put scripts where they like.
"use strict";
(() => {
  const UNITS = { µs: 1e-6, ms: 1e-3, min: 60, h: 3600, d: 86400, kB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12, million: 1e6, billion: 1e9, trillion: 1e12 };
  const NUMBER = /(-?\d+\.?\d*(?:e[+-]?\d+)?)\s*([a-zµ]+)?/gi;

  // A cell may hold several: an interval, or wins, ties and losses.
  const numbers = (text) => {
    const plain = text.replaceAll("−", "-").replace(/(\d),(?=\d{3})/g, "$1");
    return [...plain.matchAll(NUMBER)].map(([, number, unit]) => Number(number) * (UNITS[unit] ?? 1));
  };

  const bySize = (one, other) => {
    const [a, b] = [numbers(one), numbers(other)];
    for (let i = 0; i < Math.min(a.length, b.length); i++) if (a[i] !== b[i]) return a[i] - b[i];
    return 0;
  };
  const byLetters = (one, other) => one.localeCompare(other, undefined, { numeric: true });

  const sort = (heading) => {
    const was = heading.getAttribute("aria-sort");
    const way = was === null ? "ascending" : was === "ascending" ? "descending" : null;
    for (const each of heading.parentElement.cells) each.removeAttribute("aria-sort");
    if (way) heading.setAttribute("aria-sort", way);
    const [body] = heading.closest("table").tBodies;
    const rows = [...body.rows];
    rows.forEach((row, i) => (row.dataset.place ??= i));
    const numeric = heading.classList.contains("number");
    const said = (row) => row.cells[heading.cellIndex].textContent.trim();
    const lacks = (text) => (numeric ? !/\d/.test(text) : !text);
    rows.sort((one, other) => {
      const back = one.dataset.place - other.dataset.place;
      if (!way) return back;
      const [a, b] = [said(one), said(other)];
      // What has no value is last either way.
      if (lacks(a) || lacks(b)) return lacks(a) - lacks(b) || back;
      return (numeric ? bySize : byLetters)(a, b) * (way === "ascending" ? 1 : -1) || back;
    });
    body.append(...rows);
  };

  const equip = () => {
    for (const heading of document.querySelectorAll(".palio .scroll > table:not(.audit-grid) > thead th:not(:has(.sort))")) {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "sort";
      button.append(...heading.childNodes);
      heading.append(button);
    }
  };

  if (!window.palioSorts) {
    window.palioSorts = true;
    document.addEventListener("click", (event) => {
      const button = event.target.closest?.(".palio .sort");
      if (button) sort(button.closest("th"));
    });
  }
  equip();
  setTimeout(equip);
})();
