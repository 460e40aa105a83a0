"""Tests what a ledger from elsewhere can do to its reader: its views and macros run when a command opens it."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import duckdb
import pytest

from benchledger import ingest
from benchledger.errors import DatabaseError
from benchledger.store import changed_views, confined
from benchledger.store.database import open_as_it_is, open_for_reading, open_for_writing
from benchledger.store.facade import MAKE_FACADE, facade_in
from benchledger.store.writing import closing_written
from tests.cli.bench import run_bench
from tests.ingestion.logs import put, run_text


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hostile")
    ingest(put(folder / "logs" / "run.log", run_text().log), db=folder / "bench.duckdb")
    return folder


@pytest.fixture
def ledger(made: Path, tmp_path: Path) -> Path:
    """A copy of the ledger with its private files, for a test to change."""
    for file in made.glob("bench.duckdb*"):
        shutil.copy(file, tmp_path)
    return tmp_path / "bench.duckdb"


def _change(db: Path, *statements: str) -> None:
    with closing(duckdb.connect(db)) as con:
        for statement in statements:
            con.execute(statement)


@pytest.mark.parametrize("opens", [open_for_writing, open_for_reading, open_as_it_is])
def test_no_opened_ledger_reads_another_file(ledger: Path, opens: object) -> None:
    secret = put(ledger.parent / "secret.txt", "secret")
    _change(
        ledger,
        f"create view main.theirs as select content from read_text('{secret}')",
    )

    with closing(opens(ledger)) as con:  # type: ignore[operator]
        for statement in ("from main.theirs", f"copy (select 1) to '{ledger.parent}/new.txt'", "attach 'o.duckdb'"):
            with pytest.raises(duckdb.PermissionException):
                con.execute(statement)


@pytest.mark.parametrize("opens", [open_for_writing, open_for_reading, open_as_it_is])
@pytest.mark.parametrize("name", ["main.COUNT", "kept.current_setting", "main.bool_or"])
def test_a_ledger_with_a_macro_in_place_of_a_function_is_not_opened(ledger: Path, opens: object, name: str) -> None:
    _change(ledger, f"create macro {name}(a) as 7")

    with pytest.raises(DatabaseError, match=rf"functions of DuckDB \({name.partition('.')[2].lower()}\)"):
        opens(ledger)  # type: ignore[operator]


def test_a_macro_that_is_only_in_the_write_ahead_log_is_found(ledger: Path) -> None:
    open_for_reading(ledger).close()
    before = ledger.stat()
    _change(ledger, "pragma disable_checkpoint_on_shutdown", "create macro main.count(a) as 7")

    assert ledger.stat().st_mtime_ns == before.st_mtime_ns
    with pytest.raises(DatabaseError, match="functions of DuckDB"):
        open_for_reading(ledger)


def test_a_ledger_is_checked_again_only_where_another_has_written_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To list the functions of DuckDB takes as long as to open a ledger."""
    db = tmp_path / "bench.duckdb"
    with monkeypatch.context() as patch:
        patch.setattr(confined, "_SHADOWS", "select error('checked')")
        with closing_written(open_for_writing(db), db) as con:
            con.execute("insert into kept.root values (1, 'logs')")
        open_for_reading(db).close()
        open_for_writing(db).close()
    _change(db, "create macro main.count(a) as 7")

    with pytest.raises(DatabaseError, match="functions of DuckDB"):
        open_for_reading(db)


def test_a_view_in_place_of_the_facade_is_not_read(ledger: Path) -> None:
    secret = put(ledger.parent / "secret.txt", "secret")
    _change(
        ledger,
        "create view kept.facade as select '/' as lake, 1::bigint as snapshot, 1::bigint as bytes, "
        f"[content] as files from read_text('{secret}')",
    )

    with closing(duckdb.connect(ledger, read_only=True)) as con:
        assert facade_in(con) is None


def test_a_confined_ledger_takes_logs(ledger: Path) -> None:
    put(ledger.parent / "logs" / "other.log", run_text(seed=2, at=9e4).log)

    done = run_bench("ingest", str(ledger.parent / "logs"), db=ledger)

    assert done.exit_code == 0, done.output
    assert not list(ledger.parent.glob("*.tmp*"))


@pytest.mark.parametrize(
    "statement",
    [
        "create or replace view main.speed_table as from read_text('/etc/hostname')",
        "drop view main.speed_table",
        "create macro main.max(a) as 'x'::integer",
    ],
)
def test_a_changed_ledger_is_named_by_db_check_and_gives_no_traceback(ledger: Path, statement: str) -> None:
    _change(ledger, statement)
    folder = ledger.parent
    put(folder / "logs" / "other.log", run_text(seed=2, at=9e4).log)

    check = run_bench("db", "check", db=ledger)
    # An error of DuckDB that is no message of ours is raised here.
    told = [
        run_bench(*words, db=ledger)
        for words in (
            ("ingest", folder / "logs"),
            ("exclude", "1", "--reason", "a"),
            ("export", "site", folder / "site"),
        )
    ]

    assert check.exit_code == 1, check.output
    assert all("bench db check" in done.stderr for done in told if "Error: DuckDB" in done.stderr)
    assert any(done.exit_code for done in told)


