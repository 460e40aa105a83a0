"""The ledger's file: what is in it, copies that equal it, and what must hold in it."""

from __future__ import annotations

import json
import shutil
import stat
from contextlib import closing
from pathlib import Path

import duckdb
import pytest

from benchledger import (
    db_backup,
    db_check,
    db_compact,
    db_info,
    db_migrate,
    exclude,
    forget,
    ingest,
    runs,
)
from benchledger.errors import DatabaseError, UsageError
from benchledger.store import migrations
from benchledger.store.database import open_for_writing
from benchledger.store.migrations import migrate, shipped_migrations
from benchledger.store.tables import Table, tables_of
from benchledger.upkeep.check import _rows
from tests.cli.bench import run_bench
from tests.ingestion.logs import accept_runs, ask, put, run_text
from tests.store.test_lock_wait import holder

VIEWS = "select view_name, comment from duckdb_views() where not internal order by all"


def everything(db: Path) -> dict[str, list[str]]:
    with duckdb.connect(str(db), read_only=True) as con:
        names = list(map(str, tables_of(con)))
        found = {name: sorted(map(repr, con.execute(f"select * from {name}").fetchall())) for name in names}
        return {**found, "views": sorted(map(repr, con.execute(VIEWS).fetchall()))}


def test_info_counts_what_is_in_the_ledger(db: Path) -> None:
    info = db_info(db=db)

    assert (info.path, info.bytes, info.private, info.problem) == (str(db), db.stat().st_size, True, None)
    assert info.schema_version == info.needs_version == shipped_migrations()[-1].version
    counts = {(what, status): count for what, status, count in info.counts.rows()}
    assert counts["runs", "ok"] == 2
    assert counts["runs", "oom"] == 1
    assert counts["files seen", "loaded"] == counts["logs", "read"] == 3
    assert counts["pieces", "records"] == ask(db, "select count(*) from kept.record")[0][0]
    assert info.formats.row(0, named=True)["logs"] == 3
    assert dict(info.tables.select("table", "rows").rows())["run"] == 3
    assert info.first_ingest is not None
    assert info.first_ingest == info.last_ingest


def test_info_is_printed_as_text_and_as_json(db: Path) -> None:
    text, form = run_bench("db", "info", db=db), run_bench("db", "info", "--format", "json", db=db)

    assert (text.exit_code, form.exit_code) == (0, 0)
    assert "private file: there" in text.stdout
    assert "| ngc-pytorch-bert " in text.stdout
    assert json.loads(form.stdout)["counts"][0]["what"] == "files seen"


