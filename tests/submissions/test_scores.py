"""What a submission's runs give together."""

from __future__ import annotations

from benchledger.mlperf.scores import (
    WeakScaling,
    node_energy_j,
    olympic,
    reached,
    switch_energy_j,
    weak_scaling,
)


def test_the_mean_is_without_the_extremes_of_which_missing_runs_are_some() -> None:
    assert olympic([9.0, 1.0, 2.0, 4.0], 1) == 3
    assert olympic([9.0, 1.0, 2.0], 1, without=1) == 5.5
    assert olympic([9.0, 1.0, 2.0], 1, without=2) is None
    assert olympic([1.0, 2.0], 1) is None
    assert olympic(range(10), 4) == 4.5


def test_energy_is_ordered_by_time_and_not_by_itself() -> None:
    minutes, joules = [3.0, 1.0, 2.0, 4.0], [30.0, 99.0, 10.0, 5.0]

    assert olympic(joules, 1, by=minutes) == 20
    assert olympic(joules[:3], 1, without=1, by=minutes[:3]) == 20
    assert olympic(joules, 1, without=2, by=minutes) is None


def test_a_run_that_never_reached_the_target_took_longest() -> None:
    assert reached([3.0, None, 1.0, 2.0], 1) == 2.5
    assert reached([3.0, None, None, 1.0], 1) is None
    assert reached([3.0, 1.0], 1) is None


def test_weak_scaling_is_from_the_first_start_to_the_last_stop() -> None:
    assert weak_scaling([60_000, 0, 30_000], [120_000, 180_000, 90_000], 3) == WeakScaling(3, 3.0)
    assert weak_scaling([0, 0], [60_000, 60_000], 3) is None
    assert weak_scaling([], [], 0) is None


def test_a_nodes_energy_is_its_mean_power_times_the_runs_time() -> None:
    readings = [(1_000.0, 100.0), (2_000.0, 300.0), (2_500.0, 999.0), (500.0, 999.0)]

    assert node_energy_j(readings[:2], 0, 2_000, 10_000) == 2_000
    assert node_energy_j(readings[:2], 0, 2_000, 10_000, efficiency=0.5) == 1_000
    # What was read before the start and after the stop is none of it; without a stop the last reading is the stop.
    assert node_energy_j(readings, 1_000, 2_000, 10_000) == 3_000
    assert node_energy_j(readings[:2], 0, None, 10_000) == 2_000
    assert node_energy_j([], 5, None, 10_000) is None


def test_a_switch_draws_what_is_estimated() -> None:
    assert switch_energy_j(200, 3_000, 0.5) == 300