@pytest.mark.parametrize(
    ("lake", "file"),
    [
        (None, "secret.txt"), (None, "tables/../secret.parquet"), (None, "/etc/hostname"), (None, "tables/main/run/*.parquet"),
        (None, "tables/main/run/link.parquet"), ("/etc", "hostname"), ("file:///etc", "tables/main/run/a.parquet"),
    ],
)  # fmt: skip
def test_a_facade_reads_no_file_but_the_tables_of_its_lake(ledger: Path, lake: str | None, file: str) -> None:
    run = ledger.parent / "tables" / "main" / "run"
    put(run / "own.parquet", "own")
    (run / "link.parquet").symlink_to(put(ledger.parent.parent / f"{ledger.parent.name}.parquet", "secret"))
    _change(
        ledger,
        MAKE_FACADE,
        f"insert into kept.facade values ({lake!r}, 1, 1, ['tables/main/run/own.parquet', '{file}'])".replace(
            "None", "null"
        ),
    )

    with pytest.raises(DatabaseError, match="is no table's file"):
        open_for_reading(ledger)


ENDLESS = "with recursive endless(i) as (select 1 union all select (i + 1) % 9 from endless) select"


def test_a_question_to_a_changed_view_that_never_ends_is_ended(ledger: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(changed_views, "LOOK_AFTER_S", 0.3)
    _change(
        ledger,
        f"create or replace view main.speed_table as {ENDLESS} {_columns(ledger, 'speed_table')} from endless",
        "alter table sighting rename to other",
        f"create view main.sighting as {ENDLESS} {_columns(ledger, 'sighting')} from endless",
    )

    for words in (("report", "speed"), ("sql", "from speed_table"), ("audit",), ("db", "check")):
        done = run_bench(*words, db=ledger)

        assert done.exit_code == 1, words
        assert "may never end: sighting, speed_table. See bench db check" in done.stderr


# DuckDB looks at no interrupt while it plans this constant, for minutes.
UNHEARD = "levenshtein(repeat('a', 400_000), repeat('b', 400_000)) > 3"
IMPATIENT = (
    "from benchledger.store import changed_views, time_limit; changed_views.LOOK_AFTER_S = time_limit._IN_VAIN_S = 0.3; "
    "time_limit._UNPLANNED_S = {}; from benchledger.cli import main, signals; signals._UNHEARD_S = 0.3; main.main()"
)


def _impatient(db: Path, *words: str, unplanned_s: float = 60) -> subprocess.Popen[str]:
    code = IMPATIENT.format(unplanned_s)
    command = [sys.executable, "-c", code, "--db", str(db), *words]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


@pytest.mark.parametrize(
    ("view", "words", "told"),
    [
        ("mine", ("db", "check"), "mine: DuckDB has not planned it after 0.3 s. Drop this view"),
        ("run_speed", ("report", "speed"), "changed and may never end: run_speed."),
    ],
)
def test_a_view_that_looks_at_no_interrupt_ends_its_reader(
    ledger: Path, view: str, words: tuple[str, ...], told: str
) -> None:
    columns = _columns(ledger, "run_speed")
    _change(ledger, f"create or replace view main.{view} as select {columns} from (select 1 as i) where {UNHEARD}")

    with _impatient(ledger, *words) as process:
        said = process.communicate(timeout=60)[1]

    assert told in said
    assert process.returncode == 1


def test_a_view_that_cannot_be_planned_ends_its_reader(ledger: Path) -> None:
    columns = _columns(ledger, "speed_table")
    view = f"create or replace view main.speed_table as select {columns} from kept.part24"
    both = "(select max(i) from kept.part{0}) + (select max(i) from kept.part{0}) as i"
    # The last one first: each is planned when it is made.
    parts = [f"create or replace view kept.part{n} as select {both.format(n - 1)}" for n in range(24, 0, -1)]
    _change(ledger, *(f"create view kept.part{n} as select 1 as i" for n in range(25)), view, *parts)

    # DuckDB keeps Python's lock: no timer of Python runs.
    with _impatient(ledger, "report", "speed", unplanned_s=0.6) as process:
        said = process.communicate(timeout=60)[1]

    assert said.startswith("Timeout (0:00:00.9")
    assert process.returncode == 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_question_that_looks_at_none(ledger: Path, number: signal.Signals) -> None:
    with _impatient(ledger, "sql", f"select {UNHEARD}") as process:
        time.sleep(3)
        process.send_signal(number)
        said = process.communicate(timeout=60)[1]

    assert said.strip() == "ended at once: a running call did not react to the signal"
    assert process.returncode == 128 + number


def _columns(db: Path, view: str) -> str:
    with closing(duckdb.connect(db)) as con:
        columns = con.execute(f"describe {view}").fetchall()
    return ", ".join(f"if(i > 9, null::{kind}, null) as {name}" for name, kind, *_ in columns)


def test_a_question_to_views_that_nobody_changed_takes_as_long_as_it_takes(
    ledger: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(changed_views, "LOOK_AFTER_S", 0.01)
    _change(ledger, "create view mine as from run")

    done = run_bench("sql", "select count(*) as n from range(60000000) as a(i) where hash(i) % 7 = 1", db=ledger)

    assert done.exit_code == 0, done.stderr


def test_a_view_in_place_of_a_table_is_named_by_db_check(ledger: Path) -> None:
    _change(ledger, "alter table reject rename to other", "create view reject as from other")

    done = run_bench("db", "check", db=ledger)

    assert done.exit_code == 1
    assert "missing or changed: reject. " in done.stderr
