// What an accessible page must have and this one lacks, as sentences.
(() => {
  const wrong = [];
  const say = (what, e) => wrong.push(`${what}: ${e.outerHTML.slice(0, 120)}`);
  const shown = e => e.checkVisibility({visibilityProperty: true});
  if (!document.documentElement.lang) wrong.push("no language");
  if (!document.title.trim()) wrong.push("no title");
  for (const name of ["header", "nav", "main", "footer"]) if (document.querySelectorAll(`body > ${name}`).length !== 1) wrong.push(`not one ${name}`);
  let level = 0;
  for (const h of document.querySelectorAll("h1, h2, h3, h4, h5, h6")) {
    const n = Number(h.localName[1]);
    if (n > level + 1 || (n === 1) !== (level === 0)) say("heading out of order", h);
    level = n;
  }
  for (const s of document.querySelectorAll("section, nav, [role=region]")) {
    const by = s.getAttribute("aria-labelledby");
    if (!s.getAttribute("aria-label") && !(by && document.getElementById(by)?.textContent.trim())) say("region without a name", s);
  }
  for (const t of document.querySelectorAll("table")) {
    if (!t.caption?.textContent.trim()) say("table without a caption", t);
    for (const th of t.querySelectorAll("th")) {
      if (!th.scope) say("header cell without scope", th);
      if (!th.textContent.trim()) say("header cell without words", th);
    }
    for (const row of t.tBodies[0]?.rows ?? []) {
      if (row.querySelectorAll("th[scope=row]").length !== 1) { say("row without a header", row); break; }
    }
  }
  for (const c of document.querySelectorAll("input:not([type=hidden]), select, textarea")) if (!c.labels?.length || !c.labels[0].textContent.trim()) say("control without a label", c);
  for (const c of document.querySelectorAll("a, button, summary")) if (shown(c) && !(c.textContent.trim() || c.getAttribute("aria-label"))) say("control without a name", c);
  for (const s of document.querySelectorAll("svg")) {
    if (s.parentElement.closest("svg")) continue;
    if (s.getAttribute("aria-hidden") !== "true" && !(s.getAttribute("role") === "img" && s.getAttribute("aria-label")?.trim())) say("drawing without words", s);
  }
  for (const t of document.querySelectorAll("time")) if (Number.isNaN(Date.parse(t.dateTime))) say("time without a moment", t);
  for (const e of document.querySelectorAll("[style], [onclick], style, script:not([src])")) say("inline style or script", e);
  const live = document.querySelectorAll("[aria-live], [role=status], [role=alert]");
  if (live.length !== 1 || live[0].getAttribute("aria-live") !== "polite" || !live[0].closest("#strip")) wrong.push("not one polite live region in the strip");
  const ids = new Set();
  for (const e of document.querySelectorAll("[id]")) {
    if (ids.has(e.id)) say("id twice", e);
    ids.add(e.id);
  }
  for (const e of document.querySelectorAll("[aria-labelledby], a[href^='#']")) {
    const id = e.getAttribute("aria-labelledby") ?? e.getAttribute("href").slice(1);
    if (id && !document.getElementById(id)) say("points nowhere", e);
  }
  for (const e of document.querySelectorAll("*")) {
    // What scrolls must be reachable by keyboard.
    const style = getComputedStyle(e);
    if (/auto|scroll/.test(style.overflowX + style.overflowY) && (e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > e.clientHeight + 1) && shown(e) &&
      e.tabIndex < 0 && !e.querySelector("a, button, input, select, summary") && e !== document.documentElement && e !== document.body) say("scrolls, but not by keyboard", e);
  }
  return wrong;
})()
