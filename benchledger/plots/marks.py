"""Marks and axes of Vega-Lite that plots share."""

from __future__ import annotations

import math
import re
import textwrap
from datetime import datetime
from typing import TYPE_CHECKING, Any

from benchledger.exports.values import escaped

if TYPE_CHECKING:
    import polars as pl

    from benchledger.plots.data import Plot

Spec = dict[str, Any]

# Okabe and Ito's colours, which colour-blind people tell apart, with wine and grey for their yellow and black: these
# two would vanish on white or on dark paper. Shapes say the same again.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#882255", "#777777")
SHAPES = ("circle", "square", "triangle-up", "diamond", "triangle-down", "triangle-right", "triangle-left", "cross")
# Labels that would touch are left out.
_APART = {"labelOverlap": True, "labelSeparation": 8}
QUIET = "#777777"
BAR_WIDTH, WIDTH, HEIGHT = 560, 700, 340
# From this ratio of highest to lowest an axis of counts is logarithmic.
WIDE = 8
_LONGEST = 4000
_TWO_UNITS = re.compile("[\U00010000-\U0010ffff]")


def panel(rows: list[Spec], layers: list[Spec]) -> Spec:
    return {"data": {"values": rows}, "width": 700, "height": HEIGHT, "layer": layers}


def bar_chart(plot: Plot, head: str, marks: list[Spec] | None = None) -> Spec:
    """Returns a bar per line, with whiskers, the number behind it, and more marks."""
    rows = json_rows(plot.points, "y", "lowest", "highest", "precision", "card", "trials", "campaign", "cell")
    for row in rows:
        row["precision"] = row["precision"] or "precision unknown"
        row["end"] = max(value for value in (row["y"], row["highest"]) if value is not None)
        if row["y"] is not None:
            row["says"] = digits(row["y"])
        else:
            row["says"] = f"mixed {digits(row['lowest'])} to {digits(row['highest'])}"
    bar = bar_axis(plot)
    length: Spec = {"type": "quantitative", "title": head, "scale": {"zero": True}, "axis": {"tickCount": 8, **_APART}}
    precisions = sorted({row["precision"] for row in rows})
    colour = {"field": "precision", "scale": {"domain": precisions, "range": list(COLOURS)}}
    layers: list[Spec] = [
        {"mark": {"type": "bar", "height": {"band": 0.75}},
         "encoding": {"y": bar, "x": {**length, "field": "y"}, "color": colour, "tooltip": tooltips(rows)}},
        {"transform": [{"filter": "datum.highest > datum.lowest"}], "mark": {"type": "rule", "strokeWidth": 2},
         "encoding": {"y": bar, "x": {**length, "field": "lowest"}, "x2": {"field": "highest"}}},
        *(marks or []),
        {"mark": {"type": "text", "align": "left", "dx": 5, "fontSize": 10},
         "encoding": {"y": bar, "x": {**length, "field": "end"}, "text": {"field": "says"}}},
    ]  # fmt: skip
    return {"data": {"values": rows}, "width": BAR_WIDTH, "height": {"step": 20}, "layer": layers}


def bar_axis(plot: Plot) -> Spec:
    return {
        "field": "label",
        "type": "nominal",
        "title": None,
        "sort": plot.labels,
        "axis": {"labelLimit": 420, "grid": False},
    }


def lines_with_whiskers(plot: Plot, x: Spec, y: Spec) -> list[Spec]:
    whiskers = {
        "transform": [{"filter": "datum.highest > datum.lowest"}],
        "mark": {"type": "rule", "strokeWidth": 1.5},
        "encoding": {
            "x": x_axis(x),
            "y": y_axis({**y, "field": "lowest"}),
            "y2": {"field": "highest"},
            "color": line_colour(plot),
        },
    }
    return [whiskers, *line_marks(plot, x, y)]


