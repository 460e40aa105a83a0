"""SQL of a user writes, loads, aborts and reads nothing but the ledger: every function, pragma and setting is tried."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
import pytest

from benchledger import sql
from benchledger.errors import UsageError
from benchledger.store.confined import PRAGMAS, SCALARS, SETTINGS, TABLE_FUNCTIONS, check_statement, confine
from benchledger.store.database import open_for_reading

if TYPE_CHECKING:
    from collections.abc import Iterator

_SECRET = "a secret of another file"
# Calls every function that is not refused with arguments of its types, and tells each before it is called.
_CALL_ALL = """
import sys
from pathlib import Path
import duckdb
from benchledger.errors import UsageError
from benchledger.store.confined import check_statement, confine
from benchledger.store.database import open_for_reading

db, secret, told = sys.argv[1:4]
SAMPLES = {
    "VARCHAR": [f"'{secret}'", "'a'"], "BOOLEAN": ["true"], "DATE": ["date '2020-01-01'"],
    "BLOB": ["'ab'::blob"], "INTERVAL": ["interval 1 day"], "JSON": ["'{\\"a\\": 1}'::json"], "BIT": ["'101'::bit"],
    "TIME": ["time '01:02:03'"], "VARCHAR[]": [f"['{secret}']"], "ANY": ["1", f"'{secret}'"], "T": ["1", "'a'"],
    "TABLE": ["(select 1 as a)"],
}
def samples(kind):
    kind = str(kind)
    if kind in SAMPLES:
        return SAMPLES[kind]
    if kind.startswith("TIMESTAMP"):
        return ["timestamp '2020-01-01 00:00:00'"]
    if kind.endswith("]"):
        return ["[1, 2]"]
    if kind.startswith("MAP"):
        return ["map {'a': 1}"]
    return ["1"]

def open_confined():
    con = open_for_reading(db)
    confine(con)
    return con

con = open_confined()
listed = con.execute('''
    select distinct function_name, function_type, parameter_types from duckdb_functions()
    where regexp_full_match(function_name, '\\\\w+') order by all
''').fetchall()
last = open(told, "w")
called = refused = 0
for name, kind, types in listed:
    if name in ("sleep_ms", "pg_sleep"):
        continue
    tries = [samples(one) for one in types]
    for nth in range(max([len(one) for one in tries], default=1)):
        arguments = ", ".join(one[min(nth, len(one) - 1)] for one in tries)
        if kind == "pragma":
            statements = [f"pragma {name}", f"pragma {name}({arguments})"]
        elif kind in ("table", "table_macro"):
            statements = [f"from {name}({arguments})", f'select * from system.main."{name.upper()}" ({arguments})']
        else:
            statements = [f"select {name}({arguments})"]
        for statement in statements:
            try:
                check_statement(con, statement)
            except UsageError:
                refused += 1
                continue
            last.seek(0); last.truncate(); last.write(statement); last.flush()
            called += 1
            try:
                rows = con.execute(statement).fetchmany(50)
                assert "a secret of" not in repr(rows), f"reads files: {statement}"
            except duckdb.Error as error:
                if isinstance(error, duckdb.FatalException):
                    con.close()
                    con = open_confined()
            except (ValueError, OverflowError, UnicodeDecodeError, TypeError, ModuleNotFoundError):
                pass  # a value that Python cannot take
