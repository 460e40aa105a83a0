"""The cells of a convergence table: for a series, for one of its runs, and the notes below the table."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import polars as pl

from benchledger.answers.tables.cells import NOT_RUN, fact_text, number_text, status_text
from benchledger.answers.tables.grouping import Key, Row
from benchledger.answers.tables.presentation import Presentation
from benchledger.answers.tables.table import text_frame
from benchledger.errors import UsageError

_EXAMPLES = "loss=6.5, accuracy=0.759, val.top1=75.9%, eval_wer=0.2"
_PERCENT = 100
_SHARES = ("accuracy", "error_rate")
# The columns that identify a row of a convergence table.
SERIES_COLUMNS = ("series_id", "loss_name", "metric", "metric_quantity", "metric_unit")
_MINUTE_S = 60
# By column: its fact in a series, the lowest and highest over the series' runs, its fact in a run, and a divisor.
_NUMBERS = {
    "steps": ("steps", None, None, "last_step", 1),
    "minutes": ("seconds", None, None, "seconds", _MINUTE_S),
    "final_loss": ("final_loss", "final_loss_lowest", "final_loss_highest", "final_loss", 1),
    "best_metric": ("best_value", "best_lowest", "best_highest", "best_value", 1),
    "target_steps": ("target_steps", "target_steps_lowest", "target_steps_highest", "target_step", 1),
    "target_minutes": (
        "target_seconds",
        "target_seconds_lowest",
        "target_seconds_highest",
        "target_seconds",
        _MINUTE_S,
    ),
}
_WHOLE = ("steps", "target_steps")
_OUTCOMES = {"reached": "runs_reached", "not reached": "runs_not_reached", "unknown": "runs_outcome_unknown"}


@dataclass(frozen=True)
class Target:
    """A target: the metric of each run ('' for its main one), and the name and value to reach ('' for none)."""

    metric: str = ""
    name: str = ""
    value: float | None = None
    said: str | None = None
    is_percentage: bool = False

    @property
    def wanted(self) -> str:
        """Returns the requested metric, by its name or the word for its quantity; '' without one."""
        return self.metric if self.name in ("", "loss") else self.name

    @property
    def wants_metric(self) -> bool:
        return bool(self.wanted)

    def check(self, rows: Iterable[Row]) -> None:
        """Raises UsageError for a percentage of a quantity without one, or a fraction above 1 (75.9 or 75.9%?)."""
        if self.name in ("", "loss") or self.value is None:
            return
        for row in rows:
            if self.is_percentage and row["metric_quantity"] not in _SHARES:
                raise UsageError(f"{row['metric']} is not a percentage: write {self.said} without %")
        if self.value <= 1:
            return
        for row in rows:
            if row["metric_unit"] is not None:
                raise UsageError(
                    f"{row['metric']} is a fraction or a percentage, so {self.said} is too large: "
                    f"write {self.name}={self.value / _PERCENT:g} or {self.name}={self.value:g}%"
                )

    def may_be_of_another_unit(self, rows: Iterable[Row]) -> bool:
        """Tells whether the target may be a percentage and the logged values fractions, or the reverse.

        Only for rows whose logs do not state the unit.
        """
        if self.name in ("", "loss") or self.value is None:
            return False
        return any(
            row["metric_unit"] is None
            and row["metric_quantity"] in _SHARES
            and row["best_highest"] is not None
            and (self.value > 1) != (row["best_highest"] > 1)
            for row in rows
        )


NO_TARGET = Target()


def read_target(target: str | None, metric: str | None) -> Target:
    """Checks a target, and the metric to show. Raises UsageError with examples for anything else."""
    if target is None:
        return NO_TARGET if metric is None else Target(metric=metric)
    name, equals, number = (part.strip() for part in target.rpartition("="))
    if not equals or not name:
        raise UsageError(f"no target {target!r}: write a target such as {_EXAMPLES}")
    if metric is not None and name != "loss":
        raise UsageError(f"--target {target} already names a metric: remove --metric")
    try:
        value = float(number.removesuffix("%")) / (_PERCENT if number.endswith("%") else 1)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise UsageError(f"the target of {name} must be a number, not {number!r}; such as {_EXAMPLES}")
    is_percentage = number.endswith("%")
    if name == "loss" and is_percentage:
        raise UsageError(f"a loss is not a percentage: write {target} without %")
    return Target(metric or "", name, value, f"{name} {number}", is_percentage)


def headed(facts: Mapping[str, str | None], apart: tuple[str, ...], aim: Target) -> list[str]:
    """Returns the columns of a table with these facts; `apart` are the columns that split its rows."""
    columns = ["gpus", *apart, "trial_case", "runs", "steps", "minutes"]
    columns += [name for name, fact in (("final_loss", "loss_name"), ("best_metric", "metric")) if facts[fact]]
    columns += ["target_steps", "target_minutes"] if aim.name else []
    return [*columns, "status"]


def series_text(row: Row, column: str, presentation: Presentation) -> str:
    """Returns the cell of a series: the median over its runs, and in brackets the lowest and highest."""
    if column == "trial_case":
        return presentation.case(row["precision"], row["batch_size_per_gpu"])
    if column == "status":
        return _became(row, presentation)
    if column not in _NUMBERS:
        return fact_text(row[column])
    name, low, high, _, over = _NUMBERS[column]
    text = _number(row[name], over, column)
    ends = [_number(row[end], over, column) for end in (low, high) if end is not None]
    # Ends with the same text are not a range.
    return text if len(set(ends)) < 2 else f"{text} ({' to '.join(ends)})"


def runs_of(runs: Mapping[Key, list[Row]], row: Row) -> list[Row]:
    return runs[tuple(row[name] for name in SERIES_COLUMNS)]


def runs_frame(rows: list[Row], runs: Mapping[Key, list[Row]], presentation: Presentation, aim: Target) -> pl.DataFrame:
    """Returns the runs of a table's series, each with the line of its target, else best metric, else last loss."""
    columns = headed(rows[0], (), aim)
    shown = [name for name in columns if name not in ("gpus", "trial_case", "runs", "status")]
    lines = []
    for row in rows:
        for run in runs_of(runs, row):
            case = [fact_text(row["gpus"]), series_text(row, "trial_case", presentation), run["run_key"]]
            numbers = [_number(run[_NUMBERS[name][3]], _NUMBERS[name][4], name) for name in shown]
            lines.append([*case, *numbers, _run_became(run, presentation), run["place"] or ""])
    return text_frame(presentation.headings("gpus", "trial_case", "run", *shown, "status", "line"), lines)


