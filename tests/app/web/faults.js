// What is wrong with the looks of a page, a line for each fault; `smallest`: pixels of a text in a figure.
(smallest) => {
  const faults = [];
  const root = document.documentElement;
  if (root.scrollWidth > innerWidth) faults.push(`page: ${root.scrollWidth} > ${innerWidth}`);

  const scrolls = (one) => /auto|scroll/.test(getComputedStyle(one).overflowX);
  const framed = (one) => one !== document.body && (scrolls(one) || framed(one.parentElement));
  const unread = "svg, svg *, script, noscript, .unseen, .skip";
  for (const one of document.querySelectorAll(`body *:not(${unread})`)) {
    if (!one.checkVisibility()) continue;
    const style = getComputedStyle(one);
    if (/hidden|clip/.test(style.overflowX) && one.scrollWidth > one.clientWidth + 1)
      faults.push(`cut: ${one.textContent.slice(0, 60)}`);
    if (![...one.childNodes].some((child) => child.nodeType === 3 && child.data.trim())) continue;
    const range = document.createRange();
    range.selectNodeContents(one);
    const box = range.getBoundingClientRect();
    const away = box.right <= 0;  // a drawer that is closed
    if (!framed(one) && !away && (box.left < -1 || box.right > innerWidth + 1))
      faults.push(`beside the window: ${one.textContent.slice(0, 60)}`);
  }

  // Texts of figures may be turned: their boxes are compared along the sides of both, from the top
  // of a capital to the baseline.
  const corners = (text) => {
    const [box, to] = [text.getBBox(), text.getScreenCTM()];
    const [top, bottom] = [box.y + 0.18 * box.height, box.y + 0.84 * box.height];
    return [[box.x, top], [box.x + box.width, top], [box.x + box.width, bottom], [box.x, bottom]]
      .map(([x, y]) => [to.a * x + to.c * y + to.e, to.b * x + to.d * y + to.f]);
  };
  const apart = (one, other) => [one, other].some((shape) => [0, 1].some((i) => {
    const side = [shape[i + 1][0] - shape[i][0], shape[i + 1][1] - shape[i][1]];
    const length = Math.hypot(...side);
    const along = (points) => points.map(([x, y]) => (x * side[0] + y * side[1]) / length);
    const [a, b] = [along(one), along(other)];
    return Math.min(Math.max(...a), Math.max(...b)) - Math.max(Math.min(...a), Math.min(...b)) < 1;
  }));
  for (const svg of document.querySelectorAll("svg")) {
    const frame = svg.getBoundingClientRect();
    const texts = [...svg.querySelectorAll("text")].filter((text) => text.getBBox().width);
    const shapes = texts.map(corners);
    const small = texts.filter((text) => {
      const to = text.getScreenCTM();
      return Math.hypot(to.a, to.b) * parseFloat(getComputedStyle(text).fontSize) < smallest;
    });
    if (small.length) faults.push(`too small: ${small[0].textContent}`);
    const out = ([x, y]) =>
      x < frame.left - 1 || x > frame.right + 1 || y < frame.top - 1 || y > frame.bottom + 1;
    shapes.forEach((shape, i) => {
      const said = texts[i].textContent;
      if (shape.some(out)) faults.push(`outside its figure: ${said}`);
      for (let j = 0; j < i; j += 1)
        if (!apart(shape, shapes[j])) faults.push(`overlap: ${said} / ${texts[j].textContent}`);
    });
  }
  return faults;
}
