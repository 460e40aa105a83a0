"""Chooses what a picture shows of all that was selected: what has most data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benchledger.errors import counted
from benchledger.plots.questions import Question

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Choice:
    """The choice of a plot: `rows` of the candidates in the order of their lines, all with the same values of `focus`.

    `why` says why these, and how to see others; `part` which of how many lines are drawn, if not all.
    """

    rows: pl.DataFrame
    focus: dict[str, Any]
    why: str
    part: str


def choose(found: pl.DataFrame, question: Question) -> Choice:
    """Chooses the focus with most points, and in it the lines with most points, of bars the highest.

    A run that is in several lines (its log lies in two campaigns) is drawn once.
    """
    import polars as pl

    focus = list(question.focus)
    points = pl.len()
    if question.of_runs:
        points = pl.first("points")
    elif "x" in found.columns:
        points = pl.col("x").n_unique()
    lines = found.group_by(*focus, "line", maintain_order=True).agg(
        points=points, most=pl.max("y"), runs=pl.first("runs")
    )
    values: dict[str, Any] = {}
    others: list[dict[str, Any]] = []
    if focus:
        # One line of two points says more than two lines of one point.
        data = [(pl.col("points") - 1).sum().alias("beyond"), pl.len().alias("lines")]
        groups = (
            lines.group_by(focus)
            .agg(*data)
            .sort("beyond", "lines", *focus, descending=[True, True, *(False for _ in focus)])
        )
        values, *others = groups.select(focus).to_dicts()
        lines = _equal(lines, values)
        found = _equal(found, values)
    kept = _each_run_once(lines.sort(["points", "most", "line"], descending=[True, True, False], nulls_last=True))
    if "x" in found.columns and (kept["points"] > 1).any():
        # A lone point is no line.
        kept = kept.filter(pl.col("points") > 1)
    drawn = kept.head(question.most).select("line")
    rows = drawn.join(found, on="line", how="left", maintain_order="left")
    part = _part(question, kept.height)
    more = ["name another with --run KEY"] if part and question.of_runs else []
    why = "; ".join([*_why(values, others), *([part] if part else []), *more])
    return Choice(rows, values, why, part)


def _equal(rows: pl.DataFrame, values: dict[str, Any]) -> pl.DataFrame:
    import polars as pl

    return rows.filter([pl.col(name).eq_missing(pl.lit(value)) for name, value in values.items()])


def _each_run_once(lines: pl.DataFrame) -> pl.DataFrame:
    taken: set[int] = set()
    kept = []
    for number, runs in enumerate(lines["runs"]):
        if runs is None or not len(runs) or not taken.issuperset(runs):
            kept.append(number)
            taken.update(runs if runs is not None else ())
    return lines[kept]


def _part(question: Question, lines: int) -> str:
    if lines <= question.most:
        return ""
    what = "runs" if question.of_runs else "series"
    which = "the longest" if question.of_runs else "the highest" if question.is_bars else "with most points"
    return f"{question.most} of {lines} {what}, {which}"


def _why(focus: dict[str, Any], others: list[dict[str, Any]]) -> list[str]:
    if not others:
        return []
    told = ", ".join(str(value) for value in focus.values() if value is not None)
    return [f"drawn: {told}, which has most data; {counted(len(others), 'other choice')}{_such_as(focus, others)}"]


def _such_as(focus: dict[str, Any], others: list[dict[str, Any]]) -> str:
    for name in ("model", "task"):
        for other in others:
            if other.get(name) is not None and other[name] != focus.get(name):
                return f", such as --{name} {other[name]}"
    return ""