def table_notes(rows: list[Row], presentation: Presentation, aim: Target) -> tuple[str, ...]:
    """Returns the notes of a table: its averaging window, its target, runs that do not count, and diverged runs."""
    notes = []
    windows = [row[name] for row in rows for name in ("window_least", "window_most") if row[name] is not None]
    if windows:
        low, high = min(windows), max(windows)
        notes.append(presentation.note("loss_window", losses=low if low == high else f"{low} - {high}"))
    if aim.may_be_of_another_unit(rows):
        metric = rows[0]["metric"]
        notes.append(presentation.note("target_unit_unknown", metric=metric, target=f"{aim.value:g}", best=_best(rows)))
    if any(row["step_restarts"] for row in rows):
        notes.append(presentation.note("steps_restart"))
    if dropped := sum(row["trials_dropped"] for row in rows):
        notes.append(presentation.note("convergence_dropped", n=dropped))
    if reasons := sorted({row["outcome_reason"] for row in rows if row["outcome_reason"]}):
        notes.append(presentation.note("outcome_reasons", reasons=presentation.notes()["semicolon"].join(reasons)))
    if criteria := sorted({row["diverged_by"] for row in rows if row["diverged_by"]}):
        notes.append(presentation.note("diverged_by", criteria=", ".join(criteria)))
    return tuple(notes)


def _best(rows: list[Row]) -> str:
    ends = [row[name] for row in rows for name in ("best_lowest", "best_highest") if row[name] is not None]
    return " - ".join(dict.fromkeys(number_text(end) for end in (min(ends), max(ends))))


def _number(value: float | None, over: int, column: str) -> str:
    if value is None:
        return NOT_RUN
    return str(int(value)) if column in _WHOLE and value == int(value) else number_text(value / over)


def _became(row: Row, presentation: Presentation) -> str:
    """Returns the outcomes of a series' runs with counts: reached 4, not reached 1, diverged 1."""
    said = [(outcome, row[name]) for outcome, name in _OUTCOMES.items() if row[name]]
    if not said or row["status"] != "ok":
        ended = [("ok", row["trials"]), (row["dropped_by"], row["trials_dropped"])]
        said += [(key, number) for key, number in ended if number and (key != "ok" or not said)]
    said += [("diverged", row["runs_diverged"])] if row["runs_diverged"] else []
    texts = [
        _word(key, presentation) if row["runs"] == 1 else f"{_word(key, presentation)} {number}" for key, number in said
    ]
    return presentation.notes()["comma"].join(texts)


def _run_became(run: Row, presentation: Presentation) -> str:
    said = [run["outcome"]] if run["outcome"] else []
    if not said or run["status"] not in ("ok", "unknown"):
        said.append(run["status"])
    said += ["diverged"] if run["diverged_by"] else []
    return presentation.notes()["comma"].join(_word(key, presentation) for key in said)


def _word(key: str, presentation: Presentation) -> str:
    return presentation.notes().get(f"became_{key.replace(' ', '_')}", status_text(key))
