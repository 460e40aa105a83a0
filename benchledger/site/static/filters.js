"use strict";
// Search and filters above a table, kept in the address.
(function () {
  const { el } = bench;
  const COLUMNS = [
    "status", "model", "task", "framework", "implementation", "precision", "gpus", "batch_size_per_gpu", "global_batch_size",
    "seq_len", "nodes", "gpu_model", "system", "campaign", "definition", "rule", "unit", "scaling", "framework_version",
    "implementation_version", "cuda_version", "driver_version", "image", "gradient_accumulation", "variant",
  ];
  const SHOWN = 200;

  bench.filter_columns = (store) => COLUMNS.filter((name) => {
    const column = store.columns.get(name);
    return column && column.codes && (column.values.length > 1 || column.codes.includes(-1));
  });

  bench.read_filters = (store, parameters) => bench.filter_columns(store)
    .map((name) => [name, parameters.getAll(name)]).filter(([, values]) => values.length);

  // The bar: a search field, a button per column that opens its values, and what is chosen.
  bench.filter_bar = (store, parameters, told) => {
    const filters = bench.read_filters(store, parameters);
    const search = el("input", {
      type: "search", id: "search", value: parameters.get("q") || "", placeholder: "Search all columns", "aria-label": "Search all columns",
      autocomplete: "off", spellcheck: "false",
    });
    let timer = 0;
    search.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(() => bench.change({ q: search.value, page: null }, true), 60);
    });
    const menus = bench.filter_columns(store).map((name) => menu(store, parameters, filters, name));
    return el("div", { class: "filters", role: "search", "aria-label": "Filters" },
      el("div", { class: "row" }, search, menus), chips(filters, parameters), el("p", { class: "count", id: "count" }, told));
  };

  function menu(store, parameters, filters, name) {
    const chosen = new Set(parameters.getAll(name));
    const title = bench.head_text(name) + (chosen.size ? " (" + chosen.size + ")" : "");
    const panel = el("div", { class: "panel" });
    const details = el("details", { class: "menu", "data-key": name }, el("summary", { class: chosen.size ? "on" : null }, title), panel);
    details.addEventListener("toggle", () => {
      if (!details.open) return;
      document.querySelectorAll("details.menu[open]").forEach((other) => { if (other !== details) other.open = false; });
      if (!panel.childNodes.length) panel.append(...options(store, parameters, filters, name, chosen));
    });
    details.addEventListener("keydown", (event) => {
      if (event.key === "Escape") { details.open = false; details.querySelector("summary").focus(); }
    });
    return details;
  }

  function options(store, parameters, filters, name, chosen) {
    const counts = store.counts(store.select(filters, parameters.get("q"), name), name);
    const there = new Set(counts.map(([value]) => value));
    const all = [...counts, ...[...chosen].filter((value) => !there.has(value)).map((value) => [value, 0])];
    const list = el("div", { class: "options", role: "group", "aria-label": bench.head_text(name) });
    const fill = (word) => {
      const met = all.filter(([value]) => value.toLowerCase().includes(word.toLowerCase()));
      list.replaceChildren(...met.slice(0, SHOWN).map(([value, count]) => option(name, value, count, chosen)));
      if (met.length > SHOWN) list.append(el("p", { class: "quiet" }, "and " + (met.length - SHOWN) + " more: search"));
    };
    fill("");
    if (all.length < 12) return [list];
    const find = el("input", { type: "search", placeholder: "Find a value", "aria-label": "Find a value of " + bench.head_text(name) });
    find.addEventListener("input", () => fill(find.value));
    return [find, list];
  }

  function option(name, value, count, chosen) {
    const box = el("input", { type: "checkbox", checked: chosen.has(value) });
    box.addEventListener("change", () => {
      if (box.checked) chosen.add(value); else chosen.delete(value);
      bench.change({ [name]: [...chosen], page: null });
    });
    return el("label", null, box, el("span", { class: "value" }, value), el("span", { class: "quiet" }, String(count)));
  }

  function chips(filters, parameters) {
    const found = filters.flatMap(([name, values]) => values.map((value) => el("button", {
      type: "button", class: "chip", "aria-label": "Remove filter " + bench.head_text(name) + " " + value,
      onclick: () => bench.change({ [name]: values.filter((other) => other !== value), page: null }),
    }, bench.head_text(name) + ": " + value + " ✕")));
    if (found.length || parameters.get("q")) {
      const none = Object.fromEntries(filters.map(([name]) => [name, null]));
      found.push(el("button", { type: "button", class: "chip clear", onclick: () => bench.change({ ...none, q: null, page: null }) }, "Clear all"));
    }
    return found.length ? el("div", { class: "chips" }, found) : null;
  }

  document.addEventListener("click", (event) => {
    document.querySelectorAll("details.menu[open]").forEach((menu) => { if (!menu.contains(event.target)) menu.open = false; });
  });
  document.addEventListener("keydown", (event) => {
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement?.tagName);
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey) {
      const search = document.getElementById("search");
      if (search) { event.preventDefault(); search.focus(); }
    }
  });
})();
