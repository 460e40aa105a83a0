"""Forgetting a log leaves the ledger as if the log had never been read."""

from __future__ import annotations

import io
import json
import shutil
import signal
import subprocess
import sys
import tarfile
from contextlib import closing
from pathlib import Path

import duckdb
import pytest

from benchledger import exclude, forget, ingest
from benchledger.errors import DatabaseError, NothingFoundError, UsageError, known
from benchledger.store.private_file import PrivateFile
from benchledger.store.tables import tables_of
from tests.cli.bench import run_bench
from tests.ingestion.logs import ask, one, put, run_text
from tests.store.test_lock_wait import holder

# What tells when, why a place was read, or what a ledger has been through, not what is in it.
HISTORY = {"kept.schema_version", "kept.run_alias"}
WHEN = {"sighting": "ingested_at, reason", "log": "load_number", "kept.record": "load_number"}
PLACE = "place_of(path, archive, member)"


def put_everything(top: Path) -> None:
    """Logs that are bound to each other in every way that there is."""
    first, second, third = (run_text(seed=seed, at=at) for seed, at in ((1, 0), (2, 5000), (3, 5010)))
    put(top / "twins" / "a.log", first.log)
    put(top / "twins" / "a.json", first.twin)
    put(top / "twins" / "a.csv", first.telemetry)
    # Of two runs at one time neither takes the monitor; of one it does. Only their campaign is the same.
    put(top / "watched" / "facts.toml", 'campaign = "watched"\n')
    put(top / "watched" / "x" / "x.log", second.log)
    put(top / "watched" / "y" / "y.log", third.log)
    put(top / "watched" / "all" / "all.csv", second.telemetry)
    # Two sidecars of one format bind nothing; one does, also below.
    put(top / "sides" / "one.para", "GLOBAL_BATCH 768\nGPU 8\n")
    put(top / "sides" / "two.para", "GLOBAL_BATCH 16\nGPU 1\n")
    put(top / "sides" / "facts.toml", '[[for]]\nmatch = "one*"\ncampaign = "another"\n')
    put(top / "sides" / "below" / "s.log", run_text(seed=4, at=90000).log)
    put(top / "sides" / "copy" / "a.log", first.log)
    # Manifests bind files of other folders; a monitor that two list is nobody's.
    put(top / "m" / "n" / "listed" / "m.log", run_text(seed=5, at=200000).log)
    put(top / "m" / "n" / "other" / "n.log", run_text(seed=6, at=300000).log)
    put(top / "m" / "n" / "monitor" / "gpu.csv", run_text(seed=7, at=400000).telemetry)
    for folder, files in (("m", ["n/listed/m.log", "n/monitor/gpu.csv"]), ("m/n", ["other/n.log", "monitor/gpu.csv"])):
        said = {"benchledger_manifest": 1, "files": files, "trial": 2, "exit_code": 0}
        put(top / folder / "run.json", json.dumps(said))
    put(top / "lonely" / "run.json", json.dumps({"benchledger_manifest": 1, "files": ["gone.log"], "exit_code": 1}))
    put(top / "odd.log", "nothing that anybody knows\n")
    with tarfile.open(top / "old.tar.gz", "w:gz") as tar:
        for name, seed in (("old/p.log", 8), ("old/q.log", 9)):
            text = run_text(seed=seed, at=500000 + seed * 1000).log.encode()
            info = tarfile.TarInfo(name)
            info.size, info.mtime = len(text), 1_600_000_000
            tar.addfile(info, io.BytesIO(text))


def everything(db: Path) -> dict[str, list[str]]:
    found = {}
    with duckdb.connect(str(db), read_only=True) as con:
        for name in map(str, tables_of(con)):
            columns = f"* exclude ({WHEN[name]})" if name in WHEN else "*"
            if name not in HISTORY:
                found[name] = sorted(map(repr, con.execute(f"select {columns} from {name}").fetchall()))
    return found


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("forget")
    put_everything(home / "logs")
    key = put(home / "key", "k" * 64)
    key.chmod(0o600)
    ingest(home / "logs", db=home / "bench.duckdb", key_file=key)
    return home


@pytest.fixture
def db(made: Path, tmp_path: Path) -> Path:
    for name in ("bench.duckdb", "bench.duckdb.private", "bench.duckdb.key"):
        shutil.copy(made / name, tmp_path / name)
    return tmp_path / "bench.duckdb"


