"""Which readings of some runs each rule uses, and why not the others: by the statements of the kept numbers."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from benchledger.kept.runs import claim_records, order_kept, read_speeds
from benchledger.kept.statements import one_thread, sql_of, temporary_relations

if TYPE_CHECKING:
    from collections.abc import Iterator

    import duckdb

_ASKED = """
create or replace temp table chunk_run as
select run_id from run where list_contains($runs, run_id);

create or replace temp table due_record as
from chunk_run;

create or replace temp table changed_definition as
select null::varchar as kind, null::varchar as name
limit 0;
"""


@contextmanager
def uses(con: duckdb.DuckDBPyConnection, runs: list[int]) -> Iterator[None]:
    """Within, view `use` has a row per reading and rule of these runs: its value, its rate, and why it was dropped.

    Columns run_id, rule, phase, unit, place, value, rate, dropped; NULL in dropped where the reading is used. A place
    orders the readings of a run. The ledger may be open for reading only.
    """
    with temporary_relations(con), one_thread(con), order_kept(con):
        for statement in con.extract_statements(_ASKED):
            con.execute(statement, {"runs": runs} if statement.named_parameters else None)
        claim_records(con)
        read_speeds(con)
        con.execute(sql_of("lanes"))
        con.execute(sql_of("use"))
        yield
