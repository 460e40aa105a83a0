"""Great Expectations as shipped sees no rows of DuckDB; the ledger's engine sees them, and a wrong verdict is no verdict.

It takes seconds to import and every process of a test run collects this file, so its tests import it themselves.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import duckdb
import pytest

import benchledger
from tests.auditing.cases import CASES, Make

LedgerOf = Callable[[Make], Path]


@pytest.mark.parametrize(("shipped", "rows"), [(True, []), (False, [(1,), (2,)])])
def test_only_the_engine_that_freezes_results_has_rows(shipped: bool, rows: list[tuple[int]], tmp_path: Path) -> None:
    import sqlalchemy
    from great_expectations.execution_engine.sqlalchemy_execution_engine import SqlAlchemyExecutionEngine

    from benchledger.auditing.engine import FrozenResultEngine

    engine = SqlAlchemyExecutionEngine if shipped else FrozenResultEngine
    made = tmp_path / "x.duckdb"
    with closing(duckdb.connect(str(made))) as con:
        con.execute("create table t as from range(1, 3) as one(i)")

    asked = engine(connection_string=f"duckdb:///{made}").execute_query(sqlalchemy.text("select i from t order by i"))

    assert asked.fetchall() == rows


def test_with_the_engine_as_shipped_the_audit_says_that_it_failed(
    ledger_of: LedgerOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    from great_expectations.execution_engine.sqlalchemy_execution_engine import SqlAlchemyExecutionEngine

    from benchledger.auditing.engine import LedgerDatasource
    from benchledger.auditing.suite import AuditFailedError

    db = ledger_of(CASES["clock_backwards"][0])
    monkeypatch.setattr(
        LedgerDatasource,
        "get_execution_engine",
        lambda self: SqlAlchemyExecutionEngine(engine=self._engine, create_temp_table=False),
    )

    with pytest.raises(AuditFailedError, match="check clock_backwards: no verdict"):
        benchledger.audit(db=db, checks=["clock_backwards"])


def test_a_finding_that_great_expectations_does_not_see_ends_the_audit(
    ledger_of: LedgerOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    from benchledger.auditing.suite import AuditFailedError

    db = ledger_of(CASES["clock_backwards"][0])
    monkeypatch.setattr(
        "benchledger.auditing.suite.Suite._results", lambda *_: [{"success": True, "result": {"observed_value": 0}}]
    )

    with pytest.raises(AuditFailedError, match="1 findings, of which Great Expectations sees 0"):
        benchledger.audit(db=db, checks=["clock_backwards"])


# What a process opens for writing, and where it connects to, as Python itself reports it.
WATCH = """
import os, sys
db, home = sys.argv[1:]
touched = []
def watch(event, args):
    if event == "open" and isinstance(args[0], str) and args[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
        touched.append(f"write {args[0]}")
    elif event in ("socket.connect", "socket.getaddrinfo", "socket.sendto", "os.mkdir"):
        touched.append(f"{event} {args}")
sys.dont_write_bytecode = True
sys.addaudithook(watch)
from benchledger.cli.main import main
sys.argv = ["bench", "--db", db, "audit"]
try: main()
finally: print(*[name in sys.modules for name in ("numpy", "pandas")], *touched, sep="\\n", file=sys.stderr)
"""


def test_an_audit_writes_nothing_sends_nothing_and_draws_nothing(ledger_of: LedgerOf, tmp_path: Path) -> None:
    db = ledger_of(CASES["clock_backwards"][0])
    home = tmp_path / "home"
    home.mkdir()
    before = db.read_bytes()
    top = str(Path(benchledger.__file__).parent.parent)
    # Without the folder in which every command keeps what it need not work out again.
    environment = {"HOME": str(home), "PYTHONPATH": top, "BENCH_CACHE": ""}

    done = subprocess.run(
        [sys.executable, "-c", WATCH, str(db), str(home)],
        cwd=home, env=environment, capture_output=True, text=True,
    )  # fmt: skip

    # Where numpy and pandas are there the audit imports them, and is alone in this: tests/cli/test_commands.py.
    assert (done.returncode, done.stderr.splitlines()) == (0, ["True", "True"])
    assert int(done.stdout.splitlines()[-1].partition(" checks: ")[0]) > 30
    assert list(home.iterdir()) == []
    assert db.read_bytes() == before


def test_the_ledger_is_free_after_an_audit(ledger_of: LedgerOf) -> None:
    db = ledger_of(CASES["clock_backwards"][0])
    benchledger.audit(db=db, checks=["clock_backwards"])

    duckdb.connect(str(db)).close()
