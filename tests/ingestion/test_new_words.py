"""Open vocabulary: any framework, model and GPU model may appear; those that are not known are listed."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchledger import ingest, query
from benchledger.definitions.folders import use_definitions
from benchledger.definitions.names import load_names
from benchledger.definitions.vocabulary import vocabulary
from benchledger.scanning.samples import load_formats
from tests.cli.bench import run_bench
from tests.ingestion.conftest import made
from tests.ingestion.logs import ask, put, run_text

OWN = '[correct]\nreason = "its own"\nframework = "{}"\nmodel = "{}"\ngpu_model = "{}"\n'


@pytest.fixture(scope="module")
def ledger(defined_ledger: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ledger of known and of unknown words. Only to be asked."""
    home = tmp_path_factory.mktemp("words")
    known = ("JAX", "BERT-Base", "NVIDIA A100-SXM-80GB")
    for seed, own in enumerate((known, ("MyFrame", "FooNet", "XPU_9000"), ("pytorhc", "bert_bse", "GeForce RTX 3090"))):
        put(home / "logs" / str(seed) / "a.log", run_text(seed=seed).log)
        put(home / "logs" / str(seed) / "facts.toml", OWN.format(*own))
    db = made(defined_ledger, home / "ledger")
    ingest(home / "logs", db=db)
    return db


def test_unknown_words_are_kept_in_lower_case_and_listed_with_an_alias(ledger: Path) -> None:
    assert ask(ledger, "select framework, model from bench_case order by all") == [
        ("jax", "bert_base"),
        ("myframe", "foonet"),
        ("pytorhc", "bert_bse"),
    ]
    assert query("new-words", db=ledger).select("name", "value", "alias_toml").rows() == [
        ("framework", "myframe", 'case.framework.aliases."myframe" = "NAME"'),
        ("framework", "pytorhc", 'case.framework.aliases."pytorhc" = "pytorch"'),
        ("gpu_model", "xpu-9000", 'environment.gpu_model.aliases."xpu-9000" = "NAME"'),
        ("model", "bert_bse", 'case.model.aliases."bert_bse" = "bert_base"'),
        ("model", "foonet", 'case.model.aliases."foonet" = "NAME"'),
    ]


def test_the_lines_that_are_listed_declare_aliases(ledger: Path, tmp_path: Path) -> None:
    lines = query("new-words", db=ledger)["alias_toml"].to_list()
    put(tmp_path / "own" / "schema" / "vocabulary" / "facts.toml", "\n".join(lines).replace("NAME", "mine"))
    use_definitions(tmp_path / "own")
    vocabulary.cache_clear()
    try:
        facts = vocabulary().facts

        assert facts["framework"].canonical("PytorhC") == "pytorch"
        assert facts["model"].canonical("bert_bse") == "bert_base"
        assert facts["gpu_model"].canonical("NVIDIA XPU 9000") == "mine"
        assert "mine" in (facts["model"].words() or [])
    finally:
        use_definitions()
        vocabulary.cache_clear()


@pytest.mark.parametrize(
    ("option", "wanted", "model"),
    [
        ("--model", "bert-base", "bert_base"), ("--model", "BERT_BASE", "bert_base"), ("--model", "foo*", "foonet"),
        ("--gpu-model", "NVIDIA A100-SXM4-80GB", "bert_base"), ("--gpu-model", "a100*", "bert_base"),
        ("--gpu-model", "rtx3090", "bert_bse"), ("--gpu-model", "XPU-9000", "foonet"), ("--framework", "MYFRAME", "foonet"),
    ],
)  # fmt: skip
def test_filters_ignore_case_and_take_aliases_and_globs(ledger: Path, option: str, wanted: str, model: str) -> None:
    told = run_bench("runs", option, wanted, "--format", "csv", db=ledger).stdout.splitlines()

    assert len(told) == 2
    assert f",{model}," in told[1]


def test_every_model_that_a_definition_states_is_known() -> None:
    stated: set[str] = set()
    for definition in load_formats().values():
        for fact in definition.facts:
            if fact.name == "model":
                stated |= {*(fact.values or {}).values(), *(fact.contains or {}).values(), fact.always or ""}
    for rule in (*load_names().rules, *load_names().folders):
        stated |= {*rule.values.get("model", {}).values(), rule.facts.get("model", "")}

    assert stated - {""} - {"modelname"} <= set(vocabulary().facts["model"].words() or ())


def test_a_folder_of_an_unknown_framework_still_tells_none(db: Path, tmp_path: Path) -> None:
    put(tmp_path / "logs" / "ngc" / "bz32" / "1n1g" / "bert_base_b32_fp32_7.log", run_text().log)

    ingest(tmp_path / "logs", db=db)

    assert ask(db, "select value from fact where name = 'framework' and source = 'name'") == []
