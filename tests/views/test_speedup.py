"""The base of a speed-up: the same case on the fewest GPUs."""

import pytest

from tests.views.conftest import given, in_halves


def measure(ledger, speed, gpus, batch=32, accumulation=1, nodes=1, **case):
    total = None if batch is None or gpus is None else batch * gpus * accumulation
    columns = {
        "gpus": gpus,
        "nodes": nodes,
        "batch_size_per_gpu": batch,
        "global_batch_size": total,
        "gradient_accumulation": accumulation,
        **case,
    }
    status = "ok" if speed is not None else "oom"
    return ledger.run(*([] if speed is None else [ledger.summary(speed)]), case=columns, status=status)


def measured(*runs):
    """Runs by their speed, GPUs and what else is said of them."""

    def write(ledger):
        for speed, gpus, case in ((*run, {})[:3] for run in runs):
            measure(ledger, speed, gpus, **case)

    return given(write)


def speedups(ledger, scaling, columns="gpus, base_gpus, speedup, efficiency"):
    return ledger.rows(f"select {columns} from speedup_table where scaling = ? and is_default order by all", scaling)


@pytest.fixture
def told(request, given_all):
    """Asks for the speed-ups of what is given to this test."""

    def ask(scaling, columns="gpus, base_gpus, speedup, efficiency"):
        return given_all.rows(
            f"select {columns} from speedup_table where scaling = ? and is_default and campaign = ? order by all",
            scaling,
            request.function.__name__,
        )

    return ask


@measured((100.0, 1), (210.0, 2), (600.0, 8))
def test_weak_scaling_compares_with_one_gpu_and_does_not_clip(told):
    assert told("weak") == [(1, 1, 1.0, 1.0), (2, 1, 2.1, 1.05), (8, 1, 6.0, 0.75)]


@measured((100.0, 8), (190.0, 16, {"nodes": 2}))
def test_without_one_gpu_the_base_has_the_fewest(told):
    assert told("weak") == [(8, 8, 1.0, 1.0), (16, 8, 1.9, 0.95)]


@measured((None, 1), (100.0, 2))
def test_a_base_that_ran_out_of_memory_is_none(told):
    assert told("weak") == [(1, None, None, None), (2, 2, 1.0, 1.0)]


def test_what_is_its_own_base_or_has_none_is_told_without_a_kept_row(ledger):
    measure(ledger, 100.0, 1)
    measure(ledger, 190.0, 2, model="other")
    measure(ledger, 150.0, None)
    measure(ledger, None, 4, model="third")

    assert speedups(ledger, "weak", "gpus, base_gpus, base_value, speedup") == [
        (1, 1, 100.0, 1.0), (2, 2, 190.0, 1.0), (4, None, None, None), (None, None, None, None),
    ]  # fmt: skip
    assert ledger.rows("from kept.speedup") == []


def test_a_series_that_gets_a_relative_is_compared_with_it(ledger):
    measure(ledger, 190.0, 2)
    assert speedups(ledger, "weak", "gpus, base_gpus") == [(2, 2)]

    measure(ledger, 100.0, 1)

    assert speedups(ledger, "weak", "gpus, base_gpus") == [(1, 1), (2, 1)]


def test_only_what_scales_may_differ(ledger):
    others = {"model": "other", "precision": "other", "implementation": "other", "task": "other"}
    others["options"] = '{"optimizer": "lamb"}'
    measure(ledger, 100.0, 1)
    for column, value in others.items():
        measure(ledger, 190.0, 2, **{column: value})

    assert speedups(ledger, "weak", "gpus, base_gpus") == [(1, 1), *[(2, 2)] * len(others)]


def test_another_gpu_model_or_campaign_is_no_base(ledger):
    one = {"gpus": 1, "batch_size_per_gpu": 32}
    two = {"gpus": 2, "batch_size_per_gpu": 32}
    ledger.run(ledger.summary(1.0), case=one, environment={"gpu_model": "V100"})
    ledger.run(ledger.summary(2.0), case=two, environment={"gpu_model": "A100"})
    ledger.run(ledger.summary(3.0), case=two, environment={"gpu_model": "V100"}, campaigns=("other",))

    assert speedups(ledger, "weak", "gpus, base_gpus") == [(1, 1), (2, 2), (2, 2)]


def test_unknown_facts_are_equal_to_each_other(ledger):
    ledger.run(ledger.summary(1.0), case={"gpus": 1}, campaigns=(None,))
    ledger.run(ledger.summary(2.0), case={"gpus": 2}, campaigns=(None,))

    assert speedups(ledger, "weak", "gpus, speedup") == [(1, 1.0), (2, 2.0)]


