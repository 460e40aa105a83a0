"use strict";
// A table of the ledger by columns: searched, filtered and sorted by the number of a row.
(function () {
  const NONE = "unknown";

  class Store {
    constructor(data) {
      this.rows = data.rows;
      this.shared = data.shared || {};
      this.sharing = data.sharing || [];
      this.of_one_gpu = new Set(data.of_one_gpu);
      this.columns = new Map(data.columns.map((column) => [column.name, column]));
      for (const column of this.columns.values()) {
        if (column.numbers) {
          column.numbers = Float64Array.from(column.numbers, (value) =>
            value === null ? NaN : typeof value === "string" ? Number(value.replace("inf", "Infinity")) : value);
        } else {
          column.codes = Int32Array.from(column.codes);
          column.texts = column.values.map(String);
        }
      }
      this.every = Int32Array.from({ length: this.rows }, (_, row) => row);
    }

    has(name) { return this.columns.has(name); }

    is_numeric(name) {
      const column = this.columns.get(name);
      return Boolean(column.numbers) || column.values.every((value) => typeof value === "number");
    }

    get(name, row) {
      const column = this.columns.get(name);
      if (!column) return null;
      if (column.numbers) return Number.isNaN(column.numbers[row]) ? null : column.numbers[row];
      const code = column.codes[row];
      return code < 0 ? null : column.values[code];
    }

    row(number) {
      return Object.fromEntries([...this.columns.keys()].map((name) => [name, this.get(name, number)]));
    }

    find(name, value) {
      const column = this.columns.get(name);
      const code = column ? column.values.indexOf(value) : -1;
      return code < 0 ? -1 : column.codes.indexOf(code);
    }

    // Rows with one of the values of each filter, and every word of the search in some text column.
    select(filters, search, without) {
      let rows = this.every;
      for (const [name, values] of filters) {
        if (name !== without && this.has(name)) rows = this.#having(rows, name, values);
      }
      for (const word of (search || "").toLowerCase().split(/\s+/).filter(Boolean)) rows = this.#with_word(rows, word);
      return rows;
    }

    #having(rows, name, values) {
      const { codes, texts } = this.columns.get(name);
      if (!codes) return rows;
      const wanted = new Set(values);
      const met = Uint8Array.from(texts, (text) => wanted.has(text));
      const or_none = wanted.has(NONE);
      return rows.filter((row) => (codes[row] < 0 ? or_none : met[codes[row]] === 1));
    }

    #with_word(rows, word) {
      const tests = [];
      for (const column of this.columns.values()) {
        if (!column.codes) continue;
        column.lower ??= column.texts.map((text) => text.toLowerCase());
        const met = Uint8Array.from(column.lower, (text) => text.includes(word));
        if (met.includes(1)) tests.push([column.codes, met]);
      }
      return rows.filter((row) => tests.some(([codes, met]) => codes[row] >= 0 && met[codes[row]] === 1));
    }

    // Rows in the order of a column, those without a value last; equal ones stay in their order.
    sort(rows, name, down) {
      const column = this.columns.get(name);
      if (!column) return rows;
      // Values of a packed column are sorted: the place of a value is its rank.
      const key = column.numbers || column.codes;
      const none = column.numbers ? Number.isNaN : (code) => code < 0;
      const sign = down ? -1 : 1;
      return rows.slice().sort((one, other) => {
        const a = key[one], b = key[other];
        if (none(a) || none(b)) return none(a) - none(b) || one - other;
        return sign * (a - b) || one - other;
      });
    }

    // How many of the rows have each value, most first.
    counts(rows, name) {
      const { codes, texts } = this.columns.get(name);
      const counted = new Int32Array(texts.length + 1);
      for (const row of rows) counted[codes[row] < 0 ? texts.length : codes[row]] += 1;
      const found = [...counted].map((count, code) => [code < texts.length ? texts[code] : NONE, count, code]);
      return found.filter(([, count]) => count > 0).sort((one, other) => one[2] - other[2]);
    }

    // Rows of which no two share a run: of those that do, the one with most trials stands.
    each_run_once(rows) {
      if (!rows.some((row) => this.shared[row])) return rows;
      const taken = new Set();
      const best = rows.slice().sort((one, other) => this.get("trials", other) - this.get("trials", one) || one - other);
      return best.filter((row) => {
        const runs = this.shared[row] || [];
        if (runs.some((run) => taken.has(run))) return false;
        runs.forEach((run) => taken.add(run));
        return true;
      });
    }
  }

  const made = new Map();
  bench.store = async (name) => {
    if (!made.has(name)) made.set(name, new Store(await bench.load(name)));
    return made.get(name);
  };
  bench.Store = Store;
  bench.NONE = NONE;
})();
