"use strict";
// The long tables: speeds, memory, speed-ups and runs; filtered, sorted, with the columns that the reader chose.
(function () {
  const { el } = bench;
  const PAGE = 50;
  const CASE = ["model", "task", "precision", "gpus", "batch_size_per_gpu", "seq_len"];
  const TABLES = {
    speed: {
      title: "Speeds", what: "speed",
      columns: ["value", "unit", ...CASE, "gpu_model", "system", "framework", "implementation", "campaign", "trials", "spread", "rule"],
      note: "Each number is the speed of a series by the default rule of its format. A series is the trials of one case in one campaign and environment. Choose a number to see how it was made.",
    },
    memory: {
      title: "Memory", what: "memory number",
      columns: ["value", "unit", "definition", ...CASE, "gpu_model", "gpu_memory_mib", "system", "framework", "implementation", "campaign", "trials"],
      note: "Each number is the memory of the fullest GPU of a run, as the median over the trials of a series. Do not compare numbers of different definitions (device, process, allocated, reserved).",
    },
    speedup: {
      title: "Speed-ups", what: "speed-up",
      columns: ["value", "efficiency", "scaling", ...CASE, "gpu_model", "system", "framework", "implementation", "campaign", "rule"],
      note: "Each number is the speed of a series divided by the speed of its base: the same case on the fewest GPUs.",
    },
    runs: {
      title: "Runs", what: "run",
      columns: ["run_key", "status", "started_at", "name", "gpu_model", "system", "framework", "campaign", "steps_done", "steps_planned", "reason"],
      note: "Every run of the ledger, newest first, failed ones too. A run that was seen in two campaigns has two rows.",
    },
  };
  const NEVER = new Set(["case", "cell", "lowest", "highest", "is_doubtful", "shared"]);
  bench.TABLES = TABLES;

  // A memory's rule is its definition.
  bench.table_store = async (kind) => {
    const store = await bench.store(kind);
    if (kind === "memory" && store.columns.has("rule")) {
      store.columns.set("definition", { ...store.columns.get("rule"), name: "definition" });
      store.columns.delete("rule");
    }
    return store;
  };

  bench.pages.table = async (main, { parts, parameters }) => {
    const kind = parts[0] || "speed", table = TABLES[kind];
    if (!table) throw new Error("no table " + kind);
    const store = await bench.table_store(kind);
    const found = store.select(bench.read_filters(store, parameters), parameters.get("q"));
    const sort = parameters.get("sort") || "", down = sort.startsWith("-");
    const rows = sort ? store.sort(found, sort.replace(/^-/, ""), down) : found;
    const columns = chosen_columns(store, table, parameters);
    const pages = Math.max(1, Math.ceil(rows.length / PAGE));
    const page = Math.min(pages, Math.max(1, Number(parameters.get("page")) || 1));
    const shown = rows.slice((page - 1) * PAGE, page * PAGE);
    const told = bench.count_text(rows.length, table.what) + (rows.length < store.rows ? " of " + store.rows.toLocaleString("en") : "");
    const state = { store, kind, columns, rows, shown, sort, picked: new Set(parameters.getAll("pick")) };
    bench.tell(told);
    bench.show(main,
      el("h1", null, table.title), el("p", { class: "lead" }, table.note),
      bench.filter_bar(store, parameters, told), tools(state, table),
      rows.length ? bench.scrolled(table.title, body(state)) : el("p", { class: "empty" }, "Nothing matches these filters."),
      pages > 1 ? pager(page, pages) : "");
    return table.title;
  };

  function chosen_columns(store, table, parameters) {
    const given = (parameters.get("columns") || "").split(",").filter((name) => has(store, name));
    if (given.length) return given;
    return table.columns.filter((name) => has(store, name) && !says_nothing(store, name));
  }

  const has = (store, name) => (name === "spread" ? store.has("lowest") : store.has(name) && !NEVER.has(name));

  function says_nothing(store, name) {
    const column = store.columns.get(name);
    return ["framework", "task", "system", "scaling"].includes(name) && column.values.length < 2 && !column.codes.includes(-1);
  }

  // ---- above the table -------------------------------------------------------------------------------------------

  function tools(state, table) {
    const compare = el("button", { type: "button", id: "compare", disabled: state.picked.size < 2, onclick: () => {
      location.hash = bench.address("compare", [state.kind], [...state.picked].map((cell) => ["pick", cell]));
    } }, compare_text(state.picked.size));
    const csv = el("button", { type: "button", id: "csv", onclick: () => save_csv(state) }, "CSV of these rows");
    const files = state.kind === "runs" ? [] : [
      el("a", { href: "data/" + state.kind + ".csv", download: state.kind + ".csv" }, "CSV"),
      el("a", { href: "data/" + state.kind + ".parquet", download: state.kind + ".parquet" }, "Parquet"),
      el("a", { href: "data/numbers.xlsx", download: "numbers.xlsx" }, "Excel"),
    ];
    return el("div", { class: "tools" }, state.kind === "runs" ? "" : compare, columns_menu(state, table), csv,
      files.length ? el("span", { class: "files" }, el("span", { class: "quiet" }, "Whole: "), files) : "");
  }

  const compare_text = (count) => (count < 2 ? "Choose rows to compare" : "Compare " + count + " rows");

  function columns_menu(state, table) {
    const names = [...state.store.columns.keys(), "spread"].filter((name) => has(state.store, name));
    const order = [...new Set([...table.columns.filter((name) => names.includes(name)), ...names])];
    const list = order.map((name) => {
      const box = el("input", { type: "checkbox", checked: state.columns.includes(name) });
      box.addEventListener("change", () => {
        const wanted = order.filter((other) => (other === name ? box.checked : state.columns.includes(other)));
        bench.change({ columns: wanted.join(",") });
      });
      return el("label", { title: bench.site.comments[name] || null }, box, el("span", { class: "value" }, bench.head_text(name)));
    });
    const again = el("button", { type: "button", onclick: () => bench.change({ columns: null }) }, "As at first");
    return el("details", { class: "menu", "data-key": "columns" }, el("summary", null, "Columns"),
      el("div", { class: "panel" }, el("div", { class: "options", role: "group", "aria-label": "Columns" }, list), again));
  }

  function save_csv(state) {
    const names = [...state.store.columns.keys()].filter((name) => name !== "case");
    const rows = [...state.rows].map((row) => names.map((name) => state.store.get(name, row)));
    bench.download(state.kind + "-selected.csv", bench.csv(names, rows), "text/csv");
  }

  // ---- the table ---------------------------------------------------------------------------------------------------

  function body(state) {
    const picks = state.kind !== "runs";
    const heads = state.columns.map((name) => head(state, name));
    const rows = [...state.shown].map((number) => {
      const row = state.store.row(number);
      return el("tr", null, picks ? pick(state, row) : "", state.columns.map((name) => cell(state, row, name)));
    });
    const choose = el("th", { scope: "col", class: "pick" }, el("span", { class: "hidden" }, "Compare"));
    return el("table", { class: "long", id: "rows" }, el("caption", { class: "hidden" }, TABLES[state.kind].title),
      el("thead", null, el("tr", null, picks ? choose : "", heads)), el("tbody", null, rows));
  }

  function head(state, name) {
    const sorted = state.sort.replace(/^-/, "") === name;
    const down = state.sort.startsWith("-");
    // Numbers that matter are best seen from the largest.
    const first = name === "value" || name === "efficiency" || name === "started_at" ? "-" + name : name;
    const next = !sorted ? first : down === first.startsWith("-") ? (down ? name : "-" + name) : null;
    const arrow = el("span", { class: "arrow", "aria-hidden": "true" }, sorted ? (down ? "▼" : "▲") : "");
    const words = bench.head_text(name);
    const content = name === "spread" ? "spread, %" : el("button", {
      type: "button", "data-key": "sort-" + name, title: bench.site.comments[name] || null, onclick: () => bench.change({ sort: next, page: null }),
    }, words, arrow);
    return el("th", { scope: "col", class: is_number(state, name) ? "number" : null, "aria-sort": sorted ? (down ? "descending" : "ascending") : null }, content);
  }

  const is_number = (state, name) => name === "spread" || state.store.is_numeric(name);

  function pick(state, row) {
    const box = el("input", { type: "checkbox", checked: state.picked.has(row.cell), "aria-label": "Compare " + row.name + " " + row.cell });
    box.addEventListener("change", () => {
      if (box.checked) state.picked.add(row.cell); else state.picked.delete(row.cell);
      const button = document.getElementById("compare");
      button.disabled = state.picked.size < 2;
      button.textContent = compare_text(state.picked.size);
      const { page, parts, parameters } = bench.read_address();
      parameters.delete("pick");
      state.picked.forEach((cell) => parameters.append("pick", cell));
      history.replaceState(null, "", bench.address(page, parts, parameters));
    });
    return el("td", { class: "pick" }, box);
  }

  function cell(state, row, name) {
    const number = is_number(state, name) ? "number" : null;
    if (name === "value") return el("td", { class: "number value" }, bench.number_link(row), marks(row));
    if (name === "spread") return el("td", { class: number }, spread(row));
    const value = row[name];
    if (value === null) return el("td", { class: "none " + (number || "") }, "–");
    if (name === "name") return el("td", null, bench.link(value, "case", [row.case]));
    if (name === "run_key") return el("td", null, bench.link(value, "run", [row.case, value]));
    if (name === "status") return el("td", null, bench.status(value));
    if (name === "efficiency") return el("td", { class: number }, bench.number_text(value), row.is_doubtful ? doubtful() : "");
    // What is long wraps.
    return el("td", { class: number || (String(value).length > 40 ? "text" : null) }, String(value));
  }

  const doubtful = () => el("abbr", { title: "more than the GPUs can give: an efficiency above 1.05" }, "!");

  bench.number_link = (row) => {
    const kind = bench.is_number(row.value) ? null : row.status === "mixed" ? "odd" : "bad";
    return el("a", { href: bench.address("explain", [row.case, row.cell]), class: kind, title: "How this number was made" }, bench.value_text(row));
  };

  function marks(row) {
    const found = [];
    if (row.trials_dropped) found.push(el("abbr", { title: bench.count_text(row.trials_dropped, "trial") + " dropped" }, "−" + row.trials_dropped));
    if (row.mixed && bench.is_number(row.value)) found.push(el("abbr", { title: "Its runs differ in: " + row.mixed }, "~"));
    if (row.conflicts) found.push(el("abbr", { title: bench.count_text(row.conflicts, "contradiction") + " between its facts" }, "?"));
    return found.length ? el("span", { class: "marks" }, found) : "";
  }

  // The range of the trials in percent of the value; none for a single trial.
  function spread(row) {
    if (!(row.trials > 1) || !row.value || !bench.is_number(row.lowest)) return "–";
    return (100 * (row.highest - row.lowest) / row.value).toFixed(2);
  }

  function pager(page, pages) {
    const to = (number, words) => el("button", {
      type: "button", disabled: number < 1 || number > pages, "data-key": words, onclick: () => { bench.change({ page: number }); scrollTo(0, 0); },
    }, words);
    return el("nav", { class: "pager", "aria-label": "Parts of the table" }, to(page - 1, "Previous"),
      el("span", null, "Page " + page + " of " + pages), to(page + 1, "Next"));
  }
})();