@in_halves
def test_speeds_by_different_rules_are_not_compared(ledger):
    ledger.run(ledger.summary(1.0), case={"gpus": 1, "batch_size_per_gpu": 32})
    ledger.run(ledger.step(1, speed=2.0), ledger.step(2, speed=2.0), case={"gpus": 2, "batch_size_per_gpu": 32})

    yield
    rows = ledger.rows("select gpus, base_gpus from speedup_table where value is not null")

    assert set(rows) == {(1, 1), (2, 2)}


def test_a_case_that_does_not_state_its_gpus_has_no_base(ledger):
    measure(ledger, 100.0, 1)
    ledger.run(ledger.summary(5.0), case={"batch_size_per_gpu": 32})

    assert speedups(ledger, "weak", "gpus, speedup") == [(1, 1.0), (None, None)]


@measured((100.0, 1, {"accumulation": 8}), (50.0, 1, {"accumulation": 1}), (700.0, 8, {"accumulation": 1}))
def test_of_several_bases_the_one_with_an_equal_global_batch(told):
    assert told("weak", "gpus, base_value, speedup") == [(1, 50.0, 1.0), (1, 100.0, 1.0), (8, 100.0, 7.0)]


@measured((100.0, 1, {"accumulation": 2}), (50.0, 1, {"accumulation": 5}), (700.0, 3, {"accumulation": 1}))
def test_else_the_one_whose_global_batch_is_nearest_by_ratio(told):
    # 96 is 1.5 times 64, and 160 is 1.67 times 96.
    assert told("weak", "gpus, base_value") == [(1, 50.0), (1, 100.0), (3, 100.0)]


@measured((100.0, 2, {"nodes": 1}), (90.0, 2, {"nodes": 2}))
def test_the_base_is_its_own_also_beside_an_equal_one(told):
    assert told("weak", "nodes, base_value, speedup") == [(1, 100.0, 1.0), (2, 90.0, 1.0)]


@in_halves
def test_two_bases_that_are_equally_near_are_none(ledger):
    for name, batch, speed in (("a", 16, 1.0), ("b", 64, 2.0)):
        ledger.run(
            ledger.summary(speed), case={"gpus": 1, "batch_size_per_gpu": 8, "global_batch_size": batch, "name": name}
        )
    ledger.run(ledger.summary(9.0), case={"gpus": 8, "batch_size_per_gpu": 8, "global_batch_size": 32})

    yield
    assert speedups(ledger, "weak", "gpus, base_value, speedup")[-1] == (8, None, None)


@in_halves
def test_accumulation_decides_between_equal_global_batches(ledger):
    for nodes, accumulation, speed in ((1, 2, 1.0), (2, 8, 2.0)):
        case = {"gpus": 2, "nodes": nodes, "batch_size_per_gpu": 8, "global_batch_size": 64}
        ledger.run(ledger.summary(speed), case={**case, "gradient_accumulation": accumulation})
    ledger.run(
        ledger.summary(9.0),
        case={"gpus": 8, "batch_size_per_gpu": 8, "global_batch_size": 64, "gradient_accumulation": 1},
    )

    yield
    assert speedups(ledger, "weak", "gpus, base_value")[-1] == (8, 1.0)


@measured((100.0, 1, {"batch": 256}), (600.0, 8, {"batch": 32}))
def test_strong_scaling_is_another_batch_per_gpu_at_an_equal_global_batch(told):
    assert told("strong") == [(1, 1, 1.0, 1.0), (8, 1, 6.0, 0.75)]
    assert told("weak", "gpus, base_gpus") == [(1, 1), (8, 8)]


def test_each_speedup_has_a_name_of_its_own_a_weak_one_the_digits_of_its_speed(ledger):
    measure(ledger, 100.0, 1, batch=256)
    measure(ledger, 600.0, 8, batch=32)
    measure(ledger, 150.0, 2, model="other")

    rows = ledger.rows(
        "select speedup_table.cell, speedup_table.cell[2:] = speed_table.cell[2:], speedup_table.scaling"
        " from speedup_table join speed_table using (series_id, rule) order by 3, 1"
    )

    assert len({name for name, _, _ in rows}) == len(rows)
    assert {(same, scaling) for _, same, scaling in rows} == {(True, "weak"), (False, "strong")}


@measured((100.0, 1, {"accumulation": 8}), (700.0, 8))
def test_an_equal_global_batch_by_accumulation_is_weak_scaling_only(told):
    assert told("strong") == []
    assert told("weak", "gpus, speedup") == [(1, 1.0), (8, 7.0)]


@measured((100.0, 1, {"batch": 128}), (600.0, 8, {"batch": 32}))
def test_another_global_batch_is_no_strong_scaling(told):
    assert told("strong") == []
