"""An excluded run is in no table, says why wherever it is listed, and stays excluded whatever becomes of its log."""

from __future__ import annotations

import getpass
from pathlib import Path

import pytest

import benchledger
from benchledger import exclude, exclusions, ingest, runs, show_run
from benchledger.errors import DatabaseError, NothingFoundError, UsageError
from benchledger.store import database
from tests.cli.bench import run_bench
from tests.ingestion.logs import ask, one, put, run_text
from tests.store.test_lock_wait import holder

TABLES = ("speed_table", "memory_table", "speedup_table", "kept.failure_table", "leaderboard", "convergence_table")


def key_of(db: Path, log: str) -> str:
    return str(
        one(
            db,
            "select run_key from run join run_log using (run_id) join sighting using (sighting_id) where path glob ?",
            f"*{log}",
        )
    )


def test_an_excluded_run_leaves_every_table_and_comes_back_with_undo(db: Path) -> None:
    keys = runs(db=db)["run_key"].to_list()
    before = {table: ask(db, f"select * from {table} order by all") for table in TABLES}

    exclude(*keys, reason="wrong driver", db=db)

    assert {table: ask(db, f"select * from {table}") for table in TABLES} == {table: [] for table in TABLES}
    exclude(*keys, undo=True, db=db)
    assert {table: ask(db, f"select * from {table} order by all") for table in TABLES} == before
    assert before["speed_table"]
    assert before["kept.failure_table"]


def test_the_speed_of_a_series_is_that_of_the_trials_that_are_left(db: Path) -> None:
    exclude(key_of(db, "b.log"), reason="warm", db=db)

    report = benchledger.report_speed(db=db, gpus=1)

    assert report.cells["trials"].to_list() == [1]
    assert report.notes == ("1 run is excluded; see bench exclude --list",)


def test_reports_of_excluded_runs_only_say_so(db: Path) -> None:
    exclude(*runs(db=db)["run_key"], reason="all wrong", db=db)

    for words in (["speed"], ["memory"], ["speedup"], ["failures"], ["environment"]):
        result = run_bench("report", *words, db=db)

        assert result.exit_code == 1
        assert "all 3 selected runs are excluded; see bench exclude --list" in result.stderr


def test_runs_and_show_say_why_by_whom_and_when(db: Path) -> None:
    key = key_of(db, "a.log")

    done = run_bench("exclude", key[:6], "--reason", "wrong driver", "--by", "bench team", db=db)

    assert done.exit_code == 0, done.stderr
    assert "left out of every table: 1 run\n" in done.stderr
    assert dict(runs(db=db).select("run_key", "excluded").rows())[key] == "wrong driver"
    assert "wrong driver" in run_bench("runs", db=db).stdout
    assert "excluded from every table by bench team on 20" in run_bench("show", key, db=db).stdout
    detail = show_run(key, db=db).excluded
    assert detail is not None
    assert (detail["reason"], detail["excluded_by"]) == ("wrong driver", "bench team")


def test_nobody_is_noted_unless_named_and_private_names_are_replaced(db: Path) -> None:
    exclude(key_of(db, "a.log"), reason="node 10.81.2.3 was throttled, says ann@example.com", db=db)

    [(reason, who)] = ask(db, "select reason, excluded_by from kept.exclusion")

    assert who is None
    assert "10.81.2.3" not in reason
    assert "ann@" not in reason
    assert reason.startswith("node ip-")
    assert getpass.getuser() not in str(who)


def test_excluding_again_gives_the_new_reason(db: Path) -> None:
    key = key_of(db, "a.log")
    exclude(key, reason="first", db=db)

    exclude(key, reason="second", db=db)

    assert ask(db, "select run_key, reason from kept.exclusion") == [(key, "second")]


def test_a_refused_exclusion_writes_nothing(db: Path) -> None:
    key = key_of(db, "a.log")
    for words, given, error in (
        ((key, "zzz"), {"reason": "x"}, NothingFoundError),
        ((key,), {}, UsageError),
        ((key,), {"reason": "  "}, UsageError),
        ((), {"reason": "x"}, UsageError),
        (("",), {"reason": "x"}, NothingFoundError),
        ((key,), {"undo": True}, NothingFoundError),
        ((key,), {"undo": True, "reason": "x"}, UsageError),
    ):
        with pytest.raises(error):
            exclude(*words, **given, db=db)  # type: ignore[arg-type]

    assert exclusions(db=db).height == 0


def test_a_missing_ledger_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(DatabaseError, match="no such database"):
        exclude("a", reason="x", db=tmp_path / "none.duckdb")

    assert list(tmp_path.iterdir()) == []


def test_a_held_ledger_is_exit_3(db: Path) -> None:
    with holder(db, "r"):
        result = run_bench("exclude", "a", "--reason", "x", "--wait", "0", db=db)

    assert result.exit_code == 3
    assert "held by" in result.stderr


def test_a_command_that_waits_says_for_whom_unless_it_is_to_be_quiet(db: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "REPORT_AFTER_S", 0.1)
    with holder(db, "w"):
        loud, quiet = (
            run_bench(*words, "exclude", "a", "--reason", "x", "--wait", "1", db=db) for words in ((), ("-q",))
        )

    assert "waiting until it lets go, at most 1 s" in loud.stderr
    assert "waiting until" not in quiet.stderr


def test_the_list_is_for_itself(db: Path) -> None:
    assert run_bench("exclude", "--list", db=db).exit_code == 0
    assert run_bench("exclude", "a", "--list", db=db).exit_code == 2


def left_out(db: Path) -> list[tuple[str, str]]:
    return ask(db, "select run_key, reason from kept.excluded_run")


def test_an_exclusion_survives_a_refresh(new_db: Path, tmp_path: Path) -> None:
    db = new_db
    put(tmp_path / "logs" / "a.log", run_text().log)
    ingest(tmp_path / "logs", db=db)
    key = one(db, "select run_key from run")
    exclude(key, reason="bad", db=db)

    ingest(tmp_path / "logs", db=db, refresh=True)

    assert left_out(db) == [(key, "bad")]


def test_an_exclusion_follows_a_run_whose_key_changes_and_changes_back(new_db: Path, tmp_path: Path) -> None:
    db = new_db
    written = run_text()
    put(tmp_path / "logs" / "a.json", written.twin)
    ingest(tmp_path / "logs", db=db)
    old = one(db, "select run_key from run")
    exclude(old, reason="bad", db=db)

    put(tmp_path / "logs" / "a.log", written.log)
    ingest(tmp_path / "logs", db=db)

    new = one(db, "select run_key from run")
    assert new != old
    assert left_out(db) == [(new, "bad")]
    assert runs(db=db)["excluded"].to_list() == ["bad"]
    assert exclusions(db=db).select("excluded_key", "run_key").rows() == [(old, new)]
    exclude(new, reason="worse", db=db)
    assert left_out(db) == [(new, "worse")]
    exclude(old, undo=True, db=db)
    assert left_out(db) == []


def test_an_exclusion_follows_a_log_that_grows(new_db: Path, tmp_path: Path) -> None:
    db = new_db
    text = run_text().log
    put(tmp_path / "logs" / "a.log", text[: len(text) // 2])
    ingest(tmp_path / "logs", db=db)
    exclude(one(db, "select run_key from run"), reason="bad", db=db)

    put(tmp_path / "logs" / "a.log", text)
    ingest(tmp_path / "logs", db=db)

    assert left_out(db) == [(one(db, "select run_key from run"), "bad")]