def test_a_log_is_named_by_the_path_that_it_was_read_from_too(
    db: Path, made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = forget("m/n/listed/m.log", dry_run=True, db=db).logs
    monkeypatch.chdir(made)

    # By three names at once it is still one log.
    paths = (made / "logs" / "m" / "n" / "listed" / "m.log", "logs/m/n/listed/m.log", "logs/m/../m/n/listed/m.log")
    assert forget(*map(str, paths), dry_run=True, db=db).logs.equals(shown)
    for path in ("listed/m.log", "logs/m/n/listed", "logs/nothing.log"):
        with pytest.raises(NothingFoundError, match="no log "):
            forget(path, dry_run=True, db=db)


PLACES = [
    "twins/a.json", "twins/a.csv", "watched/x/x.log", "sides/one.para", "m/n/listed/m.log", "m/run.json",
    "lonely/run.json", "odd.log",
]  # fmt: skip


# Half of them together, of which none is bound to another.
@pytest.mark.parametrize("places", [PLACES[::2], PLACES[1::2]])
def test_a_ledger_is_as_if_the_forgotten_logs_had_never_been_read(
    places: list[str], db: Path, db2: Path, made: Path
) -> None:
    aside = {made / "logs" / place: made / f"aside{number}" for number, place in enumerate(places)}
    before = everything(db)

    found = forget(*places, db=db)

    for log, other in aside.items():
        log.rename(other)
    try:
        ingest(made / "logs", db=db2, key_file=made / "key")
    finally:
        for log, other in aside.items():
            other.rename(log)
    after = everything(db)
    assert after == everything(db2)
    assert after != before
    assert sorted(found.logs["places"].to_list()) == sorted([place] for place in places)
    # And they come back.
    files = ingest(made / "logs", db=db).files
    assert files["loaded"] + files["unrecognised"] == len(places)
    assert everything(db) == before


def test_a_dry_run_says_the_same_and_removes_nothing_and_a_log_at_two_places_goes_from_both(db: Path) -> None:
    before, private = everything(db), seen(db)
    assert any(place.endswith("odd.log") for place in private)

    would = forget("twins/a.log", "odd.log", dry_run=True, db=db)

    assert (everything(db), seen(db)) == (before, private)
    went = forget("twins/a.log", "odd.log", db=db)
    assert went.logs.equals(would.logs)
    assert went.runs.equals(would.runs)
    assert sorted(went.logs["places"].to_list()) == [["odd.log"], ["sides/copy/a.log", "twins/a.log"]]
    assert ask(db, f"select count(*) from sighting where {PLACE} glob '*a.log'") == [(0,)]
    # Its twin is now the run.
    [(old, new)] = went.runs.rows()
    assert new is not None
    assert ask(db, "select run_key from kept.run_alias where old_key = ?", old) == [(new,)]
    # The private file forgets the places too.
    assert not any(place.endswith(("odd.log", "/a.log")) for place in seen(db))


def test_no_table_has_a_row_of_a_forgotten_log(db: Path) -> None:
    forget(*(str(row[0]) for row in ask(db, "select log_id from log where format is not null")), db=db)

    with duckdb.connect(str(db), read_only=True) as con:
        pointing = """select schema_name || '.' || table_name, column_name
                      from duckdb_columns() join duckdb_tables() using (schema_name, table_name)
                      where column_name in ('log_id', 'status_log_id', 'sighting_id') and table_name not like 'sqlite%'"""
        for table, column in con.execute(pointing).fetchall():
            whole = "sighting" if column == "sighting_id" else "log"
            orphans = f"select count(*) from {table} where {column} not in (select {whole}_id from {whole})"
            assert con.execute(orphans).fetchone() == (0,), (table, column)
        for table in (
            "kept.record",
            "reject",
            "run",
            "run_log",
            "fact",
            "bench_case",
            "environment",
            "kept.shape",
            "kept.sighting_file",
        ):
            assert con.execute(f"select count(*) from {table}").fetchone() == (0,), table


RUN_OF = "select run_key from run join run_log using (run_id) join sighting using (sighting_id) where "


def test_what_comes_back_is_as_it_was_with_its_exclusion_and_also_in_an_archive(db: Path, made: Path) -> None:
    key = one(db, f"{RUN_OF} path = 'watched/x/x.log'")
    exclude(key, reason="bad", db=db)
    before = everything(db)

    forget("watched/x/x.log", "old.tar.gz!/old/p.log", db=db)
    assert ask(db, "select * from kept.excluded_run") == []
    result = ingest(made / "logs", db=db)

    assert (result.files["loaded"], result.files["unreadable"]) == (2, 0)
    assert ask(db, "select run_key, reason from kept.excluded_run") == [(key, "bad")]
    assert everything(db) == before


def test_an_exclusion_stays_with_the_twin_and_with_the_log_that_comes_back(db: Path, made: Path) -> None:
    key = one(db, f"{RUN_OF} role = 'duplicate_stream'")
    exclude(key, reason="bad", db=db)

    [(_, twin_key)] = forget("twins/a.log", db=db).runs.rows()
    assert ask(db, "select run_key from kept.excluded_run") == [(twin_key,)]
    ingest(made / "logs", db=db)

    assert ask(db, "select run_key, reason from kept.excluded_run") == [(key, "bad")]


def seen(db: Path) -> dict[str, object]:
    with closing(PrivateFile(db)) as private:
        return dict(private.seen())


def test_a_ledger_without_its_private_files_forgets_too_and_makes_none(db: Path) -> None:
    for name in ("bench.duckdb.private", "bench.duckdb.key"):
        db.with_name(name).unlink()

    forget("odd.log", db=db)

    assert [path.name for path in db.parent.iterdir()] == ["bench.duckdb"]


@pytest.mark.parametrize("when", ["derive", "_forget_places"])
def test_a_kill_leaves_the_ledger_whole(when: str, db: Path, made: Path) -> None:
    before = everything(db)
    code = f"""
import os, signal
from benchledger.ingestion import forget
forget.{when} = lambda *given: os.kill(os.getpid(), signal.SIGKILL)
forget.forget("old.tar.gz!/old/p.log", "watched/x/x.log", db={str(db)!r})
"""
    killed = subprocess.run([sys.executable, "-c", code], cwd=Path(__file__).parents[2], check=False)
    assert killed.returncode == -signal.SIGKILL

    assert (everything(db) == before) == (when == "derive")
    ingest(made / "logs", db=db)
    assert everything(db) == before


def test_a_log_is_named_by_hash_id_or_place(db: Path) -> None:
    log_id, content_hash = one(
        db, "select log_id, content_hash from log join sighting using (log_id) where path = 'odd.log'"
    )
    names = (content_hash, content_hash[:10].upper(), str(log_id), "odd.log", "odd.log:1")
    assert forget(*names, dry_run=True, db=db).logs["log_id"].to_list() == [log_id]


def test_what_names_no_log_removes_nothing(db: Path) -> None:
    before = everything(db)
    for names, error, says in (
        (("odd.log", "none.log"), NothingFoundError, "no log 'none.log'; known: "),
        (("",), NothingFoundError, "no log"),
        ((), UsageError, "give the LOG"),
    ):
        with pytest.raises(error, match=says):
            forget(*names, db=db)
    assert everything(db) == before


def test_of_a_place_where_a_log_grew_the_grown_one_is_meant(tmp_path: Path) -> None:
    db, text = tmp_path / "bench.duckdb", run_text().log
    for part in (2, 1):
        put(tmp_path / "logs" / "a.log", text[: len(text) // part])
        ingest(tmp_path / "logs", db=db)

    forget("a.log", db=db)

    assert ask(db, "select status from sighting") == [("superseded",)]
    ingest(tmp_path / "logs", db=db)
    assert ask(db, "select status from run") == [("ok",)]


def test_a_missing_and_a_held_ledger(tmp_path: Path, db: Path) -> None:
    with pytest.raises(DatabaseError, match="no such database"):
        forget("a", db=tmp_path / "none.duckdb")
    with holder(db, "r"):
        assert run_bench("forget", "odd.log", "--wait", "0", db=db).exit_code == 3


def test_the_command_says_what_went_and_that_it_comes_back(db: Path) -> None:
    result = run_bench("forget", "odd.log", "--dry-run", db=db)
    assert (result.exit_code, "nothing was removed" in result.stderr) == (0, True)

    result = run_bench("forget", "twins/a.log", "--format", "json", db=db)

    assert json.loads(result.stdout)["logs"][0]["format"] == "ngc-pytorch-bert"
    assert "the next ingest of the same places reads these logs again" in result.stderr.lower()


def test_a_place_names_its_log_though_the_hash_of_another_begins_so(tmp_path: Path) -> None:
    db = tmp_path / "bench.duckdb"
    put(tmp_path / "logs" / "other.log", run_text(seed=1).log)
    ingest(tmp_path / "logs", db=db)
    begun = one(db, "select content_hash from log")
    put(tmp_path / "logs" / begun[0], run_text(seed=2, at=5000).log)
    put(tmp_path / "logs" / begun[:6], run_text(seed=3, at=9000).log)
    ingest(tmp_path / "logs", db=db)

    gone = forget(begun[0], db=db)

    assert gone.logs["places"].to_list() == [[begun[0]]]
    before = everything(db)
    with pytest.raises(UsageError, match="names 2 logs; name one by its hash: "):
        forget(begun[:6], db=db)
    assert everything(db) == before
    assert forget(begun[:7], db=db).logs["places"].to_list() == [["other.log"]]


def test_fewer_than_six_digits_of_a_hash_name_no_log(db: Path) -> None:
    begun = one(db, f"select content_hash from log join sighting using (log_id) where {PLACE} = 'odd.log'")[:5]

    with pytest.raises(NothingFoundError, match="no log "):
        forget(begun, db=db)


def test_of_long_names_the_nearest_three_are_told_and_what_lists_all() -> None:
    names = [f"{'folder/' * 20}run{number}.log" for number in range(590)]

    said = known(names, f"{'folder/' * 20}run77.log", "bench report logs")

    assert said.startswith(f"{names[77]}, ")
    assert said.endswith(".log and 587 more (bench report logs lists them)")
    assert said.count("run") == 3
