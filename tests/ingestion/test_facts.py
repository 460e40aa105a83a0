"""Facts: who says what of a run, whom the ledger believes, and what becomes of contradictions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchledger import ingest
from tests.cli.bench import run_bench
from tests.ingestion.conftest import made
from tests.ingestion.logs import ask, of_root, one, put, run_text

NAME = "bert_base_lamb_pretraining.pyt_bert_pretraining_phase1_{precision}_bs{batch}_gpu{gpus}.log"
GPUS = "select gpus from run join bench_case using (case_id)"


def named(precision: str = "fp32", batch: int = 32, gpus: int = 1) -> str:
    return NAME.format(precision=precision, batch=batch, gpus=gpus)


@pytest.fixture(scope="module")
def told(defined_ledger: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ledger of logs of which others say something too: what each test asks about is a root of its own."""
    roots = tmp_path_factory.mktemp("told") / "roots"
    whole, cut = run_text(gpus=1, seed=10).log, cut_text(gpus=8, speed=1500)
    put(roots / "named" / named(gpus=8), whole)
    put(roots / "stated" / named(gpus=8), cut)
    put(
        roots / "stated" / "facts.toml",
        "[case]\ngpus = 16\nprecision = 'bf16'\n[environment]\ngpu_model = 'NVIDIA V100-SXM2-16GB'\n",
    )
    put(roots / "corrected" / "run.log", run_text(gpus=1, seed=11).log)
    put(roots / "corrected" / "facts.toml", '[correct]\nreason = "one line a node was kept"\ngpus = 4\n')
    for gpus in (1, 8):
        put(roots / "twice" / named(gpus=gpus), cut_text(seed=12))
    wrong = {"batch_size_per_gpu : 32 ": "batch_size_per_gpu : -32.5 ", "train_batch_size=32": "train_batch_size=1e300"}
    text = run_text(seed=13).log
    for right, said in wrong.items():
        assert right in text
        text = text.replace(right, said)
    put(roots / "valueless" / "run.log", text)
    put(roots / "optional" / "run.log", run_text(seed=14).log)
    put(roots / "optional" / "facts.toml", "[options]\nxla = true\ncompile = false\n")
    db = made(defined_ledger, roots.with_name("ledger"))
    ingest(*roots.iterdir(), db=db)
    return db


def cut_text(**words: Any) -> str:
    """A log without its beginning."""
    text = run_text(**words).log
    return text[text.index("Training Iteration: 50 ") - 60 :]


def used_of(db: Path, root: str, name: str) -> list[tuple[Any, ...]]:
    """The value of a fact that counts in a root's run, and its source."""
    return of_root(db, root, f"(from fact where used and name = '{name}')", "value, source")


def test_the_log_outweighs_its_name_and_the_contradiction_is_shown(told: Path) -> None:
    assert used_of(told, "named", "gpus") == [("1", "log")]
    columns = "name, used_value, other_value, used_source, other_source"
    assert of_root(told, "named", "conflict", columns) == [("gpus", "1", "8", "log", "name")]
    assert one(told, "select conflicts from speed_table where is_default and campaign = 'named'") == 1


def test_facts_toml_outweighs_the_name_and_is_outweighed_by_the_log(told: Path) -> None:
    assert used_of(told, "stated", "gpus") == [("16", "facts.toml")]
    assert used_of(told, "stated", "precision") == [("bf16", "facts.toml")]
    assert used_of(told, "stated", "gpu_model") == [("V100-SXM2-16GB", "facts.toml")]
    logged = of_root(told, "stated", "(from fact where name = 'gpu_model')", "value_logged")
    assert logged == [("NVIDIA V100-SXM2-16GB",)]


def test_correct_beats_the_log_and_says_why(told: Path) -> None:
    assert of_root(told, "corrected", "run join bench_case using (case_id)", "gpus") == [(4,)]
    assert used_of(told, "corrected", "gpus") == [("4", "correct")]
    place = of_root(told, "corrected", "(from fact where name = 'gpus' and used)", "place")
    assert place == [("facts.toml:3 (one line a node was kept)",)]
    columns = "used_value, other_value, other_source"
    assert of_root(told, "corrected", "conflict", columns) == [("4", "1", "log")]


def test_for_tables_reach_the_files_that_match_and_the_nearest_facts_toml_counts(db: Path, tmp_path: Path) -> None:
    for name in ("a_gpu32.log", "b.log", "near/c.log"):
        put(tmp_path / "logs" / name, cut_text(seed=len(name), at=1000 * len(name)))
    put(
        tmp_path / "logs" / "facts.toml",
        'campaign = "far"\n[case]\ngpus = 8\n[[for]]\nmatch = "*gpu32*"\n[for.case]\ngpus = 32\n',
    )
    put(tmp_path / "logs" / "near" / "facts.toml", 'campaign = "near"\n[case]\ngpus = 2\n')

    ingest(tmp_path / "logs", db=db)

    rows = ask(
        db,
        "select path, campaign, gpus from run_log join sighting using (sighting_id) join run using (run_id) join bench_case using (case_id) order by path",
    )
    assert rows == [("a_gpu32.log", "far", 32), ("b.log", "far", 8), ("near/c.log", "near", 2)]
    assert ask(db, "select * from conflict") == []


