"use strict";
// Plots as SVG: points, lines, error bars and bars, with axes, a legend, and the numbers as a table.
(function () {
  const { el, svg } = bench;
  const WIDTH = 640, HEIGHT = 320, LEFT = 76, RIGHT = 14, TOP = 12, BOTTOM = 46;
  const KINDS = 8;

  // About `most` round numbers between two.
  function ticks(low, high, most) {
    const rough = (high - low) / most;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 2.5, 5, 10].map((one) => one * power).find((one) => one >= rough);
    const found = [];
    for (let place = Math.ceil(low / step - 1e-9); place * step <= high + step * 1e-9; place += 1) found.push(Number((place * step).toPrecision(12)));
    return found;
  }

  function tick_text(value) {
    const size = Math.abs(value);
    if (size >= 1e6) return Number((value / 1e6).toPrecision(4)) + "M";
    if (size >= 1e4) return Number((value / 1e3).toPrecision(4)) + "k";
    return String(value);
  }

  // Scale of an axis: `log` for GPUs and batch sizes, which double; their values are the ticks.
  function scale(values, axis, from, to) {
    let low = Math.min(...values), high = Math.max(...values);
    if (axis.log) {
      const at = [...new Set(values)].sort((one, other) => one - other);
      const [a, b] = [Math.log2(low), Math.log2(high)];
      const pad = a === b ? 1 : (b - a) * 0.06;
      const place = (value) => from + ((Math.log2(value) - a + pad) / (b - a + 2 * pad)) * (to - from);
      return { place, at: at.length > 12 ? at.filter((value) => Number.isInteger(Math.log2(value))) : at };
    }
    if (axis.zero) low = Math.min(0, low);
    if (low === high) { low -= Math.abs(low) * 0.1 || 1; high += Math.abs(high) * 0.1 || 1; }
    const pad = (high - low) * 0.05;
    if (!axis.zero || low < 0) low -= pad;
    high += pad;
    const place = (value) => from + ((value - low) / (high - low)) * (to - from);
    const own = [...new Set(values)].sort((one, other) => one - other);
    const is_apart = own.every((value, number) => !number || place(value) - place(own[number - 1]) > 40);
    return { place, at: axis.own && is_apart ? own : ticks(low, high, axis.most || 6) };
  }

  function mark(kind, x, y, title) {
    const size = 4.5;
    const shapes = [
      () => svg("circle", { cx: x, cy: y, r: size }),
      () => svg("rect", { x: x - size, y: y - size, width: 2 * size, height: 2 * size }),
      () => svg("path", { d: `M${x} ${y - size - 1}L${x + size + 1} ${y + size}H${x - size - 1}Z` }),
      () => svg("path", { d: `M${x} ${y - size - 1.5}L${x + size + 1.5} ${y}L${x} ${y + size + 1.5}L${x - size - 1.5} ${y}Z` }),
    ];
    const node = shapes[kind % shapes.length]();
    node.setAttribute("class", "mark c" + (kind % KINDS));
    if (title) node.append(svg("title", null, title));
    return node;
  }

  // plot: {title, x: {label, log, own: ticks at the values, where they lie apart}, y: {label, zero}, lines: [{name, points: [{x, y, low, high, title, faint}], line, marks}],
  //   ideal: [[x, y], [x, y]], crosses: [{x, title}], shade: [from, to], caption}
  bench.plot = (plot) => {
    const lines = plot.lines.filter((line) => line.points.length);
    const points = lines.flatMap((line) => line.points);
    if (!points.length) return null;
    const ideal = plot.ideal || [];
    const xs = [...points.map((point) => point.x), ...(plot.crosses || []).map((cross) => cross.x)];
    const ys = [...points.flatMap((point) => [point.y, point.low ?? point.y, point.high ?? point.y]), ...ideal.map(([, y]) => y)];
    const x = scale(xs, plot.x, LEFT, WIDTH - RIGHT), y = scale(ys, plot.y, HEIGHT - BOTTOM, TOP);
    const drawing = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: points.some((point) => point.href) ? "group" : "img", "aria-label": plot.title, class: "plot" },
      axes(plot, x, y),
      ideal.length ? svg("path", { class: "ideal", d: path(ideal.map(([a, b]) => ({ x: a, y: b })), x, y) }) : null,
      lines.map((line, kind) => drawn(line, kind, x, y)),
      (plot.crosses || []).map((cross) => svg("g", { class: "cross" }, svg("text", { x: x.place(cross.x), y: HEIGHT - BOTTOM - 6, "text-anchor": "middle" }, "✗ OOM", svg("title", null, cross.title)))));
    const keys = lines.length > 1 || ideal.length ? el("ul", { class: "legend" }, lines.map((line, kind) => el("li", null,
      svg("svg", { viewBox: "0 0 14 14", "aria-hidden": "true" }, mark(kind, 7, 7)), line.name)),
    ideal.length ? el("li", null, svg("svg", { viewBox: "0 0 14 14", "aria-hidden": "true" }, svg("path", { class: "ideal", d: "M0 7H14" })), "ideal") : null) : null;
    return el("figure", null, el("figcaption", null, el("strong", null, plot.title)), keys, drawing,
      plot.caption ? el("p", { class: "quiet" }, plot.caption) : null, numbers(plot, lines));
  };

  const path = (points, x, y) => points.map((point, place) => (place ? "L" : "M") + x.place(point.x).toFixed(1) + " " + y.place(point.y).toFixed(1)).join("");

  function drawn(line, kind, x, y) {
    const group = svg("g", { class: "c" + (kind % KINDS) });
    if (line.line) group.append(svg("path", { class: "line", d: path(line.points, x, y) }));
    for (const point of line.points) {
      const [a, b] = [x.place(point.x), y.place(point.y)];
      if (bench.is_number(point.low) && point.low !== point.high) {
        const [low, high] = [y.place(point.low), y.place(point.high)];
        group.append(svg("path", { class: "error", d: `M${a} ${low}V${high}M${a - 4} ${low}h8M${a - 4} ${high}h8` }));
      }
      if (line.marks !== false) {
        const node = mark(kind, a, b, point.title);
        if (point.faint) node.classList.add("faint");
        group.append(point.href ? svg("a", { href: point.href }, node) : node);
      }
    }
    return group;
  }

  function axes(plot, x, y) {
    const bottom = HEIGHT - BOTTOM;
    return svg("g", { class: "axes" },
      y.at.map((value) => svg("g", null, svg("path", { class: "grid", d: `M${LEFT} ${y.place(value)}H${WIDTH - RIGHT}` }),
        svg("text", { x: LEFT - 8, y: y.place(value) + 4, "text-anchor": "end" }, tick_text(value)))),
      x.at.map((value) => svg("text", { x: x.place(value), y: bottom + 18, "text-anchor": "middle" }, tick_text(value))),
      svg("path", { class: "base", d: `M${LEFT} ${bottom}H${WIDTH - RIGHT}` }),
      svg("text", { x: (LEFT + WIDTH - RIGHT) / 2, y: HEIGHT - 8, "text-anchor": "middle", class: "label" }, plot.x.label),
      svg("text", { transform: `translate(14 ${(TOP + bottom) / 2}) rotate(-90)`, "text-anchor": "middle", class: "label" }, plot.y.label));
  }

  // The same numbers as a table, for readers of text.
  function numbers(plot, lines) {
    const rows = lines.flatMap((line) => line.points.map((point) => [line.name, point.x, point.y, point.low ?? null, point.high ?? null]));
    const details = el("details", { class: "data" }, el("summary", null, "Numbers of this plot"));
    details.addEventListener("toggle", () => {
      if (details.open && details.childNodes.length < 2) {
        details.append(bench.table(plot.title, { columns: ["line", plot.x.label, plot.y.label, "lowest", "highest"], rows }));
      }
    });
    return details;
  }

  // Bars from zero: [{name, value, text, href}]
  bench.bars = (title, bars) => {
    const most = Math.max(...bars.map((bar) => bar.value || 0));
    return el("figure", null, el("figcaption", null, el("strong", null, title)), el("ol", { class: "bars" }, bars.map((bar) =>
      el("li", null, el("span", { class: "name" }, bar.name),
        el("meter", { min: 0, max: most, value: bar.value || 0, "aria-hidden": "true" }),
        el("span", { class: "text" }, bar.text)))));
  };
})();
