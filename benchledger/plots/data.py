"""The data of a plot: the points that are drawn, the words around them, and the SQL that gives these points again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchledger.answers.filters import MACHINE_COLUMNS, Filters, read_filters
from benchledger.answers.reports.convergence_cells import read_target
from benchledger.answers.rows import reading
from benchledger.answers.tables.rules import rules_asked_for
from benchledger.comparing.history import OUTLIER, history
from benchledger.definitions.queries import sql_literal
from benchledger.errors import NothingFoundError, UsageError
from benchledger.explaining.readings import sql_of
from benchledger.kept import uses
from benchledger.plots.labels import labels_of, shared_facts
from benchledger.plots.questions import QUESTIONS, Choice, Question, choose, question_of
from benchledger.store.default_db import DEFAULT_DB
from benchledger.store.frames import frame_of
from benchledger.store.run_keys import need_runs

if TYPE_CHECKING:
    import duckdb
    import polars as pl


# Captions of pictures only: a terminal draws no whiskers, no dashed and no bold lines.
WHISKERS, DASHED, BOLD = PICTURE_ONLY = (
    "whiskers: lowest to highest trial",
    "dashed: changes found by bench history",
    "bold: mean of the last losses (up to 10)",
)
_FOLDER = Path(__file__).with_name("sql")


@dataclass(frozen=True)
class Plot:
    """What a plot draws: `points`, one row each, with `label` (the name of its line or bar), x, y, lowest and highest.

    `sql` is the statement that gives the points; `unit` is that of y, `facts` are what all points share. `choice` says
    why this was chosen of more, `caption` the rules and the date of the ledger. `target` is a loss; `level` is the
    number of the run whose steps are drawn; `changes` are those of `bench history` on its lines, with label and x.
    """

    question: Question
    points: pl.DataFrame
    sql: str
    unit: str
    facts: Mapping[str, str]
    choice: str
    caption: str
    target: float | None = None
    level: float | None = None
    changes: pl.DataFrame | None = None

    @property
    def labels(self) -> list[str]:
        return list(self.points["label"].unique(maintain_order=True))

    @property
    def title(self) -> str:
        """Returns the title: model and task, and what is drawn."""
        says = self.question.says
        if "model" not in self.facts:
            return says[0].upper() + says[1:]
        return " ".join(self.facts[name] for name in ("model", "task") if name in self.facts) + f": {says}"

    @property
    def subtitle(self) -> str:
        in_title = ("model", "task") if "model" in self.facts else ()
        return ", ".join(text for name, text in self.facts.items() if name not in in_title)


def plot_data(
    name: str,
    *,
    db: Path | str = DEFAULT_DB,
    campaign: str | None = None,
    rule: str | None = None,
    run: str | None = None,
    target: str | None = None,
    **case_columns: object,
) -> Plot:
    """Returns what a plot draws: of all that the filters select, what has most data. No plotting library is needed.

    `run` is the beginning of a run's key (for loss, steps and utilization), `target` a loss, such as loss=6.5 (for
    loss). Raises NothingFoundError if there is nothing to draw, UsageError for an unknown plot, rule, column or target.
    """
    question = question_of(name)
    goal = _goal(question, target)
    if rule is not None and not question.has_rule:
        raise UsageError(f"plot {name} has no rule: remove --rule")
    if run is not None and not question.of_runs and name != "utilization":
        raise UsageError(f"plot {name} draws series, not runs: remove --run")
    keys = {} if run is None else {"run_key": f"{run}*"}
    filters = read_filters(campaign, {**case_columns, **keys}, extra=(*MACHINE_COLUMNS, "run_key"))
    with reading(db, records=True) as con:
        need_runs(con, db)
        rules_asked_for(con, rule)
        if name == "utilization" and (run or not _has_rows(con, question, filters)):
            question = QUESTIONS["samples"]
        conditions = filters.conditions()
        if question.has_rule:
            usual = "is_read" if name == "steps" else "is_default"
            conditions.append(usual if rule is None else f"rule glob {sql_literal(rule)}")
        choice = _choice(con, question, filters, conditions)
        points, sql = _points(con, question, choice, conditions)
        ledger_date = con.execute("select max(ingested_at)::date from sighting").fetchone()
    first = choice.rows.row(0, named=True)
    why = [choice.why] if choice.why else []
    if name == "steps" and rule is None and not first["is_default"]:
        why.append(f"rule {first['rule']}, for the default one reads a single line")
    return Plot(
        question,
        points,
        sql,
        unit=_unit(question, points, first),
        facts=shared_facts(choice.rows),
        choice="; ".join(why),
        caption=_caption(question, points, choice.part, str(ledger_date[0] if ledger_date else "unknown date")),
        target=goal,
        level=first["y"] if question.name == "steps" else None,
        changes=_changes(points, rule, db, campaign, case_columns) if name == "history" else None,
    )


def _changes(
    points: pl.DataFrame, rule: str | None, db: Path | str, campaign: str | None, columns: Mapping[str, object]
) -> pl.DataFrame:
    """Returns the steps that `bench history` finds on the drawn lines."""
    import polars as pl

    rules = [None] if rule is None else points["rule"].unique().sort().to_list()
    found = [
        history(db=db, quantity=["speed"], rule=one, campaign=campaign, **dict[str, Any](columns)).changes
        for one in rules
    ]
    x, y = pl.col("started_at").cast(pl.Datetime("us")), pl.col("after").cast(pl.Float64)
    percent = pl.col("change_percent").cast(pl.Float64)
    found = [frame.select("line", "state", "reason", percent, x=x, y=y) for frame in found]
    steps = pl.concat(found, how="vertical_relaxed").filter(pl.col("state") != OUTLIER)
    return points.select("line", "label").unique(maintain_order=True).join(steps, on="line", maintain_order="left")


def _goal(question: Question, target: str | None) -> float | None:
    if target is None:
        return None
    goal = read_target(target if "=" in target else f"loss={target}", None)
    if question.name != "loss" or goal.name != "loss":
        raise UsageError("only plot loss has a target, a loss; for a metric see: bench report convergence --target")
    return goal.value


def _has_rows(con: duckdb.DuckDBPyConnection, question: Question, filters: Filters) -> bool:
    return filters.apply(con.sql(query_of(question.query))).limit(1).fetchone() is not None


def _choice(con: duckdb.DuckDBPyConnection, question: Question, filters: Filters, conditions: list[str]) -> Choice:
    query = query_of(question.candidates or question.query)
    found = frame_of(con.sql(statement(query, conditions, "line")))
    if found.height:
        return choose(found, question)
    there = con.sql(query)
    if there.limit(1).fetchone() is None:
        raise NothingFoundError(f"the ledger holds nothing that plot {question.name} could draw; {question.cure}")
    if filters.values:
        raise filters.explain(there, "data for this plot")
    raise NothingFoundError("the selected rule gives no number; rules: bench query rules")


def _points(
    con: duckdb.DuckDBPyConnection, question: Question, choice: Choice, conditions: list[str]
) -> tuple[pl.DataFrame, str]:
    """Returns the points with the labels of their lines, and the statement that gives them."""
    import polars as pl

    rows = choice.rows
    labels = labels_of(rows, question.name)
    if question.name == "steps":
        points, sql = step_points(con, rows.row(0, named=True))
    else:
        own = [equals(name, value) for name, value in choice.focus.items()]
        asked = [*conditions, *own, one_of("line", list(labels))]
        if question.of_runs:
            asked = [one_of("run_id", list(rows["run_id"].unique(maintain_order=True)))]
        order = "line, x" if question.query not in ("speed", "memory", "utilization") else "line"
        sql = statement(query_of(question.query), asked, order)
        points = frame_of(con.sql(sql))
    if question.name == "samples":
        return points.with_columns(label="line"), sql
    named = pl.DataFrame({"line": list(labels), "label": list(labels.values())})
    # In the order of the lines, those with most data first.
    return named.join(points, on="line", how="left", maintain_order="left_right"), sql


def _unit(question: Question, points: pl.DataFrame, first: Mapping[str, object]) -> str:
    if question.name == "loss":
        return str(first["loss_name"])
    return str(points["unit"].drop_nulls().first() or "unknown unit")


def _caption(question: Question, points: pl.DataFrame, part: str, date: str) -> str:
    parts = [part] if part else []
    if question.has_rule:
        rules = sorted(points["rule"].drop_nulls().unique())
        parts.append(("rule " if len(rules) == 1 else "rules ") + ", ".join(rules))
    if "highest" in points.columns and (points["highest"] > points["lowest"]).any():
        parts.append(WHISKERS)
    if question.name == "history":
        parts.append(DASHED)
    if question.name == "loss":
        parts.append(BOLD)
    return "; ".join([*parts, f"ledger of {date}"])


def step_points(con: duckdb.DuckDBPyConnection, run: dict[str, Any]) -> tuple[pl.DataFrame, str]:
    """Returns every reading of a run that its rule looks at, in the order of the log, and the statement for them."""
    statement = query_of("steps") + "\norder by x, lane;\n"
    with uses(con, [run["run_id"]], run["rule"]):
        for name, value in {"unit": run["unit"], "runs": [run["run_id"]]}.items():
            con.execute(f"set variable {name} = $value", {"value": value})
        con.execute(sql_of("chosen"))
        return con.sql(statement).pl(), statement


def query_of(name: str) -> str:
    return (_FOLDER / f"{name}.sql").read_text(encoding="utf-8").rstrip()


def statement(query: str, conditions: Sequence[str], order: str) -> str:
    """Returns the statement that any DuckDB shell runs: the query, with conditions on its columns, and an order."""
    lines = query.splitlines()
    body = next(number for number, line in enumerate(lines) if not line.startswith("--"))
    inner = ["select *", "from (", *(f"    {line}" for line in lines[body:]), ")"]
    where = ["where", "    " + "\n    and ".join(conditions)] if conditions else []
    return "\n".join([*lines[:body], *inner, *where, f"order by {order};\n"])


def equals(column: str, value: object) -> str:
    return f"{column} is null" if value is None else f"{column} = {sql_literal(value)}"


def one_of(column: str, values: Sequence[object]) -> str:
    return f"{column} in ({', '.join(map(sql_literal, values))})"
