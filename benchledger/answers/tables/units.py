"""The unit of a table: as its logs write it, as selected, or a share of the GPU's peak (MFU)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchledger.answers.rows import rows_asked
from benchledger.answers.tables.grouping import Row
from benchledger.answers.tables.presentation import Presentation
from benchledger.definitions.queries import find_query
from benchledger.definitions.vocabulary import vocabulary
from benchledger.errors import NothingFoundError, UsageError

if TYPE_CHECKING:
    import duckdb


# A number that comes from no printed speed (but from the time between two steps) has no logged unit.
_LOGGED = """
with spelt as (
    select shape_id, unit, unit_logged
    from kept.shape
    where quantity = 'throughput' and phase = 'train' and unit_logged is not null
),
source as (
    select series_run.series_id, log.log_id, log.load_number
    from kept.series_run
    join kept.run_source using (run_id)
    join log using (log_id)
    where list_contains($series, series_run.series_id)
),
met as (
    select distinct log_id, shape_id
    from kept.record
    semi join spelt using (shape_id)
    semi join source using (log_id, load_number)
)
select distinct source.series_id, spelt.unit, spelt.unit_logged
from source
join met using (log_id)
join spelt using (shape_id)
"""
_MFU = "% of peak"
NOTE = (
    "MFU: (6 x parameters x tokens + attention) x samples/s over the GPU's dense peak; "
    "the parts: bench query model_flops"
)


@dataclass(frozen=True)
class LoggedUnits:
    """The spellings of units by series and unit, and the selected one."""

    asked: str | None
    spellings: dict[tuple[object, object], set[str]]

    def of(self, rows: list[Row]) -> str | None:
        """Returns the unit of a table's rows: as selected, else as their logs write it if they agree."""
        unit: str | None = rows[0]["unit"]
        if self.asked is not None:
            return self._asked(unit)
        spelt = set().union(*(self.spellings.get((row["series_id"], unit), set()) for row in rows))
        plain = {word for word in spelt if _spells(word, unit)}
        return plain.pop() if len(plain) == 1 == len(spelt) else unit

    def _asked(self, unit: str | None) -> str | None:
        if self.asked is None or _spells(self.asked, unit):
            return self.asked
        known = sorted(word for word in vocabulary().spellings if _spells(word, unit))
        raise UsageError(f"{self.asked!r} is not a name for {unit}; known: {', '.join(known) or 'none'}")


def logged_units(
    con: duckdb.DuckDBPyConnection, rows: list[Row], presentation: Presentation, asked: str | None = None
) -> LoggedUnits:
    """Returns the spelling of units in the logs behind rows of speed_table, if the layout shows it."""
    if asked is not None or "unit" not in presentation.report.texts:
        return LoggedUnits(asked, {})
    series = list({row["series_id"] for row in rows})
    # The only query of the speed report that reads records, and so needs all threads.
    con.execute("reset threads")
    spellings: dict[tuple[object, object], set[str]] = {}
    for series_id, unit, spelling in con.execute(_LOGGED, {"series": series}).fetchall():
        spellings.setdefault((series_id, unit), set()).add(spelling)
    return LoggedUnits(asked, spellings)


def _spells(word: str, unit: str | None) -> bool:
    return vocabulary().spellings.get(word) == (unit, 1.0)


def as_mfu(con: duckdb.DuckDBPyConnection, rows: list[Row], rule: str | None) -> list[Row]:
    """Returns the rows with MFU in place of speed; a speed of an unknown model or GPU is left out.

    Raises NothingFoundError if no row has an MFU.
    """
    question = find_query("model_flops")
    asked = question.bind({"rule": rule} if rule else {})
    shares = {
        (row["series_id"], row["rule"]): row["mfu_percent"]
        for row in rows_asked(con, question.sql, **asked)
        if row["mfu_percent"] is not None
    }
    found = [row for row in rows if row["value"] is None or (row["series_id"], row["rule"]) in shares]
    if not any(row["value"] is not None for row in found):
        raise NothingFoundError(
            "no speed of a transformer and GPU that queries/model_flops.sql knows; see: bench query model_flops"
        )
    for row in found:
        # What was measured in the unit of the speed.
        row |= {"unit": _MFU, "lowest": None, "highest": None, "stdev": None}
        if row["value"] is not None:
            row["value"] = shares[row["series_id"], row["rule"]]
    return found
