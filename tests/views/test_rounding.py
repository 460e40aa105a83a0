"""Roundings, as the owners of the rules round."""

import json

import pytest

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


def test_the_trial_level_of_dlperf_comes_out_of_its_printed_trials(ledger, shared):
    oracle = json.loads((shared / "corpus" / "oracle" / "dlperf_trials.json").read_text())
    given = {"kind": "summary", "statistic": "last", "trial_rounding": "round_even", "trial_rounding_digits": 2}
    ledger.rule("median", **given)
    ledger.rule("mean", trial_statistic="mean", **given)
    expected = []
    for number, row in enumerate(oracle):
        # NGC's TensorFlow BERT prints its averages with four decimals: a rule of its own.
        average = row["published"].get("average_speed")
        expected.append((str(number), row["published"]["median_speed"], None if average is None else round(average, 2)))
        for speed in row["trials"].values():
            ledger.run(ledger.summary(speed), campaigns=(str(number),))

    actual = ledger.rows(
        "select campaign, max(value) filter (where rule = 'median'), max(value) filter (where rule = 'mean') "
        "from speed_table where rule in ('median', 'mean') group by campaign order by campaign::integer"
    )

    assert len(actual) == 57
    assert [row[:2] for row in actual] == [row[:2] for row in expected]
    assert [row[2] for row in actual] == [row[2] for row in expected]
