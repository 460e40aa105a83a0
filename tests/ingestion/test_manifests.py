"""A manifest binds the files that it lists, states facts, and says most about how a run ended."""

from __future__ import annotations

import io
import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from benchledger import ingest, report_speed
from tests.ingestion.conftest import made
from tests.ingestion.logs import ask, of_root, one, put, run_text, stable_tables
from tests.ingestion.packing import tar


def manifest(**keys: Any) -> str:
    return json.dumps({"benchledger_manifest": 1, "files": ["train.log"], **keys}, indent=1)


LOGLESS = {
    "no such file": None,
    "an empty file": "",
    "a log of an unknown family": "Segmentation fault\n",
}


def roots_of(top: Path, *names: str) -> dict[str, Path]:
    """Folders with manifests, by their names, which are those of their campaigns where the manifests state none."""
    bound = run_text(seed=22)
    said = {"case": {"task": "pretraining", "options": {"compile": True}}, "environment": {"gpu_model": "NVIDIA H200"}}
    trusted = {"case": {"precision": "bf16", "seq_len": 512}, "environment": {"os": "Ubuntu"}}
    case = {"framework": "pytorch", "model": "bert_base", "task": "pretraining", "precision": "fp32", "gpus": 8}
    failed = {"implementation": "ngc", "exit_code": 1, "case": {**case, "batch_size_per_gpu": 96}}
    roots: dict[str, dict[str, str | None]] = {
        "states": {
            "train.log": run_text(seed=20).log,
            "run.json": manifest(trial=4, implementation_version="8d8c524", **said),
        },
        "trusted": {
            "toy_gpus4.log": run_text(gpus=1, precision="fp16", seed=21).log,
            "run.json": manifest(files=["toy_gpus4.log"], **trusted),
            "facts.toml": '[environment]\nos = "CentOS"\n',
        },
        "declares": {
            "train.log": run_text(seed=29).log,
            "facts.toml": 'campaign = "declared"\n',
            "run.json": manifest(campaign="autumn"),
        },
        "binds": {
            "a/train.log": bound.log,
            "a/out/twin.json": bound.twin,
            "a/gpu/smi.csv": bound.telemetry,
            "a/run.json": manifest(files=["train.log", "out/twin.json", "./gpu/smi.csv"]),
        },
        "ranks": {
            "rank0.log": run_text(seed=23).log,
            "rank1.log": run_text(seed=24).log,
            "run.json": manifest(files=["rank0.log", "rank1.log"]),
        },
        "several": {
            "train.log": run_text(seed=25).log + run_text(seed=26, at=9000).log,
            "run.json": manifest(exit_code=1, case={"nodes": 1}),
        },
        "mistakes": {"run.json": manifest(colour="x", trial=0, case={"precision": "fp12"})},
        "escaped": {
            "a.json": '{"benchledger_manifest": 1, "files": [], "command": "x\\ud800y"}',
            "b.json": '{"benchledger_manifest": 1, "files": ["\\ud800.log"]}',
        },
        "missing": {
            "a/train.log": run_text(gpus=8).log,
            "a/run.json": manifest(campaign="missing", case={"gpus": 8}),
            "b/run.json": manifest(campaign="missing", **failed),
        },
        "both": {
            f"{folder}/{name}": text
            for folder in ("a", "b")
            for name, text in (
                ("train.log", run_text(seed=28).log),
                ("run.json", manifest(campaign=f"campaign {folder}", trial=1)),
            )
        },
        "logless": {},
    }
    case = {"model": "gpt2_345m", "precision": "fp16", "batch_size_per_gpu": 96, "gpus": 8}
    times = {"started_at": "2026-01-02T03:04:05+08:00", "ended_at": "2026-01-02T03:05:05+08:00"}
    for campaign, text in LOGLESS.items():
        roots["logless"][f"{campaign}/train.log"] = text
        roots["logless"][f"{campaign}/run.json"] = manifest(exit_code=1, campaign=campaign, case=case, **times)
    wanted = names or roots
    for name in wanted:
        for path, text in roots[name].items():
            if text is not None:
                put(top / name / path, text)
    return {name: top / name for name in wanted}


