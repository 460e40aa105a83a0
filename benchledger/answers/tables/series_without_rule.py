"""Notes on series whose format has no default rule in the ledger: they are in no table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchledger.answers.filters import Filters
from benchledger.answers.series import all_series
from benchledger.answers.tables.grouping import Row
from benchledger.answers.tables.presentation import Look
from benchledger.errors import NothingFoundError

if TYPE_CHECKING:
    import duckdb

# A user's format may name no rule, and a user's rule is known only with its --definitions.
_UNRULED = """
select format, default_rule
from kept.format
where role = 'train' and (default_rule is null or default_rule not in (select rule from kept.rule))
order by format
"""
_SERIES = """
select distinct series_id
from kept.series_run
join kept.run_format using (run_id)
where format = $format
"""


def series_without_rule_notes(
    con: duckdb.DuckDBPyConnection, filters: Filters, rows: list[Row], look: Look | None = None
) -> tuple[str, ...]:
    """Returns one note per format without a known default rule with selected series that have no row.

    None in a layout, whose readers have no ledger. Raises NothingFoundError if there are no rows at all.
    """
    formats = con.execute(_UNRULED).fetchall()
    if not formats:
        return ()
    met = {series for (series,) in filters.apply(all_series(con)).select("series_id").fetchall()}
    missing = met - {row["series_id"] for row in rows}
    notes = []
    for name, rule in formats:
        count = len(missing & {series for (series,) in con.execute(_SERIES, {"format": name}).fetchall()})
        if count:
            notes.append(f"{count} series of format {name} {'is' if count == 1 else 'are'} in no table: {_why(rule)}")
    if notes and not rows:
        raise NothingFoundError("; ".join(notes))
    return tuple(notes) if look is None or look.is_plain else ()


def _why(rule: str | None) -> str:
    if rule is None:
        return (
            "it names no default_rule. Ask for a rule (bench report speed --rule; bench query rules), or name one in "
            "the format"
        )
    return (
        f"its default rule {rule} is not known to the ledger. Ingest with the --definitions that hold it, or ask for "
        f"another (bench report speed --rule)"
    )
