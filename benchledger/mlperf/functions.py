"""The pure functions that queries/submissions/ names, by purpose and name."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from benchledger.definitions.submissions import Demand
from benchledger.mlperf.reference_points import Point, Verdict, judge, point_of, pruned
from benchledger.mlperf.scores import WeakScaling, node_energy_j, switch_energy_j, weak_scaling


@dataclass(frozen=True)
class Check:
    """Functions that make reference points, select the ones that count, and judge a submission by them."""

    point_of: Callable[[float, Sequence[float], Demand], Point | None]
    pruned: Callable[[Sequence[Point], Demand], list[Point]]
    judge: Callable[[Sequence[Point], float, Sequence[float | None], Demand], Verdict]


@dataclass(frozen=True)
class Energy:
    """Functions for the energy of a node with measured power, and of a switch with estimated power."""

    of_node: Callable[[Sequence[tuple[float, float]], float, float | None, float, float], float | None]
    of_switch: Callable[[float, float, float], float]


CHECKS = {"one_sided_t_test": Check(point_of, pruned, judge)}
ENERGIES = {"mean_power_times_run": Energy(node_energy_j, switch_energy_j)}
WEAK: dict[str, Callable[[Sequence[float], Sequence[float], int], WeakScaling | None]] = {
    "first_start_to_last_stop": weak_scaling
}
FUNCTIONS: dict[str, Collection[str]] = {"points": CHECKS, "power": ENERGIES, "weak": WEAK}