def test_a_changed_or_removed_facts_toml_derives_its_runs_again(db: Path, tmp_path: Path) -> None:
    put(tmp_path / "logs" / "deep" / "run.log", cut_text())
    facts = put(tmp_path / "logs" / "facts.toml", "[case]\ngpus = 8\n")
    ingest(tmp_path / "logs", db=db)
    assert one(db, GPUS) == 8

    put(facts, "[case]\ngpus = 16\n# longer\n")
    again = run_bench("ingest", tmp_path / "logs", db=db)
    assert "files: 2 = 1 unchanged + 1 facts\n" in again.stdout
    assert "facts.toml has changed: 1 run was derived again\n" in again.stderr
    assert one(db, GPUS) == 16

    facts.unlink()
    assert ingest(tmp_path / "logs", db=db).files == {"unchanged": 1}
    assert one(db, GPUS) is None


def test_two_names_of_the_same_bytes_that_disagree_leave_the_fact_unknown(told: Path) -> None:
    assert of_root(told, "twice", "run join bench_case using (case_id)", "gpus") == [(None,)]
    assert used_of(told, "twice", "gpus") == []
    columns = "name, used_value, other_value"
    assert of_root(told, "twice", "conflict", columns) == [("gpus", None, "1"), ("gpus", None, "8")]
    assert used_of(told, "twice", "precision") == [("fp32", "name")]


def test_a_value_that_is_no_value_of_its_fact_states_nothing(told: Path) -> None:
    columns = "batch_size_per_gpu, global_batch_size"
    assert of_root(told, "valueless", "run join bench_case using (case_id)", columns) == [(None, None)]


WRONG = [
    ("[case]\ngpu = 8\n", "facts.toml:2: no fact 'gpu' here; known: framework"),
    ("[case]\ngpus = 'many'\n", "facts.toml:2: 'many' is no value of gpus; it must be a count"),
    ("[case]\nprecision = 'int3'\n", "facts.toml:2: 'int3' is no value of precision; it must be fp32"),
    ("[environment]\ncuda_version = 12.10\n", "facts.toml:2: cuda_version is a text: put it in quotes"),
    ("[environment]\ngpus = 8\n", "facts.toml:2: no fact 'gpus' here; write it under [case]; known: system"),
    ("[case]\nparams_b = 0.3\n", "facts.toml:2: no fact 'params_b' here; write it under [run]; known: fra"),
    ("[case]\nxla = true\n", "facts.toml:2: no fact 'xla' here; write it under [options]; known: framework"),
    ("[options]\ntrial = 3\n", "facts.toml:2: no fact 'options.trial' here; write it under [run]; known: "),
    (
        "[correct]\nreason = 'x'\nxla = 'on'\n",
        "facts.toml:3: no fact 'xla' here; write \"options.xla\" in quotes; known: framework",
    ),
    (
        "[[for]]\nmatch = 'a'\n[for.case]\nos = 'x'\n",
        "facts.toml:4: no fact 'os' here; write it under [for.environment]; known: framework",
    ),
    ("[correct]\ngpus = 8\n", "facts.toml:1: reason is missing"),
    ("[[for]]\n[for.case]\ngpus = 8\n", "facts.toml:1: match must be a pattern"),
    ("colour = 'red'\n", "facts.toml:1: unknown key 'colour'; known here: campaign"),
    (
        "gpu_model = 'V100'\n",
        "facts.toml:1: unknown key 'gpu_model'; write it under [environment]; known here: campaign",
    ),
    (
        "[[for]]\nmatch = '*'\nxla = true\n",
        "facts.toml:3: unknown key 'xla'; write it under [for.options]; known here: ",
    ),
    ("[case\n", "facts.toml:1: not TOML"),
    ("case = 3\n", "facts.toml:1: must be a table"),
    (
        "[case]\nseq_len = 128\n[[for]]\nmatch = 'a/*'\n[environment]\nos = 'x'\n",
        "facts.toml:3: says nothing of the files",
    ),
    ("[environment]\nos = true\n", "facts.toml:2: true is no value of os: only options are true or false"),
    ("[case]\ngpus = true\n", "facts.toml:2: true is no value of gpus"),
    ("[options]\nno_such = true\n", "facts.toml:2: no fact 'options.no_such' here"),
    ("campaign = 5\n", "facts.toml:1: campaign must be a text"),
]


