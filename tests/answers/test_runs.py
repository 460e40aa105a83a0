"""The runs, their failures, and one run."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from benchledger import report_failures, runs, show_run
from benchledger.errors import NothingFoundError, UsageError
from benchledger.store.database import open_for_writing
from tests.ledger_rows import START, ledger_rows


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    db = tmp_path_factory.mktemp("runs") / "bench.duckdb"
    with ledger_rows(db) as ledger:
        run = ledger.run(127.09, key="aaaa00000000-1")
        ledger.device_memory(run, ("0", 9000.0))
        ledger.fact(run, "gpus", "1", "log", used=True, line=3)
        ledger.fact(run, "gpus", "8", "name", used=False)
        ledger.run(1018.40, key="aaaa11111111-1", gpus=8)
        oom = {"status": "oom", "reason": "out of memory", "text": "CUDA out of memory", "path": "logs/oom.log"}
        ledger.run(key="bbbb00000000-1", campaign="other", **oom)
        ledger.insert("kept.run_alias", old_key="cccc00000000-1", run_key="bbbb00000000-1")
        ledger.insert("kept.exclusion", run_key="aaaa11111111-1", reason="wrong driver", excluded_at=START)
    return db


def test_runs_are_listed_newest_first(db: Path) -> None:
    assert runs(db=db)["run_key"].to_list() == ["bbbb00000000-1", "aaaa11111111-1", "aaaa00000000-1"]


def test_runs_are_filtered_by_case_status_and_campaign(db: Path) -> None:
    assert runs(db=db, status="oom")["run_key"].to_list() == ["bbbb00000000-1"]
    assert runs(db=db, gpus=8)["run_key"].to_list() == ["aaaa11111111-1"]
    assert runs(db=db, campaign="ngc", limit=1)["run_key"].to_list() == ["aaaa11111111-1"]


def test_an_unknown_status_lists_those_that_there_are(db: Path) -> None:
    with pytest.raises(NothingFoundError, match="no run with status 'broken'; known: ok, oom"):
        runs(db=db, status="broken")


def test_an_excluded_run_stays_listed_with_its_reason(db: Path) -> None:
    assert runs(db=db, gpus=8)["excluded"].to_list() == ["wrong driver"]


def test_a_run_of_two_campaigns_is_found_in_both(db: Path, tmp_path: Path) -> None:
    db = Path(shutil.copy(db, tmp_path))
    with open_for_writing(db) as con:
        con.execute(
            "insert into sighting select * replace (sighting_id + 1000 as sighting_id, 'copy' as campaign) "
            "from sighting where path = 'logs/oom.log'"
        )

    assert runs(db=db, status="oom")["campaign"].to_list() == ["copy", "other"]
    assert runs(db=db, campaign="copy")["run_key"].to_list() == ["bbbb00000000-1"]


def test_a_failure_names_status_reason_line_and_text(db: Path) -> None:
    table = report_failures(db=db).tables[0]

    assert table.frame.to_dicts() == [
        {
            "campaign": "other",
            "run": "bbbb00000000-1",
            "case": "bert_base_bs32_fp32_1",
            "gpu_model": "V100-SXM2-16GB",
            "status": "oom",
            "reason": "out of memory",
            "line": "logs/oom.log:100",
            "text": "CUDA out of memory",
        }
    ]
    assert table.notes == ("1 of 2 runs failed",)


def test_no_failure_is_said_in_a_sentence(db: Path) -> None:
    report = report_failures(db=db, campaign="ngc")

    assert (report.tables, report.cells.height) == ((), 0)
    assert report.notes == ("none of the 1 runs asked for failed", "1 run is excluded; see bench exclude --list")


def test_a_run_shows_its_logs_facts_speeds_and_memory(db: Path) -> None:
    detail = show_run("aaaa0", db=db)

    assert detail.run_key == "aaaa00000000-1"
    assert detail.campaigns == ("ngc",)
    assert detail.logs["role"].to_list() == ["train", "telemetry"]
    assert detail.logs.row(0, named=True)["log"] == "logs/aaaa00000000-1.log"
    assert detail.facts.select("name", "value", "used", "source").rows() == [
        ("gpus", "1", True, "log"),
        ("gpus", "8", False, "name"),
    ]
    assert detail.speeds.select("rule", "value", "unit").rows() == [("ngc.summary", 127.09, "samples/s")]
    assert detail.memory.select("definition", "device", "value_mib").rows() == [("device", "0", 9000.0)]


def test_a_run_shows_the_line_that_decided_its_status(db: Path) -> None:
    status = show_run("bbbb00000000-1", db=db).status

    assert status == {
        "status": "oom",
        "reason": "out of memory",
        "text": "CUDA out of memory",
        "place": "logs/oom.log:100",
    }


def test_a_key_that_a_run_once_had_still_finds_it(db: Path) -> None:
    assert show_run("cccc00000000-1", db=db).run_key == "bbbb00000000-1"


def test_an_ambiguous_key_lists_the_runs_that_it_begins(db: Path) -> None:
    with pytest.raises(UsageError, match="'aaaa' matches 2 run keys: aaaa00000000-1, aaaa11111111-1"):
        show_run("aaaa", db=db)


@pytest.mark.parametrize("run", ["dddd", "", "%"])
def test_an_unknown_key_lists_the_known_ones(db: Path, run: str) -> None:
    with pytest.raises(NothingFoundError, match=r"no run '.*'; known: .*aaaa00000000-1"):
        show_run(run, db=db)
