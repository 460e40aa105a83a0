"""Finds the reference convergence points of a benchmark in the ledger."""

from __future__ import annotations

import json
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING

from benchledger.answers.rows import rows_asked
from benchledger.answers.tables.grouping import Row, grouped
from benchledger.definitions.submissions import Demand, LogSource, Suite
from benchledger.mlperf.reference_points import Point, point_of

if TYPE_CHECKING:
    import duckdb

# A file seen at several places is named by the first place that matches the glob.
_POINTS = """
select
    log.log_id,
    place.path as place,
    value.line,
    lower(max(value.text) filter (where value.name = $benchmark)) as benchmark,
    max(value.value) filter (where value.name = $batch_size) as batch_size,
    max(value.name) filter (where list_contains($counted, value.name)) as counted_in,
    max(value.text) filter (where list_contains($counted, value.name)) as numbers
from log
join place_of_log($points) as place using (log_id)
join (select distinct log_id, line, byte_offset, name, value, text from kept.measurement_all) as value using (log_id)
where list_contains($formats, log.format) and place.path is not null
group by all
order by all
"""


@dataclass(frozen=True)
class Points:
    """The reference points of one benchmark, from one file, or the reason why there are none."""

    reason: str | None = None
    place: str | None = None
    counted_in: str = ""
    points: tuple[Point, ...] = ()


def points_stored(con: duckdb.DuckDBPyConnection, glob: str, suite: Suite) -> dict[str, list[Row]]:
    """Returns the records of the files whose place matches the glob, by benchmark."""
    source = suite.points
    names = {name: source.names[name] for name in ("benchmark", "batch_size")}
    rows = rows_asked(con, _POINTS, points=glob, formats=list(source.formats), counted=list(suite.counted), **names)
    return {str(key[0]): members for key, members in grouped(rows, ("benchmark",)).items()}


def points_of(rows: list[Row], demand: Demand, source: LogSource) -> Points:
    """Returns the points of one benchmark; none if two files have points for it, or one has invalid numbers."""
    if not rows:
        return Points(f"no reference points are known: ingest {source.names['files']}")
    files = {row["log_id"]: row["place"] for row in rows}
    if len(files) > 1:
        listed = ", ".join(sorted(files.values()))
        return Points(f"{len(files)} files hold reference points: name one with --points: {listed}")
    (place,) = files.values()
    units = sorted({row["counted_in"] for row in rows})
    if len(units) > 1:
        return Points(f"{place} counts in {' and in '.join(units)}")
    made = []
    for row in rows:
        numbers = _numbers(row["numbers"])
        point = point_of(row["batch_size"], numbers, demand) if numbers and (row["batch_size"] or 0) > 0 else None
        if point is None:
            return Points(f"{row['place']}:{row['line']}: no list of numbers above 0 that is long enough")
        made.append(point)
    return Points(None, place, units[0], tuple(made))


def _numbers(text: str | None) -> list[float] | None:
    try:
        listed = json.loads(text or "")
    except ValueError:
        return None
    if not isinstance(listed, list) or not all(
        isinstance(number, int | float) and not isinstance(number, bool) and 0 < number < inf for number in listed
    ):
        return None
    return [float(number) for number in listed]
