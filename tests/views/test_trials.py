"""trial_table: the runs behind a number, each with its own speed and the place of its log."""

from __future__ import annotations

from tests.views.conftest import in_halves


def test_a_number_leads_to_its_trials_and_says_which_of_them_count(ledger):
    for trial, speed in enumerate((100.0, 104.0), start=1):
        ledger.run(ledger.summary(speed), trial=trial)
    ledger.run(status="failed", reason="killed", trial=3)
    ((cell, value),) = ledger.rows("select cell, value from speed_table where is_default")

    rows = ledger.rows(
        "select trial, value, series_value, counts, status from kept.trial_table where cell = ? order by trial", cell
    )

    assert value == 102.0
    assert rows == [(1, 100.0, 102.0, True, "ok"), (2, 104.0, 102.0, True, "ok"), (3, None, 102.0, False, "failed")]


def test_the_place_of_a_log_that_lies_in_two_campaigns_is_that_of_the_number_s_campaign(ledger):
    ledger.run(ledger.summary(100.0), campaigns=("spring", "autumn"))

    rows = ledger.rows("select campaign, place from kept.trial_table where is_default order by campaign")

    assert [campaign for campaign, _ in rows] == ["autumn", "spring"]
    assert all(place.startswith(f"{campaign}/") for campaign, place in rows)


@in_halves
def test_runs_of_another_case_are_trials_of_another_number(ledger):
    ledger.run(ledger.summary(100.0))
    ledger.run(ledger.summary(700.0), case={"gpus": 8})

    yield
    rows = ledger.rows("select gpus, value, series_value from kept.trial_table where is_default order by gpus")

    assert rows == [(1, 100.0, 100.0), (8, 700.0, 700.0)]


@in_halves
def test_a_run_with_a_number_in_one_unit_and_none_in_another_is_one_trial_of_each(ledger):
    # Tokens are printed per GPU, and nobody says how many there are.
    ledger.run(
        ledger.step(1, speed=10.0),
        ledger.step(2, speed=30.0),
        ledger.step(3, speed=900.0, unit="tokens/s", scope="gpu", name="tokens"),
        format="paddle",
        case={"batch_size_per_gpu": 32},
    )

    yield
    rows = ledger.rows(
        "select unit, value, counts, status from kept.trial_table where rule = 'steps.median_skip0' order by unit"
    )

    assert rows == [("samples/s", 20.0, True, "ok"), ("tokens/s", None, False, "missing_fact")]


def test_speeds_beyond_all_measure_stop_nothing(ledger):
    pairs = [(1e300, 2e300), (1e308, 1.7e308), (1e-300, 1e300), (5e-324, 1.0)]
    for number, speeds in enumerate(pairs):
        for speed in speeds:
            steps = (ledger.step(step, speed=speed) for step in range(40))
            ledger.run(ledger.summary(speed), *steps, campaigns=(str(number),))

    found = ledger.rows("select lowest, highest, trials from speed_table where is_default order by campaign")
    assert found == [(*speeds, 2) for speeds in pairs]
    assert ledger.rows("select count(*) from speedup_table, memory_table") == [(0,)]
