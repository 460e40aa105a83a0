"""Rules are data with a source; a mistake in one is told with file and line."""

import pytest

from benchledger.definitions import published, rules
from benchledger.definitions.rules import load_rules
from benchledger.errors import DefinitionError
from benchledger.scanning.samples import load_formats
from benchledger.store import sync
from benchledger.store.sync import sync_definitions

# The programs whose rule is known and whose logs are not: docs/rules.md lists them.
WITHOUT_LOGS = {
    "hugectr", "mindspore", "mxnet-arcface", "mxnet-partial-fc", "mxnet-rn50", "oneflow-insightface", "oneflow-wdl",
    "optimum-benchmark",
}  # fmt: skip

GOOD = """family = "mine"

[[rule]]
method          = "mean"
source          = "our wiki, page 3"
description     = "Mean of all."
kind            = "step"
statistic       = "mean"
trial_statistic = "median"
"""


@pytest.fixture
def load(tmp_path, monkeypatch):
    def load(*texts):
        files = []
        for number, text in enumerate(texts):
            files.append(tmp_path / f"{number}.toml")
            files[-1].write_text(text)
        monkeypatch.setattr(rules, "files_in", lambda *kinds: files)
        monkeypatch.setattr(published, "definition_files", lambda kind, suffix: [])
        monkeypatch.setattr(sync, "files_in", lambda *kinds: files)
        return load_rules()

    return load


def test_the_shipped_rules_are_in_the_database_with_their_sources(ledger):
    stored = ledger.rows(
        "select rule from kept.rule where length(source) > 10 and length(description) > 10 order by rule"
    )

    assert [rule for (rule,) in stored] == [rule.rule for rule in load_rules()]
    assert {"ngc.summary", "summary.last", "lambda.bert", "steps.mean_skip20", "steps.median_skip20"} <= {
        rule for (rule,) in stored
    }


def test_a_changed_rule_replaces_the_stored_one_and_a_removed_one_goes(ledger, load):
    load(GOOD.replace("all.", "everything."))
    sync_definitions(ledger.con)
    sync_definitions(ledger.con)
    load(GOOD + 'formats = ["ngc"]\n')
    sync_definitions(ledger.con)

    rows = ledger.rows('select rule, description, formats, "window" from kept.rule')

    assert rows == [("mine.mean", "Mean of all.", ["ngc"], "all")]


def test_definitions_that_are_what_they_were_are_not_read_again(ledger, load, monkeypatch):
    load(GOOD)
    sync_definitions(ledger.con)
    read = []
    monkeypatch.setattr(rules, "load_rules", lambda: read.append(1) or load_rules())
    sync_definitions(ledger.con)
    assert read == []

    load(GOOD.replace("all.", "everything."))
    sync_definitions(ledger.con)
    assert read == [1]


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ('"mean"\ntrial', '"average"\ntrial', 8, "last, mean, median"),
        ("kind ", "kid ", 7, "unknown key 'kid'"),
        ('source          = "our wiki, page 3"\n', "", 3, "no source"),
        ('"median"\n', '"median"\nskip = -1\n', 10, "at least 0"),
        ('"median"\n', '"median"\nskip = 400_001\n', 10, "at most 400000"),
        ('"median"\n', '"median"\ntake = 0\n', 10, "at least 1"),
        ('"median"\n', '"median"\nrounding = "truncate"\n', 3, "together"),
        ('"median"\n', '"median"\nformats = "ngc"\n', 10, "list of format names"),
        ('"median"\n', '"median"\npositive_only = 1\n', 10, "true or false"),
        ('family = "mine"', 'family = "not mine"', 1, "one word"),
        (
            'family = "mine"',
            'family = "orca-train"',
            1,
            "one word (letters, digits and _; no hyphen), such as 'ngc', not",
        ),
        ('method          = "mean"', 'method          = "a.b"', 4, "one word"),
        ('"our wiki, page 3"', '" "', 5, "must be text"),
        ('"median"\n', '"median"\nunit = "tokens"\n', 10, "samples/s, tokens/s"),
        ('"median"\n', '"median"\nquantity = "loss"\n', 10, "throughput, step_time, interval"),
        ('"median"\n', '"median"\nranks = "median"\n', 3, "needs quantity = 'throughput' or 'step_time'"),
        ('"median"\n', '"median"\nreading_rounding_digits = 2\n', 3, "together"),
        ('"median"\n', '"median"\ncomplete = true\nskip = 3\n', 3, "an end with take or to_step"),
        ('"median"\n', '"median"\nranks = "mean"\npositive_only = true\n', 3, "without positive_only"),
        ('"median"\n', '"median"\nquantity = "epoch_time"\n', 3, "kind = 'summary', average_of = 'times'"),
        ('"median"\n', '"median"\ntrim = 1\n', 3, "give both"),
        ('"mean"\ntrial', '"trimmed"\ntrim = 2\ntrim_from = 4\ntrial', 3, "trim_from above 2 trim"),
        ('"median"\n', '"median"\nskip_last = -1\n', 10, "at least 0"),
        ('"median"\n', '"median"\nper = "node"\n', 10, "per must be one of gpu"),
        ('"median"\n', '"median"\nper = "gpu"\nunit = "s"\n', 10, "is of a speed; in s leave it out"),
        ('"median"\n', '"median"\nper = "gpu"\n', 10, "name its formats"),
        ('"median"\n', '"median"\nvolume = "window"\n', 10, "give take"),
        ('"median"\n', '"median"\nvolume = "window"\ntake = 9\n', 10, "name its formats"),
        ('"median"\n', '"median"\nfallback = "mine.other"\n', 10, "no rule 'mine.other'; known: mine.mean"),
        ('"median"\n', '"median"\nfallback = "mine.mean"\n', 10, "in a circle: mine.mean -> mine.mean"),
    ],
)
def test_a_mistake_is_told_with_file_line_and_cure(load, old, new, line, words):
    assert old in GOOD

    with pytest.raises(DefinitionError) as error:
        load(GOOD.replace(old, new, 1))

    assert f"0.toml:{line}: " in str(error.value)
    assert words in str(error.value)


def test_one_id_cannot_mean_two_rules(load):
    with pytest.raises(DefinitionError, match=r"1\.toml:3: rule 'mine\.mean' exists already"):
        load(GOOD, GOOD)


def test_every_rule_is_for_formats_that_exist_or_have_no_logs_yet_and_every_default_is_for_its_format():
    formats = load_formats()
    by_id = {rule.rule: rule for rule in load_rules()}
    chains = []
    for name, known in formats.items():
        rule = known.default_rule
        while rule is not None:
            chains.append((name, rule))
            rule = by_id[rule].fallback

    assert {name for rule in by_id.values() for name in rule.formats or ()} - set(formats) == WITHOUT_LOGS
    # Only what a process prints of its GPU is the last resort of some formats that share a default with others.
    strange = [(name, rule) for name, rule in chains if name not in (by_id[rule].formats or (name,))]
    assert {rule for _, rule in strange} == {"steps.gpu_mean_skip1"}


def test_a_rule_that_was_found_by_search_says_so_and_the_others_of_its_family_name_their_readme():
    sources = {rule.rule: rule.source for rule in load_rules() if rule.rule.startswith("perf.")}

    searched = {rule for rule in sources if "found by search" in sources[rule]}
    assert {rule for rule in set(sources) - searched if "README.md" not in sources[rule]} == set()
