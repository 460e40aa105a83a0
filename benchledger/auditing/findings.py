"""The findings: one temporary table in the read-only connection of the ledger, filled check by check."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from benchledger.definitions.checks import Check
from benchledger.errors import DefinitionError

if TYPE_CHECKING:
    import duckdb
    import polars as pl

# The columns that a check's SQL may select: run, log and line, or cell; the value found, and the value expected.
COLUMNS = ("run_id", "log_id", "line", "cell", "place", "about", "cause", "value", "expected")

_MAKE = """
create temp table finding (
    "check" varchar, run_id bigint, log_id bigint, line bigint, cell varchar, place varchar,
    about varchar, cause varchar, value double, expected double
)
"""
# A finding on a run without a log leads to the first line of the run, in the log that its numbers come from.
_PLACED = r"""
with source as (
    select run_id, min(log_id) as log_id, arg_min(first_line, log_id) as line
    from kept.run_source
    group by run_id
)
select
    finding."check",
    finding.about,
    -- Findings that differ in their numbers only have one cause.
    coalesce(finding.cause, regexp_replace(finding.about, '(^|[ (=:"''])[-+]?\d[\w.,:%+-]*', '\1#', 'g')) as cause,
    finding.value,
    finding.expected,
    run.run_key,
    finding.cell,
    coalesce(finding.place, at_log.path) as place,
    coalesce(finding.line, if(finding.log_id is null, source.line, null)) as line,
    log.content_hash
from finding
left join run using (run_id)
left join source on source.run_id = finding.run_id
left join place_of_log('*') as at_log on at_log.log_id = coalesce(finding.log_id, source.log_id)
left join log on log.log_id = coalesce(finding.log_id, source.log_id)
order by "check", place nulls last, run_key, line, cell, about, value, expected
"""
_SLOW_VIEWS = ("speed_table", "speedup_table")
_LINE = re.compile(r"LINE (\d+):")


def make_table(con: duckdb.DuckDBPyConnection) -> None:
    """Creates the empty temporary table `finding`; the ledger itself is read-only."""
    con.execute(_MAKE)


def keep_views(con: duckdb.DuckDBPyConnection, asked: str) -> None:
    """Copies views that the checks read more than once into temporary tables of the same name, which hide them."""
    for view in _SLOW_VIEWS:
        if asked.count(f"{view}\n") + asked.count(f"{view} ") > 1:
            con.execute(f"create temp table {view} as from {view}")


def collect(con: duckdb.DuckDBPyConnection, check: Check) -> None:
    """Adds the rows that a check's SQL selects. Raises DefinitionError with file and line if DuckDB rejects the SQL."""
    import duckdb

    insert = "insert into finding by name "
    try:
        # The statement begins on the same line as the file, so that DuckDB's line numbers are those of the file.
        con.execute(insert + (check.sql or ""), dict(check.parameters) or None)
    except duckdb.Error as error:
        line = _LINE.search(str(error))
        raise DefinitionError(
            f"{check.path}:{line[1] if line else 1}: DuckDB refuses this check; "
            f"it selects some of {', '.join(COLUMNS)}. {error}"
        ) from error
    con.execute('update finding set "check" = $check where "check" is null', {"check": check.check})


def placed(con: duckdb.DuckDBPyConnection) -> pl.DataFrame:
    return con.execute(_PLACED).pl()
