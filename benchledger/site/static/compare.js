"use strict";
// Two or more numbers side by side: what is equal, what differs.
(function () {
  const { el } = bench;
  const WORK = ["model", "task", "precision", "seq_len"];
  const NEVER = new Set(["case", "cell", "value", "unit", "is_doubtful", "name"]);

  bench.pages.compare = async (main, { parts, parameters }) => {
    const kind = bench.TABLES[parts[0]] && parts[0] !== "runs" ? parts[0] : "speed";
    const store = await bench.table_store(kind);
    const rows = parameters.getAll("pick").map((cell) => store.find("cell", cell)).filter((row) => row >= 0).map((row) => store.row(row));
    if (!rows.length) throw new Error("none of these numbers is in this site");
    const facts = [...store.columns.keys()].filter((name) => !NEVER.has(name) && rows.some((row) => row[name] !== null));
    const differs = (name) => new Set(rows.map((row) => row[name])).size > 1;
    const unlike = WORK.filter((name) => store.has(name) && differs(name));
    const one_unit = new Set(rows.map((row) => row.unit)).size === 1;
    const only = parameters.get("only") === "differences";
    const box = el("input", { type: "checkbox", checked: only, "data-key": "only" });
    box.addEventListener("change", () => bench.change({ only: box.checked ? "differences" : null }));
    bench.show(main, el("h1", null, "Compare " + rows.length + " " + bench.TABLES[kind].title.toLowerCase()),
      !one_unit ? el("p", { class: "warning" }, "They differ in unit: these numbers cannot be compared.") : unlike.length
        ? el("p", { class: "warning" }, "They differ in " + unlike.map(bench.head_text).join(", ") + ": this is not equal work.") : "",
      one_unit ? bench.bars(bench.TABLES[kind].title + ", " + (rows[0].unit === "1" ? "times" : rows[0].unit), rows.map((row) => ({ name: label(row, rows), value: row.value, text: ratio(row, rows[0]) }))) : "",
      el("p", null, el("label", null, box, " only what differs"), " ", bench.link("Back to the table", "table", [kind], rows.map((row) => ["pick", row.cell]))),
      table(rows, facts.filter((name) => !only || differs(name)), differs, kind));
    return "Compare";
  };

  function label(row, rows) {
    const differing = ["model", "precision", "gpus", "batch_size_per_gpu", "gpu_model", "framework", "framework_version", "campaign"].filter((name) => new Set(rows.map((other) => other[name])).size > 1);
    return differing.map((name) => (bench.is_number(row[name]) ? bench.head_text(name) + " " + row[name] : bench.fact_text(row[name]))).join(", ") || row.name;
  }

  function ratio(row, first) {
    const text = bench.value_text(row);
    if (row === first || !bench.is_number(row.value) || !first.value) return text;
    return text + " = " + (row.value / first.value).toFixed(2) + " × the first";
  }

  function table(rows, facts, differs, kind) {
    const line = (name, cells, mark) => el("tr", { class: mark ? "differs" : null }, el("th", { scope: "row" }, bench.head_text(name), mark ? el("span", { class: "quiet" }, " differs") : ""), cells);
    const heads = el("tr", null, el("th", { scope: "col" }, "fact"), rows.map((row) => el("th", { scope: "col" }, bench.link(row.name, "case", [row.case]))));
    const value = line("value", rows.map((row) => el("td", { class: "value" }, bench.number_link(row), " " + (row.unit === "1" ? "times" : row.unit || ""))), false);
    const body = facts.map((name) => line(name, rows.map((row) => el("td", null, cell(name, row))), differs(name)));
    return bench.scrolled("Comparison", el("table", { class: "compare" }, el("caption", { class: "hidden" }, "Comparison of " + bench.TABLES[kind].title.toLowerCase()), el("thead", null, heads), el("tbody", null, value, body)));
  }

  function cell(name, row) {
    if (row[name] === null) return "–";
    if (name === "options") return bench.options_text(row[name]);
    return name === "status" ? bench.status(row[name]) : ["lowest", "highest", "efficiency"].includes(name) ? bench.number_text(row[name]) : String(row[name]);
  }
})();
