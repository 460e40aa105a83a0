"use strict";
// Where a number comes from: its rule, its trials, and the lines of the logs that it is made of.
(function () {
  const { el } = bench;
  const OPEN = 2;

  bench.pages.explain = async (main, { parts }) => {
    const [key, name] = parts;
    const [told] = await Promise.all([bench.load_case(key), bench.load_rules()]);
    const cell = told.cells.find((one) => one.cell === name);
    if (!cell) throw new Error("no number " + name);
    const store = await bench.table_store(cell.table);
    const place = store.find("cell", name);
    const row = place < 0 ? null : store.row(place);
    bench.show(main, el("h1", null, "How this number was made"),
      row ? el("p", { class: "big" }, el("span", { class: bench.is_number(row.value) ? null : "bad" }, bench.value_text(row)), el("span", { class: "quiet" }, " " + (row.unit === "1" ? "times" : row.unit || ""))) : "",
      bench.facts([["number", el("code", null, name)], ["of", cell.table], ["case", bench.link(cell.name, "case", [key])], ["campaign", row ? bench.fact_text(row.campaign) : null], ["GPU model", row ? bench.fact_text(row.gpu_model) : null],
        ["recomputed from the records", el("span", { class: cell.agrees ? "status good" : "status bad" }, cell.agrees ? "✓ the same" : "✗ differs")]]),
      el("ol", { class: "told" }, cell.sentences.map((sentence) => el("li", null, sentence))),
      cell.sides ? sides(cell) : speed(cell, key, told),
      el("p", { class: "quiet" }, "With the ledger: ", el("code", null, "bench explain " + name)));
    return "Number " + name;
  };

  function sides(cell) {
    return [bench.section("The speeds that are compared", el("ul", null, cell.sides.map(([side, key]) => el("li", null, bench.link(side, "explain", [key, side]))))),
      cell.bases.rows ? bench.section("Speeds with the fewest GPUs", bench.table("Bases", cell.bases, { value: bench.number_text, cell: (value) => el("code", null, value), chosen: (value) => (value ? "the base" : "") })) : ""];
  }

  function speed(cell, key, told) {
    const number = (value) => (bench.is_number(value) ? bench.number_text(value) : "–");
    return [
      cell.rule ? bench.section("Rule " + cell.rule, bench.rule_words(cell.rule)) : "",
      bench.section("Trials", cell.trials.rows.length ? bench.table("Trials", cell.trials, { run_key: (value) => bench.link(value, "run", [key, value]), counts: (value) => (value ? "counts" : "dropped"), value: number, recomputed: number }) : el("p", { class: "quiet" }, "None.")),
      bench.section("Lines", cell.lines.map((lines, place) => (place < OPEN ? run_lines(lines, key) : later(lines, key)))),
      bench.section("Facts in use", facts(cell, told)),
    ];
  }

  // Of many runs those after the first are drawn when they are opened.
  function later(lines, key) {
    const details = el("details", { class: "data" }, el("summary", null, "Run " + lines.run + ": " + bench.count_text(lines.used, "value") + " used"));
    details.addEventListener("toggle", () => { if (details.open && details.childNodes.length < 2) details.append(run_lines(lines, key)); });
    return details;
  }

  function run_lines(lines, key) {
    const dropped = lines.dropped.reduce((sum, [count]) => sum + count, 0);
    const points = lines.drawn.map(([x, y, used]) => ({ x, y, faint: !used }));
    const spread = points.length > 2 && new Set(points.map((point) => point.x)).size > 2;
    return el("div", { class: "lines" }, el("h3", null, "Run ", bench.link(lines.run, "run", [key, lines.run]), ": ", bench.count_text(lines.used, "value"), " used, ", String(dropped), " not"),
      bench.table("Lines of run " + lines.run, lines.shown, { log: bench.place }),
      lines.used > lines.shown.rows.length ? el("p", { class: "quiet" }, "The first and last of " + lines.used + " used values.") : "",
      lines.dropped.length ? el("ul", null, lines.dropped.map(([count, use]) => el("li", null, count + " " + use))) : "",
      spread ? bench.plot({ title: "Values by step, run " + lines.run, x: { label: "step" }, y: { label: "reading" }, lines: [{ name: "used", points: points.filter((point) => !point.faint), marks: true }, { name: "not used", points: points.filter((point) => point.faint), marks: true }], caption: "At most 240 values, evenly chosen." }) : "");
  }

  // What the runs of the number state, the same statements together.
  function facts(cell, told) {
    const at = cell.trials.columns.indexOf("run_key");
    const keys = new Set(cell.trials.rows.map((row) => row[at]));
    const found = new Map();
    for (const run of told.runs.filter((one) => keys.has(one.run))) {
      const place = Object.fromEntries(run.facts.columns.map((name, number) => [name, number]));
      for (const row of run.facts.rows) {
        if (!row[place.used] || row[place.value] === null) continue;
        const fact = [row[place.name], row[place.value], row[place.source]];
        const id = JSON.stringify(fact);
        if (!found.has(id)) found.set(id, [...fact, 0, row[place.place]]);
        found.get(id)[3] += 1;
      }
    }
    return bench.table("Facts", { columns: ["name", "value", "source", "runs", "place of the first"], rows: [...found.values()] }, { "place of the first": bench.place });
  }
})();