print(called, refused)
"""


@pytest.fixture
def db(one_run_ledger: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(one_run_ledger, tmp_path / "bench.duckdb"))


@pytest.fixture(scope="module")
def con(one_run_ledger: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[duckdb.DuckDBPyConnection]:
    copy = shutil.copy(one_run_ledger, tmp_path_factory.mktemp("confined") / "bench.duckdb")
    with closing(open_for_reading(copy)) as opened:
        confine(opened)
        yield opened


def test_every_function_of_duckdb_is_refused_or_writes_reads_and_aborts_nothing(db: Path, tmp_path: Path) -> None:
    secret, told, work = tmp_path / "secret.csv", tmp_path / "told", tmp_path / "work"
    secret.write_text(f"a\n{_SECRET}\n")
    work.mkdir()
    told.touch()
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*") if path != told}

    done = subprocess.run(
        [sys.executable, "-c", _CALL_ALL, str(db), str(secret), str(told)],
        cwd=work, env={**os.environ, "HOME": str(work)}, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip

    assert done.returncode == 0, f"{told.read_text()}: {done.returncode} {done.stderr[-2000:]}"
    called, refused = map(int, done.stdout.split()[-2:])
    assert called > 1500
    assert refused > 100
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*") if path != told} == before


def test_every_setting_but_those_allowed_is_refused(con: duckdb.DuckDBPyConnection) -> None:
    listed = con.execute("select name, value from duckdb_settings()").fetchall()
    aliases = {"null_order"}
    changed = set()
    for name, value in listed:
        for statement in (f"set {name} = '{value}'", f"pragma {name} = '{value}'", f"reset {name}"):
            try:
                check_statement(con, statement)
                con.execute(statement)
                changed.add(name)
            except (UsageError, duckdb.Error):
                pass

    # The current schema is not locked, and changes nothing but names.
    assert changed - aliases - {"schema", "search_path"} <= set(SETTINGS)
    assert {"TimeZone", "default_null_order"} <= changed


def test_what_is_allowed_exists_in_this_duckdb(con: duckdb.DuckDBPyConnection) -> None:
    rows = con.execute("select function_name, function_type from duckdb_functions()").fetchall()

    assert {name for name, kind in rows if kind in ("table", "table_macro")} >= TABLE_FUNCTIONS
    assert {name for name, kind in rows if kind == "pragma"} >= PRAGMAS - {"functions"}
    assert {name for name, kind in rows if kind in ("scalar", "macro")} >= SCALARS
    assert {name for (name,) in con.execute("select name from duckdb_settings()").fetchall()} >= set(SETTINGS)


@pytest.mark.parametrize(
    "statement",
    [
        "pragma database_list",
        "from duckdb_databases()",
        "select path from duckdb_databases",
        "select file from system.main.pragma_database_list",
        "from duckdb_logs",
        "from duckdb_settings()",
        "from duckdb_temporary_files()",
        "select current_setting('temp_directory')",
        "from enable_logging()",
        "select * from ENABLE_LOGGING (storage = 'file', storage_path = '{folder}/logs')",
        "call enable_logging(storage = 'file', storage_path = '{folder}/logs')",
        'from system.main."enable_logging" /* x */ ()',
        "from enable_logging\u00a0()",
        "with a as (select 1) select (select count(*) from enable_logging())",
        "explain analyze from enable_logging()",
        "explain analyze copy run to '{folder}/bench.duckdb.tmp/run.csv'",
        "call enable_profiling()",
        "pragma enable_profiling",
        "pragma enable_profiling = 'json'",
        "explain pragma enable_profiling",
        "pragma profiling_output = '{folder}/out'",
        "set profiling_output = '{folder}/out'",
        "select write_log('x')",
        "select pg_sleep(100)",
        "from query('from enable_log' || 'ging()')",
        "from json_execute_serialized_sql(json_serialize_sql('from enable_logging()'))",
        "from arrow_scan(1, 2, 3)",
        "from pandas_scan(1)",
        "from seq_scan()",
        "checkpoint",
        "vacuum",
        "begin",
        "load httpfs",
        "prepare p as select 1",
        "create temp table t as select 1",
        "create temp macro m() as 1",
        "copy run to '{folder}/bench.duckdb.tmp/run.csv'",
        "from '{folder}/bench.duckdb.tmp/left.csv'",
        'from "{folder}/bench.duckdb.tmp/left.csv"',
        "from read_csv('{folder}/bench.duckdb.tmp/left.csv')",
        "pragma import_database('{folder}/bench.duckdb.tmp')",
        "select 1; pragma import_database('{folder}/bench.duckdb.tmp')",
    ],
)
def test_what_writes_loads_or_aborts_is_refused(db: Path, tmp_path: Path, statement: str) -> None:
    left = tmp_path / "bench.duckdb.tmp" / "left.csv"
    left.parent.mkdir()
    left.write_text("a\n1\n")
    before = sorted(tmp_path.rglob("*"))

    with pytest.raises(UsageError, match="the query was refused"):
        sql(statement.format(folder=tmp_path), db=db)

    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize(
    "statement",
    [
        "pivot (select 1 as a, 2 as b) on a using sum(b)",
        "with p as (pivot (select 1 as a, 2 as b) on a using sum(b)) from p",
        "describe run",
        "summarize speed_table",
        "show tables",
        "explain select 1",
        "explain analyze select 1",
        "pragma table_info('run')",
        "from pragma_table_info('run')",
        "set timezone = 'Asia/Tokyo'; select now()",
        "set default_null_order = 'nulls_first'; select 1",
        "select 'enable_logging()' as \"enable_logging\" -- enable_logging()",
        "from range(3), unnest([1, 2])",
        "select checkpoint, query from (select 1 as checkpoint, 2 as query)",
    ],
)
def test_what_only_reads_is_answered(db: Path, statement: str) -> None:
    assert sql(statement, db=db).height > 0


def test_a_question_larger_than_memory_still_spills(db: Path, tmp_path: Path) -> None:
    statement = "select max(b) from (select hash(range) as b from range(1000000) group by all)"
    with closing(duckdb.connect(str(db), read_only=True)) as own:
        own.execute("set memory_limit = '20MB'; set threads = 1")
        assert sql(statement, db=db).height == 1
    with closing(duckdb.connect(str(db), read_only=True)) as own:
        own.execute("set memory_limit = '20MB'; set threads = 1; set temp_directory = ''")
        with pytest.raises(duckdb.OutOfMemoryException):
            own.execute(statement).fetchall()

    assert sorted(path.name for path in tmp_path.iterdir()) == ["bench.duckdb"]


def test_two_questions_are_asked_beside_an_own_connection(db: Path) -> None:
    with closing(duckdb.connect(str(db), read_only=True)):
        assert [sql("select 1 as a", db=db).item() for _ in range(2)] == [1, 1]
