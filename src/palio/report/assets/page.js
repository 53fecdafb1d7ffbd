// The page works without this: links lead to the details of an algorithm, and CSS shows them.
"use strict";
(() => {
  const chosen = () => {
    try {
      return document.getElementById(decodeURIComponent(location.hash.slice(1)));
    } catch {
      return null;
    }
  };

  const mark = () => {
    const detail = chosen() ?? document.querySelector(".detail.first");
    for (const link of document.querySelectorAll(".order table a[href^='#']")) {
      const current = Boolean(detail) && link.getAttribute("href") === `#${detail.id}`;
      link.closest("tr").classList.toggle("current", current);
      if (current) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  };

  // Beside the table the panel is in sight already: the page need not jump there.
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.(".order table a[href^='#']");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const panel = document.querySelector(".panel");
    const where = scrollY;
    setTimeout(() => {
      const box = panel.getBoundingClientRect();
      if (getComputedStyle(panel).position === "sticky" && box.width) scrollTo({ top: where, behavior: "instant" });
    });
  });

  // From the details back to the row they belong to.
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    document.querySelector(".order table a[aria-current]")?.focus();
  });

  // What scrolls fades where it goes on.
  const fade = (frame) => {
    const right = frame.scrollWidth - frame.clientWidth - frame.scrollLeft > 4;
    const below = frame.scrollHeight - frame.clientHeight - frame.scrollTop > 4;
    frame.classList.toggle("fades", right || below);
    frame.classList.toggle("fades-right", right);
    frame.classList.toggle("fades-below", below);
  };
  const frames = [...document.querySelectorAll(".scroll, .drawing, .panel")];
  const look = () => frames.forEach(fade);
  for (const frame of frames) frame.addEventListener("scroll", () => fade(frame), { passive: true });
  document.addEventListener("toggle", look, { capture: true });
  addEventListener("resize", look);

  addEventListener("hashchange", () => {
    mark();
    look();
  });
  // What is folded is not printed; but how it was done is never left out.
  addEventListener("beforeprint", () => {
    for (const each of document.querySelectorAll("#methods details")) each.open = true;
  });
  mark();
  look();
})();
