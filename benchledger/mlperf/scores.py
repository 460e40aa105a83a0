"""Combines a submission's runs as mlperf_logging/result_summarizer/result_summarizer.py does, and their energy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf
from operator import itemgetter
from typing import TYPE_CHECKING

from benchledger.answers.rows import rows_asked
from benchledger.answers.tables.grouping import Row, by_column
from benchledger.definitions.submissions import LogSource

if TYPE_CHECKING:
    import duckdb

# Each power log counts as a whole: it has its own start and stop.
_POWER = """
with claimed as (
    select distinct run_log.run_id, run_log.log_id
    from run_log
    join log using (log_id)
    where list_contains($formats, log.format) and list_contains($runs, run_log.run_id) and role not in ('copy', 'rank')
)
select claimed.run_id, claimed.log_id, record.label as key, epoch_ms(record.logged_at) as at_ms,
    record."values"[shape.ordinal] as value
from claimed
join kept.record using (log_id)
left join kept.shape using (shape_id)
order by claimed.run_id, claimed.log_id, record.byte_offset
"""


def olympic(
    numbers: Sequence[float], left_out: int, without: int = 0, by: Sequence[float] | None = None
) -> float | None:
    """Returns the mean without the `left_out` lowest and highest numbers; None if nothing is left.

    `without` runs gave no number and count as the highest (_compute_olympic_average, lines 181-201). If there are more
    of them than are left out, there is no score (lines 368-418). `by` orders the numbers: energies are left out by the
    time of their runs (lines 204-222).
    """
    ordered = [number for _, number in sorted(zip(by or numbers, numbers, strict=True), key=itemgetter(0))]
    kept = ordered[left_out : len(ordered) - (left_out - without)] if without <= left_out else ()
    return sum(kept) / len(kept) if kept else None


def reached(numbers: Sequence[float | None], left_out: int) -> float | None:
    """Returns the olympic mean of what runs took to the target; a run that never reached it (None) took longest."""
    kept = sorted(inf if number is None else number for number in numbers)[left_out : len(numbers) - left_out]
    return sum(kept) / len(kept) if kept and kept[-1] < inf else None


@dataclass(frozen=True)
class WeakScaling:
    """Models trained in parallel: how many converged, and the minutes from the first start to the last stop."""

    models: int
    minutes: float


def weak_scaling(starts_ms: Sequence[float], stops_ms: Sequence[float], demanded: int) -> WeakScaling | None:
    """Returns the weak scaling of converged runs; None if there are fewer than demanded (lines 436-475)."""
    if len(starts_ms) < max(demanded, 1):
        return None
    return WeakScaling(len(starts_ms), (max(stops_ms) - min(starts_ms)) / 60 / 1000)


def node_energy_j(
    readings: Sequence[tuple[float, float]],
    start_ms: float,
    stop_ms: float | None,
    run_ms: float,
    efficiency: float = 1,
) -> float | None:
    """Returns the joules of a node over its run: its mean measured power times the run's time.

    `readings` are pairs of time (ms) and power (W). Each holds for the time since the one before it, the first since
    the start. Without a stop the last reading is the stop (_compute_power_node). None if no time was measured.
    """
    counted = sorted(one for one in readings if one[0] >= start_ms and (stop_ms is None or one[0] <= stop_ms))
    stop = stop_ms if stop_ms is not None else max((at for at, _ in counted), default=start_ms)
    if stop <= start_ms:
        return None
    watt_ms = sum(power * (at - before) for (before, _), (at, power) in pairwise([(start_ms, 0.0), *counted]))
    return efficiency * watt_ms * run_ms / (stop - start_ms) / 1000


def switch_energy_j(watts: float, run_ms: float, efficiency: float = 1) -> float:
    """Returns the joules of the interconnect, whose power is estimated, over a run (_compute_power_sw)."""
    return efficiency * watts * run_ms / 1000


def power_logged(con: duckdb.DuckDBPyConnection, runs: list[int], source: LogSource) -> dict[int, list[Row]]:
    return by_column(rows_asked(con, _POWER, runs=runs, formats=list(source.formats)), "run_id")


def energy_j(power: list[Row], run_ms: float, source: LogSource) -> float | None:
    """Returns the joules of one run's nodes and switches; None if a node's power was not measured from its start."""
    names = source.names
    nodes, switches = [], 0.0
    for log in by_column(power, "log_id").values():
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
    return olympic(known, left_out, len(runs) - len(converged), by=times)
