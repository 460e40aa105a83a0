"use strict";
// Draws the page that the address names, and again when it changes.
(function () {
  const { el } = bench;
  const NAV = [["start", [], "Start"], ["table", ["speed"], "Speeds"], ["ranking", [], "Ranking"], ["pivot", [], "Pivot"], ["table", ["memory"], "Memory"], ["table", ["speedup"], "Speed-ups"], ["table", ["runs"], "Runs"]];
  const main = document.getElementById("main");
  let drawing = 0;
  let drawn = "";

  // What has the focus and which menus are open: kept when the same page is drawn again.
  function remembered() {
    const active = document.activeElement;
    const key = active?.id ? "#" + CSS.escape(active.id) : active?.dataset?.key ? '[data-key="' + CSS.escape(active.dataset.key) + '"]' : null;
    const menu = document.querySelector("details.menu[open]");
    const boxes = menu ? [...menu.querySelectorAll("input, summary")] : [];
    const scrolled = document.querySelector(".scroll")?.scrollLeft;
    return { key, caret: active?.selectionStart ?? null, menu: menu?.dataset.key, place: boxes.indexOf(active), scrolled };
  }

  function restore(before) {
    const menu = before.menu && document.querySelector('details.menu[data-key="' + CSS.escape(before.menu) + '"]');
    if (menu) {
      menu.open = true;
      menu.dispatchEvent(new Event("toggle"));
      [...menu.querySelectorAll("input, summary")][before.place]?.focus();
    } else if (before.key) {
      const node = document.querySelector(before.key);
      node?.focus({ preventScroll: true });
      if (before.caret !== null && node?.setSelectionRange) node.setSelectionRange(before.caret, before.caret);
    }
    const frame = document.querySelector(".scroll");
    if (frame && before.scrolled) frame.scrollLeft = before.scrolled;
  }

  bench.draw = async () => {
    const mine = (drawing += 1);
    const address = bench.read_address();
    const here = [address.page, ...address.parts].join("/");
    const is_same = here === drawn;
    const before = is_same ? remembered() : null;
    const page = Object.hasOwn(bench.pages, address.page) ? bench.pages[address.page] : null;
    navigation(address);
    const fresh = el("div");
    let title;
    try {
      if (!page) throw new Error("no page " + address.page);
      title = await page(fresh, address);
    } catch (error) {
      title = "Not found";
      fresh.replaceChildren(el("h1", null, "Not found"), el("p", null, "This site has " + error.message + "."), el("p", null, bench.link("To the first page", "start")));
    }
    // Another page was asked for while this one was loading.
    if (mine !== drawing) return;
    main.replaceChildren(...fresh.childNodes);
    document.title = (title ? title + " · " : "") + bench.site.title;
    if (is_same) restore(before);
    else if (drawn) { scrollTo(0, 0); main.focus({ preventScroll: true }); }
    drawn = here;
    main.dataset.drawn = String(mine);
  };

  function navigation(address) {
    document.getElementById("nav").replaceChildren(...NAV.map(([page, parts, words]) => {
      const on = address.page === page && (parts[0] || "") === (page === "table" ? address.parts[0] || "speed" : "");
      return el("a", { href: bench.address(page, parts), "aria-current": on ? "page" : null }, words);
    }));
  }

  // ---- light and dark ----------------------------------------------------------------------------------------------

  const stored = (theme) => {
    // A page from a folder may have no storage.
    try { return theme === undefined ? localStorage.getItem("theme") : localStorage.setItem("theme", theme); } catch { return null; }
  };
  const button = document.getElementById("theme");
  function set_theme(theme) {
    document.documentElement.dataset.theme = theme;
    button.textContent = theme === "dark" ? "Light" : "Dark";
    button.setAttribute("aria-label", theme === "dark" ? "Light colours" : "Dark colours");
  }
  set_theme(stored() || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"));
  button.addEventListener("click", () => {
    const theme = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    stored(theme);
    set_theme(theme);
  });

  document.getElementById("skip").addEventListener("click", (event) => { event.preventDefault(); main.focus(); });
  addEventListener("hashchange", () => bench.draw());

  (async () => {
    bench.site = await bench.load("site");
    document.getElementById("title").textContent = bench.site.title;
    document.getElementById("footer").replaceChildren(
      el("p", null, "From a ledger of " + bench.count_text(bench.site.files, "file") + ", last filled " + bench.site.filled + " UTC, by benchledger " + bench.site.version + ". Names of machines and people are pseudonyms."));
    await bench.draw();
  })().catch((error) => main.replaceChildren(el("h1", null, "This site is incomplete"), el("p", null, error.message)));
})();
