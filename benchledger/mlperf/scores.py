"""Combines a submission's runs as mlperf_logging/result_summarizer/result_summarizer.py does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf


def olympic(numbers: Sequence[float], left_out: int, without: int = 0) -> float | None:
    """Returns the mean without the `left_out` lowest and highest numbers; None if nothing is left.

    `without` runs gave no number and count as the highest (_compute_olympic_average, lines 181-201). If there are more
    of them than are left out, there is no score (lines 368-418).
    """
    return _mean_within(sorted(numbers), left_out, without)


def olympic_by(numbers: Sequence[float], order: Sequence[float], left_out: int, without: int = 0) -> float | None:
    """Like `olympic`, for `numbers` sorted by `order`: energies of runs sorted by time (lines 204-222)."""
    places = sorted(range(len(order)), key=lambda place: order[place])
    return _mean_within([numbers[place] for place in places], left_out, without)


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


def _mean_within(ordered: Sequence[float], left_out: int, without: int) -> float | None:
    kept = ordered[left_out : len(ordered) - (left_out - without)] if without <= left_out else ()
    return sum(kept) / len(kept) if kept else None
