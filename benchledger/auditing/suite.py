"""The findings, one temporary table in the ledger's connection; and Great Expectations, whose verdict must agree."""

from __future__ import annotations

import logging
import re
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from benchledger.definitions.checks import Check
from benchledger.errors import BenchledgerError, DefinitionError, install_line, missing_extra

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
# Of one check.
_MOST_FINDINGS = 10_000_000
# Great Expectations has its own words for severities.
_SEVERITY = {"error": "critical", "warning": "warning", "note": "info"}


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


class AuditFailedError(BenchledgerError):
    """Raised if Great Expectations gives no verdict, or one that contradicts the rows.

    The audit proves nothing then.
    """


class Suite:
    """Expectations over one open ledger. It stores, renders and sends nothing."""

    def __init__(self, con: duckdb.DuckDBPyConnection) -> None:
        self._con = con
        with _quietly():
            self._context, self._source = _make_context(con)

    def confirm(self, checks: Iterable[Check]) -> None:
        """Asks Great Expectations for the rows of each check in `finding`.

        Raises AuditFailedError if the count differs.
        """
        from great_expectations.expectations.core.unexpected_rows_expectation import UnexpectedRowsExpectation

        checks = list(checks)
        asked = [
            UnexpectedRowsExpectation(
                unexpected_rows_query=f"select * from {{batch}} where \"check\" = '{check.check}'",  # noqa: S608 - a checked name
                **_words(check),
            )
            for check in checks
        ]
        counts = dict(self._con.execute('select "check", count(*) from finding group by all').fetchall())
        for check, result in zip(checks, self._results("finding", asked), strict=True):
            seen, there = result["result"]["observed_value"], counts.get(check.check, 0)
            if seen != there:
                raise AuditFailedError(
                    f"check {check.check}: {there} findings, of which Great Expectations sees {seen}. "
                    "Its engine does not read this ledger as it should; install the releases of "
                    f"{install_line('audit')}"
                )

    def collect(self, check: Check) -> None:
        """Adds the findings of a check's expectation to `finding`. Raises DefinitionError with file and line."""
        import duckdb
        import great_expectations.expectations as gxe

        where = f"{check.path}:{check.line}"
        expectation = getattr(gxe, check.expectation or "", None)
        if expectation is None:
            raise DefinitionError(f"{where}: Great Expectations has no {check.expectation!r}")
        table = f"checked_{check.check}"
        try:
            self._con.execute(f"create temp table {table} as from {check.on}")
        except duckdb.Error as error:
            raise DefinitionError(f"{where}: DuckDB cannot read from {check.on!r}: {error}") from error
        try:
            asked = expectation(**check.arguments, **_words(check))
        except (TypeError, ValueError) as error:
            raise DefinitionError(f"{where}: {check.expectation} refuses its arguments: {error}") from error
        named = [row[0] for row in self._con.execute(f"describe {table}").fetchall()]
        try:
            (result,) = self._results(table, [asked], [name for name in COLUMNS if name in named])
        except AuditFailedError as error:
            raise DefinitionError(f"{where}: {error}") from error
        for row in _found(check, result):
            self._con.execute(
                """insert into finding
                   values ($check, $run_id, $log_id, $line, $cell, $place, $about, $cause, $value, $expected)""",
                {"check": check.check, **row},
            )

    def _results(self, table: str, asked: list[Any], places: list[str] | None = None) -> list[dict[str, Any]]:
        import great_expectations as gx

        # Without a count of its own, the list of failing rows ends after 20, in any order.
        form: dict[str, Any] = {"result_format": "COMPLETE", "partial_unexpected_count": _MOST_FINDINGS}
        if places:
            form |= {"unexpected_index_column_names": places, "return_unexpected_index_query": False}
        with _quietly():
            asset = self._source.add_table_asset(table, table_name=table)
            batch = asset.add_batch_definition_whole_table(table).get_batch()
            suite = gx.ExpectationSuite(name=table, expectations=asked)
            results = [one.to_json_dict() for one in batch.validate(suite, result_format=form).results]
        for one in results:
            why = _exception(one.get("exception_info") or {})
            if why:
                raise AuditFailedError(f"check {one['expectation_config']['meta']['check']}: no verdict: {why}")
        by_check = {one["expectation_config"]["meta"]["check"]: one for one in results}
        # GX returns results in its own order.
        return [by_check[expectation.meta["check"]] for expectation in asked]


def _words(check: Check) -> dict[str, Any]:
    from great_expectations.expectations.metadata_types import FailureSeverity

    return {"severity": FailureSeverity(_SEVERITY[check.severity]), "meta": {"check": check.check}}


def _found(check: Check, result: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if result["success"]:
        return
    nothing = dict.fromkeys(COLUMNS)
    column = check.arguments.get("column")
    listed = result["result"].get("unexpected_index_list")
    for row in listed if listed is not None else [{}]:
        value = row.get(column) if listed is not None else result["result"].get("observed_value")
        about = check.about or f"{column}: {value}"
        number = value if isinstance(value, (int, float)) else None
        yield {**nothing, "about": about, "value": number, **{name: row[name] for name in COLUMNS if name in row}}


def _exception(info: dict[str, Any]) -> str:
    # Either one exception, or one per metric.
    parts = [info] if "raised_exception" in info else list(info.values())
    return "; ".join(str(part.get("exception_message")) for part in parts if part.get("raised_exception"))


def _make_context(con: duckdb.DuckDBPyConnection) -> tuple[Any, Any]:
    try:
        import great_expectations as gx
        from great_expectations.data_context.types.base import (
            DataContextConfig,
            InMemoryStoreBackendDefaults,
            ProgressBarsConfig,
        )

        from benchledger.auditing.engine import LedgerDatasource
    except ImportError as error:
        raise missing_extra("the audit needs Great Expectations", error, "audit") from error
    config = DataContextConfig(
        # Without data docs it creates no folder, not even for a moment.
        store_backend_defaults=InMemoryStoreBackendDefaults(init_temp_docs_sites=False),
        progress_bars=ProgressBarsConfig(globally=False),
        analytics_enabled=False,
    )
    context = gx.get_context(project_config=config, mode="ephemeral")
    return context, context.add_datasource(datasource=LedgerDatasource.on(con))


@contextmanager
def _quietly() -> Iterator[None]:
    # It prints warnings about its own code, which are meant for its developers.
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(before)
