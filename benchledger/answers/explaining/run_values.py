"""What runs' logs print of their speed: every value that a rule could read, and the time from step to step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING

from benchledger.answers.explaining.step_times import intervals_of, rounds_of, span_of
from benchledger.answers.series import frame_asked, rows_asked
from benchledger.answers.tables.grouping import Row

if TYPE_CHECKING:
    import duckdb
    import polars as pl

# In the order in which a rule reads them: the train log before what only its twin has, each by its bytes.
IN_THE_LOGS = ("part", "log_id", "byte_offset", "ordinal")
# In which logs the records of a run stand, run_record says; where it is said once more, a scan leaves all others out
# before it takes their values. Not of part 1, what only twins have: for the first of these it would look to the end.
_LOGS = "select distinct log_id from run_log where list_contains($runs, run_id)"
# What a shape says of all its values is joined to them later: texts cost more than all the rest.
_PRINTED = """
select record.run_id, record.part, record.log_id, record.line, record.byte_offset, shape.shape_id, shape.ordinal,
    record.epoch, record.step, record.rank, record."values"[shape.ordinal] as value
from run_record as record
join shape using (shape_id)
where list_contains($runs, record.run_id)
    and (record.part = 1 or list_contains($logs, record.log_id))
    and shape.quantity in ('throughput', 'step_time', 'epoch_time')
    and shape.kind in ('step', 'summary')
    and record."values"[shape.ordinal] is not null
"""
_SHAPES = """
select shape_id, ordinal, kind, phase, quantity, unit, unit_logged, scope, name
from shape
where quantity in ('throughput', 'step_time', 'epoch_time') and kind in ('step', 'summary')
"""
_STEPS = """
select record.run_id, record.part, record.log_id, record.line, record.byte_offset, record.step, record.rank,
    record.logged_at, record.clock_s
from run_record as record
semi join (select shape_id from shape where kind = 'step' and phase = 'train') as step_shape using (shape_id)
where record.run_id = $run_id
    and (record.part = 1 or list_contains($logs, record.log_id))
order by record.part, record.log_id, record.byte_offset
"""
# What stands between which records, a rule says by their labels.
_LABELLED = """
select record.part, record.log_id, record.line, record.byte_offset, record.rank, record.label, record.logged_at,
    record.clock_s
from run_record as record
where record.run_id = $run_id
    and (record.part = 1 or list_contains($logs, record.log_id))
    and list_contains($labels, record.label)
order by record.part, record.log_id, record.byte_offset
"""
_CASES = """
select run.run_id, run_format.format, bench_case.*, stated.params_b
from run
join bench_case using (case_id)
join run_format using (run_id)
left join (
    select run_id, min(try_cast(value as double)) as params_b
    from fact
    where name = 'params_b' and used and list_contains($runs, run_id)
    group by run_id
) as stated using (run_id)
where list_contains($runs, run.run_id)
"""


@dataclass(frozen=True)
class RunValues:
    """All that rules read of one run; `printed` has a row per value, in the order of its lines.

    `steps` reads the step records of training, `labelled` the records of two labels, while the ledger is open.
    """

    case: Row
    format: str | None
    printed: pl.DataFrame
    steps: Callable[[], pl.DataFrame]
    labelled: Callable[[list[str]], list[Row]]

    @cached_property
    def intervals(self) -> pl.DataFrame:
        """Each step record with the time since the one before it; made only where a rule asks for it."""
        return intervals_of(self._steps)

    @cached_property
    def rounds(self) -> pl.DataFrame:
        """The time from one round of all ranks to the next."""
        return rounds_of(self._steps)

    @cached_property
    def _steps(self) -> pl.DataFrame:
        return self.steps()

    def span(self, name: str) -> pl.DataFrame:
        """The time from the first record of one label to the last of another, `run_start to run_stop`, in one row."""
        return span_of(name, self.labelled(name.split(" to ")))


def values_of(con: duckdb.DuckDBPyConnection, runs: list[int]) -> dict[int, RunValues]:
    """The values of each of some runs, read together."""
    import polars as pl

    asked = {"runs": runs}
    logs = [row["log_id"] for row in rows_asked(con, _LOGS, **asked)]
    printed = frame_asked(con, _PRINTED, **asked, logs=logs).join(
        frame_asked(con, _SHAPES), on=["shape_id", "ordinal"], how="left"
    )
    # It takes DuckDB longer to sort what is all but in this order.
    printed = printed.sort(IN_THE_LOGS, maintain_order=True).with_columns(
        since=pl.col("step") - 1, steps=pl.lit(1, pl.Int64), from_line=pl.lit(None, pl.Int64)
    )
    own = {key[0]: frame for key, frame in printed.partition_by("run_id", as_dict=True, maintain_order=True).items()}
    found = {}
    for case in rows_asked(con, _CASES, **asked):
        run_id, format_name = case.pop("run_id"), case.pop("format")
        found[run_id] = RunValues(
            case, format_name, own.get(run_id, printed.clear()), partial(_steps_of, con, run_id, logs),
            partial(_labelled_of, con, run_id, logs),
        )  # fmt: skip
    nothing = RunValues({}, None, printed.clear(), partial(_steps_of, con, -1, []), partial(_labelled_of, con, -1, []))
    return {run_id: found.get(run_id, nothing) for run_id in runs}


def _steps_of(con: duckdb.DuckDBPyConnection, run_id: int, logs: list[int]) -> pl.DataFrame:
    return frame_asked(con, _STEPS, run_id=run_id, logs=logs)


def _labelled_of(con: duckdb.DuckDBPyConnection, run_id: int, logs: list[int], labels: list[str]) -> list[Row]:
    return rows_asked(con, _LABELLED, run_id=run_id, logs=logs, labels=labels)
