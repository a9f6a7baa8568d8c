// The least contrast of all text that is shown, by the definition of WCAG 2.
// The background of a text in a drawing is the last shape before it that lies
// under its middle.
(() => {
  const parse = text => {
    const n = (text.match(/[\d.]+/g) ?? []).map(Number);
    return /^rgb/.test(text) && n.length >= 3 ? [n[0], n[1], n[2], n[3] ?? 1] : [0, 0, 0, 0];
  };
  const over = (a, b) => [0, 1, 2].map(i => a[i] * a[3] + b[i] * (1 - a[3])).concat(1);
  const light = c => {
    const [r, g, b] = c.slice(0, 3).map(x => (x /= 255) <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ratio = (a, b) => {
    const [x, y] = [light(a), light(b)];
    return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
  };
  const ground = element => {
    const layers = [];
    for (let e = element; e; e = e.parentElement) {
      const c = parse(getComputedStyle(e).backgroundColor);
      layers.push(c);
      if (c[3] === 1) break;
    }
    return layers.reverse().reduce((under, c) => over(c, under), [255, 255, 255, 1]);
  };
  const under = text => {
    let root = text;
    while (root.parentElement?.closest("svg")) root = root.parentElement.closest("svg");
    let found = ground(root.parentElement);
    const box = text.getBoundingClientRect(), x = box.left + box.width / 2, y = box.top + box.height / 2;
    for (const shape of root.querySelectorAll("rect, path, circle, line")) {
      if (!(shape.compareDocumentPosition(text) & Node.DOCUMENT_POSITION_FOLLOWING)) break;
      const b = shape.getBoundingClientRect(), style = getComputedStyle(shape);
      if (style.fill === "none" || x < b.left || x > b.right || y < b.top || y > b.bottom) continue;
      const c = parse(style.fill);
      c[3] *= Number(style.fillOpacity) * Number(style.opacity);
      found = over(c, found);
    }
    return found;
  };
  const list = [], seen = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const e = walker.currentNode.parentElement;
    if (!walker.currentNode.nodeValue.trim() || seen.has(e) || e.closest("script, title, desc, .hidden")) continue;
    seen.add(e);
    if (!e.checkVisibility({visibilityProperty: true, opacityProperty: true})) continue;
    const svg = e.closest("svg"), style = getComputedStyle(e);
    const back = svg ? under(e) : ground(e);
    const ink = over(parse(svg ? style.fill : style.color), back);
    list.push({ratio: ratio(ink, back), text: e.textContent.trim().slice(0, 60), where: `${e.localName}.${e.getAttribute("class") ?? ""}`});
  }
  list.sort((a, b) => a.ratio - b.ratio);
  return {count: list.length, worst: list.slice(0, 8)};
})()
