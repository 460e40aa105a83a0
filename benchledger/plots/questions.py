"""Lists the plots, and selects the lines with most data if a picture cannot show all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benchledger.errors import UsageError, counted, suggestion

if TYPE_CHECKING:
    import polars as pl


# Colours and shapes that everybody can tell apart.
LINES = 8
BARS = 24
_EQUAL_WORK = ("model", "task", "unit")
_TELEMETRY = "it comes from profiles (ncu --csv, nvprof, nsys, torch.profiler) and from nvidia-smi's telemetry"


@dataclass(frozen=True)
class Question:
    """One plot, with its title `says`.

    `query` is the file of `sql/` that gives its points, and `candidates` that which gives what could be drawn: the
    points themselves, or one row per run. All points of a picture are equal in the columns `focus`; it holds `most`
    lines, bars or runs. `cure` says where its numbers come from.
    """

    name: str
    says: str
    query: str
    focus: tuple[str, ...] = ()
    most: int = LINES
    candidates: str = ""
    has_rule: bool = True
    cure: str = "speeds come from training logs: bench report speed"

    @property
    def of_runs(self) -> bool:
        return bool(self.candidates)

    @property
    def is_bars(self) -> bool:
        return self.most == BARS


_ALL = (
    Question("scaling", "speed-up by number of GPUs", "scaling", (*_EQUAL_WORK, "scaling")),
    Question("speed", "speed", "speed", _EQUAL_WORK, BARS),
    Question("batch", "speed by batch size", "batch", _EQUAL_WORK),
    Question(
        "loss", "training loss", "loss", ("model", "task", "loss_name"), candidates="losses", has_rule=False,
        cure="losses come from training logs: bench report convergence",
    ),
    Question("steps", "speed of each step", "steps", (), 1, "readings"),
    Question(
        "memory", "memory of the fullest GPU", "memory", ("model", "task", "definition"), BARS, has_rule=False,
        cure="memory comes from telemetry (nvidia-smi) beside the log, or from lines of the log itself",
    ),
    Question("utilization", "utilization by profile", "utilization", (), BARS, has_rule=False, cure=_TELEMETRY),
    Question("samples", "GPU utilization over time", "samples", (), 1, "telemetry", has_rule=False, cure=_TELEMETRY),
    Question("history", "speed over time", "history", _EQUAL_WORK, cure="only logs that state dates have a history"),
)  # fmt: skip
QUESTIONS = {question.name: question for question in _ALL}
# Utilization over time is what `utilization` draws of runs without a profile.
NAMES = tuple(name for name in QUESTIONS if name != "samples")


def question_of(name: str) -> Question:
    if name not in NAMES:
        raise UsageError(f"no plot {name!r}{suggestion(name, NAMES)}; known: {', '.join(NAMES)}")
    return QUESTIONS[name]


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
