"use strict";
// Elements, texts and data of every page. Strings come from logs: el() puts them into the page as text, never as markup.
(function () {
  const bench = { pages: {} };
  window.bench = bench;

  // ---- elements -------------------------------------------------------------------------------------------------

  const SVG = "http://www.w3.org/2000/svg";

  function fill(node, attributes, children) {
    for (const [name, value] of Object.entries(attributes || {})) {
      if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
      else if (value === true) node.setAttribute(name, "");
      else if (value !== false && value !== null && value !== undefined) node.setAttribute(name, value);
    }
    for (const child of children.flat(Infinity)) {
      if (child !== null && child !== undefined && child !== false) node.append(child);
    }
    return node;
  }

  bench.el = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
  bench.svg = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);
  bench.show = (main, ...children) => { main.replaceChildren(); fill(main, null, children); };
  bench.link = (text, ...address) => bench.el("a", { href: bench.address(...address) }, text);
  bench.tell = (text) => { document.getElementById("told").textContent = text; };

  // ---- addresses: #page/part/part?name=value&name=value ------------------------------------------------------------

  bench.address = (page, parts, parameters) => {
    const path = [page, ...(parts || [])].map(encodeURIComponent).join("/");
    const query = new URLSearchParams(parameters || []).toString();
    return "#" + path + (query ? "?" + query : "");
  };

  bench.read_address = () => {
    const [path, query] = location.hash.replace(/^#/, "").split(/\?(.*)/s);
    const parts = path.split("/").map((part) => { try { return decodeURIComponent(part); } catch { return part; } });
    return { page: parts[0] || "start", parts: parts.slice(1), parameters: new URLSearchParams(query || "") };
  };

  // Changes some parameters of the address; the page is drawn again. `replace` leaves no step for the Back button.
  bench.change = (changes, replace) => {
    const { page, parts, parameters } = bench.read_address();
    for (const [name, value] of Object.entries(changes)) {
      parameters.delete(name);
      for (const one of [value].flat()) if (one !== null && one !== undefined && one !== "") parameters.append(name, one);
    }
    const address = bench.address(page, parts, parameters);
    if (replace) { history.replaceState(null, "", address); bench.draw(true); }
    else location.hash = address;
  };

  // ---- data files ----------------------------------------------------------------------------------------------

  const asked = new Map();
  const waiting = new Map();
  const policy = {
    createScriptURL(address) {
      if (!/^data\/[a-z0-9/]+\.js$/.test(address)) throw new TypeError("no data file: " + address);
      return address;
    },
  };
  const scripts = window.trustedTypes ? window.trustedTypes.createPolicy("bench", policy) : policy;

  bench.load = (name) => {
    if (!asked.has(name)) {
      asked.set(name, new Promise((resolve, reject) => {
        waiting.set(name, resolve);
        const script = document.createElement("script");
        script.onerror = () => { asked.delete(name); reject(new Error("no data file data/" + name + ".js")); };
        script.src = scripts.createScriptURL("data/" + name + ".js");
        document.head.append(script);
      }));
    }
    return asked.get(name);
  };

  bench.receive = (name, text) => { waiting.get(name)?.(JSON.parse(text)); };

  const CASE = /^[0-9a-f]{16}$/;
  bench.load_case = (key) =>
    CASE.test(key) ? bench.load("case/" + key.slice(0, 2) + "/" + key) : Promise.reject(new Error("no case " + key));

  bench.load_rules = async () => { bench.rules = await bench.load("rules"); };

  // ---- texts: as benchledger.answers.tables.cells writes them ----------------------------------------------------

  function half_even(value) {
    const floor = Math.floor(value), rest = value - floor;
    if (rest !== 0.5) return Math.round(value);
    return floor % 2 === 0 ? floor : floor + 1;
  }

  function four_digits(value) {
    if (Math.abs(value) >= 1e-4) return String(Number(value.toPrecision(4)));
    const [digits, power] = value.toExponential(3).split("e");
    return Number(digits) + "e-" + power.slice(1).padStart(2, "0");
  }

  bench.number_text = (value) => {
    if (!Number.isFinite(value)) return Number.isNaN(value) ? "NAN" : value > 0 ? "INF" : "-INF";
    if (Math.abs(value) >= 1e15) return value.toExponential(5).replace(/\.?0+e/, "e");
    const two = (half_even(value * 100) / 100).toFixed(2);
    if (value === 0 || Math.abs(value) >= 1) return two;
    const four = four_digits(value);
    return four.length > two.length ? four : two;
  };
  bench.status_text = (status) => String(status).replaceAll("_", " ").toUpperCase();
  bench.fact_text = (value) => (value === null || value === undefined ? "unknown" : String(value));
  // {"compile":"true"} as words.
  bench.options_text = (text) => {
    try { return Object.entries(JSON.parse(text)).map(([name, value]) => name + " = " + value).join(", ") || text; } catch { return text; }
  };
  bench.is_number = (value) => typeof value === "number";

  // The number, or why there is none; of trials that are not alike their range.
  bench.value_text = (row) => {
    if (bench.is_number(row.value)) return bench.number_text(row.value);
    const status = bench.status_text(row.status);
    if (row.status !== "mixed" || !bench.is_number(row.lowest)) return status;
    return status + " " + bench.number_text(row.lowest) + "-" + bench.number_text(row.highest);
  };

  bench.count_text = (count, one, several) => count.toLocaleString("en") + " " + (count === 1 ? one : several || one + "s");
  bench.head_text = (name) => ({
    batch_size_per_gpu: "batch per GPU", global_batch_size: "global batch", gpu_model: "GPU model", gpus: "GPUs",
    run_key: "run", seq_len: "sequence length", gradient_accumulation: "accumulation", made_by: "rule or definition",
    gpu_memory_mib: "GPU memory, MiB", records_used: "used", records_skipped: "left out", started_at: "started",
    is_default: "default", gpus_per_node: "GPUs per node", memory_mib: "memory, MiB", cpu_count: "CPUs", nodes: "nodes",
    value_logged: "as logged", first_line: "from line", last_line: "to line", from_line: "since line",
  }[name] || name.replaceAll("_", " "));

  // ---- parts of pages ------------------------------------------------------------------------------------------

  // A status in words, with a mark, so that it is told without colours too.
  bench.status = (status) => {
    const kind = status === "ok" ? "good" : ["mixed", "ambiguous", "unknown"].includes(status) ? "odd" : "bad";
    const mark = { good: "✓ ", odd: "~ ", bad: "✗ " }[kind];
    return bench.el("span", { class: "status " + kind }, bench.el("span", { "aria-hidden": "true" }, mark),
      status.replaceAll("_", " "));
  };

  // A place in a log: its file and line, or the facts of a calculation (`a / b`); the whole of it on pointing at it, and among the logs of its run.
  bench.place = (place) => (place === null ? "" : bench.el("code", { title: place }, place.split(/(?<! )\//).at(-1)));

  // A wide table scrolls in its own frame, which the keyboard can reach.
  bench.scrolled = (label, table) =>
    bench.el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label }, table);

  // A small table: heads and rows. `cells` makes the content of a column's cells.
  bench.table = (label, frame, cells = {}, without = []) => {
    const { el } = bench;
    const shown = frame.columns.map((name, place) => ({ name, place })).filter(({ name, place }) =>
      !without.includes(name) && frame.rows.some((row) => row[place] !== null && row[place] !== ""));
    const numeric = (place) => frame.rows.every((row) => row[place] === null || bench.is_number(row[place]));
    const named = (row) => Object.fromEntries(frame.columns.map((name, place) => [name, row[place]]));
    const cell = ({ name, place }, row) => {
      const value = row[place];
      const content = cells[name] ? cells[name](value, named(row)) : typeof value === "boolean" ? (value ? "yes" : "no") : value;
      const kind = numeric(place) ? "number" : String(value).length < 36 || cells[name] === bench.place ? "short" : null;
      return el("td", { class: kind }, content === null ? "" : content);
    };
    const head = el("tr", null, shown.map(({ name, place }) =>
      el("th", { scope: "col", class: numeric(place) ? "number" : null }, bench.head_text(name))));
    const body = frame.rows.map((row) => el("tr", null, shown.map((column) => cell(column, row))));
    return bench.scrolled(label, el("table", null, el("caption", { class: "hidden" }, label), el("thead", null, head),
      el("tbody", null, body)));
  };

  bench.facts = (pairs) => bench.el("dl", { class: "facts" }, pairs.filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => bench.el("div", null, bench.el("dt", null, name), bench.el("dd", null, value))));

  bench.section = (title, ...content) => bench.el("section", null, bench.el("h2", null, title), content);

  bench.download = (name, text, kind) => {
    const address = URL.createObjectURL(new Blob([text], { type: kind }));
    const anchor = bench.el("a", { href: address, download: name });
    anchor.click();
    setTimeout(() => URL.revokeObjectURL(address), 1000);
  };

  // CSV that no spreadsheet runs as a formula: as benchledger.exports.output_forms writes it.
  bench.csv = (heads, rows) => {
    const cell = (value) => {
      if (value === null || value === undefined) return "";
      const text = typeof value === "string" && /^[=+\-@\t\r]/.test(value) ? "'" + value : String(value);
      return /[",\n\r]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
    };
    return [heads, ...rows].map((row) => row.map(cell).join(",")).join("\n") + "\n";
  };
})();
