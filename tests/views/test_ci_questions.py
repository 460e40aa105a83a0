"""A campaign against a standard and against its history, with PaddlePaddle's arithmetic."""

from datetime import datetime, timedelta

from benchledger.definitions.queries import find_query

H200 = {"gpu_model": "H200"}
DAY = datetime(2026, 3, 1)


def asked(ledger, name, columns, **parameters):
    question = find_query(name)
    return ledger.filled.execute(question.sql, question.bind(parameters)).pl().select(columns.split(", ")).rows()


def run(ledger, campaign, speed, loss=None, day=0, environment=H200, **columns):
    pieces = [] if loss is None else [ledger.loss(loss, step) for step in (1, 2)]
    pieces += [] if speed is None else [ledger.summary(speed)]
    started_at = DAY + timedelta(days=day)
    return ledger.run(*pieces, campaigns=(campaign,), environment=environment, started_at=started_at, **columns)


def test_the_code_tells_of_speed_and_loss_bit_by_bit(ledger):
    told = [
        (104.9, 1.0, 0.049, 0, True),
        (105.0, 1.0, 0.05, 2, True),
        (94.0, 1.29, -0.06, 2, False),
        (100.0, 1.3, 0.0, 1, True),
        (120.0, 2.0, 0.2, 3, False),
    ]
    run(ledger, "standard", 100.0, 1.0)
    for number, (speed, loss, *_) in enumerate(told):
        run(ledger, f"pr{number}", speed, loss)

    columns = "base_campaign, change, code, is_good"
    for number, (_, _, *verdict) in enumerate(told):
        rows = asked(ledger, "ci-verdict", columns, campaign=f"pr{number}", base="standard")

        assert rows == [("standard", *verdict)]


def test_a_loss_of_0_or_less_has_risen_only_where_it_is_higher(ledger):
    told = [
        (0.0, 0.0, None, 0),
        (0.0, 0.01, None, 1),
        (0.0, -1.0, None, 0),
        (-5.0, -3.0, 0.4, 1),
        (-5.0, -4.0, 0.2, 0),
        (-5.0, -7.0, -0.4, 0),
        (-1.0, 1.0, 2.0, 1),
    ]
    for number, (base, loss, *_) in enumerate(told):
        run(ledger, f"standard{number}", 100.0, base)
        run(ledger, f"pr{number}", 100.0, loss)

    for number, (_, _, *verdict) in enumerate(told):
        rows = asked(ledger, "ci-verdict", "loss_change, code", campaign=f"pr{number}", base=f"standard{number}")

        assert rows == [tuple(verdict)]


def test_a_speed_of_0_is_no_standard(ledger):
    run(ledger, "standard", 0.0)
    run(ledger, "pr", 0.0)

    assert asked(ledger, "ci-verdict", "base_campaign, code", campaign="pr", base="standard") == [(None, 0)]


def test_a_failed_run_is_4_and_one_without_a_standard_is_nothing(ledger):
    run(ledger, "standard", 100.0, 1.0)
    run(ledger, "pr", None, 1.5, status="failed", reason="out of memory")
    run(ledger, "pr", 7.0, case={"gpus": 8, "nodes": 1, "batch_size_per_gpu": 32})

    rows = asked(
        ledger, "ci-verdict", "gpu_model, base_campaign, change, code, is_good", campaign="pr", base="standard"
    )

    assert sorted(rows, key=str) == [("H200", None, None, 0, None), ("H200", None, None, 4, None)]


def test_another_card_is_no_standard(ledger):
    run(ledger, "standard", 100.0, environment={"gpu_model": "A100"})
    run(ledger, "pr", 50.0)

    assert asked(ledger, "ci-verdict", "base_campaign, code", campaign="pr") == [(None, 0)]


def test_a_history_is_the_mean_of_five_without_the_newest(ledger):
    for day, speed in enumerate([1000.0, 90.0, 100.0, 110.0, 95.0, 105.0, 500.0]):
        run(ledger, f"day{day}", speed, day=day)
    run(ledger, "day7", None, day=7, status="failed", reason="out of memory")
    run(ledger, "day8", 94.9, day=8)

    rows = asked(ledger, "history", "campaign, value, earlier, mean, range, verdict", campaign="day8")

    # Of 1000, 90, 100, 110, 95, 105, 500 the newest is 500, and 1000 is too old.
    assert rows == [("day8", 94.9, 5, 100.0, -0.051, "worse")]


def test_a_history_leaves_out_a_result_of_0_and_no_other_outlier(ledger):
    for day, speed in enumerate([0.0, 900.0, 100.0, 0.0, 100.0, 100.0, 100.0, 500.0]):
        run(ledger, f"day{day}", speed, day=day)
    run(ledger, "day8", 260.0, day=8)

    rows = asked(ledger, "history", "campaign, earlier, mean, range", campaign="day[08]")

    assert rows == [("day8", 5, 260.0, 0.0)]


def test_a_young_history_is_of_what_there_is(ledger):
    for day, speed in enumerate([100.0, 100.0, 106.0]):
        run(ledger, f"day{day}", speed, day=day)

    assert asked(ledger, "history", "campaign, earlier, range, verdict") == [
        ("day0", 0, None, None), ("day1", 0, None, None), ("day2", 1, 0.06, "better")
    ]  # fmt: skip