@pytest.fixture
def two_steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The shipped migrations and two made-up ones behind them: a later release."""
    folder = tmp_path / "migrations"
    folder.mkdir()
    for step in shipped_migrations():
        shutil.copy(step.path, folder)
    last = shipped_migrations()[-1].version
    put(
        folder / f"{last + 1:04}_colour.sql",
        "alter table run add column colour varchar; comment on column run.colour is 'x';",
    )
    put(folder / f"{last + 2:04}_blue.sql", "update run set colour = 'blue';")
    later = shipped_migrations(folder)
    monkeypatch.setattr(migrations, "shipped_migrations", lambda: later)
    return folder


def test_an_older_ledger_is_told_of_and_migrated_step_by_step(db: Path, two_steps: Path) -> None:
    exclude_key = ask(db, "select min(run_key) from run")[0][0]
    with duckdb.connect(str(db)) as con:
        con.execute("insert into kept.exclusion values (?, 'bad', now()::timestamp, null)", [exclude_key])

    info = db_info(db=db)
    assert info.needs_version == info.schema_version + 2
    assert "bench db migrate" in str(info.problem)
    assert run_bench("runs", db=db).exit_code == 1

    steps = db_migrate(db=db)

    assert steps.filter("now")["version"].to_list() == [info.schema_version + 1, info.schema_version + 2]
    assert ask(db, "select distinct colour from run") == [("blue",)]
    assert ask(db, "select run_key, reason from kept.excluded_run") == [(exclude_key, "bad")]
    assert db_migrate(db=db).filter("now").height == 0


def test_a_migration_that_was_killed_before_the_rules_of_today_came_is_completed(db: Path) -> None:
    rules = ask(db, "select rule from kept.rule order by all")
    with duckdb.connect(str(db)) as con:
        con.execute("delete from kept.rule where rule like 'steps.%'; delete from kept.synced_definitions")
    assert ask(db, "select rule from kept.rule order by all") != rules

    assert db_migrate(db=db).filter("now").height == 0

    assert ask(db, "select rule from kept.rule order by all") == rules


def test_a_ledger_of_each_version_is_migrated_to_the_last(tmp_path: Path, two_steps: Path) -> None:
    steps, older = migrations.shipped_migrations(), tmp_path / "older.duckdb"
    for version in range(1, len(steps)):
        with duckdb.connect(str(older)) as con:
            assert migrate(con, str(older), steps[:version]) == [version]
        path = shutil.copy(older, tmp_path / f"{version}.duckdb")

        assert db_migrate(db=path).filter("now")["version"].to_list() == list(range(version + 1, len(steps) + 1))


def test_a_step_that_fails_leaves_the_version_before_it(db: Path, two_steps: Path) -> None:
    put(next(two_steps.glob("*_blue.sql")), "update run set colour = 'blue'; select * from nothing;")

    with pytest.raises(DatabaseError, match=r"_blue\.sql failed and was undone"):
        db_migrate(db=db)

    assert ask(db, "select max(version) from kept.schema_version") == [(len(shipped_migrations()) + 1,)]
    assert ask(db, "select distinct colour from run") == [(None,)]


def test_a_backup_equals_the_ledger_and_goes_on_like_it(db: Path, made: Path, tmp_path: Path) -> None:
    exclude(runs(db=db)["run_key"][0], reason="bad", db=db)
    target = tmp_path / "copies" / "copy.duckdb"
    target.parent.mkdir()

    made_copy = db_backup(target, db=db)

    assert everything(target) == everything(db)
    assert sorted(path.name for path in target.parent.iterdir()) == [
        "copy.duckdb", "copy.duckdb.key", "copy.duckdb.private",
    ]  # fmt: skip
    assert made_copy.private == (f"{target}.private", f"{target}.key")
    for private in ("private", "key"):
        assert stat.S_IMODE(Path(f"{target}.{private}").stat().st_mode) == 0o600
    # Its list of files knows the places: nothing is read again.
    assert ingest(made / "logs", db=target).files == {"unchanged": 3}
    assert db_check(db=target)["ok"].all()


def test_a_public_backup_tells_nothing_of_people_or_of_other_files(db: Path, made: Path, tmp_path: Path) -> None:
    put(tmp_path / "more" / "secret-customer.txt", "quarterly plans of the secret customer\n")
    ingest(tmp_path / "more", db=db)
    exclude(runs(db=db)["run_key"][0], reason="bad", by="Ann Example", db=db)
    accept_runs(db, "known", by="Ann Example", of="(from run limit 1)")
    target = tmp_path / "public.duckdb"
    assert b"Ann Example" in db.read_bytes()

    assert db_backup(target, public=True, db=db).private == ()

    content = target.read_bytes()
    assert b"Ann Example" not in content
    assert b"secret-customer" not in content
    assert not Path(f"{target}.private").exists()
    assert not Path(f"{target}.key").exists()
    assert ask(target, "select reason, excluded_by from kept.exclusion") == [("bad", None)]
    assert ask(target, "select reason, accepted_by from kept.accepted_change") == [("known", None)]
    for table in ("run", "kept.record", "fact", "speed_table", "memory_table", "kept.failure_table", "reject"):
        assert ask(target, f"select * from {table} order by all") == ask(db, f"select * from {table} order by all")
    assert db_check(db=target)["ok"].all()


def test_a_backup_overwrites_only_by_force_and_never_the_ledger(db: Path, tmp_path: Path) -> None:
    target = put(tmp_path / "copy.duckdb", "mine")
    with pytest.raises(UsageError, match="exists already"):
        db_backup(target, db=db)
    with pytest.raises(UsageError, match="is not a copy of a ledger"):
        db_backup(target, force=True, db=db)
    assert target.read_text() == "mine"
    with duckdb.connect(tmp_path / "mine.duckdb") as con:
        con.execute("create table mine as select 1 as number")
    with pytest.raises(UsageError, match="is not a copy of a ledger"):
        db_backup(tmp_path / "mine.duckdb", force=True, db=db)
    for own in (db, Path(f"{db}.private"), Path(f"{db}.key")):
        with pytest.raises(UsageError, match="is the ledger itself"):
            db_backup(own, force=True, db=db)
    with pytest.raises(UsageError, match=r"folder .* does not exist"):
        db_backup(tmp_path / "no" / "copy.duckdb", db=db)

    other = tmp_path / "other.duckdb"
    ingest(put(tmp_path / "other" / "run.log", run_text(seed=5).log), db=other)
    with pytest.raises(UsageError, match=r"other.duckdb: is a ledger with another key, so no copy of .*bench.duckdb"):
        db_backup(other, force=True, db=db)

    target.write_bytes(b"")
    for end in ("private", "key", "logs"):
        notes = put(Path(f"{target}.{end}"), "mine")
        with pytest.raises(UsageError, match=f"{end}: is not a private file of a copy"):
            db_backup(target, force=True, db=db)
        notes.unlink()
    db_backup(target, force=True, db=db)
    # One that was kept in private does not lie beside a public one.
    db_backup(target, force=True, public=True, db=db)

    assert sorted(path.name for path in tmp_path.glob("copy*")) == ["copy.duckdb"]


def test_what_was_forgotten_is_still_in_the_file_until_it_is_compacted(db: Path, tmp_path: Path) -> None:
    for number in range(3):
        text = "".join(f"no format knows {number} {line} of the vanished customer\n" for line in range(5000))
        put(tmp_path / "more" / f"vanished-customer-{number}.txt", text)
    ingest(tmp_path / "more", db=db)
    db.chmod(0o640)
    with duckdb.connect(str(db)) as con:
        con.execute("create view mine as select run_key from run")
    before_forgetting = everything(db)

    forget(*(f"vanished-customer-{number}.txt" for number in range(3)), db=db)
    before = everything(db)
    compacted = db_compact(db=db)

    assert everything(db) == before != before_forgetting
    assert compacted.bytes_after == db.stat().st_size <= compacted.bytes_before
    assert b"vanished" not in db.read_bytes()
    assert stat.S_IMODE(db.stat().st_mode) == 0o640
    assert len(ask(db, "select * from mine")) == 3
    assert sorted(path.name for path in db.parent.glob("bench*")) == [
        "bench.duckdb", "bench.duckdb.key", "bench.duckdb.private",
    ]  # fmt: skip


def test_a_copy_that_cannot_be_written_leaves_what_was_there(
    db: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "copy.duckdb"
    db_backup(target, public=True, db=db)
    before, older = db.read_bytes(), target.read_bytes()

    def full(*_: object) -> None:
        raise duckdb.IOException("IO Error: No space left on device")

    monkeypatch.setattr("benchledger.store.copies._compare", full)
    for copying in (lambda: db_backup(target, force=True, db=db), lambda: db_compact(db=db)):
        with pytest.raises(DatabaseError, match=r"No space left on device\. Free some disk space"):
            copying()

    assert target.read_bytes() == older
    assert db.read_bytes() == before
    assert sorted(path.name for path in tmp_path.glob("*duckdb*")) == [
        "bench.duckdb",
        "bench.duckdb.key",
        "bench.duckdb.private",
        "copy.duckdb",
    ]


@pytest.mark.parametrize(("log", "told"), [(b"rows", "is kept in"), (b"", "is unchanged: ")])
def test_a_ledger_that_cannot_be_compacted_for_want_of_space_is_told_as_that(
    db: Path, monkeypatch: pytest.MonkeyPatch, log: bytes, told: str
) -> None:
    class Full:
        def execute(self, statement: str) -> None:
            raise duckdb.FatalException(f"Failed to create {statement}: No space left on device")

        def close(self) -> None:
            """Has nothing open."""

    monkeypatch.setattr("benchledger.upkeep.backup.open_for_writing", lambda *_, **__: Full())

    # Without a log, DuckDB was to write a large transaction into the ledger at once.
    Path(f"{db}.wal").write_bytes(log)

    with pytest.raises(DatabaseError, match=rf"{told}.* No space left on device\. Free some disk space"):
        db_compact(db=db)


def test_a_folder_that_may_not_be_written_is_told_as_that(
    db: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def denied(*_: object) -> None:
        raise duckdb.IOException('IO Error: Cannot open file "ro/b.duckdb": Permission denied')

    monkeypatch.setattr("benchledger.store.copies._compare", denied)
    with pytest.raises(
        DatabaseError, match=r"Permission denied\. Give yourself the right to write there, or name anoth"
    ):
        db_backup(tmp_path / "b.duckdb", db=db)


@pytest.mark.parametrize("mode", ["r", "w"])
def test_a_held_ledger_is_exit_3(mode: str, db: Path, tmp_path: Path) -> None:
    with holder(db, mode):
        for words in (["migrate"], ["compact"], *([["backup", tmp_path / "x"], ["check"]] if mode == "w" else [])):
            assert run_bench("db", *words, "--wait", "0", db=db).exit_code == 3
        if mode == "r":
            # Who only reads does not stop a copy.
            assert run_bench("db", "backup", tmp_path / "x.duckdb", "--wait", "0", db=db).exit_code == 0


def test_a_missing_ledger_is_not_made(tmp_path: Path) -> None:
    db = tmp_path / "none.duckdb"
    for words in (["info"], ["migrate"], ["check"], ["compact"], ["backup", tmp_path / "x"]):
        result = run_bench("db", *words, db=db)

        assert (result.exit_code, "no such database" in result.stderr) == (1, True)
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_ledger_is_told_apart(tmp_path: Path) -> None:
    other = tmp_path / "other.duckdb"
    duckdb.connect(str(other)).execute("create table mine (n integer)").close()

    for words in (["info"], ["migrate"], ["check"], ["compact"]):
        assert "no ledger of benchledger" in run_bench("db", *words, db=other).stderr


BREAKS = {
    "every log has as many records as it counts": "delete from kept.record where line = (select min(line) from kept.record)",
    "every log has as many rejects as it counts": "insert into reject select log_id, 1, 0, null, 'x', 'x' from log limit 1",
    "every log has as many ignored pieces as it counts": "insert into kept.ignored_piece select log_id, 'x', 1 from log limit 1",
    "every log has as many unread lines as it counts": "insert into kept.unread select log_id, 1, 1, 'x' from log limit 1",
    "no record is beyond the last line of its log": "update kept.record set line = 1000000 where line = (select max(line) from kept.record)",
    "every record has the load number of its log": "update log set load_number = load_number + 1",
    "no two records of a log begin at one byte": "insert into kept.record from kept.record limit 1",
    "every time of a log is in the years 1 to 9999": "update sighting set modified_at = '0001-12-31 (BC)'",
    "every time of a decision is in the years 1 to 9999": "insert into kept.exclusion select run_key, 'x', 'infinity', null from run limit 1",
    "every time of a migration is in the years 1 to 9999": "update kept.schema_version set applied_at = '290000-01-01'",
    "every kept number is finite": "update kept.cell set value = 'nan'::double where value is not null",
    "every run is there once": "insert into run by name select * replace ('x' as run_key) from run limit 1",
    "every key of a run is there once": "insert into run by name select * replace (5 as run_id) from run limit 1",
    "every part of a run is there once": "insert into run_log from run_log limit 1",
    "every segment of a log is there once": "insert into kept.segment from kept.segment limit 1",
    "every sighting is there once": "insert into sighting from sighting limit 1",
    "every reason to ignore pieces of a log is there once": "insert into kept.ignored_piece select log_id, 'x', 1 from (from log limit 1), range(2)",
    "every record has a layout with a name for each value": "delete from kept.shape where ordinal = 1",
    "every segment refers to an existing log": "update kept.segment set log_id = 5 where log_id = (select min(log_id) from log)",
    "every fact of a log refers to an existing log": "update kept.log_fact set log_id = 5",
    "every fact of a run refers to an existing log": "update fact set log_id = 5",
    "every fact of a run refers to an existing run": "update fact set run_id = 5",
    "every log of a run refers to an existing log": "insert into run_log by name select * replace (5 as log_id) from run_log limit 1",
    "every log of a run refers to an existing run": "insert into run_log by name select * replace (5 as run_id) from run_log limit 1",
    "every sighting of a run's log refers to an existing sighting": "update run_log set sighting_id = 5",
    "every sighting refers to an existing log": "update sighting set log_id = 5",
    "every line that decides a status refers to an existing log": "update run set status_log_id = 5",
    "every run has a case, an environment and a log": "delete from bench_case",
    "no run has two used facts of one name": "insert into fact from fact where used limit 1",
    "every exclusion has a reason": "insert into kept.exclusion values ('a', ' ', now()::timestamp, null)",
}


def test_each_thing_that_must_hold_is_missed_where_it_does_not(db: Path) -> None:
    with closing(open_for_writing(db)) as con:
        names = {one.what for one in _rows(con)}
        assert all(one.ok for one in _rows(con))
        for what, broken in BREAKS.items():
            con.begin()
            con.execute(broken)
            found = {one.what: one for one in _rows(con)}
            con.rollback()

            assert not found[what].ok, what
            assert found[what].cure
        # The constraint of the table keeps the sum, and no fact or manifest of a place is in this ledger.
        assert names - BREAKS.keys() == {
            "the pieces of a log are its records, ignored pieces, rejects and unread lines"
        }


def test_check_says_what_does_not_hold_and_ends_with_1(db: Path) -> None:
    assert run_bench("db", "check", db=db).exit_code == 0
    Path(f"{db}.private").chmod(0o644)
    Path(f"{db}.key").chmod(0o640)
    with duckdb.connect(str(db)) as con:
        con.execute("drop view leaderboard")
        # The same columns with other rows.
        con.execute("create or replace view kept.evaluation as from kept.evaluation_all")
        con.execute("create or replace macro place_of(path, archive, member) as path")
        con.execute("delete from kept.record")

    result = run_bench("-q", "db", "check", db=db)

    assert result.exit_code == 1
    modes = "the mode of bench.duckdb.private is 644, the mode of bench.duckdb.key is 640"
    assert f"only the owner can read the private files: {modes}. chmod 600 {db}.private {db}.key" in result.stderr
    assert "missing or changed: kept.evaluation, leaderboard, place_of" in result.stderr
    assert "every log has as many records as it counts: 3 violate it, for example" in result.stderr
    assert stat.S_IMODE(Path(f"{db}.private").stat().st_mode) == 0o644


def test_a_value_changed_by_hand_gives_a_message_and_no_traceback(db: Path, tmp_path: Path) -> None:
    with duckdb.connect(str(db)) as con:
        con.execute("update kept.loss set name = 'odd'")

    assert "No such option" in run_bench("plot", "loss", "--odd", db=db).stderr
    result = run_bench("plot", "loss", "--output", str(tmp_path / "x.svg"), db=db)
    assert result.exit_code == 1
    assert "bench plot failed (TypeError: " in result.stderr
    assert f"an error of benchledger, not of {db}, which passes bench db check. Please report" in result.stderr
    assert "ingest" not in result.stderr

    with duckdb.connect(str(db)) as con:
        con.execute("update kept.cell set value = 'inf'::double where value is not null")
    result = run_bench("plot", "loss", "--output", str(tmp_path / "x.svg"), db=db)
    assert result.exit_code == 1
    assert "fails bench db check: every kept number is finite: " in result.stderr


def test_db_check_knows_every_time_of_a_ledger(db: Path) -> None:
    statement = """
        select schema_name, table_name, column_name
        from duckdb_columns() semi join duckdb_tables() using (database_name, schema_name, table_name)
        where data_type like '%TIME%' or data_type like '%DATE%'
    """
    ((checked,),) = ask(db, "select sql from duckdb_views() where view_name = 'invariant'")

    times = [f"'{Table(schema, table)}.{column}'" for schema, table, column in ask(db, statement)]

    assert len(times) > 10
    assert [time for time in times if time not in checked] == []


def test_a_time_that_no_calendar_has_gives_a_message_with_its_column_and_the_cure(
    db: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    keys = sorted(runs(db=db)["run_key"])
    with duckdb.connect(str(db)) as con:
        for key, odd in zip(keys, ("290000-01-01", "infinity", "0001-12-31 (BC)"), strict=True):
            con.execute(f"update run set started_at = '{odd}' where run_key = '{key}'")
        con.execute("update sighting set ingested_at = '290000-01-01'")
    commands = [
        ("runs",), ("db", "info"), ("db", "check"), ("show", keys[0]),
        ("sql", "select [started_at] from run"), ("export", "site", tmp_path / "site"),
    ]  # fmt: skip

    # An exception that is not ours is raised here.
    results = [run_bench(*words, db=db) for words in commands]

    assert [result.exit_code for result in results] == [1] * len(commands)
    told = {words[0]: result.stderr for words, result in zip(commands, results, strict=True)}
    cure = "Keep a copy (bench db backup), then read the logs again: bench ingest PATH --refresh"
    assert (
        f"every time of a log is in the years 1 to 9999: 6 violate it, for example run.started_at. {cure}" in told["db"]
    )
    assert "Error: column started_at has a time outside of the years 1 to 9999. bench db check" in told["runs"]
    # What polars prints itself when it panics.
    assert "panicked" not in capfd.readouterr().err


def test_the_private_file_of_another_ledger_is_found_out_and_none_is_no_fault(
    db: Path, new_db: Path, tmp_path: Path
) -> None:
    other = new_db
    put(tmp_path / "more" / "x.log", "x\n")
    ingest(tmp_path / "more", db=other)
    private = Path(f"{db}.private")
    private.write_bytes(Path(f"{other}.private").read_bytes())
    assert db_check(db=db).filter(what="the private files belong to this ledger")["ok"].to_list() == [False]
    private.write_bytes(b"no database at all, but long enough to look like a file with something in it")
    assert db_check(db=db).filter(what="the private files belong to this ledger")["ok"].to_list() == [False]
    private.unlink()

    found = db_check(db=db)

    assert found["ok"].all()
    assert found.filter(what="the private files are there")["found"].to_list() != [None]
    assert not private.exists()


def test_a_damaged_block_is_found(db: Path) -> None:
    ingest(Path(__file__).parents[2] / "data" / "made", db=db)
    db_compact(db=db)
    content = bytearray(db.read_bytes())
    with duckdb.connect(str(db), read_only=True) as con:
        [(block,)] = con.execute(
            "select max(block_id) from pragma_storage_info('kept.record') where block_id >= 0"
        ).fetchall()
        [(size,)] = con.execute("select block_size from pragma_database_size()").fetchall()
    at = 3 * 4096 + block * size + size // 64
    content[at : at + 64] = bytes(byte ^ 255 for byte in content[at : at + 64])
    db.write_bytes(content)

    result = run_bench("db", "check", db=db)

    assert result.exit_code == 1
    assert "every table can be read to its end" in result.stderr


def test_a_copy_of_a_ledger_is_no_log(db: Path, new_db: Path, tmp_path: Path) -> None:
    ingest(Path(__file__).parents[2] / "data" / "made" / "run3", db=db)
    db_backup(put(tmp_path / "logs" / "copy.duckdb", ""), force=True, db=db)

    ingest(tmp_path / "logs", db=new_db)

    assert ask(new_db, "select path, status from sighting order by all") == [
        ("copy.duckdb", "unrecognised"),
        ("copy.duckdb.key", "unrecognised"),
        ("copy.duckdb.private", "unrecognised"),
    ]
    # A reason may quote lines of a text, but not the key, whose random bytes need not contain a NUL.
    assert ask(new_db, "select distinct reason from sighting where path like '%.key'")[0][0] in (
        "binary: NUL bytes, and no line of a known format",
        "no line holds the literals of any known format",
    )
    assert ask(new_db, "select count(*) from reject") == [(0,)]
