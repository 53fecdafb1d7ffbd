// An algorithm that is pointed at, has the keyboard's focus or is pinned lights up wherever it stands: in
// the table and in every figure. Marks say whom they stand for: data-a, of a pair data-b, of a group
// data-group. A tip says what there is to say of it, against the pinned one or the best.
"use strict";
(() => {
  const MARKS = "[data-a], [data-group]";
  // A tip that is being pointed at stays: so long it waits to be reached. Over a table it waits to be
  // asked for, so that it does not cover what is read.
  const [LINGER, PAUSE] = [200, 450];

  // `full` are the names as links have them; the facts come with the page, or are asked for.
  let full = [];
  let facts = null;
  let pairs = new Map();
  let ask = null;
  const pins = new Set();

  let shown = null; // the mark that the tip is about
  let timer = 0;

  // --- whom a mark stands for -------------------------------------------------------------------

  const markOf = (node) => {
    const mark = node?.closest?.(MARKS);
    // What is drawn from the last answer knows other numbers.
    return mark && !mark.closest(".stale, .busy") ? mark : null;
  };

  const members = (mark) => [mark.dataset.a, mark.dataset.b, ...(mark.dataset.group ?? "").split(" ")].filter(Boolean).map(Number);

  const same = (one, other) => one?.dataset.a === other?.dataset.a && one?.dataset.b === other?.dataset.b && one?.dataset.group === other?.dataset.group;

  const standing = (number) => document.querySelectorAll(`[data-a="${number}"], [data-b="${number}"], [data-group~="${number}"]`);

  // --- light ------------------------------------------------------------------------------------

  const dark = () => {
    for (const each of document.querySelectorAll(".lit")) each.classList.remove("lit");
    for (const each of document.querySelectorAll(".dimmed")) each.classList.remove("dimmed");
  };

  const light = (mark) => {
    dark();
    const pair = mark.dataset.b !== undefined;
    const numbers = members(mark);
    for (const number of numbers) {
      for (const each of standing(number)) {
        if (each.closest(".stale")) continue;
        // Of a pair each of the two, and the pair itself, but not all their others.
        if (pair && each.dataset.b !== undefined && !members(each).every((one) => numbers.includes(one))) continue;
        each.classList.add("lit");
        each.closest("svg")?.classList.add("dimmed");
      }
    }
  };

  // --- pins ---------------------------------------------------------------------------------------

  const pinned = () => [...pins].map((name) => full.indexOf(name)).filter((number) => number >= 0);

  const showPins = () => {
    for (const each of document.querySelectorAll(".pinned")) each.classList.remove("pinned");
    for (const button of document.querySelectorAll(".pin")) button.setAttribute("aria-pressed", "false");
    for (const number of pinned()) {
      for (const each of standing(number)) {
        if (each.closest(".stale") || each.dataset.b !== undefined) continue;
        each.classList.add("pinned");
        each.querySelector(".pin")?.setAttribute("aria-pressed", "true");
      }
    }
  };

  const toggle = (number) => {
    const name = full[number];
    if (name === undefined) return;
    if (!pins.delete(name)) pins.add(name);
    showPins();
    document.dispatchEvent(new CustomEvent("palio:pins", { detail: { names: [...pins] } }));
    if (facts && !facts.whole && pins.has(name)) demand();
  };

  // --- what is said -------------------------------------------------------------------------------

  const know = (found) => {
    facts = found;
    pairs = new Map(found.pairs.map((pair) => [key(pair[0], pair[1]), pair]));
  };

  const key = (a, b) => (a < b ? `${a} ${b}` : `${b} ${a}`);

  // Ask for the facts, once; whoever is still looked at when they come is told them.
  let asked = null;
  const demand = async () => {
    const [asking, also] = [ask, [...pins]];
    if (!asking || (asked?.asking === asking && asked.also.length === also.length)) return;
    asked = { asking, also };
    const found = await asking(also).catch(() => null);
    if (!found) asked = null;
    if (!found || asking !== ask) return;
    know(found);
    if (shown) tell(shown);
  };

  const line = (text, kind = "p") => {
    const made = document.createElement(kind);
    made.textContent = text;
    return made;
  };

  const ofOne = (number) => [line(facts.names[number], "strong"), ...facts.said[number].map((each) => line(each))];

  const ofTwo = (one, other) => {
    const found = pairs.get(key(one, other));
    if (!found) return facts.whole ? [line(`Not compared with ${facts.names[other]}.`)] : [];
    const [a, b, difference, interval, wins, ties, losses, p, significant] = found;
    const [ahead, behind] = [facts.names[a], facts.names[b]];
    const estimated = interval ? ` (${facts.level ? `${facts.level} ` : ""}interval ${interval}): ${facts.of}` : "";
    return [
      ...(difference ? [line(`${ahead} ${facts.between} ${behind}: ${difference}${estimated}.`)] : []),
      line(`${ahead} won ${wins}, tied ${ties}, lost ${losses} ${facts.over}.`),
      line(`${significant ? `${ahead} is significantly better` : "No significant difference"}, ${facts.p}${p}.`),
    ];
  };

  // Against whom: another that is pinned, or the best.
  const reference = (number) => {
    const others = [...pinned().reverse(), ...facts.against].filter((other) => other !== number);
    return others.find((other) => pairs.has(key(number, other))) ?? others[0];
  };

  const said = (mark) => {
    const [one, other] = members(mark);
    if (facts.names[one] === undefined) return [];
    if (mark.dataset.group) return [line(`No significant difference among ${members(mark).map((each) => facts.names[each]).join(", ")}.`)];
    if (other !== undefined) return [line(`${facts.names[one]} and ${facts.names[other]}`, "strong"), ...ofTwo(one, other)];
    const against = reference(one);
    return [...ofOne(one), ...(against === undefined ? [] : ofTwo(one, against))];
  };

  // --- the tip ------------------------------------------------------------------------------------

  const tip = document.createElement("div");
  tip.id = "tip";
  tip.setAttribute("role", "tooltip");
  tip.hidden = true;

  const tell = (mark) => {
    const lines = facts ? said(mark) : [];
    tip.hidden = !lines.length;
    if (tip.hidden) return;
    tip.replaceChildren(...lines);
    if (!tip.isConnected) (document.querySelector("main") ?? document.body).append(tip);
    const held = document.activeElement;
    if (mark.contains(held)) held.setAttribute("aria-describedby", "tip");
    place(mark);
  };

  // Below the mark, or above it; in a wide one, near the pointer.
  let pointer = null;
  const place = (mark) => {
    const [box, own] = [mark.getBoundingClientRect(), tip.getBoundingClientRect()];
    const [x, y] = pointer ?? [box.left + Math.min(box.width / 2, 120), box.top];
    const low = pointer ? y + 16 : box.bottom + 6;
    const top = low + own.height > innerHeight - 4 ? Math.max(4, (pointer ? y - 12 : box.top - 6) - own.height) : low;
    tip.style.left = `${Math.max(4, Math.min(x - 20, document.documentElement.clientWidth - own.width - 4))}px`;
    tip.style.top = `${top}px`;
  };

  const show = (mark) => {
    clearTimeout(timer);
    if (shown === mark) return;
    const anew = !same(shown, mark);
    shown = mark;
    if (!anew) return;
    tip.hidden = true;
    light(mark);
    timer = setTimeout(() => (facts ? tell(mark) : demand()), pointer && !mark.closest("svg") ? PAUSE : 0);
  };

  const hide = () => {
    clearTimeout(timer);
    dark();
    tip.hidden = true;
    document.querySelector('[aria-describedby="tip"]')?.removeAttribute("aria-describedby");
    shown = null;
  };

  // --- what people do -------------------------------------------------------------------------------

  document.addEventListener("pointerover", (event) => {
    if (event.target.closest?.("#tip")) {
      clearTimeout(timer);
      return;
    }
    const mark = markOf(event.target);
    if (mark) {
      pointer = [event.clientX, event.clientY];
      show(mark);
    } else if (shown) {
      clearTimeout(timer);
      timer = setTimeout(hide, LINGER);
    }
  });
  document.addEventListener("pointerleave", () => shown && hide());

  // In large grids rows and columns are marks, not cells: where two cross is their pair.
  document.addEventListener("pointermove", (event) => {
    const [row, all] = [markOf(event.target), event.target.parentNode];
    if (!row || row.dataset.b !== undefined || !all?.matches?.(".areas")) return;
    const column = document
      .elementsFromPoint(event.clientX, event.clientY)
      .find((each) => each.parentNode === all && each.dataset.b === undefined && each.dataset.a !== row.dataset.a);
    pointer = [event.clientX, event.clientY];
    const cell = row.cloneNode();
    if (column) cell.dataset.b = column.dataset.a;
    show(column ? cell : row);
  });
  document.addEventListener("focusin", (event) => {
    const mark = markOf(event.target);
    if (!mark || !event.target.matches(":focus-visible")) return;
    pointer = null;
    show(mark);
  });
  document.addEventListener("focusout", (event) => shown?.contains(event.target) && !shown.matches(":hover") && hide());
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && shown) hide();
  });

  document.addEventListener("click", (event) => {
    const mark = markOf(event.target);
    if (!mark || mark.dataset.a === undefined || mark.dataset.b !== undefined) return;
    if (event.target.closest(".pin") || mark.closest("svg")) toggle(Number(mark.dataset.a));
  });

  // The price slides: what it buys is said, and lights up.
  document.addEventListener("input", ({ target }) => {
    if (!target.matches?.(".price")) return;
    const steps = [...target.closest(".prices").querySelectorAll("li")];
    steps.forEach((step, i) => step.classList.toggle("chosen", i === Number(target.value)));
    const step = steps[Number(target.value)];
    target.setAttribute("aria-valuetext", step.textContent);
    hide();
    light(step);
  });
  document.addEventListener("focusout", ({ target }) => target.matches?.(".price") && dark());

  // --- from the page --------------------------------------------------------------------------------

  // Another answer: whom the numbers stand for, who is pinned, and how the facts are asked for.
  document.addEventListener("palio:answer", ({ detail }) => {
    hide();
    full = detail.names;
    facts = null;
    ask = detail.ask;
    pins.clear();
    for (const name of detail.pins) pins.add(name);
    showPins();
  });
  // A piece was put in.
  document.addEventListener("palio:put", showPins);

  const island = document.getElementById("facts");
  if (island) {
    know(JSON.parse(island.textContent));
    full = facts.names;
  }
})();
