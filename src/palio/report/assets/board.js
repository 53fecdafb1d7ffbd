// The leaderboard: rows sorted by a column and filtered by a name. Listens to the whole document, as
// the workbench puts in new boards all the time; how one was sorted is kept.
"use strict";
(() => {
  document.documentElement.classList.add("has-script");
  let sorted = null; // {heading, down}
  let wanted = "";

  const valueOf = (row, at) => row.children[at]?.dataset.v;

  // Numbers by size, names by letters; what has no value is last either way.
  const compare = (one, other, down) => {
    if (one === undefined || other === undefined) return (one === undefined) - (other === undefined);
    const [a, b] = [Number(one), Number(other)];
    const way = Number.isNaN(a) || Number.isNaN(b) ? one.localeCompare(other, undefined, { numeric: true }) : a - b;
    return down ? -way : way;
  };

  const sort = (table) => {
    const headings = [...table.querySelectorAll("thead th")];
    const at = sorted ? headings.findIndex((each) => each.textContent === sorted.heading) : -1;
    headings.forEach((each, i) => {
      if (i === at) each.setAttribute("aria-sort", sorted.down ? "descending" : "ascending");
      else each.removeAttribute("aria-sort");
    });
    if (at < 0) return;
    const body = table.tBodies[0];
    const rows = [...body.rows].sort((one, other) => compare(valueOf(one, at), valueOf(other, at), sorted.down));
    body.append(...rows);
  };

  const filter = (table) => {
    let left = 0;
    for (const row of table.tBodies[0].rows) {
      const name = row.querySelector("th")?.dataset.v ?? "";
      row.hidden = !name.toLowerCase().includes(wanted);
      left += !row.hidden;
    }
    return left;
  };

  const everywhere = (act) => [...document.querySelectorAll("table.board")].map(act);

  const find = () => {
    const left = everywhere(filter).reduce((sum, each) => sum + each, 0);
    for (const said of document.querySelectorAll(".finder .found")) said.textContent = wanted ? `${left} found` : "";
  };

  document.addEventListener("click", (event) => {
    const button = event.target.closest?.("table.board .sort");
    if (!button) return;
    const heading = button.closest("th").textContent;
    // Up, down, and back to the order.
    if (sorted?.heading !== heading) sorted = { heading, down: false };
    else if (!sorted.down) sorted = { heading, down: true };
    else sorted = { heading: "place", down: false };
    everywhere(sort);
  });

  document.addEventListener("input", (event) => {
    if (!event.target.matches?.(".find-row")) return;
    wanted = event.target.value.trim().toLowerCase();
    find();
  });

  // A new board is sorted and filtered as the one before it.
  new MutationObserver((changes) => {
    if (!changes.some((each) => [...each.addedNodes].some((node) => node.querySelector?.("table.board")))) return;
    if (sorted) everywhere(sort);
    for (const field of document.querySelectorAll(".find-row")) if (wanted && field.value !== wanted) field.value = wanted;
    if (wanted) find();
  }).observe(document, { childList: true, subtree: true });
})();
