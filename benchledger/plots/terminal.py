"""A plot as text for a terminal: lines by plotext, bars of block characters."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from benchledger.plots.data import PICTURE_ONLY
from benchledger.plots.extra import need
from benchledger.plots.marks import WIDE, digits, wrapped
from benchledger.plots.vega import METRICS

if TYPE_CHECKING:
    from benchledger.plots.data import Plot

# Each line has a mark of its own, so that the picture is read without colours, too.
_MARKS = ("●", "■", "▲", "◆", "▼", "▶", "◀", "+")
# The colours of pictures, by their numbers in a terminal of 256 colours.
_COLOURS = (32, 166, 36, 175, 172, 74, 89, 244)
_SPARSE = 40
_TICKS = 6
_AXES = {
    "scaling": ("GPUs", "speed-up"),
    "batch": ("batch size per GPU", ""),
    "loss": ("step", ""),
    "steps": ("reading, in the order of the log", ""),
    "samples": ("seconds", "utilization in %"),
    "history": ("date of the first run", ""),
}


def terminal_text(plot: Plot, width: int, height: int = 22, *, coloured: bool = True) -> str:
    """Returns the plot as lines of text that fit `width` columns; escape codes only if `coloured`."""
    head = [*wrapped(plot.title, width), *(wrapped(plot.subtitle, width) if plot.subtitle else []), ""]
    body = _bars(plot, width) if plot.question.is_bars else _lines(plot, width, height, coloured)
    caption = "; ".join(part for part in plot.caption.split("; ") if part not in PICTURE_ONLY)
    return "\n".join([*head, *body, "", *wrapped(caption, width)])


def _bars(plot: Plot, width: int) -> list[str]:
    rows = plot.points.to_dicts()
    for row in rows:
        if "metric" in row:
            row["label"] = f"{row['label']}: {METRICS.get(row['metric'], row['metric'])}"
    texts = [f"{digits(row['y'])}" if row["y"] is not None else "mixed" for row in rows]
    end = max(map(len, texts))
    wide = max(len(row["label"]) for row in rows)
    # Labels that would leave too little room stand above their bars.
    is_above = wide > width // 2
    wide = 0 if is_above else wide
    room = width - wide - end - 4
    cards = [row["card"] for row in rows if row.get("card")]
    # A ledger that another program changed may hold infinity or NaN: print it without a bar.
    sizes = [row["y"] if row["y"] and math.isfinite(row["y"]) else 0 for row in rows]
    most = max(sizes + cards) or 1
    lines = []
    for row, size, text in zip(rows, sizes, texts, strict=True):
        lines += wrapped(row["label"], width) if is_above else []
        label = "" if is_above else row["label"]
        bar = list(("█" * max(1, round(size / most * room)) if size else "").ljust(room))
        if row.get("card"):
            bar[min(room - 1, round(row["card"] / most * room))] = "|"
        lines.append(f"{label.rjust(wide)} {''.join(bar)} {text.rjust(end)}".rstrip())
    unit = plot.unit + (f"; | the GPU's own memory, {digits(max(cards))}" if cards else "")
    return [*lines, unit.rjust(width)]


def _lines(plot: Plot, width: int, height: int, coloured: bool) -> list[str]:
    plt: Any = need("plotext")
    plt.clear_figure()
    plt.plotsize(width, height)
    plt.theme("clear")
    y = "mean_loss" if plot.question.name == "loss" else "y"
    legend = []
    drawn_as: dict[str, str] = {}
    for label, mark, colour in zip(plot.labels, _MARKS, _COLOURS, strict=False):
        points = plot.points.filter(label=label).sort("x")
        points = points.filter(points[y].is_finite().fill_null(False))
        xs, ys = [_number(x) for x in points["x"]], points[y].to_list()
        if 0 < len(xs) <= _SPARSE:
            plt.plot(xs, ys, marker="braille", color=colour)
        plt.scatter(xs, ys, marker=mark, color=colour)
        # The line drawn last hides one with the same points.
        equal = drawn_as.setdefault(str((xs, ys)), mark) if xs else mark
        same = "" if equal == mark else f" (same points as {equal})"
        legend += wrapped(f"{mark} {label}{same}", width)
    legend += _marks(plt, plot)
    across, up = _AXES[plot.question.name]
    _ticks(plt, plot)
    plt.xlabel(across)
    text = plt.build()
    drawn = [line.rstrip() for line in (text if coloured else plt.uncolorize(text)).split("\n")]
    return [up or plot.unit, *drawn, "", *legend]


def _marks(plt: Any, plot: Plot) -> list[str]:
    """Draws what a plot has besides its lines, and returns what its marks mean."""
    if plot.question.name == "scaling":
        most = plot.points.sort("x").row(-1, named=True)
        base = most["x"] / most["ideal"]
        plt.plot([base, most["x"]], [1, most["ideal"]], marker="·")
        return ["· ideal"]
    if plot.question.name == "batch":
        sizes = plot.points.filter(status="oom")["x"].to_list()
        plt.scatter(sizes, [0] * len(sizes), marker="✕")
        return ["✕ out of memory"] if sizes else []
    if plot.target is not None:
        plt.hline(plot.target)
        return [f"─ target {plot.target:g}"]
    if plot.changes is not None:
        for x in plot.changes["x"]:
            plt.vline(_number(x))
        return [
            f"│ {row['x']:%Y-%m-%d} {row['change_percent']:+.1f} %, {row['state']}: {row['label']}"
            for row in plot.changes.to_dicts()
        ]
    if plot.question.name == "steps":
        dropped = plot.points.filter(plot.points["dropped"].is_not_null() & plot.points["y"].is_finite())
        plt.scatter(dropped["x"].to_list(), dropped["y"].to_list(), marker="░")
        plt.hline(plot.level)
        return [f"░ skipped by the rule: {dropped.height}", f"─ the run's number: {digits(plot.level or 0)}"]
    return []


def _ticks(plt: Any, plot: Plot) -> None:
    found = sorted(set(plot.points["x"].drop_nulls()))
    if plot.question.name in ("scaling", "batch") and len(found) <= 2 * _TICKS:
        plt.xticks(found, [f"{value:g}" for value in found])
        if found[0] > 0 and found[-1] / found[0] >= WIDE:
            plt.xscale("log")
    if plot.question.name == "history":
        chosen = found[:: max(1, len(found) // _TICKS)]
        plt.xticks([_number(value) for value in chosen], [f"{value:%Y-%m-%d}" for value in chosen])


def _number(value: Any) -> float:
    return value.replace(tzinfo=UTC).timestamp() if isinstance(value, datetime) else float(value)
