"""Contradictions are kept and shown."""

import pytest


@pytest.fixture
def state(ledger):
    runs = [ledger.run(), ledger.run()]

    def insert(name, value, source, used=False, run=0):
        ledger.insert("fact", run_id=runs[run], name=name, value=value, source=source, used=used)

    return insert


def conflicts(ledger):
    return ledger.rows("select name, used_value, other_value, used_source, other_source from conflict order by all")


def test_a_statement_that_differs_from_the_one_that_counts_is_a_conflict(ledger, state):
    state("gpus", "8", "log", used=True)
    state("gpus", "4", "name")
    state("gpus", "8", "facts.toml")

    assert conflicts(ledger) == [("gpus", "8", "4", "log", "name")]


def test_where_nothing_decides_every_value_is_shown(ledger, state):
    state("precision", "fp16", "name")
    state("precision", "fp32", "name")
    state("model", "bert_base", "name")

    assert conflicts(ledger) == [
        ("precision", None, "fp16", None, "name"),
        ("precision", None, "fp32", None, "name"),
    ]


def test_the_same_contradiction_in_two_places_is_one(ledger, state):
    state("gpus", "8", "log", used=True)
    state("gpus", "4", "name")
    state("gpus", "4", "name")

    assert len(conflicts(ledger)) == 1


def test_statements_about_different_runs_do_not_contradict(ledger, state):
    state("gpus", "8", "log", used=True)
    state("gpus", "4", "log", used=True, run=1)
    state("gpus", None, "name")

    assert conflicts(ledger) == []


def test_two_campaigns_are_no_conflict(ledger, state):
    state("campaign", "a", "name", used=True)
    state("campaign", "b", "name")

    assert conflicts(ledger) == []
