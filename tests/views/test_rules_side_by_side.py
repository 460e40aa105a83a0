"""The same trials under every rule, and where a ranking changes."""

from benchledger.definitions.queries import find_query

H200 = {"gpu_model": "H200"}


def compared(ledger, columns="campaign, rule, rule_rank, default_rank, ranking_changes", **parameters):
    question = find_query("rules-side-by-side")
    frame = ledger.filled.execute(question.sql, question.bind(parameters)).pl().select(columns.split(", "))
    return frame.unique().sort(frame.columns, nulls_last=True).rows()


def run(ledger, campaign, closing, *speeds, environment=H200, **case):
    """A run whose program says one speed at its end, and others at its steps."""
    steps = (ledger.step(number, speed=float(speed)) for number, speed in enumerate(speeds, 1))
    case = {"gpus": 1, "nodes": 1, "batch_size_per_gpu": 32, "global_batch_size": 32} | case
    return ledger.run(*steps, ledger.summary(closing), campaigns=(campaign,), environment=environment, case=case)


def test_a_ranking_that_another_rule_turns_is_told_with_both_ranks(ledger):
    run(ledger, "a", 100.0, 10, 120, 120)
    run(ledger, "b", 110.0, 10, 115, 115)

    assert compared(ledger, rule="steps.mean_skip1", changed=True) == [
        ("a", "steps.mean_skip1", 1, 2, True), ("b", "steps.mean_skip1", 2, 1, True)
    ]  # fmt: skip
    assert compared(ledger, rule="summary.last", changed=True) == []
    assert compared(ledger, rule="summary.last")[0] == ("a", "summary.last", 2, 2, False)


def test_ranks_are_among_the_series_of_which_the_rule_says_something(ledger):
    run(ledger, "silent", 200.0)
    run(ledger, "a", 100.0, 10, 120, 120)

    assert compared(ledger, "campaign, compared, rule_rank, default_rank", rule="steps.mean_skip1") == [("a", 1, 1, 1)]
    assert compared(ledger, "campaign, compared, default_rank", rule="ngc.summary") == [("a", 2, 2), ("silent", 2, 1)]


def test_series_of_other_machines_are_no_rivals(ledger):
    run(ledger, "a", 100.0)
    run(ledger, "b", 110.0, environment={"gpu_model": "A100"})
    run(ledger, "c", 120.0, gpus=8)
    run(ledger, "d", 130.0, precision="fp32")
    run(ledger, "e", 140.0, environment={})
    run(ledger, "f", 150.0, environment={})

    rows = compared(ledger, "campaign, compared, rule_rank", rule="ngc.summary")

    assert rows == [(name, 1, 1) for name in "abcdef"]


def test_seconds_a_step_are_compared_among_equal_batches_and_the_fewest_lead(ledger):
    rule = "superbench.step_time"
    for campaign, batch, speed in (("a", 32, 100), ("b", 32, 90), ("c", 64, 150)):
        run(ledger, campaign, 1.0, *[speed] * 70, batch_size_per_gpu=batch, global_batch_size=batch)

    assert compared(ledger, "campaign, compared, rule_rank", rule=rule) == [("a", 2, 1), ("b", 2, 2), ("c", 1, 1)]
