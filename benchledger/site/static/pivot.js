"use strict";
// The pivot: any columns of a case or environment as rows and columns, as `bench report pivot` makes it.
(function () {
  const { el } = bench;
  const VALUES = { speed: ["speed", "value"], memory: ["memory", "value"], speedup: ["speedup", "value"], efficiency: ["speedup", "efficiency"] };
  const NEVER = new Set(["case", "cell", "value", "lowest", "highest", "status", "trials", "trials_dropped", "conflicts", "is_doubtful", "mixed", "name", "unit", "efficiency", "scaling"]);
  const MOST_COLUMNS = 60, MOST_ROWS = 300;
  const LESS = new Set(["s", "min", "MiB"]);

  bench.pages.pivot = async (main, { parameters }) => {
    const value = VALUES[parameters.get("value")] ? parameters.get("value") : "speed";
    const [kind, column] = VALUES[value];
    const store = await bench.store(kind);
    const facts = [...store.columns.keys()].filter((name) => !NEVER.has(name) && store.columns.get(name).codes);
    const named = (name, otherwise) => {
      const given = (parameters.get(name) || otherwise).split(",").filter((one) => facts.includes(one));
      return [...new Set(given)];
    };
    const rows = named("rows", facts.includes("system") ? "system" : "gpu_model");
    const columns = named("columns", "model,task,precision").filter((name) => !rows.includes(name));
    const best = parameters.get("best") === "1";
    const per_gpu = value === "speed" && parameters.get("per") === "gpu";
    const filters = bench.read_filters(store, parameters);
    const selected = [...store.select(filters, parameters.get("q"))];
    // Without a number and unit: why stands in its cell, of either unit.
    const has_place = (row) => value !== "speed" || store.get("unit", row) === null || (per_gpu ? store.sharing[row] : !store.of_one_gpu.has(row));
    const found = selected.filter(has_place);
    const left_out = selected.filter((row) => store.get(column, row) !== null && !has_place(row)).length;
    const tables = bench.pivot(store, found, { rows, columns, column, best, per_gpu, quantity: value });
    bench.tell(bench.count_text(tables.length, "table"));
    bench.show(main, el("h1", null, "Pivot"),
      el("p", { class: "lead" }, "One table per unit. If several series share a cell, it shows their lowest and highest number with *, never an average."),
      form(parameters, facts, rows, columns, value, best, per_gpu),
      bench.filter_bar(store, parameters, bench.count_text(found.length, "number")),
      left_out ? el("p", { class: "quiet" }, bench.count_text(left_out, "number is", "numbers are") + " left out: " + (per_gpu ? "the unit is not a sum over GPUs, or the number of GPUs is unknown." : "the rule gives the speed of one GPU; see per GPU.")) : "",
      tables.map((table) => section(table, store, rows, columns, kind, parameters)),
      tables.length ? "" : el("p", { class: "empty" }, "No number matches these filters."));
    return "Pivot";
  };

  function form(parameters, facts, rows, columns, value, best, per_gpu) {
    const chooser = (name, words, chosen, place) => {
      const select = el("select", { "aria-label": words + " " + (place + 1), "data-key": name + place },
        el("option", { value: "" }, place ? "and …" : "–"), facts.map((fact) => el("option", { value: fact, selected: chosen[place] === fact }, bench.head_text(fact))));
      select.addEventListener("change", () => {
        const wanted = [...chosen];
        if (select.value) wanted[place] = select.value; else wanted.splice(place, 1);
        bench.change({ [name]: wanted.join(",") });
      });
      return select;
    };
    const group = (name, words, chosen) => el("div", { class: "group", role: "group", "aria-label": words }, el("strong", null, words),
      [...chosen, null].slice(0, 5).map((_, place) => chooser(name, words, chosen, place)));
    const values = el("select", { "aria-label": "Numbers", "data-key": "value" }, Object.keys(VALUES).map((name) => el("option", { value: name, selected: name === value }, name)));
    values.addEventListener("change", () => bench.change({ value: values.value, per: null }));
    const box = (name, on, set, words) => {
      const input = el("input", { type: "checkbox", checked: on, "data-key": name });
      input.addEventListener("change", () => bench.change({ [name]: input.checked ? set : null }));
      return el("label", { class: "group" }, input, " " + words);
    };
    return el("div", { class: "pivot-form" }, el("div", { class: "group" }, el("strong", null, "Numbers"), values),
      group("rows", "Rows", rows), group("columns", "Columns", columns),
      value === "speed" ? box("per", per_gpu, "gpu", "per GPU") : "", box("best", best, "1", "best of several series"));
  }

  // ---- the numbers -------------------------------------------------------------------------------------------------

  // Numbers of one rule of each GPU share no table with others.
  bench.pivot = (store, found, { rows, columns, column, best, per_gpu, quantity }) => {
    const numbers = (row) => ({ value: share(store, row, column, per_gpu), lowest: share(store, row, "lowest", per_gpu), highest: share(store, row, "highest", per_gpu) });
    const apart = ["unit", "scaling", ...(quantity === "memory" ? ["rule", "definition"] : [])].filter((name) => store.has(name) && ![...rows, ...columns].includes(name));
    const told = found.filter((row) => store.get(column, row) !== null || store.get("unit", row) !== null);
    const axes = !best && store.has("variant") && ![...rows, ...columns].includes("variant") && told.some((row) => store.get("variant", row) !== null) ? [...columns, "variant"] : columns;
    const silent = found.filter((row) => store.get("unit", row) === null);
    return group(store, told, apart).map(({ key, members }) => {
      const fit = silent.filter((row) => apart.every((name, place) => [null, key[place]].includes(store.get(name, row))));
      const cells = new Map();
      for (const row of [...members, ...fit]) {
        const [line, head] = [rows.map((name) => store.get(name, row)), axes.map((name) => store.get(name, row))];
        const place = JSON.stringify([line, head]);
        if (!cells.has(place)) cells.set(place, { line, head, rows: [], without: [] });
        const cell = cells.get(place);
        (store.get(column, row) === null ? cell.without : cell.rows).push(row);
      }
      const of_told = [...cells.values()].filter((cell) => cell.rows.length || cell.without.some((row) => store.get("unit", row) !== null));
      for (const cell of cells.values()) Object.assign(cell, shown(store, cell, numbers, best, key[0]));
      return {
        facts: apart.map((name, place) => [name, name === "unit" && per_gpu ? key[place] + " per GPU" : key[place]]), axes, cells,
        lines: unique(of_told.map((cell) => cell.line)), heads: unique(of_told.map((cell) => cell.head)),
      };
    });
  };

  function share(store, row, column, per_gpu) {
    const number = store.get(column, row);
    return per_gpu && number !== null ? number / store.sharing[row] : number;
  }

  function shown(store, cell, numbers, best, unit) {
    let rows = store.each_run_once(cell.rows);
    if (rows.length && best) {
      const sign = LESS.has(unit) ? 1 : -1;
      rows = [rows.slice().sort((one, other) => sign * (numbers(one).value - numbers(other).value) || one - other)[0]];
    }
    if (!rows.length) {
      const counted = new Map();
      for (const row of cell.without) {
        const text = bench.value_text({ ...store.row(row), ...numbers(row), value: null });
        counted.set(text, (counted.get(text) || 0) + 1);
      }
      const text = [...counted].reduce((most, one) => (one[1] > most[1] ? one : most))[0];
      return { shown: cell.without, text, number: null, failed: true };
    }
    const values = rows.map((row) => numbers(row).value);
    const [low, high] = [Math.min(...values), Math.max(...values)];
    const marks = (rows.length > 1 ? "*" : "") + (rows.some((row) => store.get("is_doubtful", row)) ? "!" : "");
    const [from, to] = [bench.number_text(low), bench.number_text(high)];
    return { shown: rows, text: (from === to ? from : from + "-" + to) + marks, number: high, failed: false };
  }

  function group(store, rows, names) {
    const found = new Map();
    for (const row of rows) {
      const key = names.map((name) => store.get(name, row));
      const text = JSON.stringify(key);
      if (!found.has(text)) found.set(text, { key, members: [] });
      found.get(text).members.push(row);
    }
    return [...found.values()].sort((one, other) => compare(one.key, other.key));
  }

  // Numbers before texts, what is unknown last: as the reports sort.
  function compare(one, other) {
    for (let place = 0; place < one.length; place += 1) {
      const [a, b] = [one[place], other[place]];
      if (a === b) continue;
      if (a === null || b === null) return a === null ? 1 : -1;
      if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
      return a < b ? -1 : 1;
    }
    return 0;
  }
  bench.compare = compare;

  const unique = (keys) => [...new Map(keys.map((key) => [JSON.stringify(key), key])).values()].sort(compare);

  // ---- the table -------------------------------------------------------------------------------------------------

  function section(table, store, rows, columns, kind, parameters) {
    const title = table.facts.filter(([, value]) => value !== null && value !== "1").map(([, value]) => value).join(", ") || "numbers";
    const heads = table.heads.slice(0, MOST_COLUMNS), lines = table.lines.slice(0, MOST_ROWS);
    const head = el("tr", null, rows.map((name) => el("th", { scope: "col" }, bench.head_text(name))),
      heads.map((key) => el("th", { scope: "col", class: "number" }, key.length ? key.map((value, place) => [place ? " " : "", el("span", null, named(table.axes[place], value))]) : "all")));
    const body = lines.map((line) => el("tr", null, line.map((value, place) => el(place ? "td" : "th", { scope: place ? null : "row" }, bench.fact_text(value))),
      heads.map((key) => {
        const cell = table.cells.get(JSON.stringify([line, key]));
        return el("td", { class: "number" }, cell ? cell_link(cell, store, kind, rows, table.axes, line, key, parameters) : el("span", { class: "none" }, "-"));
      })));
    const more = [table.heads.length - heads.length, table.lines.length - lines.length];
    return el("section", null, el("h2", null, title), bench.scrolled(title, el("table", { class: "pivot" }, el("caption", { class: "hidden" }, title), el("thead", null, head), el("tbody", null, body))),
      more[0] > 0 || more[1] > 0 ? el("p", { class: "quiet" }, "Left out: " + bench.count_text(Math.max(0, more[1]), "row") + " and " + bench.count_text(Math.max(0, more[0]), "column") + ". Filter to see them.") : "");
  }

  const named = (name, value) => (value === null ? bench.head_text(name) + " unknown" : typeof value === "number" ? bench.head_text(name) + " " + value : String(value));

  // One number leads to its explanation, several to their rows.
  function cell_link(cell, store, kind, rows, axes, line, key, parameters) {
    const attributes = { class: cell.failed ? (cell.text.startsWith("MIXED") ? "odd" : "bad") : null };
    if (cell.shown.length === 1) {
      const row = cell.shown[0];
      return el("a", { ...attributes, href: bench.address("explain", [store.get("case", row), store.get("cell", row)]) }, cell.text);
    }
    const filters = [...rows.map((name, place) => [name, line[place]]), ...axes.map((name, place) => [name, key[place]])];
    const kept = [...parameters].filter(([name]) => !["rows", "columns", "value", "best", "per"].includes(name));
    const wanted = [...kept.filter(([name]) => !filters.some(([other]) => other === name)), ...filters.map(([name, value]) => [name, value === null ? bench.NONE : String(value)])];
    return el("a", { ...attributes, href: bench.address("table", [kind], wanted), title: bench.count_text(cell.shown.length, "series", "series") }, cell.text);
  }
})();
