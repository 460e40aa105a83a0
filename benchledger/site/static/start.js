"use strict";
// The first page: what was measured, what is fastest, what is newest.
(function () {
  const { el } = bench;
  const SHOWN = 8;

  bench.pages.start = async (main) => {
    const site = bench.site;
    const counts = site.counts;
    const named = (name) => counts[name].filter(([value]) => value !== null);
    bench.show(main, el("h1", null, site.title), el("p", { class: "lead" },
      bench.count_text(site.sizes.runs, "run"), " in ", bench.count_text(named("campaign").length, "campaign"), ", ",
      bench.count_text(counts.series[0][1], "series", "series"), " of ", bench.count_text(named("model").length, "model"), " on ",
      bench.count_text(named("gpu_model").length, "GPU model"), ". Every number leads to the lines of the logs that it comes from."),
    el("div", { class: "cards" },
      card("Models", "model", "speed"), card("GPU models", "gpu_model", "speed"), card("Frameworks", "framework", "speed"),
      card("How runs ended", "status", "runs"), card("Campaigns", "campaign", "speed", "card wide")),
    bench.section("Fastest series of each model", fastest(site.fastest),
      el("p", null, bench.link("Ranking at equal work", "ranking"), " · ", bench.link("All speeds", "table", ["speed"], [["sort", "-value"]]))),
    bench.section("Newest runs", site.newest.length ? newest(site.newest) : el("p", { class: "quiet" }, "No log states when it was run."),
      el("p", null, bench.link("All runs", "table", ["runs"]))));
    return null;
  };

  function card(title, name, table, kind = "card") {
    const all = bench.site.counts[name];
    const most = Math.max(...all.map(([, count]) => count), 1);
    const rows = all.slice(0, SHOWN).map(([value, count]) => el("li", null,
      bench.link(name === "status" ? bench.status(value) : bench.fact_text(value), "table", [table], [[name, value === null ? bench.NONE : value]]),
      el("meter", { min: 0, max: most, value: count, "aria-hidden": "true" }), el("span", { class: "text" }, count.toLocaleString("en"))));
    const more = all.length - SHOWN;
    return el("section", { class: kind }, el("h2", null, title, el("span", { class: "quiet" }, " runs")), el("ol", { class: "bars" }, rows),
      more > 0 ? el("p", { class: "quiet" }, "and " + more + " more") : null);
  }

  function fastest(rows) {
    const columns = ["model", "task", "precision", "value", "unit", "gpus", "gpu_model", "system", "campaign"];
    const frame = { columns, rows: rows.map((row) => columns.map((name) => row[name])) };
    const cells = new Map(rows.map((row) => [row.model, row]));
    return bench.table("Fastest series of each model", frame, {
      value: (_, row) => bench.number_link(cells.get(row.model)),
      model: (value, row) => bench.link(value, "case", [cells.get(row.model).case]),
    });
  }

  function newest(rows) {
    const columns = ["started_at", "name", "campaign", "status", "run_key"];
    const frame = { columns, rows: rows.map((row) => columns.map((name) => row[name])) };
    const runs = new Map(rows.map((row) => [row.run_key, row]));
    return bench.table("Newest runs", frame, {
      run_key: (value) => bench.link(value, "run", [runs.get(value).case, value]),
      name: (value, row) => bench.link(value, "case", [runs.get(row.run_key).case]),
      status: (value) => bench.status(value),
    });
  }
})();
