"""Roundings, as the owners of the rules round."""

import json
import shutil
from contextlib import closing

import pytest

from benchledger.store.database import open_for_writing
from tests.kept.oracle import rounded as rounded_in_python
from tests.views.conftest import Ledger

# What numpy.round(x, 2) of numpy 2.4 returns. DuckDB's round misses all but the last three, its round_even most.
NUMPY = {
    2721.145: 2721.14,
    4187.345: 4187.34,
    4182.305: 4182.3,
    2381.765: 2381.76,
    515.665: 515.66,
    512.285: 512.28,
    4340.225: 4340.23,
    2615.905: 2615.91,
    127.09: 127.09,
}


@pytest.mark.parametrize(("value", "rounded"), NUMPY.items())
def test_round_even_is_the_rounding_of_numpy(ledger, value, rounded):
    assert ledger.rows("select rounded(?, 'round_even', 2)", value) == [(rounded,)]


@pytest.mark.parametrize(
    ("value", "digits", "rounded"), [(995.8885, 2, 995.88), (-1.27, 1, -1.2), (5055.5663, 2, 5055.56), (0.9, 0, 0.0)]
)
def test_truncate_cuts_towards_zero(ledger, value, digits, rounded):
    assert ledger.rows("select rounded(?, 'truncate', ?)", value, digits) == [(rounded,)]


def test_without_a_method_nothing_is_rounded(ledger):
    assert ledger.rows("select rounded(1.23456, null, null)") == [(1.23456,)]


@pytest.mark.parametrize(("value", "rounded"), [(2.675, 2.67), (0.125, 0.12), (2721.145, 2721.14), (1.005, 1.0)])
def test_round_exact_is_what_printf_prints(ledger, value, rounded):
    assert f"{value:.2f}" == f"{rounded:.2f}"
    assert ledger.rows("select rounded(?, 'round_exact', 2)", value) == [(rounded,)]


@pytest.mark.parametrize("method", ["round_even", "round_exact", "truncate", "round2_truncate"])
def test_what_is_too_large_for_decimals_is_left_as_it_is(ledger, method):
    assert ledger.rows(f"select rounded(1e308, '{method}', 2)") == [(1e308,)]
    assert rounded_in_python(1e308, method, 2) == 1e308


# Where a script of DLPerf has numbers of Python, `round` is exact; where it has numpy's (np.mean, np.median), `round` is numpy's.
OF_PYTHON = {
    "rounding": {
        "ngc_pt_bert", "ngc_tf_bert_time", "ngc_pt_rn50", "ngc_tf_rn50_time", "ngc_mxnet_time", "pt_rn50", "paddle_rn50_time",
        "mindspore", "tf2_bert", "tf2_rn50_time",
    },
    "trial_rounding": {"pt_rn50", "paddle_rn50_time", "ngc_tf_rn50_time", "tf2_rn50_time"},
}  # fmt: skip
# Ties of decimals, of which each rounding takes another side.
TIES = {441.745: 441.74, 761.225: 761.22, 1358.635: 1358.64, 2725.415: 2725.42, 5099.425: 5099.42, 9514.645: 9514.64}


@pytest.mark.parametrize("stage", OF_PYTHON)
def test_a_script_of_dlperf_rounds_by_the_kind_of_number_that_it_has(ledger, stage):
    for value, of_numpy in TIES.items():
        assert round(value, 2) != of_numpy
        rows = ledger.rows(
            f"select rule[8:], rounded(?, {stage}, 2) from kept.rule where rule like 'dlperf.%' and {stage}_digits = 2",
            value,
        )  # fmt: skip
        assert {rule for rule, _ in rows} >= OF_PYTHON[stage]
        assert dict(rows) == {rule: round(value, 2) if rule in OF_PYTHON[stage] else of_numpy for rule, _ in rows}


def nodes_and_gpus(case):
    """1n4g -> (1, 4)."""
    nodes, gpus = case.removesuffix("g").split("n")
    return int(nodes), int(nodes) * int(gpus)


@pytest.fixture(scope="module")
def dlperf(defined_ledger, shared, tmp_path_factory):
    """The printed trials of every case, stored as the speeds of runs; the tests only ask it."""
    path = shutil.copy(defined_ledger, tmp_path_factory.mktemp("dlperf") / "bench.duckdb")
    with closing(open_for_writing(path, records=0)) as con:
        con.begin()
        ledger = Ledger(con)
        yield ledger, printed_trials(ledger, shared)


