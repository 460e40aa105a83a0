"""What a run's logs print of its speed: every value that a rule could read, and the time from step to step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise
from typing import TYPE_CHECKING

from benchledger.answers.grouping import Row, sort_key
from benchledger.answers.series import rows_asked

if TYPE_CHECKING:
    import duckdb

# In the order in which a rule reads them: the train log before what only its twin has, each by its bytes.
_PRINTED = """
select record.run_id, record.part, record.log_id, record.line, record.byte_offset, shape.ordinal, record.epoch,
    record.step, record.rank, shape.kind, shape.phase, shape.quantity, shape.unit, shape.unit_logged, shape.scope,
    shape.name, record."values"[shape.ordinal] as value
from run_record as record
join shape using (shape_id)
where record.run_id = $run_id
    and shape.quantity in ('throughput', 'step_time', 'epoch_time')
    and shape.kind in ('step', 'summary')
    and record."values"[shape.ordinal] is not null
order by record.part, record.log_id, record.byte_offset, shape.ordinal
"""
_STEPS = """
select record.run_id, record.part, record.log_id, record.line, record.byte_offset, record.step, record.rank,
    record.logged_at, record.clock_s
from run_record as record
semi join (select shape_id from shape where kind = 'step' and phase = 'train') as step_shape using (shape_id)
where record.run_id = $run_id
order by record.part, record.log_id, record.byte_offset
"""
# What stands between which records, a rule says by their labels.
_LABELLED = """
select record.run_id, record.part, record.log_id, record.line, record.byte_offset, record.step, record.rank,
    record.label, record.logged_at, record.clock_s
from run_record as record
where record.run_id = $run_id
    and record.label in (select unnest(string_split(name, ' to ')) from rule where quantity = 'span')
order by record.part, record.log_id, record.byte_offset
"""
_CASE = """
select bench_case.*, run_format.format,
    (
        select min(try_cast(value as double)) from fact where run_id = $run_id and name = 'params_b' and used
    ) as params_b
from run
join bench_case using (case_id)
join run_format using (run_id)
where run.run_id = $run_id
"""


@dataclass(frozen=True)
class RunValues:
    """All that rules read of one run. `printed`: a row per value; `labelled`: the records between which a span may lie.

    `steps` reads the step records of training, while the ledger is open.
    """

    case: Row
    format: str | None
    printed: list[Row]
    steps: Callable[[], list[Row]]
    labelled: list[Row]

    @cached_property
    def intervals(self) -> list[Row]:
        """Each step record with the time since the one before it; made only where a rule asks for it."""
        return _intervals(self._steps)

    @cached_property
    def rounds(self) -> list[Row]:
        """The time from one round of all ranks to the next."""
        return _rounds(self._steps)

    @cached_property
    def _steps(self) -> list[Row]:
        return self.steps()

    def span(self, name: str) -> list[Row]:
        """The time from the first record of one label to the last of another, `run_start to run_stop`, in one row."""
        first, last = name.split(" to ")
        starts = [row for row in self.labelled if row["label"] == first]
        stops = [row for row in self.labelled if row["label"] == last]
        seconds = _seconds(starts[0], stops[-1]) if starts and stops else None
        if seconds is None:
            return []
        place = {part: stops[-1][part] for part in ("run_id", "part", "log_id", "line", "byte_offset", "rank")}
        return [
            {
                **place, "step": None, "ordinal": 0, "kind": "summary", "phase": "train", "quantity": "span",
                "unit": "s", "unit_logged": None, "scope": "global", "name": name, "value": seconds, "since": None,
                "steps": 1, "from_line": starts[0]["line"],
            }
        ]  # fmt: skip


def values_of(con: duckdb.DuckDBPyConnection, run_id: int) -> RunValues:
    """The values of one run, in the order of its lines."""
    case, printed, labelled = (rows_asked(con, query, run_id=run_id) for query in (_CASE, _PRINTED, _LABELLED))
    for row in printed:
        row |= {"since": None if row["step"] is None else row["step"] - 1, "steps": 1, "from_line": None}
    if not case:
        return RunValues({}, None, [], list, [])
    steps = partial(rows_asked, con, _STEPS, run_id=run_id)
    return RunValues(case[0], case[0].pop("format"), printed, steps, labelled)


def _intervals(steps: list[Row]) -> list[Row]:
    """Each step record with the seconds since the one before it of its rank; `unread` says why there are none."""
    before: dict[int, Row] = {}
    found = []
    for record in steps:
        earlier = before.get(_rank(record))
        before[_rank(record)] = record
        seconds = None if earlier is None else _seconds(earlier, record)
        place = {name: record[name] for name in ("run_id", "part", "log_id", "line", "byte_offset", "step", "rank")}
        row = {
            **place,
            "ordinal": 0, "kind": "step", "phase": "train", "quantity": "interval", "unit": "s", "unit_logged": None,
            "scope": "global", "name": None, "value": seconds, "since": None, "steps": 1,
            "from_line": None if earlier is None else earlier["line"],
            "unread": _why_no_interval(earlier, record, seconds),
        }  # fmt: skip
        if earlier is not None and row["unread"] is None:
            # An iteration that overflowed repeats its step number; it was computed all the same.
            row |= {"since": earlier["step"], "steps": max(record["step"] - earlier["step"], 1)}
        found.append(row)
    return sorted(found, key=lambda row: sort_key((row["part"], row["log_id"], row["byte_offset"])))


def _rounds(steps: list[Row]) -> list[Row]:
    """The time between rounds: of so many records as there are ranks, in the order of their lines, the last."""
    ranks = len({_rank(record) for record in steps})
    ends = steps[ranks - 1 :: ranks] if ranks else []
    found = []
    for earlier, record in pairwise(ends):
        seconds = _seconds(earlier, record)
        if seconds is None or record["step"] is None or earlier["step"] is None:
            continue
        place = {name: record[name] for name in ("run_id", "part", "log_id", "line", "byte_offset", "step")}
        found.append(
            {
                **place, "rank": None, "ordinal": 0, "kind": "step", "phase": "train", "quantity": "round", "unit": "s",
                "unit_logged": None, "scope": "global", "name": None, "value": seconds, "since": earlier["step"],
                "steps": max(record["step"] - earlier["step"], 1), "from_line": earlier["line"],
            }
        )  # fmt: skip
    return found


def _rank(record: Row) -> int:
    return -1 if record["rank"] is None else int(record["rank"])


def _seconds(earlier: Row, record: Row) -> float | None:
    if earlier["logged_at"] is not None and record["logged_at"] is not None:
        return float((record["logged_at"] - earlier["logged_at"]).total_seconds())
    if earlier["clock_s"] is not None and record["clock_s"] is not None:
        return float(record["clock_s"] - earlier["clock_s"])
    return None


def _why_no_interval(earlier: Row | None, record: Row, seconds: float | None) -> str | None:
    if earlier is None:
        return "no step record before it"
    if record["step"] is None or earlier["step"] is None:
        return "no step number"
    if record["step"] < earlier["step"]:
        return "the step number falls back"
    return "no time is logged" if seconds is None else None
