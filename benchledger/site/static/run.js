"use strict";
// A run: how it ended, every fact with its source, its logs, and its numbers by every rule.
(function () {
  const { el } = bench;

  bench.pages.run = async (main, { parts, parameters }) => {
    const [key, run_key] = parts;
    const [told] = await Promise.all([bench.load_case(key), bench.load_rules()]);
    const run = told.runs.find((one) => one.run === run_key);
    if (!run) throw new Error("no run " + run_key);
    const all = parameters.get("facts") === "all";
    const counts = run.facts.columns.indexOf("used");
    const facts = all ? run.facts : { ...run.facts, rows: run.facts.rows.filter((row) => row[counts]) };
    const number = (value) => (bench.is_number(value) ? bench.number_text(value) : "–");
    const cells = (value, row) => (told.cells.some((one) => one.cell === value) ? bench.link(value, "explain", [key, value]) : el("code", { title: row.table }, value));
    bench.show(main, el("h1", null, "Run " + run_key),
      bench.facts([["case", bench.link(run.name, "case", [key])], ["status", bench.status(run.status)], ["started", run.started], ["campaign", run.campaigns.join(", ") || null], ["excluded", run.excluded]]),
      el("ul", { class: "told" }, run.sentences.map((sentence) => el("li", null, sentence))),
      bench.section("Logs", bench.table("Logs", run.logs, { log: (value) => el("code", null, value) })),
      bench.section("Facts and their sources",
        el("p", null, el("button", { type: "button", "aria-pressed": String(all), "data-key": "facts", onclick: () => bench.change({ facts: all ? null : "all" }, true) }, all ? "Only facts in use" : "All " + run.facts.rows.length + " statements")),
        bench.table("Facts", facts, { place: bench.place, used: (value) => (value ? "in use" : "not in use"), value_logged: (value, row) => (value === row.value ? "" : value) }, all ? [] : ["used"])),
      bench.section("Numbers that use it", run.cells.rows.length ? bench.table("Numbers", run.cells, { cell: cells, value: number, counts: (value) => (value ? "counts" : "does not count") }) : el("p", { class: "quiet" }, "None.")),
      bench.section("Speed by every rule", run.speeds.rows.length ? bench.table("Speeds", run.speeds, { value: number, rule: rule_link, is_default: (value) => (value ? "default" : ""), status: (value) => bench.status(value) }) : el("p", { class: "quiet" }, "None.")),
      run.memory.rows.length ? bench.section("Memory", bench.table("Memory", run.memory, { value_mib: number })) : "",
      run.convergence.rows.length ? bench.section("Convergence", bench.table("Convergence", run.convergence, { value: number, place: bench.place }), bench.loss_plot([run])) : bench.loss_plot([run]) || "");
    return "Run " + run_key;
  };

  const rule_link = (name) => (bench.rules[name] ? bench.link(name, "rule", [name]) : name);
  bench.rule_link = rule_link;

  bench.pages.rule = async (main, { parts }) => {
    const [name] = parts;
    await bench.load_rules();
    if (!Object.hasOwn(bench.rules, name)) throw new Error("no rule " + name);
    bench.show(main, el("h1", null, "Rule " + name), bench.rule_words(name));
    return "Rule " + name;
  };

  bench.rule_words = (name) => {
    const rule = Object.hasOwn(bench.rules, name) ? bench.rules[name] : null;
    if (!rule) return null;
    return el("div", null, el("p", null, rule.description), el("ol", null, rule.recipe.map((step) => el("li", null, step))), el("p", { class: "quiet" }, "Source: " + rule.source));
  };
})();
