"""The SQL files of this package: each is a function of the relations that its head says it reads."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    import duckdb

FOLDER = Path(__file__).with_name("sql")
# The records of each run stand together, in its order. A window without a partition reads them as a stream; another one
# sorts and holds all rows. These windows are replaced where all rows are of one run, or those of each run of one rank.
OF_ONE_RUN = {
    "partition by run_id, log_id order by place": "",
    "partition by run_id order by place": "",
    "rows between nth - 1 preceding and current row": "rows unbounded preceding",
    # Only to sort less: a stream sorts nothing.
    " and log_id in (select log_id from log_clock)": "",
}
# If no step states its time, there are no durations to add up.
OF_CLOCKS = {
    "sum(took_ps) over so_far": "null::hugeint",
    "if(nth > 1, step_ps(step_s, step - step_before), null)": "null::bigint",
}
OF_ONE_RANK = {"partition by run_id, lane order by place": ""}
_TEMPORARY = """
select 'view', view_name from duckdb_views() where temporary and not internal
union all
select 'table', table_name from duckdb_tables() where temporary
"""


def sql_of(name: str, *, streams: dict[str, str] | None = None, **numbers: int) -> str:
    """The statements of a file, with its $numbers filled in. `streams`: windows, each with its replacement."""
    text = (FOLDER / f"{name}.sql").read_text(encoding="utf-8")
    for window, stream in (streams or {}).items():
        text = text.replace(window, stream)
    for number, value in numbers.items():
        text = text.replace(f"${number}", str(value))
    return text


def finds(con: duckdb.DuckDBPyConnection, question: str) -> bool:
    """Whether a question has an answer."""
    return con.execute(question).fetchone() is not None


@contextmanager
def temporary_relations(con: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """Drops the temporary tables and views that are made within: they would hide what others ask of the connection."""
    before = set(con.execute(_TEMPORARY).fetchall())
    yield
    made = [relation for relation in con.execute(_TEMPORARY).fetchall() if relation not in before]
    # All statements in one call: this halves the time.
    con.execute("; ".join(f'drop {kind} temp."{name}"' for kind, name in made))


@contextmanager
def one_thread(con: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """The order in which numbers are added up decides their last digit, and with it how a rule rounds a tie.

    One thread adds in the order of the table, and a window without a partition reads in it.
    """
    before = con.execute("select current_setting('threads')").fetchall()[0][0]
    con.execute("set threads = 1")
    yield
    con.execute(f"set threads = {before}")
