"""The energy of a submission's runs, from the power logs in the ledger."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchledger.answers.rows import rows_asked
from benchledger.answers.tables.grouping import Row, grouped
from benchledger.definitions.submissions import LogSource
from benchledger.mlperf.scores import node_energy_j, olympic_by, switch_energy_j

if TYPE_CHECKING:
    import duckdb

# Each power log counts as a whole: it has its own start and stop.
_POWER = """
with claimed as (
    select distinct run_log.run_id, run_log.log_id
    from run_log
    join log using (log_id)
    where list_contains($formats, log.format) and list_contains($runs, run_log.run_id)
)
select claimed.run_id, claimed.log_id, record.label as key, epoch_ms(record.logged_at) as at_ms,
    record."values"[shape.ordinal] as value
from claimed
join kept.record using (log_id)
left join kept.shape using (shape_id)
order by claimed.run_id, claimed.log_id, record.byte_offset
"""


def power_logged(con: duckdb.DuckDBPyConnection, runs: list[int], source: LogSource) -> dict[int, list[Row]]:
    rows = rows_asked(con, _POWER, runs=runs, formats=list(source.formats))
    return {int(key[0]): members for key, members in grouped(rows, ("run_id",)).items()}


def energy_j(power: list[Row], run_ms: float, source: LogSource) -> float | None:
    """Returns the joules of one run's nodes and switches; None if a node's power was not measured from its start."""
    names = source.names
    nodes, switches = [], 0.0
    for log in grouped(power, ("log_id",)).values():
        last = {row["key"]: row for row in log}
        efficiency = last[names["efficiency"]]["value"] if names["efficiency"] in last else 1.0
        if names["switch"] in last:
            switches += switch_energy_j(last[names["switch"]]["value"], run_ms, efficiency)
            continue
        readings = [(row["at_ms"], row["value"]) for row in log if row["key"] == names["reading"]]
        if names["start"] not in last:
            return None
        start_ms = last[names["start"]]["at_ms"]
        stop_ms = last[names["stop"]]["at_ms"] if names["stop"] in last else None
        nodes.append(node_energy_j(readings, start_ms, stop_ms, run_ms, efficiency))
    measured = [joules for joules in nodes if joules is not None]
    return sum(measured) + switches if nodes and len(measured) == len(nodes) else None


def energy_of(runs: list[Row], power: dict[int, list[Row]], source: LogSource, left_out: int) -> float | None:
    """Returns the mean energy over the runs behind a submission's score; None if one of them has none."""
    converged = [run for run in runs if run["converged"]]
    times = [run["stop_ms"] - run["start_ms"] for run in converged]
    joules = [energy_j(power.get(run["run_id"], []), ms, source) for run, ms in zip(converged, times, strict=True)]
    known = [one for one in joules if one is not None]
    if len(known) < len(joules):
        return None
    return olympic_by(known, times, left_out, len(runs) - len(converged))
