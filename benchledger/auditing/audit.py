"""Audits a ledger: every check, and every finding with its run, log and line."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchledger.auditing import private_text
from benchledger.auditing.suite import Suite, collect, keep_views, make_table, placed
from benchledger.definitions.checks import SEVERITIES, Check, find_checks
from benchledger.errors import DefinitionError, UsageError
from benchledger.store.changed_views import limited_if_changed
from benchledger.store.confined import check_functions, check_statement, confine
from benchledger.store.database import open_for_reading
from benchledger.store.default_db import DEFAULT_DB
from benchledger.store.published_logs import missing_logs_note
from benchledger.store.time_limit import ended_after

if TYPE_CHECKING:
    import duckdb
    import polars as pl

# A check takes seconds. A view that another program changed may never end.
LONGEST_S = 600.0


@dataclass(frozen=True)
class Audit:
    """The result: `checks` has one row per check that ran, `findings` one row per ledger row that a check found.

    `causes` has one row per check and cause of its findings, the worst first: how many, and the first of them.
    `remarks` names checks that had nothing to look at.
    """

    checks: pl.DataFrame
    findings: pl.DataFrame
    remarks: tuple[str, ...] = ()

    @property
    def causes(self) -> pl.DataFrame:
        """Returns the causes of the findings by severity, the most frequent first, each with its first finding."""
        import polars as pl

        return (
            self.findings.with_row_index("nth")
            .group_by("severity", "check", "cause")
            .agg(pl.len().alias("findings"), pl.col("nth", "about", "run_key", "cell", "place", "line").first())
            .sort(pl.col("severity"), pl.col("findings") * -1, "nth")
            .drop("nth")
        )

    def count(self, severity: str) -> int:
        return self.findings.filter(self.findings["severity"] == severity).height


def audit(*, db: Path | str = DEFAULT_DB, checks: Collection[str] = ()) -> Audit:
    """Checks the ledger by the definitions in schema/expectations/, or by some of them; the ledger is only read.

    Raises UsageError for an unknown check, or if Great Expectations is not installed, and DatabaseError for a check
    of more than LONGEST_S.
    """
    chosen = find_checks(checks)
    with closing(open_for_reading(db)) as con, limited_if_changed(con, db):
        # The SQL of a check may be a user's own.
        confine(con)
        for check in chosen:
            _refuse_unsafe(con, check)
        make_table(con)
        asked = "\n".join(check.sql or check.on or "" for check in chosen)
        if "private_text" in asked:
            private_text.make_table(con)
        with _limited(con, "the views that several checks read"):
            keep_views(con, asked)
        suite = Suite(con)
        for check in chosen:
            with _limited(con, check.check):
                if check.sql is not None:
                    collect(con, check)
                else:
                    suite.collect(check)
        suite.confirm(chosen)
        unseen = missing_logs_note(con) if any(check.check == "against_published" for check in chosen) else None
        found = private_text.without_private_places(placed(con))
        return _answer(chosen, found, (f"against_published: {unseen}",) if unseen else ())


def _limited(con: duckdb.DuckDBPyConnection, what: str) -> AbstractContextManager[None]:
    return ended_after(
        con,
        LONGEST_S,
        lambda _: (
            f"{what}: did not end within {LONGEST_S:g} s. If views of the ledger were changed, bench db check names "
            f"them; else run the other checks one by one: bench audit --check NAME"
        ),
    )


def _refuse_unsafe(con: duckdb.DuckDBPyConnection, check: Check) -> None:
    try:
        check_statement(con, check.sql if check.sql is not None else f"from {check.on}")
        for name, value in check.arguments.items():
            if name == "unexpected_rows_query":
                check_statement(con, str(value).replace("{batch}", "finding"))
            check_functions(con, str(value))
    except UsageError as error:
        raise DefinitionError(f"{check.path}:{check.line}: {error}") from error


def _answer(checks: list[Check], found: pl.DataFrame, remarks: tuple[str, ...]) -> Audit:
    import polars as pl

    order = {check.check: number for number, check in enumerate(checks)}
    severity = {check.check: check.severity for check in checks}
    counts = dict(found["check"].value_counts().iter_rows())
    listed = pl.DataFrame(
        [(check.check, check.severity, counts.get(check.check, 0), check.sentence) for check in checks],
        schema={"check": pl.String, "severity": pl.Enum(SEVERITIES), "findings": pl.Int64, "sentence": pl.String},
        orient="row",
    )
    graded = found.with_columns(
        pl.col("check").replace_strict(severity, return_dtype=pl.Enum(SEVERITIES)).alias("severity"),
        pl.col("check").replace_strict(order, return_dtype=pl.Int64).alias("order"),
    )
    columns = ["check", "severity", *[name for name in found.columns if name != "check"]]
    return Audit(listed, graded.sort("order", maintain_order=True).select(columns), remarks)
