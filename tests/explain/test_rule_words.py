"""A rule's window and recipe, in words that can be carried out."""

from __future__ import annotations

import pytest

from benchledger.definitions.rules import COLUMNS, Rule, load_rules
from benchledger.explaining.rule_words import rule_sentences

ODD = "repeated lines (if the log prints every line again), values that are not finite, and times of 0 or less"
SAMPLES = "steps are multiplied by batch_size_per_gpu and gpus to get samples"
RULES = {rule.rule: rule for rule in load_rules()}


def recipe(rule: Rule) -> list[str]:
    return rule_sentences({column: getattr(rule, column) for column in COLUMNS})


@pytest.mark.parametrize(
    ("rule", "window"),
    [
        ("ngc.summary", "the last"),
        ("steps.median_skip0", "all"),
        ("paddle.bert", "all after the first 10"),
        ("dlperf.paddle_bert", "numbers 21 to 120, whole or nothing"),
        ("gluonnlp.latency", "all, of the steps above 20"),
        ("dlperf.oneflow", "all, whole or nothing, of the steps from 19 up to 119"),
        ("dlperf.ngc_pt_bert", "numbers 20 to 109, whole or nothing, of the steps from 6"),
    ],
)
def test_a_window_says_which_records_count_and_from_where(rule: str, window: str) -> None:
    assert RULES[rule].window == window


def test_a_recipe_names_each_step_in_its_order() -> None:
    latencies = "the printed step times named latency, of step records"
    assert recipe(RULES["dlperf.mxnet_bert"]) == [
        f"Take {latencies}, from logs of format gluon-nlp-bert-pretrain, in line order; leave out {ODD}.",
        "Each value, in seconds, is rounded like Python's round() to 4 decimals, before the median over ranks is taken.",
        "For each step number take the median speed over the ranks: one value per step, in line order.",
        "Leave out the first 100 and use the 100 that follow; fewer give no number.",
        "Take the mean of the speeds (for times: steps / seconds).",
        f"The result is in samples/s: {SAMPLES}; a sample has seq_len tokens.",
        "It is rounded half to even to 2 decimals.",
        "Over the trials of a series take the median, rounded half to even to 2 decimals.",
    ]


@pytest.mark.parametrize("rule", load_rules(), ids=lambda rule: rule.rule)
def test_every_word_of_a_rule_stands_in_its_recipe(rule: Rule) -> None:
    said = " ".join(recipe(rule))

    numbers = [rule.skip or None, rule.take, rule.after_step, rule.to_step, rule.rounding_digits]
    assert all(f" {number}" in said for number in numbers if number is not None)
    assert all(word in said for word in (rule.name, rule.statistic if rule.average_of == "rates" else None) if word)
    assert ("fewer give no number" in said or "else there is no number" in said) == rule.complete
    assert ("ivide all steps by all seconds" in said) == (
        rule.average_of == "times" and rule.statistic == "mean" and rule.quantity != "epoch_time"
    )
    assert ("Divide 1 by the mean of the times" in said) == (rule.quantity == "epoch_time")
    assert ("or each rank " in said or "of each rank separately" in said, "one lowest" in said or "lowest and" in said) == (
        rule.ranks in ("each", "mean"), rule.statistic == "trimmed" or rule.trial_statistic == "olympic"
    )  # fmt: skip
