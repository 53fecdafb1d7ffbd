// Every table can be copied, as LaTeX, Markdown or CSV: what is seen of it, in the order it is seen in.
// In CSV a cell that has a number behind its text (data-v) is that number.
"use strict";
(() => {
  const spaced = (text) => text.replace(/\s+/g, " ").trim();

  // --- what a table holds -------------------------------------------------------------------------

  const rowsOf = (table) => {
    const head = [...(table.tHead?.rows ?? [])].at(-1);
    const columns = [...(head?.cells ?? [])].map((cell, i) => (cell.classList.contains("pin-cell") ? -1 : i)).filter((i) => i >= 0);
    const rows = [...table.tBodies].flatMap((body) => [...body.rows]).filter((row) => !row.hidden && row.cells.length === head?.cells.length);
    const of = (row) => columns.map((i) => row.cells[i]);
    const numeric = columns.map((i) => [head, ...rows].some((row) => row?.cells[i].classList.contains("number")));
    return { head: head ? of(head) : [], rows: rows.map(of), numeric };
  };

  const said = (cell) => spaced(cell.innerText);

  // --- CSV ----------------------------------------------------------------------------------------

  const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

  // As the files are guarded that Palio writes: no spreadsheet takes a name for a formula.
  const guarded = (text) => {
    const found = /^('*)[=+\-@]/.exec(text);
    if (!found || NUMBER.test(text)) return text;
    if (!text.endsWith("'")) return `'${text}`;
    return found[1].length === 1 ? text : `''${text}`;
  };

  const field = (text) => {
    const number = text.replace("−", "-");
    const value = guarded(NUMBER.test(number) ? number : text);
    return /[",\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
  };

  const csv = ({ head, rows }) => {
    const raw = (cell) => field(spaced(cell.dataset.v ?? said(cell)));
    return [head.map((cell) => field(said(cell))), ...rows.map((row) => row.map(raw))].map((line) => `${line.join(",")}\n`).join("");
  };

  // --- Markdown -----------------------------------------------------------------------------------

  const markdown = ({ head, rows, numeric }) => {
    const escaped = (cell) => said(cell).replace(/[\\`*_{}[\]<>|~#&$]/g, "\\$&");
    const line = (cells) => `| ${cells.join(" | ")} |\n`;
    return [line(head.map(escaped)), line(numeric.map((each) => (each ? "---:" : ":---"))), ...rows.map((row) => line(row.map(escaped)))].join("");
  };

  // --- LaTeX --------------------------------------------------------------------------------------

  const GREEK = { α: "alpha", β: "beta", γ: "gamma", δ: "delta", ε: "epsilon", λ: "lambda", μ: "mu", µ: "mu", π: "pi", ρ: "rho", σ: "sigma", τ: "tau", φ: "phi", χ: "chi", ω: "omega", Δ: "Delta", Σ: "Sigma", Ω: "Omega" };
  const SIGNS = { "−": "-", "±": "\\pm", "×": "\\times", "·": "\\cdot", "≤": "\\le", "≥": "\\ge", "≠": "\\ne", "≈": "\\approx", "∞": "\\infty", "→": "\\rightarrow", "←": "\\leftarrow", "²": "^2", "³": "^3", "<": "<", ">": ">", "|": "|", "✓": "\\surd", "◆": "\\bullet", "◇": "\\circ" };
  const LETTERS = {
    ...Object.fromEntries([..."%&#$_{}"].map((each) => [each, `\\${each}`])),
    ...Object.fromEntries(Object.entries(SIGNS).map(([sign, code]) => [sign, `$${code}$`])),
    ...Object.fromEntries(Object.entries(GREEK).map(([letter, name]) => [letter, `$\\${name}$`])),
    "\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}", "`": "\\textasciigrave{}",
    "[": "{[}", "]": "{]}", "*": "{*}", '"': "''", "–": "--", "—": "---", "…": "\\ldots{}", "‘": "`", "’": "'", "“": "``", "”": "''",
  };

  const latex = ({ head, rows, numeric }) => {
    const escaped = (cell, i) => {
      const text = said(cell);
      const power = numeric[i] ? /^([+−-]?)(\d+(?:\.\d+)?)e([+−-]?\d+)$/.exec(text) : null;
      if (power) return `$${power[1].replace("−", "-")}${power[2]} \\times 10^{${Number(power[3].replace("−", "-"))}}$`;
      return [...text.replace(/-(?=-)/g, "-\0")].map((letter) => (letter === "\0" ? "{}" : (LETTERS[letter] ?? letter))).join("");
    };
    const line = (cells) => `  ${cells.map(escaped).join(" & ")} \\\\\n`;
    const layout = numeric.map((each) => (each ? "r" : "l")).join("");
    return `% Needs \\usepackage{booktabs}.\n\\begin{tabular}{@{}${layout}@{}}\n  \\toprule\n${line(head)}  \\midrule\n${rows.map(line).join("")}  \\bottomrule\n\\end{tabular}\n`;
  };

  // --- the menu -----------------------------------------------------------------------------------

  const FORMS = { LaTeX: latex, Markdown: markdown, CSV: csv };

  const made = (tag, attributes, ...children) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  };

  const menu = (table) => {
    const about = spaced(table.caption?.textContent ?? "") || table.parentElement.getAttribute("aria-label") || "table";
    const buttons = Object.keys(FORMS).map((form) => made("button", { type: "button", "data-form": form, "aria-label": `${form}: ${about}` }, form));
    return made("details", { class: "copy-as" }, made("summary", { "aria-label": `Copy as: ${about}` }, "Copy as"), ...buttons, made("span", { role: "status" }));
  };

  const equip = () => {
    for (const table of document.querySelectorAll(".scroll > table:not(.raw)")) {
      const frame = table.parentElement;
      if (table.tHead && !frame.nextElementSibling?.matches(".copy-as")) frame.after(menu(table));
    }
  };

  // Where a page may not write to the clipboard, what is selected is still copied.
  const copied = async (text) => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const field = made("textarea", { class: "copied-text", "aria-hidden": "true" });
      field.value = text;
      document.body.append(field);
      field.select();
      const done = document.execCommand("copy");
      field.remove();
      if (!done) throw new Error("The browser does not allow it.");
    }
  };

  document.addEventListener("click", async (event) => {
    const button = event.target.closest?.(".copy-as [data-form]");
    if (!button) return;
    const found = rowsOf(button.parentElement.previousElementSibling.querySelector("table"));
    const status = button.parentElement.querySelector("[role=status]");
    try {
      await copied(FORMS[button.dataset.form](found));
      status.textContent = `Copied as ${button.dataset.form}: ${found.rows.length} ${found.rows.length === 1 ? "row" : "rows"}.`;
    } catch (error) {
      status.textContent = error.message;
    }
    button.focus();
  });

  new MutationObserver(equip).observe(document, { childList: true, subtree: true });
  equip();
})();
