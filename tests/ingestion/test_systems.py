"""Systems: the machine of a run, as a manifest, facts.toml or the name of a folder states it."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from benchledger import ingest
from tests.cli.bench import run_bench
from tests.ingestion.conftest import Given, given
from tests.ingestion.logs import ask, put, run_text

SYSTEMS = "select distinct system from speed_table where is_default order by all"


def test_a_results_repository_names_its_machines_by_folders_plain_and_zipped(
    db: Path, db2: Path, tmp_path: Path
) -> None:
    for seed, machine in enumerate(("4xA6000_v1", "2x3090 desk", "LambdaCloud_V100")):
        put(tmp_path / "repo" / "results" / machine / "PyTorch_bert_base_squad_FP16" / "a.txt", run_text(seed=seed).log)
    with zipfile.ZipFile(tmp_path / "repo.zip", "w") as packed:
        for path in sorted((tmp_path / "repo").rglob("*.txt")):
            packed.write(path, path.relative_to(tmp_path).as_posix())

    ingest(tmp_path / "repo", db=db)
    ingest(tmp_path / "repo.zip", db=db2)

    assert ask(db, SYSTEMS) == [("2x3090 desk",), ("4xA6000_v1",), ("LambdaCloud_V100",)]
    assert ask(db2, SYSTEMS) == ask(db, SYSTEMS)


@pytest.mark.parametrize("packed", [False, True])
def test_the_folder_that_was_named_is_a_system_too(db: Path, tmp_path: Path, packed: bool) -> None:
    log = put(tmp_path / "4xA6000_v1" / "PyTorch_bert_base_squad_FP16" / "a.txt", run_text().log)
    if packed:
        with zipfile.ZipFile(tmp_path / "4xA6000_v1.zip", "w") as archive:
            archive.write(log, "PyTorch_bert_base_squad_FP16/a.txt")

    ingest(tmp_path / ("4xA6000_v1.zip" if packed else "4xA6000_v1"), db=db)

    assert ask(db, SYSTEMS) == [("4xA6000_v1",)]


PRIVATE = "LambdaOD_1xGH200_192-222-58-35_v2"


@given({f"results/{PRIVATE}/PyTorch_bert_base_squad_FP16/a.txt": run_text(seed=10).log})
def test_a_private_name_of_a_system_is_the_pseudonym_of_its_folder(own: Given) -> None:
    (system,) = {system for (system,) in own.ask(SYSTEMS)}
    assert system not in (None, PRIVATE)
    assert system.startswith("LambdaOD_1xGH200_ip-")
    assert all(f"results/{system}/" in path for (path,) in own.ask("select path from sighting"))
    assert own.ask("select distinct value, value_logged from fact where name = 'system'") == [(system, system)]


def test_runs_on_two_systems_are_never_averaged_nor_compared(db: Path, tmp_path: Path) -> None:
    for seed, (machine, gpus, speed) in enumerate((("a", 1, 100), ("b", 1, 300), ("b", 8, 2000))):
        log = run_text(seed=seed, gpus=gpus, speed=speed).log
        put(tmp_path / "logs" / "machines" / machine / f"{gpus}.log", log)
    put(tmp_path / "logs" / "facts.toml", 'campaign = "both"\n[[for]]\nmatch = "8.log"\n[for.case]\ngpus = 8\n')

    ingest(tmp_path / "logs", db=db)

    assert ask(db, "select system, gpus, trials from speed_table where is_default order by all") == [
        ("a", 1, 1),
        ("b", 1, 1),
        ("b", 8, 1),
    ]
    bases = """
        select distinct s.system, b.system from speedup_table s join series b on b.series_id = s.base_series_id
        where s.is_default order by all
    """
    assert ask(db, bases) == [("a", "a"), ("b", "b")]


@given({
    "a.log": run_text(seed=14).log,
    "b.log": run_text(seed=15).log,
    "facts.toml": '[[for]]\nmatch = "a.log"\n[for.environment]\nsystem = "dgx1"\n',
})  # fmt: skip
def test_a_run_that_names_no_system_joins_the_only_one_of_its_case(own: Given) -> None:
    assert own.ask("select system, trials from speed_table where is_default") == [("dgx1", 2)]


NEW = {"benchledger_manifest": 1, "environment": {"system": "new"}, "files": ["a.log"]}


@given({"machines/old/a.log": run_text(seed=16).log, "machines/old/manifest.json": json.dumps(NEW)})
def test_a_manifest_outweighs_the_folder(own: Given) -> None:
    assert own.ask(SYSTEMS) == [("new",)]
    assert own.ask("select used_value, other_value from conflict where name = 'system'") == [("new", "old")]


def test_every_report_names_and_filters_systems(db: Path, tmp_path: Path) -> None:
    for seed, machine in enumerate(("a", "b")):
        put(tmp_path / "logs" / "machines" / machine / "x.log", run_text(seed=seed).log)
    ingest(tmp_path / "logs", db=db)

    commands = (
        ["report", "speed"],
        ["report", "speedup"],
        ["export", "leaderboard", "--format", "markdown"],
        ["runs"],
        ["report", "max-batch"],
    )
    for command in commands:
        told = run_bench(*command, "--system", "b", db=db).stdout
        assert "system" in told, command
        assert "machines/b" in told, command
        assert "machines/a" not in told, command
    refused = run_bench("runs", "--system", "c", db=db)
    assert refused.exit_code == 1
    assert "known: a, b" in refused.stderr
