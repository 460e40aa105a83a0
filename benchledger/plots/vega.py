"""Vega-Lite specifications of plots, as plain dicts: what Altair, vl-convert and the site draw."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from benchledger.plots.extra import thinned
from benchledger.plots.marks import (
    BAR_WIDTH,
    COLOURS,
    HEIGHT,
    QUIET,
    Spec,
    bar_axis,
    bar_chart,
    count_axis,
    digits,
    json_rows,
    level_marks,
    line_colour,
    line_marks,
    lines_with_whiskers,
    note_at_top,
    panel,
    tooltips,
    without_controls,
    wrapped,
    x_axis,
    y_axis,
)  # fmt: skip

if TYPE_CHECKING:
    from benchledger.plots.data import Plot

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
_CROSS = "M-1,-1L1,1M1,-1L-1,1"
# From this ratio of highest to lowest loss their axis is logarithmic.
_LOSS_WIDE = 30
# Metrics of profilers in words; any other keeps its own name.
METRICS = {
    "compute": "time with a kernel running",
    "sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_elapsed": "FMA pipe",
    "sm__inst_executed_pipe_fp16.avg.pct_of_peak_sustained_elapsed": "FP16 pipe",
    "sm__inst_executed_pipe_fma_type_fp16.avg.pct_of_peak_sustained_elapsed": "FP16 in the FMA pipe",
    "sm__inst_executed_pipe_tensor.avg.pct_of_peak_sustained_elapsed": "tensor pipe, instructions",
    "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed": "tensor pipe, busy cycles",
    "sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_elapsed": "special functions",
}


def vega_lite(plot: Plot) -> Spec:
    body = _DRAWERS[plot.question.name](plot)
    title: Spec = {"text": plot.title, "anchor": "start"}
    if plot.subtitle:
        title["subtitle"] = wrapped(plot.subtitle, 105)
    caption = {
        "text": wrapped(plot.caption, 110), "orient": "bottom", "anchor": "start", "fontSize": 10,
        "fontWeight": "normal", "color": QUIET, "offset": 10,
    }  # fmt: skip
    spec = {
        "$schema": SCHEMA,
        "description": ". ".join(text for text in (plot.title, plot.subtitle, plot.caption) if text),
        "background": "white",
        "title": caption,
        "vconcat": [{"title": title, **body}],
        "config": {
            "axis": {"grid": True, "gridOpacity": 0.5, "labelFontSize": 11, "titleFontSize": 12},
            "legend": {
                "labelLimit": 420,
                "orient": "bottom",
                "columns": 1,
                "title": None,
                "symbolSize": 80,
                "symbolOpacity": 1,
                "symbolStrokeWidth": 2,
            },
            "title": {"fontSize": 15, "subtitleFontSize": 11, "subtitleColor": QUIET, "subtitlePadding": 4},
            "view": {"stroke": None},
        },
    }
    drawn: Spec = without_controls(spec)
    return drawn


def _scaling(plot: Plot) -> Spec:
    rows = json_rows(plot.points, "y", "lowest", "highest", "efficiency", "ideal", "cell")
    gpus = count_axis(plot, "GPUs")
    top = {"axis": {"title": "speed-up"}, "scale": dict(gpus["scale"])}
    ideal = {(row["x"] / row["ideal"], row["x"]) for row in rows}
    bases = {base: max(x for other, x in ideal if other == base) for base, _ in ideal}
    lines = [{"x": x, "y": x / base, "base": base} for base, most in bases.items() for x in (base, most)]
    dashed = {"type": "line", "strokeDash": [5, 4], "color": QUIET}
    speedups = [
        {"data": {"values": lines}, "mark": dashed,
         "encoding": {"x": x_axis(gpus), "y": y_axis(top), "detail": {"field": "base"}}},
        {"data": {"values": [line for line in lines if line["x"] > line["base"]]},
         "mark": {"type": "text", "text": "ideal", "align": "right", "dx": -8, "dy": -8, "color": QUIET},
         "encoding": {"x": x_axis(gpus), "y": y_axis(top)}},
        *lines_with_whiskers(plot, gpus, top),
    ]  # fmt: skip
    most = max([1.1, *(row["efficiency"] for row in rows)])
    share = {"axis": {"title": "efficiency", "format": ".0%"}, "scale": {"domainMin": 0, "domainMax": most}}
    efficiency = [
        {"data": {"values": [{"y": 1}]}, "mark": {**dashed, "type": "rule"}, "encoding": {"y": y_axis(share)}},
        *line_marks(plot, gpus, {**share, "field": "efficiency"}),
    ]
    panel = {"width": 330, "height": HEIGHT}
    return {"data": {"values": rows}, "hconcat": [{**panel, "layer": speedups}, {**panel, "layer": efficiency}]}


def _speed(plot: Plot) -> Spec:
    return bar_chart(plot, plot.unit)


def _memory(plot: Plot) -> Spec:
    card = {"type": "tick", "color": "#000000", "thickness": 2, "size": 16}
    marks = [{
        "transform": [{"filter": "isValid(datum.card)"}], "mark": card,
        "encoding": {"y": bar_axis(plot), "x": {"field": "card", "type": "quantitative"}},
    }]  # fmt: skip
    sizes = sorted(set(plot.points["card"].drop_nulls()))
    head = f"memory of the fullest GPU in GiB (black: the GPU's own, {', '.join(f'{size:.1f}' for size in sizes)})"
    return bar_chart(plot, head if sizes else "memory of the fullest GPU in GiB", marks)


def _utilization(plot: Plot) -> Spec:
    rows = json_rows(plot.points, "y", "metric", "kernels", "path")
    for row in rows:
        row["metric"], row["says"] = METRICS.get(row["metric"], row["metric"]), digits(row["y"])
        # Profiles differ in their metrics: a bar each, and no gaps for those that a profile lacks.
        row["bar"] = f"{row['label']}: {row['metric']}"
    metrics = list(dict.fromkeys(row["metric"] for row in rows))
    where = {
        "y": {**bar_axis(plot), "field": "bar", "sort": [row["bar"] for row in rows]},
        "x": {"field": "y", "type": "quantitative", "title": "utilization in %",
              "scale": {"domainMin": 0, "domainMax": 100}},
    }  # fmt: skip
    colour = {"field": "metric", "scale": {"domain": metrics, "range": list(COLOURS)}, "legend": None}
    layers = [
        {"mark": {"type": "bar", "height": {"band": 0.75}},
         "encoding": {**where, "color": colour, "tooltip": tooltips(rows)}},
        {"mark": {"type": "text", "align": "left", "dx": 4, "fontSize": 10},
         "encoding": {**where, "text": {"field": "says"}}},
    ]  # fmt: skip
    return {"data": {"values": rows}, "width": BAR_WIDTH, "height": {"step": 20}, "layer": layers}


def _samples(plot: Plot) -> Spec:
    points = thinned(plot.points)
    axis = {"axis": {"title": "utilization in %"}, "scale": {"domain": [0, 100]}}
    is_timed = plot.points["x_counts"][0] == "s"
    seconds = {"axis": {"title": "seconds since the first sample" if is_timed else "sample"}, "scale": {"nice": False}}
    return panel(json_rows(points, "y"), line_marks(plot, seconds, axis, points=False))


def _batch(plot: Plot) -> Spec:
    sizes = count_axis(plot, "batch size per GPU")
    axis = {"axis": {"title": plot.unit}, "scale": {"zero": True}}
    rows = json_rows(plot.points, "y", "lowest", "highest", "status", "cell")
    top = max((row["highest"] or row["y"] or 0 for row in rows), default=0)
    at: dict[float, int] = {}
    for row in rows:
        if row["status"] == "oom":
            # Marks of several lines at one size stand above each other.
            row["mark"] = top * (0.02 + 0.05 * at.get(row["x"], 0))
            at[row["x"]] = at.get(row["x"], 0) + 1
    marks = {
        "transform": [{"filter": "datum.status == 'oom'"}],
        "mark": {"type": "point", "shape": _CROSS, "size": 90, "strokeWidth": 3},
        "encoding": {
            "x": x_axis(sizes),
            "y": y_axis({**axis, "field": "mark"}),
            "color": line_colour(plot),
            "tooltip": tooltips(rows),
        },
    }
    body = panel(rows, [*lines_with_whiskers(plot, sizes, axis), marks])
    if at:
        body["layer"].append(note_at_top("✕ out of memory"))
    return body


def _loss(plot: Plot) -> Spec:
    import polars as pl

    means = thinned(plot.points.select("label", "x", y=pl.col("mean_loss")))
    points = thinned(plot.points)
    counts = " or ".join(sorted(plot.points["x_counts"].unique())).replace("loss", "nth printed loss")
    steps = {"axis": {"title": counts}, "scale": {"nice": False}}
    values = points["y"].to_list()
    is_wide = bool(values) and min(values) > 0 and max(values) / min(values) > _LOSS_WIDE
    axis = {"axis": {"title": plot.unit}, "scale": {"type": "log"} if is_wide else {"zero": False}}
    faint = {"mark": {"type": "line", "opacity": 0.35, "strokeWidth": 1},
             "encoding": {"x": x_axis(steps), "y": y_axis(axis), "color": line_colour(plot)}}  # fmt: skip
    bold = line_marks(plot, steps, axis, points=False)[0]
    body = panel(json_rows(points, "y"), [faint, {"data": {"values": json_rows(means, "y")}, **bold}])
    if plot.target is not None:
        body["layer"] += level_marks(plot.target, f"target {plot.target:g}", axis)
    return body


def _steps(plot: Plot) -> Spec:
    import polars as pl

    used = plot.points.filter(pl.col("dropped").is_null())["x"]
    use = pl.when(pl.col("dropped").is_null()).then(pl.lit("used")).otherwise(pl.lit("dropped"))
    points = thinned(plot.points.with_columns(use=use))
    first, last = (float(x) for x in plot.points["x"].sort().gather([0, -1]))
    used_first, used_last = (float(x) for x in used.sort().gather([0, -1])) if used.len() else (first, last)
    bands = []
    if first < used_first:
        bands.append({"from": first - 0.5, "to": used_first - 0.5, "says": f"rule skips {used_first - first:.0f}"})
    if last > used_last:
        bands.append({"from": used_last + 0.5, "to": last + 0.5, "says": f"rule skips {last - used_last:.0f}"})
    steps = {"axis": {"title": "reading, in the order of the log"}, "scale": {"nice": False}}
    axis = {"axis": {"title": plot.unit}, "scale": {"zero": False}}
    band = {"x": x_axis({**steps, "field": "from"}), "x2": {"field": "to"}}
    colour = {"field": "use", "scale": {"domain": ["used", "dropped"], "range": [COLOURS[0], COLOURS[1]]}}
    rows = json_rows(points, "y", "use", "dropped", "step")
    mark = {"type": "point", "filled": True, "size": 14 if len(rows) > 200 else 30}
    layers = [
        {"data": {"values": bands}, "mark": {"type": "rect", "color": "#999999", "opacity": 0.25}, "encoding": band},
        {
            "data": {"values": bands},
            "mark": {"type": "text", "align": "left", "baseline": "top", "dx": 3},
            "encoding": {"x": band["x"], "y": {"value": 4}, "text": {"field": "says"}},
        },
        {
            "mark": {"type": "line", "strokeWidth": 0.7, "color": QUIET},
            "encoding": {"x": x_axis(steps), "y": y_axis(axis)},
        },
        {"mark": mark, "encoding": {"x": x_axis(steps), "y": y_axis(axis), "color": colour, "tooltip": tooltips(rows)}},
    ]
    if plot.level is not None:
        layers += level_marks(plot.level, digits(plot.level), axis)
    return panel(rows, layers)


def _history(plot: Plot) -> Spec:
    days = {"axis": {"title": "date of the first run"}, "scale": {"type": "utc"}, "type": "temporal"}
    axis = {"axis": {"title": plot.unit}, "scale": {"zero": False}}
    rows = json_rows(plot.points, "y", "lowest", "highest", "campaign", "cell")
    return panel(rows, [*lines_with_whiskers(plot, days, axis), *_change_marks(plot, days, axis)])


def _change_marks(plot: Plot, days: Spec, axis: Spec) -> list[Spec]:
    """Returns a dashed line where a number changed, in the colour of its line, with the change in percent."""
    if plot.changes is None or plot.changes.is_empty():
        return []
    rows = json_rows(plot.changes, "y", "change_percent", "state", "reason")
    for row in rows:
        row["says"] = f"{row['change_percent']:+.1f} %" + (" accepted" if row["state"] == "accepted" else "")
    place = {"x": x_axis(days), "color": line_colour(plot)}
    tips = [{"field": name} for name in ("label", "x", "change_percent", "state", "reason")]
    rule = {"type": "rule", "strokeDash": [4, 3], "strokeWidth": 1.2}
    text = {"type": "text", "align": "left", "dx": 7, "dy": -9, "fontSize": 10, "fontWeight": "bold"}
    return [
        {"data": {"values": rows}, "mark": rule, "encoding": {**place, "tooltip": tips}},
        {"data": {"values": rows}, "mark": text, "encoding": {**place, "y": y_axis(axis), "text": {"field": "says"}}},
    ]


_DRAWERS: dict[str, Callable[[Plot], Spec]] = {
    "scaling": _scaling, "speed": _speed, "memory": _memory, "utilization": _utilization, "samples": _samples,
    "batch": _batch, "loss": _loss, "steps": _steps, "history": _history,
}  # fmt: skip
