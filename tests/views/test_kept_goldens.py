"""What is kept of small runs, worked out by hand: it held of the engine that read records as frames, too."""

import pytest

from tests.views.conftest import ONE_GPU, in_halves


def told(ledger, rule, columns="value, records_used, records_skipped"):
    return ledger.rows(f"select {columns} from kept.speed where rule = ? order by run_id, unit", rule)


@pytest.mark.parametrize("threads", [1, 4])
def test_readings_are_added_up_in_the_order_of_the_records(ledger, threads):
    # Twice one is lost beside 2**53 if it comes first, and is not if it comes last.
    big = 2.0**53
    ledger.rule("mean")
    ledger.run(*(ledger.step(step, speed=speed) for step, speed in enumerate((big, 1.0, 1.0), start=1)))
    ledger.run(*(ledger.step(step, speed=speed) for step, speed in enumerate((1.0, 1.0, big), start=1)))
    ledger.con.execute(f"set threads = {threads}")

    assert told(ledger, "mean") == [(big / 3, 3, 0), ((big + 2) / 3, 3, 0)]
    assert big / 3 != (big + 2) / 3


def test_a_tie_is_rounded_as_the_order_of_addition_makes_it(ledger):
    # Their mean is 3.5, which is rounded to the even 4; added up in the other order it is 3.4999999999999996.
    ledger.rule("tie", rounding="round_even", rounding_digits=0)
    for speeds in ((0.1, 1.7, 8.7), (8.7, 1.7, 0.1)):
        ledger.run(*(ledger.step(step, speed=speed) for step, speed in enumerate(speeds, start=1)))

    assert told(ledger, "tie", "value") == [(4.0,), (3.0,)]


def test_what_only_a_twin_has_stands_behind_what_the_log_has(ledger):
    ledger.rule("mean", skip=1)
    ledger.rule("last", statistic="last")
    run = ledger.run(*(ledger.step(step, speed=10.0 * step) for step in (1, 2, 3)))
    twin = ledger.log(*(ledger.step(step, speed=10.0 * step) for step in (1, 2, 3, 4)))
    ledger.attach(run, twin, "duplicate_stream")
    ledger.insert("kept.stream_only", log_id=twin, byte_offset=400)

    assert told(ledger, "mean") == [((20 + 30 + 40) / 3, 3, 1)]
    assert told(ledger, "last") == [(40.0, 1, 3)]


BY_RANK = {1: (1.0, 2.0, 9.0), 2: (4.0, 5.0, 30.0), 3: (7.0, 8.0, 60.0)}


def by_rank(ledger):
    ledger.run(
        *(
            ledger.step(step, speed=speed, rank=rank)
            for step, all_of in BY_RANK.items()
            for rank, speed in enumerate(all_of)
        )
    )


OF_RANKS = [
    # Of each step the median over its ranks: 2, 5, 8.
    ({"ranks": "median", "skip": 1}, (6.5, 2, 1)),
    ({"ranks": "median", "statistic": "median"}, (5.0, 3, 0)),
    # Rank 0 alone: 1, 4, 7.
    ({"ranks": "first", "skip": 1}, (5.5, 2, 7)),
    ({"ranks": "first", "statistic": "last"}, (7.0, 1, 8)),
    # Each rank without its own first record: 4, 7, 5, 8, 30, 60.
    ({"ranks": "each", "skip": 1}, (19.0, 6, 3)),
    ({"ranks": "each", "skip": 1, "statistic": "median"}, (7.5, 6, 3)),
    # The mean of each rank, 5.5, 6.5 and 45, and of these the mean.
    ({"ranks": "mean", "skip": 1}, (19.0, 6, 3)),
    ({"ranks": "mean", "take": 1}, (4.0, 3, 6)),
    # As they stand, whichever rank printed them: the first is left out, and of the others the lowest and the highest.
    ({"ranks": "all", "skip": 1, "statistic": "trimmed", "trim": 1, "trim_from": 4}, (10.5, 6, 3)),
]


def test_of_several_ranks_a_rule_takes_what_it_says(ledger):
    for number, (rule, _) in enumerate(OF_RANKS):
        ledger.rule(f"r{number}", **rule)
    by_rank(ledger)

    for number, (rule, expected) in enumerate(OF_RANKS):
        assert told(ledger, f"r{number}") == [pytest.approx(expected, rel=1e-15)], rule


def test_a_loss_is_told_by_means_of_a_quarter_of_its_values(ledger):
    # Twelve losses: means of three. 9, 8, ..., 1 and then 4, 4, 4.
    losses = (*range(9, 0, -1), 4, 4, 4)
    run = ledger.run(
        *(ledger.loss(float(loss), step, at=10.0 * step) for step, loss in enumerate(losses)), case=ONE_GPU
    )

    kept = "losses, start_mean, start_highest, lowest_mean, lowest_highest, lowest_step, final_mean, final_lowest, last_loss"
    assert ledger.rows(f"select {kept} from kept.loss") == [(12, 8.0, 9.0, 2.0, 3.0, 8, 4.0, 4.0, 4.0)]
    lows = ledger.rows("select nth, step, seconds, mean_loss from kept.low_loss order by nth")
    assert lows == [(nth, nth - 1, 10.0 * (nth - 1), 11.0 - nth) for nth in range(3, 10)]
    reached = "select run_id, reached.step, reached.samples, reached.value from at_target('loss', 5.5)"
    assert ledger.rows(reached) == [(run, 5, 5 * 32, 5.0)]
    assert ledger.rows("select reached from at_target('loss', 1.5)") == [(None,)]


@in_halves
def test_trials_of_a_series_are_numbered_and_make_one_cell(ledger):
    for speed, trial in ((10.0, None), (30.0, 1), (20.0, None)):
        ledger.run(
            *(ledger.step(step, speed=speed) for step in range(3)), format="paddle", trial=trial, run_key=f"key{speed}"
        )

    yield
    assert ledger.rows("select trial, value from kept.series_run join run_speed using (run_id) where rule = 'steps.mean_skip1' order by trial") == [
        (1, 30.0), (2, 10.0), (3, 20.0),
    ]  # fmt: skip
    cell = "value, trials, trials_dropped, lowest, highest, stdev, is_default"
    assert ledger.rows(f"select {cell} from speed_table where rule = 'steps.mean_skip1'") == [
        (20.0, 3, 0, 10.0, 30.0, 10.0, True)
    ]


def test_a_run_that_gets_another_log_is_read_again_and_its_cell_follows(ledger):
    first, _ = (
        ledger.run(*(ledger.step(step, speed=speed) for step in range(3)), format="paddle") for speed in (10.0, 20.0)
    )
    before = told(ledger, "steps.mean_skip1", "value")
    more = ledger.log(*(ledger.step(step, speed=40.0) for step in (3, 4)), format="paddle")
    ledger.attach(first, more, "train")

    assert before == [(10.0,), (20.0,)]
    assert told(ledger, "steps.mean_skip1", "value, records_used") == [((2 * 10.0 + 2 * 40.0) / 4, 4), (20.0, 2)]
    assert ledger.rows("select value, trials from speed_table where is_default") == [(22.5, 2)]
