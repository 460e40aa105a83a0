"""Explains a run: its logs, the evidence of its status, and the table numbers that use it, or why none does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import polars as pl

from benchledger.answers.rows import frame_asked, rows_asked
from benchledger.answers.run_detail import RunDetail, conflicts_of, details_of, frames_by_run
from benchledger.answers.tables.cells import fact_text
from benchledger.answers.tables.grouping import Row, by_column
from benchledger.explaining.explained import ExplainedRun
from benchledger.explaining.speed_words import conflict_sentences, digits

if TYPE_CHECKING:
    import duckdb

_CHAIN = """
select run_format.run_id, default_rule.place, default_rule.rule, run_speed.value, run_speed.unit,
    run_speed.is_default, run_speed.status, run_speed.reason
from kept.run_format
join kept.default_rule using (format)
left join (select * from run_speed where run_id in (select unnest($runs)) and phase = 'train') as run_speed
    on run_speed.run_id = run_format.run_id and run_speed.rule = default_rule.rule
where run_format.run_id in (select unnest($runs))
order by default_rule.place, run_speed.unit
"""
# The names are made as the tables make them: the tables themselves would be worked out for every run.
_CELLS = """
select series_run.run_id, 'speed' as "table",
    cell_key('s', [series_run.series_id::varchar, run_speed.rule, run_speed.unit]) as cell,
    series.campaign, run_speed.rule as made_by, run_speed.unit, run_speed.value, run_speed.is_trial as counts,
    run_speed.status, run_speed.reason
from kept.series_run
join series using (series_id)
join (select * from run_speed where run_id in (select unnest($runs)) and phase = 'train') as run_speed using (run_id)
where series_run.run_id in (select unnest($runs))
union all
select series_run.run_id, 'memory', cell_key('m', [series_run.series_id::varchar, run_memory.definition]),
    series.campaign, run_memory.definition, 'MiB', max(run_memory.value_mib), run.status in ('ok', 'unknown'),
    run.status, run.reason
from kept.series_run
join series using (series_id)
join (select * from run_memory where run_id in (select unnest($runs))) as run_memory using (run_id)
join run using (run_id)
where series_run.run_id in (select unnest($runs))
group by all
order by all
"""
_ALIASES = "select run_key, old_key from kept.run_alias where run_key in (select unnest($keys)) order by old_key"
# A run of two series may have one of them as its own and one as its base: it is its own then.
_SPEEDUPS = """
with speedup as (
    select cell, series_id, base_series_id
    from speedup_table
    where is_default and speedup is not null
),
of_run as (
    select run_id, series_id
    from kept.series_run
    where run_id in (select unnest($runs))
)
select run_id, cell, bool_or(is_own) as is_own
from (
    select run_id, cell, true as is_own from speedup join of_run using (series_id)
    union all
    select run_id, cell, false from speedup join of_run on of_run.series_id = speedup.base_series_id
)
group by all
order by cell
"""


def explained_runs(con: duckdb.DuckDBPyConnection, runs: Mapping[int, str]) -> list[ExplainedRun]:
    ids, keys = list(runs), list(runs.values())
    details = details_of(con, runs)
    chains = frames_by_run(frame_asked(con, _CHAIN, runs=ids), ids)
    cells = frames_by_run(frame_asked(con, _CELLS, runs=ids), ids)
    conflicts = frames_by_run(conflicts_of(con, ids).with_columns(key="run_key"), keys, "key")
    aliases = by_column(rows_asked(con, _ALIASES, keys=keys), "run_key")
    speedups = by_column(rows_asked(con, _SPEEDUPS, runs=ids), "run_id")
    return [
        ExplainedRun(
            run_key,
            (
                *_identity(details[run_id], [row["old_key"] for row in aliases.get(run_key, [])]),
                *_status(details[run_id]),
                *_default(chains[run_id].to_dicts()),
                *_cells(details[run_id], cells[run_id]),
                *_in_speedups(speedups.get(run_id, [])),
                *conflict_sentences(conflicts[run_key].to_dicts()),
            ),
            details[run_id],
            conflicts[run_key],
            chains[run_id],
            cells[run_id],
        )
        for run_id, run_key in runs.items()
    ]


def _identity(detail: RunDetail, aliases: list[str]) -> list[str]:
    trials = [f"trial {row['trial']} in {fact_text(row['campaign'])}" for row in detail.series.iter_rows(named=True)]
    text = f"Run {detail.run_key}: {detail.run['name']}"
    text += (
        f", {'; '.join(trials)}." if trials else f", campaign {', '.join(map(fact_text, detail.campaigns)) or 'none'}."
    )
    roles = [f"{row['role']} ({row['paired_by']})" for row in detail.logs.iter_rows(named=True)]
    logs = f"Its {len(roles)} logs" if len(roles) != 1 else "Its log"
    return [text, *([f"It was known as {', '.join(aliases)}."] if aliases else []), f"{logs}: {', '.join(roles)}."]


def _status(detail: RunDetail) -> list[str]:
    status = detail.status
    text = f"Status {str(status['status']).replace('_', ' ')}" + (f": {status['reason']}" if status["reason"] else "")
    if status["place"]:
        text += f"; evidence: {status['place']}" + (f", {status['text']}" if status["text"] else "")
    steps = [fact_text(detail.run[name]) for name in ("steps_done", "steps_planned")]
    return [f"{text}.", f"Steps: {steps[0]} done, {steps[1]} planned."]


def _default(chain: list[Row]) -> list[str]:
    """The rules of the default's chain up to the first that gives a number, and why the others before it do not."""
    if not chain:
        return ["Its logs' format has no default rule, so it has no default speed."]
    sentences = []
    for row in chain:
        if row["value"] is not None:
            sentences.append(f"{row['rule']} gives {digits(row['value'])} {row['unit'] or ''}".rstrip())
            break
        why = ": ".join(str(part).replace("_", " ") for part in (row["status"], row["reason"]) if part)
        sentences.append(f"{row['rule']} gives no number ({why or 'nothing to read'})")
    default = [row["rule"] for row in chain if row["is_default"]]
    if default and all(row["value"] is None for row in chain):
        end = f"; none gives a number, so the first, {default[0]}, is the default"
    else:
        end = f", so {default[0]} is the default" if default else ""
    return [f"Default rules of its format, in order: {'; '.join(sentences)}{end}."]


def _cells(detail: RunDetail, cells: pl.DataFrame) -> list[str]:
    if detail.excluded is not None:
        by = f" by {detail.excluded['excluded_by']}" if detail.excluded["excluded_by"] else ""
        return [f"It is in no table: it was excluded{by}, {detail.excluded['reason']}."]
    numbers = cells.filter(cells["counts"] & cells["value"].is_not_null())
    if cells.is_empty():
        return ["It is in no table: no rule reads a value of it, and it states no memory."]
    if numbers.is_empty():
        status = str(detail.status["status"])
        if status in ("ok", "unknown"):
            return ["It counts in no table: no rule gives a number for it."]
        return [f"It counts in no table, because its status is {status.replace('_', ' ')}."]
    return [
        f"It counts in {numbers.height} of the {cells.height} numbers of its series (one per rule or kind of memory)."
    ]


def _in_speedups(speedups: list[Row]) -> list[str]:
    own = [row["cell"] for row in speedups if row["is_own"]]
    base = [row["cell"] for row in speedups if not row["is_own"]]
    sentences = [f"Speed-ups of its series by default rules: {', '.join(own)}."] if own else []
    return sentences + ([f"Its series is the base of: {', '.join(base)}."] if base else [])
