// Elements from plain data. Whatever a name holds, it becomes text; only what the server has written as
// a piece of the page is put in as such.

const PROPERTIES = new Set(["value", "checked", "disabled", "hidden", "open", "htmlFor"]);

export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (PROPERTIES.has(name)) made[name] = value;
    else made.setAttribute(name, value === true ? "" : String(value));
  }
  made.append(...present(children));
  return made;
}

// Lists within lists are one list, and what is not there is left out.
function present(children) {
  return children.flat(Infinity).filter((child) => child !== null && child !== undefined);
}

export function byId(id) {
  return document.getElementById(id);
}

// Replace what an element holds, and keep the keyboard where it was if that is still there.
export function fill(parent, ...children) {
  const focused = parent.contains(document.activeElement) ? document.activeElement : null;
  const key = focused?.dataset.key;
  parent.replaceChildren(...present(children));
  if (key !== undefined) {
    const again = [...parent.querySelectorAll("[data-key]")].find((one) => one.dataset.key === key);
    again?.focus({ preventScroll: true });
  }
}

// Put in a piece of the page that the server has written, in which every name is text already.
export function put(parent, html) {
  const made = document.createElement("template");
  made.innerHTML = html;
  fill(parent, ...made.content.childNodes);
  for (const frame of parent.querySelectorAll(".scroll, .drawing")) watch(frame);
  document.dispatchEvent(new CustomEvent("palio:put"));
}

const LONGEST = 40;

// A name that fits; whole in the title, so that nothing is lost.
export function name(text, longest = LONGEST, written = (shown) => shown) {
  const letters = [...text];
  if (letters.length <= longest) return element("span", { class: "name" }, written(text));
  const shown = `${letters.slice(0, longest - 1).join("")}…`;
  return element("span", { class: "name", title: letters.slice(0, 2000).join("") }, written(shown));
}

// In a narrow column a name goes on in the next line after an underscore or before a capital.
export function breakable(text) {
  return text.split(/(?<=_)(?=[^_])|(?<=[a-z]{4})(?=[A-Z])/).flatMap((part, i) => (i ? [element("wbr"), part] : [part]));
}

// A frame that scrolls, also by keyboard, and fades where it goes on.
export function scroller(label, className, ...children) {
  const frame = element("div", { class: `scroll ${className}`, tabindex: "0", role: "region", "aria-label": label }, ...children);
  watch(frame);
  return frame;
}

function watch(frame) {
  frame.addEventListener("scroll", () => fade(frame), { passive: true });
  sizes.observe(frame);
}

const sizes = new ResizeObserver((entries) => entries.forEach((entry) => fade(entry.target)));

export function fade(frame) {
  const right = frame.scrollWidth - frame.clientWidth - frame.scrollLeft > 4;
  const below = frame.scrollHeight - frame.clientHeight - frame.scrollTop > 4;
  frame.classList.toggle("fades", right || below);
  frame.classList.toggle("fades-right", right);
  frame.classList.toggle("fades-below", below);
}

// What is read aloud in the place of a name that was cut; nothing for one that was not.
export function spoken(text, longest) {
  const letters = [...text];
  return letters.length > longest ? letters.slice(0, 200).join("") : null;
}

export function listed(names, most = 12) {
  const parts = [];
  names.slice(0, most).forEach((each, i) => {
    if (i) parts.push(", ");
    parts.push(name(each));
  });
  if (names.length > most) parts.push(` and ${names.length - most} more`);
  return parts;
}

export function count(number, singular, plural = `${singular}s`) {
  return `${number} ${number === 1 ? singular : plural}`;
}
