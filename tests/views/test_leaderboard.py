"""Ranks, ties, and a run that was archived twice."""

from tests.views.conftest import in_halves

V100 = {"gpu_model": "V100"}
WORK = {"task": "pretraining", "seq_len": 128, "batch_size_per_gpu": 32, "nodes": 1, "gpus": 1}


def board(ledger, columns="rank, rank_last, campaign, value", of="leaderboard"):
    return ledger.rows(f"select {columns} from {of} order by all")


def test_equal_speeds_share_the_range_of_their_ranks(ledger):
    for campaign, speed in (("a", 9.0), ("b", 7.0), ("c", 7.0), ("d", 5.0)):
        ledger.run(ledger.summary(speed), campaigns=(campaign,), case=WORK, environment=V100)

    assert board(ledger) == [(1, 1, "a", 9.0), (2, 3, "b", 7.0), (2, 3, "c", 7.0), (4, 4, "d", 5.0)]


@in_halves
def test_other_gpus_and_other_numbers_of_gpus_are_other_boards(ledger):
    ledger.run(ledger.summary(9.0), case=WORK, environment={"gpu_model": "V100"})
    ledger.run(ledger.summary(7.0), case=WORK, environment={"gpu_model": "A100"})
    ledger.run(ledger.summary(5.0), case=WORK | {"gpus": 8}, environment=V100)

    yield
    assert [rank for (rank,) in board(ledger, "rank")] == [1, 1, 1]


@in_halves
def test_what_is_not_known_to_be_equal_work_is_not_ranked(ledger):
    unknown = ("model", "task", "precision", "gpus")
    for column in unknown:
        for speed in (1.0, 2.0):
            case = WORK | {"batch_size_per_gpu": int(speed), column: None}
            ledger.run(ledger.summary(speed), case=case, environment=V100)

    yield
    assert board(ledger, "value, rank, rank_last") == [(speed, None, None) for speed in (1.0, 2.0) for _ in unknown]


@in_halves
def test_an_unknown_sequence_length_is_not_ranked_where_the_models_family_states_one(ledger):
    for model, seq_len in (("bert_base", None), ("bert_large", 128), ("resnet50", None)):
        ledger.run(ledger.summary(1.0), case=WORK | {"model": model, "seq_len": seq_len}, environment=V100)

    yield
    assert board(ledger, "model, rank") == [("bert_base", None), ("bert_large", 1), ("resnet50", 1)]


def test_a_run_that_was_seen_in_two_campaigns_is_ranked_once(ledger):
    ledger.run(ledger.summary(9.0), campaigns=("b", "a"), case=WORK, environment=V100)

    assert board(ledger) == [(1, 1, "a", 9.0)]


def test_of_series_that_share_a_run_the_one_with_most_trials_stands(ledger):
    ledger.run(ledger.summary(9.0), campaigns=("best-of", "whole"), case=WORK, environment=V100)
    ledger.run(ledger.summary(5.0), campaigns=("whole",), case=WORK, environment=V100)

    assert board(ledger) == [(1, 1, "whole", 7.0)]


def test_leaderboard_of_ranks_only_the_campaigns_that_match(ledger):
    ledger.run(ledger.summary(9.0), campaigns=("best-of", "whole"), case=WORK, environment=V100)
    ledger.run(ledger.summary(5.0), campaigns=("whole",), case=WORK, environment=V100)
    ledger.run(ledger.summary(8.0), campaigns=(None,), case=WORK, environment=V100)

    assert board(ledger, of="leaderboard_of('best*')") == [(1, 1, "best-of", 9.0)]
    assert len(board(ledger, of="leaderboard_of('*')")) == 2


def test_only_default_rules_and_only_speeds_are_ranked(ledger):
    ledger.run(ledger.summary(9.0), ledger.step(1, speed=1.0), ledger.step(2, speed=1.0))
    ledger.run(status="oom", campaigns=("x",), case=WORK, environment=V100)

    assert board(ledger, "rule, value") == [("ngc.summary", 9.0)]


def test_where_nobody_states_the_gpu_only_runs_of_one_campaign_compete(ledger):
    for campaign, speed in (("a", 9.0), ("a", 7.0), ("b", 8.0), (None, 6.0)):
        case = WORK | {"batch_size_per_gpu": int(speed)}
        ledger.run(ledger.summary(speed), campaigns=(campaign,), case=case)

    assert board(ledger, "campaign, value, rank, unranked") == [
        ("a", 7.0, 2, None),
        ("a", 9.0, 1, None),
        ("b", 8.0, 1, None),
        (None, 6.0, None, "gpu_model"),
    ]


def test_a_model_without_a_task_or_sequence_of_its_own_is_ranked(ledger):
    works = (
        ("resnet50", None, None),
        ("bert_base", "squad", 384),
        ("bert_large", None, 384),
        ("bert_base", None, None),
        ("transformer_xl_large", "lm", 192),
        ("transformer_big", "translation", None),
    )
    for model, task, seq_len in works:
        case = WORK | {"model": model, "task": task, "seq_len": seq_len}
        ledger.run(ledger.summary(1.0), case=case, environment=V100)

    assert board(ledger, "model, task, rank, unranked") == [
        ("bert_base", "squad", 1, None),
        ("bert_base", None, None, "task, seq_len"),
        ("bert_large", None, 1, None),
        ("resnet50", None, 1, None),
        ("transformer_big", "translation", 1, None),
        ("transformer_xl_large", "lm", 1, None),
    ]


def test_a_series_is_left_out_only_for_one_that_stands(ledger):
    # One run of b is also in a, which has more trials; the other one of b is also in c.
    for campaigns in (("a",), ("a",), ("a", "b"), ("b", "c")):
        ledger.run(ledger.summary(9.0), campaigns=campaigns, case=WORK, environment=V100)

    assert board(ledger, "campaign, trials") == [("a", 3), ("c", 1)]


def test_the_speed_of_one_gpu_is_not_ranked_among_those_of_all(ledger):
    ledger.run(ledger.summary(100.0), case=WORK, environment=V100)
    before = ledger.rows("select rule from leaderboard")
    ledger.con.execute("update kept.rule set per = 'gpu' where rule = (select rule from leaderboard)")

    assert len(before) == 1
    assert ledger.rows("select rule from leaderboard") == []