@pytest.fixture(scope="module")
def told(defined_ledger: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ledger of folders with manifests: what each test asks about is a root of its own."""
    home = tmp_path_factory.mktemp("told")
    db = made(defined_ledger, home / "ledger")
    result = ingest(*roots_of(home / "roots").values(), db=db)
    # All but the two files of `logless` that are no log, and the second copy of a log.
    assert result.files == {"loaded": 27, "facts": 2, "duplicate": 1, "unrecognised": 1, "empty": 1}
    assert (result.rejects, result.unpaired) == (4, 0)
    return db


def facts_of(db: Path, root: str, name: str) -> list[tuple[Any, ...]]:
    """The values of a fact of a root's run, their sources, and which counts."""
    return of_root(db, root, f"(from fact where name = '{name}')", "value, source, used")


def rejects_of(db: Path, root: str, columns: str) -> list[tuple[Any, ...]]:
    places = "select log_id from sighting where campaign = ?"
    return ask(db, f"select {columns} from reject where log_id in ({places}) order by all", root)


def test_a_manifest_states_what_its_run_is(told: Path) -> None:
    run = "run join environment using (environment_id) join bench_case using (case_id)"
    columns = "trial, gpu_model, implementation_version, json_extract_string(options, '$.compile')"
    assert of_root(told, "states", run, columns) == [(4, "H200", "8d8c524", "True")]
    assert ("H200", "manifest", True) in facts_of(told, "states", "gpu_model")
    ((line,),) = of_root(told, "states", "(from fact where name = 'gpu_model' and source = 'manifest')", "line")
    assert line > 1
    assert of_root(told, "states", "run_log", "role, paired_by") == [
        ("manifest", "it lists its logs"), ("train", "its own log"),
    ]  # fmt: skip


def test_the_log_is_trusted_more_and_facts_toml_and_the_name_less(told: Path) -> None:
    assert facts_of(told, "trusted", "os") == [("CentOS", "facts.toml", False), ("Ubuntu", "manifest", True)]
    precision = facts_of(told, "trusted", "precision")
    assert ("fp16", "log", True) in precision
    assert ("bf16", "manifest", False) in precision
    conflicts = "(from conflict where name = 'precision')"
    assert ("fp16", "bf16", "log", "manifest") in of_root(
        told, "trusted", conflicts, "used_value, other_value, used_source, other_source"
    )


def test_its_campaign_beats_facts_toml_and_the_option_beats_it(told: Path, db: Path, tmp_path: Path) -> None:
    ingest(roots_of(tmp_path, "declares")["declares"], db=db, campaign_name="asked")

    assert ask(db, "select campaign from kept.run_campaign") == [("asked",)]
    for table in ("kept.run_campaign", "series"):
        found = ask(told, f"select distinct campaign from {table} where campaign in ('declares', 'declared', 'autumn')")
        assert found == [("autumn",)]


def test_it_binds_logs_of_other_stems_and_folders(told: Path) -> None:
    assert of_root(told, "binds/a", "run_log", "role, paired_by") == [
        ("duplicate_stream", "listed in one manifest"), ("manifest", "it lists its logs"),
        ("telemetry", "listed in its manifest"), ("train", "its own log"),
    ]  # fmt: skip
    assert of_root(told, "binds/a", "run", "count(*)") == [(1,)]


def test_train_logs_of_one_manifest_are_one_run(told: Path) -> None:
    assert of_root(told, "ranks", "run", "count(*)") == [(1,)]
    assert of_root(told, "ranks", "(from run_log where role = 'train')", "count(distinct log_id)") == [(2,)]


ENDINGS: list[tuple[str, dict[str, Any], str, str]] = [
    ("ok", {"exit_code": 0}, "ok", "closing summary"),
    ("ok", {"exit_code": 137}, "failed", "exit code 137"),
    ("ok", {"signal": "SIGTERM"}, "failed", "signal SIGTERM"),
    ("ok", {"exit_code": -9, "signal": 9}, "failed", "exit code -9, signal 9"),
    ("oom", {"exit_code": 1}, "oom", "exit code 1: "),
    ("oom", {"exit_code": 0}, "oom", ""),
    ("killed", {}, "truncated", "the log stops"),
    ("killed", {"exit_code": 0}, "truncated", "the log stops"),
]


def test_how_it_ended_decides_the_most(db: Path, tmp_path: Path) -> None:
    for number, (ends, said, _, _) in enumerate(ENDINGS):
        text = run_text(ends="ok" if ends == "killed" else ends, seed=number, at=9000 * number).log
        if ends == "killed":
            lines = text.splitlines(keepends=True)
            text = "".join(lines[: len(lines) // 2])
        put(tmp_path / "logs" / str(number) / "train.log", text)
        put(tmp_path / "logs" / str(number) / "run.json", manifest(**said))

    ingest(tmp_path / "logs", db=db)

    found = ask(
        db,
        """select run.status, run.reason from run join run_log using (run_id) join sighting using (log_id)
           where role = 'train' order by split_part(path, '/', 1)::integer""",
    )
    assert [
        (status, said[: len(reason)]) for (status, said), (_, _, _, reason) in zip(found, ENDINGS, strict=True)
    ] == [(status, reason) for _, _, status, reason in ENDINGS]


def test_a_run_without_a_known_log_is_a_run_with_its_status(told: Path) -> None:
    columns = "status, reason, exit_code, started_at, ended_at, time_source"
    for campaign in LOGLESS:
        assert of_root(told, campaign, "run", columns) == [
            (
                "failed", "exit code 1; none of its logs is in a known format", 1,
                datetime(2026, 1, 2, 3, 4, 5), datetime(2026, 1, 2, 3, 5, 5), "manifest",
            )
        ]  # fmt: skip
        assert of_root(told, campaign, "kept.run_source", "role") == [("manifest",)]
        failures = f"select name, status from kept.failure_table where campaign = '{campaign}'"
        assert ask(told, failures) == [("nlp_gpt2_345m_mp_bs96_fp16_8", "failed")]


def test_a_run_keeps_its_key_when_its_log_comes_later(db: Path, db2: Path, tmp_path: Path) -> None:
    put(tmp_path / "logs" / "run.json", manifest(exit_code=0))
    ingest(tmp_path / "logs", db=db)
    before = one(db, "select run_key from run")
    put(tmp_path / "logs" / "train.log", run_text().log)

    ingest(tmp_path / "logs", db=db)
    ingest(tmp_path / "logs", db=db2)

    assert one(db, "select run_key from kept.run_alias where old_key = ?", before) == one(db, "select run_key from run")
    assert stable_tables(db) == stable_tables(db2)


def test_a_changed_manifest_derives_its_run_again(db: Path, tmp_path: Path) -> None:
    put(tmp_path / "logs" / "train.log", run_text().log)
    put(tmp_path / "logs" / "run.json", manifest(campaign="before", trial=1))
    ingest(tmp_path / "logs", db=db)
    put(tmp_path / "logs" / "run.json", manifest(campaign="after", exit_code=3))

    ingest(tmp_path / "logs", db=db)

    assert one(db, "select campaign, status, trial from run join kept.run_campaign using (run_id)") == (
        "after",
        "failed",
        None,
    )
    assert ask(db, "select status from sighting where path = 'run.json' order by all") == [("loaded",), ("superseded",)]
    put(tmp_path / "logs" / "run.json", "{}")

    ingest(tmp_path / "logs", db=db)

    assert one(db, "select campaign, status from run join kept.run_campaign using (run_id)") == ("logs", "ok")


def test_the_same_manifest_in_two_folders_binds_in_both(db: Path, db2: Path, tmp_path: Path) -> None:
    for number, folder in enumerate(("a", "b")):
        put(tmp_path / "logs" / folder / "train.log", run_text(seed=number + 1).log)
        put(tmp_path / "logs" / folder / "run.json", manifest(environment={"driver_version": "580.159"}))

    first = ingest(tmp_path / "logs", db=db)
    ingest(tmp_path / "logs" / "b", db=db2)
    ingest(tmp_path / "logs" / "a", db=db2)

    assert (first.files["loaded"], first.files["duplicate"]) == (3, 1)
    for ledger in (db, db2):
        assert ask(
            ledger, "select driver_version, count(*) from run join environment using (environment_id) group by 1"
        ) == [("580.159", 2)]
        assert one(ledger, "select count(*) from log where format = 'benchledger-manifest'") == 1


def test_where_its_logs_hold_several_runs_how_it_ended_is_said_of_none(told: Path) -> None:
    assert of_root(told, "several", "run", "status") == [("ok",), ("ok",)]
    assert facts_of(told, "several", "exit_code") == []
    assert [row[:2] for row in facts_of(told, "several", "nodes")].count(("1", "manifest")) == 2


BAD = {
    '{"benchledger_manifest": 2, "files": []}': "benchledger_manifest is 2; this benchledger reads version 1",
    '{"benchledger_manifest": true, "files": []}': "benchledger_manifest is True; this benchledger",
    '{"benchledger_manifest": 1}': "files is missing: list the run's logs",
    '{"benchledger_manifest": 1, "files": "train.log"}': "files must be a list of names, not 'train.log'",
    '{"benchledger_manifest": 1, "files": ["/etc/passwd"]}': "file '/etc/passwd' does not lie below",
    '{"benchledger_manifest": 1, "files": ["a/../../train.log"]}': "file 'a/../../train.log' does not lie below",
    '{"benchledger_manifest": 1, "files": [""]}': "file '' does not lie below",
    '{"benchledger_manifest": 1, "files": [], "host": "x"}': "unknown key 'host'; known: benchledger_manifest, run, ",
    '{"benchledger_manifest": 1, "files": [], "case": {"gpu": 1}}': "unknown key 'gpu' in case; known: framework, ",
    '{"benchledger_manifest": 1, "files": [], "case": {"gpus": "8"}}': "'8' is no value of case.gpus; it must be a count",
    '{"benchledger_manifest": 1, "files": [], "case": {"options": {"x": 1}}}': "unknown option 'x'; known: ",
    '{"benchledger_manifest": 1, "files": [], "trial": 0}': "0 is no value of trial; it must be a count",
    '{"benchledger_manifest": 1, "files": [], "started_at": "noon"}': "'noon' is no value of started_at; it must be a time",
    '{"benchledger_manifest": 1, "files": [], "exit_code": true}': "True is no value of exit_code",
    '{"benchledger_manifest": 1, "files": [], "environment": 5}': "environment must be an object, not 5",
    '{"benchledger_manifest": 1, "files": [], "trial": 1, "trial": 2}': "the key 'trial' occurs twice",
    '{"benchledger_manifest": 1, "files": [': "no JSON: ",
}  # fmt: skip


def test_a_bad_manifest_is_a_clear_reject_and_states_nothing(db: Path, tmp_path: Path) -> None:
    for number, text in enumerate(BAD):
        put(tmp_path / "logs" / str(number) / "train.log", run_text(seed=number).log)
        put(tmp_path / "logs" / str(number) / "run.json", text)

    result = ingest(tmp_path / "logs", db=db)

    assert (result.files["loaded"], result.rejects, result.runs) == (2 * len(BAD), len(BAD), len(BAD))
    reasons = dict(ask(db, "select path, reject.reason from reject join sighting using (log_id)"))
    for number, problem in enumerate(BAD.values()):
        assert reasons[f"{number}/run.json"].startswith(f"bad manifest: {problem}")
    assert ask(db, "select distinct run.status from run") == [("ok",)]
    assert ask(db, "select * from run_log where role = 'manifest'") == []


def test_every_mistake_is_a_reject_with_its_line(told: Path) -> None:
    assert rejects_of(told, "mistakes", "line, text") == [
        (6, '"colour": "x",'), (7, '"trial": 0,'), (9, '"precision": "fp12"'),
    ]  # fmt: skip


def test_what_a_manifest_lists_and_nobody_saw_is_shown(db: Path, tmp_path: Path) -> None:
    from benchledger import query

    put(tmp_path / "logs" / "train.log", run_text().log)
    put(tmp_path / "logs" / "run.json", manifest(files=["train.log", "gone.csv"]))
    ingest(tmp_path / "logs", db=db)

    found = query("manifests", db=db).select("file", "file_status", "format").rows()

    assert found == [("gone.csv", "missing", None), ("train.log", "loaded", "ngc-pytorch-bert")]


def test_text_that_is_no_unicode_is_escaped_or_refused(told: Path) -> None:
    ((reason,),) = rejects_of(told, "escaped", "reject.reason")
    assert "does not lie below" in reason
    assert one(told, "select value from fact where name = 'command'") == "x\\ud800y"


def test_a_run_without_a_known_log_is_missing_from_the_table_in_which_it_would_stand(told: Path) -> None:
    (table,) = report_speed(db=told, campaign="missing").tables
    assert table.frame.rows() == [("8", "199.55", "FAILED")]
    assert str(table.coverage) == "1 of 2 cells filled; missing: 8 x fp32 BS=96: failed"


def test_plain_and_in_an_archive_a_manifest_binds_the_same(db: Path, db2: Path, tmp_path: Path) -> None:
    import zipfile

    run = run_text()
    texts = {
        "e/a/train.log": run.log,
        "e/a/out/smi.csv": run.telemetry,
        "e/a/run.json": manifest(files=["train.log", "out/smi.csv"], campaign="x", trial=2),
        "e/a/benchmark.para": "GLOBAL_BATCH 768\nGPU 8\n",
        "e/b/run.json": manifest(files=["gone.log"], exit_code=1),
    }
    for path, text in texts.items():
        put(tmp_path / "plain" / path, text)
    (tmp_path / "packed").mkdir()
    with zipfile.ZipFile(tmp_path / "packed" / "all.zip", "w") as archive:
        for path, text in texts.items():
            archive.writestr(path, text)

    ingest(tmp_path / "plain", db=db)
    ingest(tmp_path / "packed", db=db2)

    bound = "select role, paired_by, devices from run_log order by all"
    assert stable_tables(db) == stable_tables(db2)
    assert ask(db, bound) == ask(db2, bound)
    ingest(tmp_path / "packed", db=db)
    assert stable_tables(db) == stable_tables(db2)
    assert ask(db, bound) == ask(db2, bound)


def test_a_log_under_two_manifests_is_in_both_campaigns(told: Path) -> None:
    runs = [of_root(told, f"campaign {folder}", "run", "run_id") for folder in ("a", "b")]
    assert len(runs[0]) == 1
    assert runs[0] == runs[1]
    assert of_root(told, "campaign a", "(from conflict where name in ('campaign', 'trial'))", "name") == []


def test_what_only_a_manifest_states_is_no_key_of_facts_toml(db: Path, tmp_path: Path) -> None:
    put(tmp_path / "logs" / "train.log", run_text().log)
    put(tmp_path / "logs" / "facts.toml", '[correct]\nreason = "x"\nstarted_at = "2026-01-01"\n')

    result = ingest(tmp_path / "logs", db=db)

    (refused,) = [one for one in result.outcomes if one.status == "unreadable"]
    assert str(refused.reason).startswith("facts.toml:3: no fact 'started_at' here; known: framework, ")


def test_a_manifest_binds_what_lies_at_its_places_now_and_nothing_that_lay_there_before(
    db: Path, tmp_path: Path
) -> None:
    # Two runs one after another in one folder, whose manifest stays as it is.
    for seed in (30, 31):
        put(tmp_path / "logs" / "run.json", manifest(trial=seed))
        put(tmp_path / "logs" / "train.log", run_text(seed=seed).log)
        ingest(tmp_path / "logs", db=db)

    bound = "select trial, list(role order by role) from run join run_log using (run_id) group by run_id, trial order by all"
    assert ask(db, bound) == [(31, ["manifest", "train"]), (None, ["train"])]


def test_archives_from_standard_input_bind_only_their_own_logs(db: Path) -> None:
    for seed in (32, 33, 32):
        packed = tar({"run.json": manifest(trial=4), "train.log": run_text(seed=seed).log})
        ingest(db=db, stdin=io.BytesIO(packed))

    bound = "select trial, list(role order by role) from run join run_log using (run_id) group by run_id, trial"
    assert ask(db, bound) == [(4, ["manifest", "train"])] * 2
    assert ask(db, "select distinct campaign from sighting") == [("stdin",)]


def test_a_tracker_that_writes_its_folder_again_makes_another_run(db: Path, tmp_path: Path) -> None:
    for loss in (1, 2, 3):
        rows = "".join(f"{epoch},{epoch}0,{loss}.{epoch},{loss}.{epoch}\n" for epoch in range(1, 9))
        put(tmp_path / "version_0" / "metrics.csv", f"epoch,step,train_loss,val_loss\n{rows}")
        ingest(tmp_path, db=db)

    assert ask(db, "select count(*), count(distinct run_id) from run_log") == [(3, 3)]
