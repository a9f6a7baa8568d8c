// What the status page does beyond what it does without a script: it refreshes
// itself in place, sorts its tables, and shows what belongs to one user. All
// texts come from the server; nothing is put together here but words about the
// connection.
"use strict";
(() => {
  const every = 1000 * (Number(document.documentElement.dataset.refresh) || 5);
  const patience = 20000; // ms that an answer may take
  const sorted = new Map(); // by table id: {column, down}
  let user = null; // whose rows are lit
  let paused = false, asking = false, heard = Date.now();

  // Sorting. A cell counts as its time, as its number, or as its text.
  const worth = cell => {
    const time = cell?.querySelector("time");
    if (time) return Date.parse(time.dateTime);
    const text = (cell?.textContent ?? "").trim();
    const number = /^[-−+]?\d[\d\u00a0\u202f]*(\.\d+)?/.exec(text);
    return number ? Number(number[0].replace(/[\u00a0\u202f]/g, "").replace("−", "-")) : text;
  };
  const compare = (a, b, down) => {
    // Words among numbers or times, such as "never", come last either way.
    if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
    return (down ? -1 : 1) * (a < b ? -1 : a > b ? 1 : 0);
  };
  const sort = table => {
    const by = sorted.get(table.id);
    if (!by) return;
    table.tHead.rows[0].querySelectorAll("th").forEach((th, i) => {
      if (i === by.column) th.setAttribute("aria-sort", by.down ? "descending" : "ascending");
      else th.removeAttribute("aria-sort");
    });
    const rows = [...table.tBodies[0].rows].map((row, i) => ({row, i, worth: worth(row.cells[by.column])}));
    rows.sort((a, b) => compare(a.worth, b.worth, by.down) || a.i - b.i);
    table.tBodies[0].append(...rows.map(r => r.row));
  };

  // prepare gives a page, this one or one just fetched, what only works with a
  // script.
  const prepare = main => {
    for (const table of main.querySelectorAll("table.sortable")) {
      for (const th of table.tHead.rows[0].cells) {
        const button = main.ownerDocument.createElement("button");
        button.type = "button";
        button.append(...th.childNodes);
        th.append(button);
      }
      sort(table);
    }
    light(main);
  };

  // What belongs to a user is lit while the pointer or the focus is on it.
  const light = main => {
    for (const each of main.querySelectorAll(".hot")) each.classList.remove("hot");
    main.classList.toggle("cooler", user !== null);
    if (user === null) return;
    for (const each of main.querySelectorAll("[data-user]")) if (each.dataset.user === user) each.classList.add("hot");
  };
  const point = event => {
    const next = event.target.closest?.("[data-user]")?.dataset.user ?? null;
    if (next === user) return;
    user = next;
    light(document.querySelector("main"));
  };

  // morph makes a node like another one and keeps what the reader holds: focus,
  // selection, scroll positions, open details, text being typed.
  const morph = (old, now) => {
    if (old.nodeType !== Node.ELEMENT_NODE) {
      if (old.nodeValue !== now.nodeValue) old.nodeValue = now.nodeValue;
      return;
    }
    const keep = name => name === "open" && old.localName === "details";
    for (const {name} of [...old.attributes]) if (!now.hasAttribute(name) && !keep(name)) old.removeAttribute(name);
    for (const {name, value} of now.attributes) if (old.getAttribute(name) !== value && !keep(name)) old.setAttribute(name, value);
    const byID = new Map();
    for (const child of old.children) if (child.id) byID.set(child.id, child);
    let here = old.firstChild;
    for (const child of [...now.childNodes]) {
      let match = null;
      if (child.id) match = byID.get(child.id) ?? null;
      else if (here && !here.id && here.nodeName === child.nodeName) match = here;
      if (match && match.nodeName === child.nodeName) {
        if (match === here) here = here.nextSibling;
        else old.insertBefore(match, here);
        morph(match, child);
      } else {
        old.insertBefore(document.importNode(child, true), here);
      }
    }
    while (here) {
      const next = here.nextSibling;
      here.remove();
      here = next;
    }
  };

  const show = (text, only) => {
    const page = new DOMParser().parseFromString(text, "text/html");
    const fresh = page.querySelector("main"), main = document.querySelector("main");
    if (!fresh) throw new Error("no page");
    prepare(fresh);
    const held = document.activeElement;
    const part = only && fresh.querySelector(only);
    if (part) morph(main.querySelector(only), part);
    else morph(main, fresh);
    if (held?.isConnected && held !== document.activeElement) held.focus({preventScroll: true});
  };
  const ask = async (url, only) => {
    const answer = await fetch(url, {cache: "no-store", redirect: "error", signal: AbortSignal.timeout(patience)});
    if (!/^text\/html/.test(answer.headers.get("Content-Type") ?? "")) throw new Error("no page");
    show(await answer.text(), only);
  };

  const lost = document.getElementById("lost"), strip = () => document.getElementById("strip");
  const tell = () => {
    // It does not change by itself: it is read out to those who listen.
    lost.textContent = `Connection lost: ostrichd has not answered since ${new Date(heard).toLocaleTimeString()}. What you see is as old as that.`;
    lost.hidden = false;
    strip()?.classList.add("lost");
  };
  const refresh = async () => {
    if (asking || paused || document.hidden) return;
    asking = true;
    try {
      await ask(location.href);
      heard = Date.now();
      lost.hidden = true;
    } catch {
      tell();
    } finally {
      asking = false;
    }
  };

  document.addEventListener("pointerover", point);
  document.addEventListener("focusin", point);
  document.addEventListener("click", event => {
    const target = event.target.closest?.("thead button, #pause");
    if (!target) return;
    if (target.id === "pause") {
      paused = !paused;
      target.setAttribute("aria-pressed", String(paused));
      if (!paused) refresh();
      return;
    }
    const table = target.closest("table"), column = target.closest("th").cellIndex, by = sorted.get(table.id);
    sorted.set(table.id, {column, down: by?.column === column ? !by.down : false});
    sort(table);
  });
  document.addEventListener("submit", async event => {
    const form = event.target;
    if (form.id !== "explain-form") return;
    event.preventDefault();
    const url = new URL(form.action);
    url.search = new URLSearchParams(new FormData(form));
    try {
      await ask(url.href, "#explain");
      history.replaceState(null, "", url.href);
      document.getElementById("explained")?.focus();
    } catch {
      form.submit(); // let the browser tell what is wrong
    }
  });

  prepare(document.querySelector("main"));
  document.getElementById("pause").hidden = false;
  setInterval(refresh, every);
  document.addEventListener("visibilitychange", refresh);
})();
