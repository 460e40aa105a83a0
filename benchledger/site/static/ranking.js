"use strict";
// The ranking: the tables of `bench report ranking`, whose ranks and ties come from there.
(function () {
  const { el } = bench;
  const SHOWN = 20;

  bench.pages.ranking = async (main, { parameters }) => {
    const boards = await bench.load("ranking");
    const per_gpu = parameters.get("per") === "gpu";
    const all = per_gpu ? boards.per_gpu : boards.whole;
    const words = (parameters.get("q") || "").toLowerCase().split(/\s+/).filter(Boolean);
    const met = all.filter((board) => { const text = told(board).toLowerCase(); return words.every((word) => text.includes(word)); });
    const many = Number(parameters.get("show")) || SHOWN;
    const count = bench.count_text(met.length, "table") + (met.length < all.length ? " of " + all.length : "");
    bench.tell(count);
    bench.show(main, el("h1", null, "Ranking"),
      el("p", { class: "lead" }, "The fastest series of each system and GPU model at equal work: equal model, task, precision and sequence length. Other differences are listed beside each number. Equal numbers share their ranks: 2-3 is a tie."),
      bar(parameters, per_gpu, count), met.slice(0, many).map(board_section),
      met.length > many ? el("button", { type: "button", "data-key": "more", onclick: () => bench.change({ show: many + 5 * SHOWN }, true) }, "Show more tables") : "",
      all.length ? "" : el("p", { class: "empty" }, "No series has a speed."));
    return "Ranking";
  };

  const told = (board) => [...Object.values(board.facts), ...board.rows.flat()].map(String).join(" ");

  function bar(parameters, per_gpu, count) {
    const search = el("input", { type: "search", id: "search", value: parameters.get("q") || "", placeholder: "Search models, GPUs, …", "aria-label": "Search the rankings" });
    search.addEventListener("input", () => bench.change({ q: search.value, show: null }, true));
    const button = (words, value, on) => el("button", { type: "button", "aria-pressed": String(on), "data-key": "per-" + words, onclick: () => bench.change({ per: value }) }, words);
    return el("div", { class: "filters" }, el("div", { class: "row" }, search,
      el("span", { class: "group", role: "group", "aria-label": "Speed of" }, button("All GPUs", null, !per_gpu), button("Per GPU", "gpu", per_gpu))),
    el("p", { class: "count" }, count));
  }

  function board_section(board) {
    const facts = Object.entries(board.facts).filter(([name, value]) => name !== "unit" && value !== null).map(([, value]) => value);
    const title = facts.join(", ") + (board.facts.seq_len ? " tokens long" : "");
    const texts = new Set(board.texts);
    const heads = board.columns.map((name) => el("th", { scope: "col", class: texts.has(name) ? null : "number" }, bench.head_text(name)));
    const rows = board.rows.map((row, place) => {
      const [cell, key] = board.cells[place];
      const is_tie = String(row[0]).includes("-") && row[0] !== "-";
      return el("tr", { class: row[0] === "1" || row[0].startsWith("1-") ? "first" : null }, row.map((value, column) => el("td", { class: texts.has(board.columns[column]) ? (value.length < 36 ? "short" : null) : "number" },
        column === 1 ? el("a", { href: bench.address("explain", [key, cell]), title: "How this number was made" }, value) : value,
        column === 0 && is_tie ? el("span", { class: "quiet" }, " tie") : "")));
    });
    const table = el("table", null, el("caption", { class: "hidden" }, title), el("thead", null, el("tr", null, heads)), el("tbody", null, rows));
    return el("section", null, el("h2", null, title), bench.scrolled(title, table), board.notes.map((note) => el("p", { class: "quiet" }, note)));
  }
})();