def line_marks(plot: Plot, x: Spec, y: Spec, points: bool = True) -> list[Spec]:
    encoding = {"x": x_axis(x), "y": y_axis(y), "color": line_colour(plot)}
    line = {"mark": {"type": "line", "strokeWidth": 2}, "encoding": encoding}
    if not points:
        return [line]
    shape = {"field": "label", "scale": {"domain": plot.labels, "range": list(SHAPES)}}
    mark = {"type": "point", "filled": True, "size": 70, "opacity": 1}
    return [
        line,
        {"mark": mark, "encoding": {**encoding, "shape": shape, "tooltip": tooltips(plot.points.to_dicts())}},
    ]


def line_colour(plot: Plot) -> Spec:
    return {"field": "label", "type": "nominal", "scale": {"domain": plot.labels, "range": list(COLOURS)}}


def level_marks(value: float, says: str, y: Spec) -> list[Spec]:
    """Returns a dashed line across the picture, and its value beside it."""
    data = {"data": {"values": [{"y": value, "says": says}]}}
    rule = {**data, "mark": {"type": "rule", "strokeDash": [5, 4], "strokeWidth": 1.5}, "encoding": {"y": y_axis(y)}}
    text = {**data, "mark": {"type": "text", "align": "left", "dx": 6, "fontWeight": "bold"},
            "encoding": {"y": y_axis(y), "x": {"value": "width"}, "text": {"field": "says"}}}  # fmt: skip
    return [rule, text]


def note_at_top(text: str) -> Spec:
    return {"data": {"values": [{}]}, "mark": {"type": "text", "text": text, "align": "left", "baseline": "top"},
            "encoding": {"x": {"value": 6}, "y": {"value": 4}}}  # fmt: skip


def count_axis(plot: Plot, title: str) -> Spec:
    values = sorted(set(plot.points["x"].drop_nulls()))
    is_wide = len(values) > 1 and values[0] > 0 and values[-1] / values[0] >= WIDE
    scale: Spec = {"type": "log", "base": 2, "nice": False} if is_wide else {"zero": False, "nice": False}
    axis = {"title": title, "format": "d", **({"values": values} if len(values) <= 16 else {})}
    return {"axis": axis, "scale": {**scale, "padding": 14}}


def x_axis(axis: Spec) -> Spec:
    return {"field": "x", "type": "quantitative", **axis}


def y_axis(axis: Spec) -> Spec:
    return {"field": "y", "type": "quantitative", **axis}


def tooltips(rows: list[Spec]) -> list[Spec]:
    names = ("label", "x", "y", "lowest", "highest", "trials", "efficiency", "status", "dropped", "campaign", "cell")
    return [{"field": name} for name in names if rows and name in rows[0]]


def json_rows(points: pl.DataFrame, *columns: str) -> list[Spec]:
    """Returns points as JSON knows them: no NaN, times in UTC."""
    names = [name for name in ("label", "x", *columns) if name in points.columns]
    return [{name: _plain(value) for name, value in row.items()} for row in points.select(names).to_dicts()]


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat() + "Z"
    return None if isinstance(value, float) and not math.isfinite(value) else value


def without_controls(spec: Any) -> Any:
    """Returns a specification whose texts have no control characters, which abort Vega, and no more than a page.

    Characters of two UTF-16 units are shown as their codes: Vega cuts a long label between the two, and aborts.
    """
    if isinstance(spec, dict):
        return {name: without_controls(value) for name, value in spec.items()}
    if isinstance(spec, list):
        return [without_controls(value) for value in spec]
    if not isinstance(spec, str):
        return spec
    return _TWO_UNITS.sub(lambda char: f"\\U{ord(char[0]):08x}", escaped(spec[:_LONGEST]))


def digits(value: float) -> str:
    """Returns a number with the digits that a reader compares."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.1f}" if abs(value) >= 100 else f"{value:.4g}"


def wrapped(text: str, width: int) -> list[str]:
    """Returns a text as lines of so many characters."""
    return textwrap.wrap(text, width) or [""]
