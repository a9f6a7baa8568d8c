// Where the focus is, and whether one sees it.
(() => {
  const e = document.activeElement;
  if (!e || e === document.body) return {name: "", seen: true};
  const style = getComputedStyle(e), box = e.getBoundingClientRect();
  const outlined = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
  const there = box.width > 0 && box.height > 0 && box.bottom > 0 && box.top < innerHeight;
  // What is fixed at the top must not hide it.
  const nav = document.querySelector("nav").getBoundingClientRect();
  const hidden = !e.closest("nav, header, .skip") && box.bottom <= nav.bottom;
  window.stops ??= new Map();
  if (!window.stops.has(e)) window.stops.set(e, window.stops.size);
  return {name: e.outerHTML.slice(0, 90), number: window.stops.get(e), seen: outlined && there && !hidden};
})()
