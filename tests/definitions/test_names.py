"""What a path tells, and that the rules prove themselves by their samples."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchledger.definitions import names
from benchledger.definitions.names import Names, load_names
from benchledger.errors import DefinitionError
from tests.proportion import assert_in_proportion


def load(monkeypatch: pytest.MonkeyPatch, folder: Path, text: str) -> tuple[Names, Path]:
    path = folder / "made.toml"
    path.write_text(text, encoding="utf-8")
    monkeypatch.setattr(names, "files_in", lambda *_: [path])
    return load_names.__wrapped__(), path


def refusal(monkeypatch: pytest.MonkeyPatch, folder: Path, text: str) -> str:
    with pytest.raises(DefinitionError) as error:
        load(monkeypatch, folder, text)
    return str(error.value).removeprefix(str(folder / "made.toml"))


RULE = '[[name]]\npatterns = ["run_{precision:word}_gpu{gpus:int}.log"]\n'
SAMPLE = '[[sample]]\npath = "a/run_fp16_gpu8.log"\nexpect = { precision = "fp16", gpus = 8 }\n'


def test_the_shipped_names_prove_themselves() -> None:
    assert load_names().rules


def test_a_rule_tells_facts_and_where_the_campaign_ends(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    rules, _ = load(monkeypatch, tmp_path, RULE + SAMPLE)

    found = rules.match("campaign/run_amp_gpu8.log")

    assert (found.parts, found.rule) == (1, "made.toml:1")
    assert [(fact.name, fact.value, fact.logged) for fact in found.facts] == [
        ("precision", "fp16", "amp"),
        ("gpus", "8", "8"),
    ]


@pytest.mark.parametrize("path", ["run_fp12_gpu8.log", "run_fp16_gpu0.log", "run_fp16_gpu8.txt", "xrun_fp16_gpu8.log"])
def test_a_name_of_another_convention_tells_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, path: str) -> None:
    rules, _ = load(monkeypatch, tmp_path, RULE + SAMPLE)

    assert (rules.match(path).parts, rules.match(path).facts) == (0, ())


CARDS = '[[name]]\npatterns = ["{nodes:int}n{cards:int}g/{*}", "{nodes:int}n/{*}"]\nproducts = { gpus = ["nodes", "cards"] }\n'
CARDS_SAMPLE = '[[sample]]\npath = "4n8g/x.log"\nexpect = { nodes = 4, gpus = 32 }\n'


def test_a_name_can_tell_a_product(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    rules, _ = load(monkeypatch, tmp_path, CARDS + CARDS_SAMPLE)

    told = {path: [(fact.name, fact.value, fact.logged) for fact in rules.match(path).facts] for path in PRODUCTS}

    assert told == PRODUCTS


# Two nodes with no cards follow another convention; where the name does not hold every factor, nothing is told.
PRODUCTS = {
    "a/2n8g/x.log": [("nodes", "2", "2"), ("gpus", "16", "2 x 8")],
    "a/2n0g/x.log": [],
    "a/2n/x.log": [("nodes", "2", "2")],
}


def test_a_companion_has_the_stem_of_its_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    rules, _ = load(monkeypatch, tmp_path, 'stem_suffixes = ["_monitor"]\n' + RULE + SAMPLE)

    assert [rules.stem(name) for name in ("x_monitor.csv", "x.txt", "_monitor.csv")] == ["x", "x", "_monitor"]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (RULE, ":1: no [[sample]] reaches this rule"),
        (
            RULE + SAMPLE.replace("gpus = 8", "gpus = 4"),
            ":3: 'a/run_fp16_gpu8.log' tells {'precision': 'fp16', 'gpus': '8'}, expected {'precision': 'fp16', 'gpus': '4'}",
        ),
        (
            RULE + SAMPLE.replace(", gpus = 8", ""),
            ":3: 'a/run_fp16_gpu8.log' tells {'precision': 'fp16', 'gpus': '8'}, expected {'precision': 'fp16'}",
        ),
        (
            RULE + "fact = {}\n" + SAMPLE,
            ":3: unknown key 'fact'; did you mean 'facts'?; known here: facts, patterns, products, values",
        ),
        (
            RULE + "products = { precision = ['gpus'] }\n" + SAMPLE,
            ":3: no count 'precision'; known: batch_size_per_gpu",
        ),
        (RULE + "products = { nodes = ['cards'] }\n" + SAMPLE, ":3: nodes must list int holes of the patterns: gpus"),
        (RULE + "products = { nodes = 5 }\n" + SAMPLE, ":3: nodes must list int holes of the patterns: gpus"),
        (RULE + "facts = { gpu = 8 }\n" + SAMPLE, ":3: no fact 'gpu'; did you mean 'gpus'?; known: framework, "),
        (RULE + "facts = { gpus = 0 }\n" + SAMPLE, ":3: 0 is no value of gpus"),
        ("[[name]]\n", ":1: patterns: at least one is needed"),
        (
            '[[name]]\npatterns = ["run_{x:time}"]\n',
            ":2: pattern 'run_{x:time}': a name has holes of type int, word and text",
        ),
        ('[[name]]\npatterns = ["run_{x}"]\n', ":2: pattern 'run_{x}': hole {x} has no type"),
        (
            "rule = 5\n",
            ":1: unknown key 'rule'; known here: about, document_endings, document_names, folder, log_endings, name, sam",
        ),
        ('name = "x"\n', ":1: name is a list of tables: write [[name]]"),
        ('[[name]]\npatterns = "x"\n', ":2: patterns is a list of strings, not 'x'"),
        (RULE + 'facts = "x"\n' + SAMPLE, ":3: facts is a table, such as"),
        (RULE + 'values = { precision = "x" }\n' + SAMPLE, ":3: values is a table of tables, such as"),
        ("stem_suffixes = 5\n" + RULE + SAMPLE, ":1: stem_suffixes is a list of strings, not 5"),
        (RULE + "[[sample]]\nexpect = {}\n", ":3: path must be a text, not None"),
        (RULE + '[[sample]]\npath = "x"\nexpect = 5\n', ":5: expect is a table, such as"),
    ],
)
def test_a_mistake_is_refused_with_its_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: str, problem: str
) -> None:
    assert refusal(monkeypatch, tmp_path, text).startswith(problem)


def test_a_name_longer_than_any_file_system_has_tells_nothing_and_costs_nothing():
    names = load_names()
    short, long = ("logs/nlp_" + "bert_sp_bs1_fp32_1_" * many + ".log" for many in (80, 640))

    assert names.match(long).facts == ()
    assert_in_proportion(names.match, short, long, floor_s=0.0005)