def test_a_wrong_facts_toml_is_named_with_its_line_and_loses_no_log(db: Path, tmp_path: Path) -> None:
    for number, (text, _) in enumerate(WRONG):
        put(tmp_path / "logs" / str(number) / "run.log", run_text(seed=number).log)
        put(tmp_path / "logs" / str(number) / "facts.toml", text)

    result = ingest(tmp_path / "logs", db=db)

    outcomes = {outcome.path: outcome for outcome in result.outcomes}
    for number, (_, problem) in enumerate(WRONG):
        assert outcomes[f"{number}/run.log"].status == "loaded"
        assert outcomes[f"{number}/facts.toml"].status == "unreadable"
        assert (outcomes[f"{number}/facts.toml"].reason or "").startswith(problem)


def test_campaigns_come_from_the_option_then_facts_then_name_rule_then_folder(db: Path, tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    put(logs / "set" / "ngc_bert_base_sp_bs32_fp32" / "a.log", run_text(seed=1).log)
    put(logs / "plain" / "b.log", run_text(seed=2, at=500).log)
    put(logs / "c.log", run_text(seed=3, at=900).log)
    put(logs / "declared" / "d.log", run_text(seed=4, at=1300).log)
    put(logs / "declared" / "facts.toml", 'campaign = "mine"\n')

    ingest(logs, db=db)

    campaigns = "select path, campaign from sighting where status = 'loaded' order by path"
    assert ask(db, campaigns) == [
        ("c.log", "logs"),
        ("declared/d.log", "mine"),
        ("plain/b.log", "logs/plain"),
        ("set/ngc_bert_base_sp_bs32_fp32/a.log", "logs/set"),
    ]
    ingest(logs, db=db, campaign_name="all of them", refresh=True)
    assert ask(db, "select distinct campaign from sighting where status = 'loaded'") == [("all of them",)]


def test_a_facts_toml_above_what_is_ingested_counts_and_its_changes_are_taken_up(db: Path, tmp_path: Path) -> None:
    put(tmp_path / "logs" / "deep" / "run.log", cut_text())
    facts = put(tmp_path / "logs" / "facts.toml", "[case]\ngpus = 8\n")
    result = ingest(tmp_path / "logs" / "deep", db=db)
    assert [(outcome.path, outcome.status) for outcome in result.outcomes] == [
        ("run.log", "loaded"),
        ("../facts.toml", "facts"),
    ]
    assert one(db, GPUS) == 8

    put(facts, "[case]\ngpus = 16\n# longer\n")
    ingest(tmp_path / "logs" / "deep", db=db)

    assert one(db, GPUS) == 16


def test_a_campaign_given_by_the_option_stays_when_facts_change(db: Path, tmp_path: Path) -> None:
    put(tmp_path / "logs" / "run.log", run_text().log)
    ingest(tmp_path / "logs", db=db, campaign_name="mine")
    put(tmp_path / "logs" / "facts.toml", 'campaign = "declared"\n[case]\nseq_len = 512\n')

    ingest(tmp_path / "logs", db=db)

    assert one(db, "select campaign from kept.run_campaign") == "mine"


def test_the_option_names_the_campaign_of_unchanged_files_too(db: Path, tmp_path: Path) -> None:
    put(tmp_path / "logs" / "run.log", run_text().log)
    ingest(tmp_path / "logs", db=db)

    result = ingest(tmp_path / "logs", db=db, campaign_name="mine")

    assert result.files == {"unchanged": 1}
    assert one(db, "select campaign from kept.run_campaign") == "mine"


def test_an_option_is_true_or_false_as_in_a_manifest(told: Path) -> None:
    assert used_of(told, "optional", "options.xla") == [("True", "facts.toml")]
    assert used_of(told, "optional", "options.compile") == []


def test_while_a_facts_toml_is_refused_what_it_said_before_stays(db: Path, tmp_path: Path) -> None:
    logs, tail = tmp_path / "logs", cut_text()
    good = "campaign = 'autumn'\n[case]\ngpus = 8\n"
    put(logs / "deep" / "run.log", tail)
    facts = put(logs / "facts.toml", good)
    ingest(logs, db=db)
    put(facts, good + "[environment]\ngpu_modell = 'V100'\n")
    put(logs / "fresh.log", run_text(at=5000, seed=7).log[:-1])

    said = "select campaign, gpus from kept.run_campaign join run using (run_id) join bench_case using (case_id) order by all"
    for refresh in (False, True, False):
        result = ingest(logs, db=db, refresh=refresh)
        assert {one.path: one.status for one in result.outcomes}["facts.toml"] == "unreadable"
        assert ("autumn", 8) in ask(db, said)
        assert [row[0] for row in ask(db, said)] == ["autumn", "logs"]
    put(logs / "deep" / "facts.toml", "[case]\nseq_len = 77\n")
    ingest(logs / "deep", db=db)
    assert ("autumn", 8) in ask(db, said)
    assert ("77", "facts.toml") in ask(db, "select value, source from fact where name = 'seq_len' and used")

    put(facts, good.replace("8", "16") + "# mended\n")
    result = ingest(logs, db=db)

    assert result.retold_runs == 2
    assert [row[0] for row in ask(db, said)] == ["autumn", "autumn"]
    assert ("autumn", 16) in ask(db, said)