def printed_trials(ledger, shared):
    """Stores them, and gives what is published of each case."""
    oracle = json.loads((shared / "corpus" / "oracle" / "dlperf_trials.json").read_text())
    ledger.insert("kept.format", format="dlperf-extract", version=1, default_rule="dlperf.median", role="train")
    expected = {}
    for row in oracle:
        published, (nodes, gpus) = row["published"], nodes_and_gpus(row["case"])
        batch = published["batch_size_per_device"]
        case = {"nodes": nodes, "gpus": gpus, "batch_size_per_gpu": batch, "global_batch_size": batch * gpus}
        # Each page has one table a batch size; its cases are told apart by their campaign.
        campaign = f"{row['file']} {row['model']} {batch}"
        expected[campaign, nodes, gpus] = published
        for trial, speed in row["trials"].items():
            ledger.run(
                ledger.summary(speed, name="speed"), format="dlperf-extract", case=case, campaigns=(campaign,),
                trial=int(trial),
            )  # fmt: skip
    return expected


@pytest.mark.parametrize(
    ("rule", "column"),
    [("dlperf.median", "median_speed"), ("dlperf.average", "average_speed")],
)
def test_the_trial_level_of_dlperf_comes_out_of_its_printed_trials(dlperf, rule, column):
    ledger, expected = dlperf

    rows = ledger.rows("select campaign, nodes, gpus, value from speed_table where rule = ?", rule)

    assert len(rows) == 57
    # NGC's TensorFlow BERT prints its averages with four decimals: a rule of its own.
    assert {tuple(row[:3]): row[3] for row in rows} == {key: round(page[column], 2) for key, page in expected.items()}


@pytest.mark.parametrize("rule", ["dlperf.median", "dlperf.oneflow_median"])
def test_the_speedups_of_dlperf_come_out_by_either_of_its_roundings(dlperf, rule):
    ledger, expected = dlperf

    rows = ledger.rows(
        "select campaign, nodes, gpus, speedup from speedup_table where rule = ? and scaling = 'weak'", rule
    )

    assert len(rows) == 57
    assert {tuple(row[:3]): row[3] for row in rows} == {key: page["speedup"] for key, page in expected.items()}


def test_a_speedup_is_made_of_the_rounded_numbers_or_rounded_once(ledger):
    for rule, digits in (("rounded", 0), ("plain", None)):
        ledger.rule(
            rule, kind="summary", statistic="last", speedup_rounding="round_exact", speedup_rounding_digits=2,
            trial_rounding=None if digits is None else "round_even", trial_rounding_digits=digits,
        )  # fmt: skip
    for gpus, speed in ((1, 1.4), (2, 2.6)):
        case = {"gpus": gpus, "nodes": 1, "batch_size_per_gpu": 32, "global_batch_size": 32 * gpus}
        ledger.run(ledger.summary(speed), case=case)

    rows = ledger.rows(
        "select rule, speedup from speedup_table where gpus = 2 and rule in ('rounded', 'plain') order by 1"
    )

    assert rows == [("plain", 1.86), ("rounded", 3.0)]


def test_of_two_series_in_seconds_the_one_that_needs_fewer_is_the_faster(ledger):
    ledger.rule("seconds", kind="summary", statistic="last")
    for gpus, seconds in ((1, 8.0), (2, 2.0)):
        case = {"gpus": gpus, "nodes": 1, "batch_size_per_gpu": 32, "global_batch_size": 32 * gpus}
        ledger.run(ledger.summary(seconds, unit="s"), case=case)

    rows = ledger.rows("select gpus, speedup, efficiency from speedup_table where rule = 'seconds' order by gpus")

    assert rows == [(1, 1.0, 1.0), (2, 4.0, 2.0)]


@pytest.mark.parametrize(
    ("value", "rounded"), [(380.5482, 380.55), (1354.95, 1355.0), (22690.49, 22690.0), (0.132634, 0.13263)]
)
def test_significant_counts_digits_from_the_first(ledger, value, rounded):
    assert ledger.rows("select rounded(?, 'significant', 5)", value) == [(rounded,)]


def test_a_mean_over_trials_divides_by_what_its_owner_divides_by(ledger):
    # Lambda's script begins to count at 1e-9, which is seen from nine digits on.
    ledger.rule(
        "offset", kind="summary", statistic="last", trial_statistic="mean", trial_count_offset=1e-9,
        trial_rounding="round2_truncate", trial_rounding_digits=0,
    )  # fmt: skip
    ledger.run(ledger.summary(275620882.0725652), campaigns=("large",))
    ledger.run(ledger.summary(996656.0), campaigns=("small",))

    rows = ledger.rows("select campaign, value from speed_table where rule = 'offset' order by 1")

    assert rows == [("large", 275620881.0), ("small", 996656.0)]
