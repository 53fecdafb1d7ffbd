// The audit's grid: a cell opens what would change the verdict, a filter shows the pairs of one algorithm.
"use strict";
(() => {
  const within = (target, selector) => (target instanceof Element ? target.closest(selector) : null);
  const cells = (table) => [...table.querySelectorAll(".audit-cell")].filter((cell) => !cell.closest("tr").hidden);

  const open = (cell) => {
    const table = cell.closest("table");
    const opening = cell.getAttribute("aria-expanded") !== "true";
    for (const each of table.querySelectorAll('.audit-cell[aria-expanded="true"]')) each.setAttribute("aria-expanded", "false");
    for (const row of table.querySelectorAll(".audit-why")) row.hidden = true;
    if (!opening) return;
    cell.setAttribute("aria-expanded", "true");
    const below = cell.closest("tr").nextElementSibling;
    for (const said of below.querySelectorAll("[data-check]")) said.hidden = said.dataset.check !== cell.dataset.check;
    below.hidden = false;
  };

  // One stop for Tab, from which the arrows go on.
  const reach = (cell) => {
    for (const each of cell.closest("table").querySelectorAll(".audit-cell")) each.tabIndex = each === cell ? 0 : -1;
  };

  const show = (audit) => {
    const chosen = audit.querySelector(".audit-filter")?.value ?? "";
    const table = audit.querySelector(".audit-grid");
    const every = audit.classList.contains("audit-whole") || chosen !== "";
    for (const row of table.querySelectorAll("tbody > tr:not(.audit-why)")) {
      const asked = chosen === "" || row.dataset.a === chosen || row.dataset.b === chosen;
      row.hidden = !asked || (!every && row.classList.contains("beyond"));
      if (row.hidden) row.nextElementSibling.hidden = true;
    }
    for (const cell of table.querySelectorAll('.audit-cell[aria-expanded="true"]')) {
      if (cell.closest("tr").hidden) cell.setAttribute("aria-expanded", "false");
    }
    const button = audit.querySelector(".audit-all");
    if (button) button.hidden = every;
    const [first] = cells(table);
    if (first) reach(first);
  };

  document.addEventListener("click", (event) => {
    const cell = within(event.target, ".audit-cell");
    if (cell) {
      reach(cell);
      open(cell);
    }
    const all = within(event.target, ".audit-all");
    if (all) {
      const audit = all.closest(".audit");
      const shown = cells(audit.querySelector(".audit-grid")).length;
      audit.classList.add("audit-whole");
      show(audit);
      // The button is gone: the keyboard goes on with what it has brought.
      (cells(audit.querySelector(".audit-grid"))[shown] ?? cells(audit.querySelector(".audit-grid"))[0])?.focus();
    }
  });

  document.addEventListener("change", (event) => {
    const filter = within(event.target, ".audit-filter");
    if (filter) show(filter.closest(".audit"));
  });

  document.addEventListener("keydown", (event) => {
    const cell = within(event.target, ".audit-cell");
    if (!cell) return;
    if (event.key === "Escape" && cell.getAttribute("aria-expanded") === "true") return open(cell);
    const next = beside(cell, event.key);
    if (!next) return;
    event.preventDefault();
    reach(next);
    next.focus();
  });

  const beside = (cell, key) => {
    const list = cells(cell.closest("table"));
    const at = list.indexOf(cell);
    if (key === "ArrowRight") return list[at + 1];
    if (key === "ArrowLeft") return list[at - 1];
    if (key !== "ArrowDown" && key !== "ArrowUp") return null;
    const row = cell.closest("tr");
    const others = key === "ArrowDown" ? list.slice(at + 1) : list.slice(0, at).reverse();
    const elsewhere = others.filter((each) => each.closest("tr") !== row);
    return elsewhere.find((each) => each.dataset.check === cell.dataset.check) ?? elsewhere[0];
  };
})();
