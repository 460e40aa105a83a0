"""The functions that queries/submissions/ names: pure ones, by what they do and by name."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from benchledger.answers.submissions.reference_points import Point, Verdict, judge, point_of, pruned
from benchledger.answers.submissions.scores import WeakScaling, node_energy_j, switch_energy_j, weak_scaling
from benchledger.definitions.submissions import Demand


@dataclass(frozen=True)
class Check:
    """How reference points are made, which of them count, and what they say of a submission."""

    point_of: Callable[[float, Sequence[float], Demand], Point | None]
    pruned: Callable[[Sequence[Point], Demand], list[Point]]
    judge: Callable[[Sequence[Point], float, Sequence[float | None], Demand], Verdict]


@dataclass(frozen=True)
class Energy:
    """The joules of a node whose power was read, and of a switch whose power is estimated."""

    of_node: Callable[[Sequence[tuple[float, float]], float, float | None, float, float], float | None]
    of_switch: Callable[[float, float, float], float]


CHECKS = {"one_sided_t_test": Check(point_of, pruned, judge)}
ENERGIES = {"mean_power_times_run": Energy(node_energy_j, switch_energy_j)}
WEAK: dict[str, Callable[[Sequence[float], Sequence[float], int], WeakScaling | None]] = {
    "first_start_to_last_stop": weak_scaling
}
FUNCTIONS: dict[str, Collection[str]] = {"points": CHECKS, "power": ENERGIES, "weak": WEAK}
