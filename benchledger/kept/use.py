"""Which readings of some runs each rule uses, and why not the others: by the statements of the kept numbers."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from benchledger.kept.runs import RecordOrder, claim_records, make_speeds, order_kept
from benchledger.kept.statements import finds, one_thread, sql_of, temporary_relations

if TYPE_CHECKING:
    from collections.abc import Iterator

    import duckdb

# The statements of the kept numbers then read the records of these logs and these rules only.
_ASKED = """
create or replace temp table chunk_run as
select run_id from run where list_contains($runs, run_id);

create or replace temp table due_record as
from chunk_run;

create or replace temp table changed_definition as
select null::varchar as kind, null::varchar as name
limit 0;
"""
_LOGS = "select distinct log_id from run_log semi join chunk_run using (run_id)"
_RECORDS = "create temp view chunk_record as from kept.record where log_id in ({logs})"
_HAS_MEDIANS = "from stream where lanes = 'median' limit 1"
_HAS_EXTREMES = "from rule_question join question using (question) where statistic = 'trimmed' limit 1"
_RULES = "create temp table chunk_rule as from kept.rule where rule = $rule or $rule is null"


@contextmanager
def records_of(con: duckdb.DuckDBPyConnection, runs: list[int]) -> Iterator[RecordOrder]:
    """Within, view `claimed_record` has the records of these runs. The ledger may be open for reading only.

    A place orders the records of a run; `part` is NULL where no speed is read from one, as of telemetry. Yields the
    order in which they come.
    """
    with temporary_relations(con), one_thread(con):
        for statement in con.extract_statements(_ASKED):
            con.execute(statement, {"runs": runs} if statement.named_parameters else None)
        logs = [str(log_id) for (log_id,) in con.execute(_LOGS).fetchall()]
        # As numbers in the query: so the scan passes over what is of other logs.
        con.execute(_RECORDS.format(logs=", ".join(logs) or "null"))
        with order_kept(con):
            order = claim_records(con)
        yield order


@contextmanager
def uses(con: duckdb.DuckDBPyConnection, runs: list[int], rule: str | None = None) -> Iterator[None]:
    """Within, view `use` has a row per reading and rule of these runs: its value, its rate, and why it was dropped.

    Columns run_id, rule, phase, unit, place, lane, epoch, since, step, value, steps, rate, dropped; NULL in dropped
    where the reading is used. Without `rule` those of all rules. A place orders the readings of a run: the place of its
    record and behind that, if it is printed, its ordinal. The other relations of the kept numbers are there too, with
    the speeds in view `speed_now`.
    """
    with records_of(con, runs) as order:
        con.execute(_RULES, {"rule": rule})
        with order_kept(con):
            make_speeds(con, order)
        # Of a long run it takes as much memory as all that is asked for.
        con.execute("drop table stream_reading")
        con.execute(sql_of("use"))
        if finds(con, _HAS_MEDIANS) or finds(con, _HAS_EXTREMES):
            con.execute(sql_of("use_medians"))
        yield
