"use strict";
// A case: its numbers, trials and plots, and its runs.
(function () {
  const { el } = bench;
  const FACTS = ["framework", "implementation", "model", "task", "precision", "batch_size_per_gpu", "global_batch_size", "nodes", "gpus", "seq_len", "gradient_accumulation", "options"];
  // What the points of one scaling line share.
  const FAMILY = ["campaign", "framework", "implementation", "model", "task", "precision", "seq_len", "options", "system", "gpu_model", "gpu_memory_mib", "framework_version", "implementation_version", "variant", "rule"];

  bench.pages.case = async (main, { parts }) => {
    const [key] = parts;
    const [told, speeds, memory, speedups, runs] = await Promise.all([bench.load_case(key), ...["speed", "memory", "speedup", "runs"].map(bench.table_store)]);
    const of_case = (store) => [...store.every].filter((row) => store.get("case", row) === key).map((row) => store.row(row));
    const [own, used, faster] = [speeds, memory, speedups].map(of_case);
    const facts = own[0] || used[0] || of_case(runs)[0];
    if (!facts) throw new Error("no case " + key);
    bench.show(main, el("h1", null, facts.name), bench.facts(FACTS.map((name) => [bench.head_text(name), name === "options" ? bench.options_text(facts[name] ?? null) : facts[name] ?? null])),
      bench.section("Speed", own.length ? numbers("Speeds", own) : el("p", { class: "quiet" }, "No speed.")),
      plots(told, own, speeds),
      faster.length ? bench.section("Speed-up", numbers("Speed-ups", faster, ["scaling", "efficiency"])) : "",
      used.length ? bench.section("Memory", numbers("Memory", used, ["definition"])) : "",
      bench.section("Runs", run_list(key, told, of_case(runs))));
    return facts.name;
  };

  function numbers(label, rows, more = []) {
    const columns = ["value", "unit", ...more, "status", "campaign", "system", "gpu_model", "framework_version", "variant", "trials", "trials_dropped", "lowest", "highest", "mixed", "rule", "cell"];
    const by_cell = new Map(rows.map((row) => [row.cell, row]));
    const frame = { columns, rows: rows.map((row) => columns.map((name) => row[name] ?? (name === "value" ? "" : null))) };
    const value = (number) => (bench.is_number(number) ? bench.number_text(number) : "–");
    return bench.table(label, frame, {
      value: (_, row) => bench.number_link(by_cell.get(row.cell)), status: (status) => bench.status(status),
      lowest: value, highest: value, efficiency: value, cell: (cell) => el("code", null, cell),
    });
  }

  function run_list(key, told, rows) {
    const columns = ["run_key", "status", "started_at", "campaign", "steps_done", "steps_planned", "reason"];
    return bench.table("Runs", { columns, rows: rows.map((row) => columns.map((name) => row[name] ?? null)) }, {
      run_key: (value) => bench.link(value, "run", [key, value]), status: (value) => bench.status(value),
    });
  }

  // ---- plots -------------------------------------------------------------------------------------------------------

  function plots(told, own, speeds) {
    const first = own.find((row) => bench.is_number(row.value));
    const found = [...trials(told, own), ...(first ? [scaling(first, speeds), batches(first, speeds)] : []), bench.loss_plot(told.runs)];
    const drawn = found.filter(Boolean);
    return drawn.length ? bench.section("Plots", el("div", { class: "plots" }, drawn)) : "";
  }

  // The speed of each run of a unit's series, beside the number of the series.
  function trials(told, own) {
    const units = [...new Set(own.filter((row) => bench.is_number(row.value)).map((row) => row.unit))];
    return units.map((unit) => {
      const lines = own.filter((row) => row.unit === unit).map((row) => {
        const cell = told.cells.find((one) => one.cell === row.cell);
        if (!cell || !cell.trials) return null;
        const at = (name) => cell.trials.columns.indexOf(name);
        const points = cell.trials.rows.filter((trial) => bench.is_number(trial[at("value")]) && trial[at("unit")] === unit).map((trial, place) => ({
          x: trial[at("trial")] || place + 1, y: trial[at("value")], faint: !trial[at("counts")],
          title: trial[at("run_key")] + ": " + bench.number_text(trial[at("value")]) + (trial[at("counts")] ? "" : ", dropped"),
        }));
        return { name: bench.fact_text(row.campaign), points };
      }).filter((line) => line && line.points.length);
      if (lines.reduce((sum, line) => sum + line.points.length, 0) < 2) return null;
      return bench.plot({ title: "Trials, " + unit, x: { label: "trial", own: true, most: 8 }, y: { label: unit }, lines, caption: "One mark per run; a pale mark does not count. The axis does not begin at zero." });
    });
  }

  const alike = (row, other, names) => names.every((name) => row[name] === undefined || row[name] === other[name]);

  function points_of(rows, x) {
    return rows.map((row) => ({ x: row[x], y: row.value, low: row.lowest, high: row.highest, title: row.name + ": " + bench.number_text(row.value), href: bench.address("explain", [row.case, row.cell]) })).sort((one, other) => one.x - other.x);
  }

  function kin(first, speeds, fixed, x) {
    const names = [...FAMILY, "unit", ...fixed];
    const filters = names.filter((name) => speeds.has(name) && speeds.columns.get(name).codes).map((name) => [name, [first[name] === null ? bench.NONE : String(first[name])]]);
    return [...speeds.select(filters)].map((row) => speeds.row(row)).filter((row) => bench.is_number(row[x]) && alike(first, row, names));
  }

  function scaling(first, speeds) {
    if (["s", "min"].includes(first.unit)) return null;
    const rows = kin(first, speeds, ["batch_size_per_gpu"], "gpus").filter((row) => bench.is_number(row.value));
    const counts = [...new Set(rows.map((row) => row.gpus))].sort((one, other) => one - other);
    if (counts.length < 2) return null;
    const base = rows.filter((row) => row.gpus === counts[0]);
    const ideal = base.length === 1 ? [counts[0], counts.at(-1)].map((gpus) => [gpus, (base[0].value * gpus) / counts[0]]) : null;
    const points = points_of(rows, "gpus");
    return bench.plot({ title: "Weak scaling, " + first.unit, x: { label: "GPUs", own: true, most: 8 }, y: { label: first.unit, zero: true }, ideal, lines: [{ name: "batch per GPU " + bench.fact_text(first.batch_size_per_gpu), points, line: true }], caption: "Campaign " + bench.fact_text(first.campaign) + ", rule " + first.rule + ". Bars: lowest and highest trial." + (ideal ? " The ideal line starts at the fewest GPUs." : "") });
  }

  function batches(first, speeds) {
    const rows = kin(first, speeds, ["gpus", "nodes"], "batch_size_per_gpu");
    const ran = rows.filter((row) => bench.is_number(row.value));
    if (new Set(ran.map((row) => row.batch_size_per_gpu)).size < 2) return null;
    // A run out of memory has no unit, and often no rule of its own.
    const filters = FAMILY.filter((name) => name !== "rule" && speeds.has(name) && speeds.columns.get(name).codes).concat("gpus").map((name) => [name, [first[name] === null ? bench.NONE : String(first[name])]]);
    const out = [...speeds.select(filters)].map((row) => speeds.row(row)).filter((row) => row.status === "oom" && bench.is_number(row.batch_size_per_gpu));
    return bench.plot({ title: "Batch size, " + first.unit, x: { label: "samples per GPU", own: true, most: 8 }, y: { label: first.unit, zero: true }, lines: [{ name: "speed", points: points_of(ran, "batch_size_per_gpu"), line: true }], crosses: out.map((row) => ({ x: row.batch_size_per_gpu, title: row.name + ": out of memory" })), caption: "Campaign " + bench.fact_text(first.campaign) + ", " + bench.count_text(first.gpus || 0, "GPU") + ", rule " + first.rule + "." });
  }

  bench.loss_plot = (runs) => {
    const told = runs.filter((run) => run.losses.length > 1);
    const lines = told.slice(0, 8).map((run) => ({ name: run.run, points: run.losses.map(([x, y]) => ({ x, y })), line: true, marks: false }));
    return lines.length ? bench.plot({ title: "Loss", x: { label: "step" }, y: { label: "loss" }, lines, caption: (told.length > 8 ? "8 of " + told.length + " runs. " : "") + "As logged; a long run shows the lowest and highest value of each interval." }) : null;
  };
})();
