"""Memory and threads of DuckDB, while an ingest writes and while a question is answered."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb

# Memory of DuckDB while an ingest writes, plus MEMORY_OF_A_THREAD per thread; the rest spills to disk beside the
# ledger. Without a limit DuckDB keeps what it wrote, up to most of the machine's memory.
WRITING_MEMORY = 384 << 20
# The same while it writes a long log, which is on disk already.
LONG_LOG_MEMORY = 64 << 20
MEMORY_OF_A_THREAD = 64 << 20
# The same per thread when threads share an insert: with less they wait for each other and take 1.5 times as long.
INSERTING_MEMORY = 128 << 20


def set_for_writing(con: duckdb.DuckDBPyConnection, memory: int, threads: int) -> None:
    """Limits DuckDB to `threads` threads, and to `memory` bytes plus MEMORY_OF_A_THREAD per thread; FSST is off."""
    row = con.execute("select current_setting('threads')").fetchone()
    threads = min(threads, int(row[0] if row else 1))
    con.execute(f"set threads = {threads}; set memory_limit = '{memory + MEMORY_OF_A_THREAD * threads}B'")
    # Trying FSST on each text takes up to a third of a commit, and makes a ledger of real logs no smaller.
    con.execute("set disabled_compression_methods = 'fsst'")


@contextmanager
def insert_threads(con: duckdb.DuckDBPyConnection, threads: int) -> Iterator[None]:
    """Lets DuckDB insert with `threads` threads, and the memory that they need, within the with statement."""
    before, memory = con.execute("select current_setting('threads'), current_setting('memory_limit')").fetchall()[0]
    con.execute(f"set threads = {threads}; set memory_limit = '{LONG_LOG_MEMORY + INSERTING_MEMORY * threads}B'")
    yield
    con.execute(f"set threads = {before}; set memory_limit = '{memory}'")


def lift_memory_limit(con: duckdb.DuckDBPyConnection) -> None:
    """Restores DuckDB's own memory limit, for the few statements that need more."""
    # The reset alone has no effect on the running database: the value must be set.
    con.execute("reset memory_limit")
    row = con.execute("select current_setting('memory_limit')").fetchone()
    assert row is not None
    con.execute(f"set memory_limit = '{row[0]}'")


def use_one_thread(con: duckdb.DuckDBPyConnection) -> None:
    """Lets DuckDB use one thread, unless a question in SQL has locked the settings of this process."""
    row = con.execute("select current_setting('lock_configuration')").fetchone()
    if row == (False,):
        con.execute("set threads = 1")
