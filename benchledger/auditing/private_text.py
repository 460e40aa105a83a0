"""Finds stored texts that the redactor would still change: they should not be in a ledger."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from benchledger.redaction.redactor import Redactor
from benchledger.redaction.samples import load_redaction, shown
from benchledger.store.facade import tables_in
from benchledger.store.tables import Table

if TYPE_CHECKING:
    import duckdb
    import polars as pl

# Any key will do: pseudonyms are not shown.
_KEY = b"only looked for, never stored or shown"
_PATHS = {"path", "archive", "member"}
_HASH_SHOWN = 12
_MAKE = """
create temp table private_text (
    table_name varchar, column_name varchar, log_id bigint, line bigint, run_id bigint, rows bigint, shown varchar
)
"""
# Texts in lists are checked one by one. One place per distinct text is enough, with its number of rows.
_COLUMNS = """
select columns.schema_name, columns.table_name, columns.column_name, columns.data_type,
    list(others.column_name) as others
from duckdb_columns() as columns
join duckdb_columns() as others on others.table_oid = columns.table_oid
where columns.data_type in ('VARCHAR', 'VARCHAR[]', 'JSON')
group by all
order by all
"""


# The name of a field can say that its value is private: a log may have a column "Host Name".
_FIELDS = """
select shape.name, record.texts[shape.ordinal] as text, count(*), min((record.log_id, record.line)), null
from kept.record
join kept.shape using (shape_id)
where list_contains($names, shape.name) and text <> ''
group by all
"""


def make_table(con: duckdb.DuckDBPyConnection) -> None:
    """Fills temporary table `private_text`: one row per text that is not redacted, shown redacted."""
    con.execute(_MAKE)
    redactor = Redactor(load_redaction(), _KEY)
    tables = tables_in(con)
    for schema, name, column, data_type, others in con.execute(_COLUMNS).fetchall():
        table = Table(schema, name)
        if table not in tables:
            continue
        found = _texts(con, table, column, data_type, others)
        # A path relative to its root has lost its leading slash.
        before = "/" if column in _PATHS else ""
        for number in _suspected(redactor, [before + row[0] for row in found]):
            value, *place = found[number]
            redacted = redactor.path(value) if column in _PATHS else redactor.fresh(value)
            _add(con, (str(table), column), value, redacted, place)
    names = [
        name for (name,) in con.execute("select distinct name from kept.shape").fetchall() if redactor.kind_of(name)
    ]
    for name, value, *place in con.execute(_FIELDS, {"names": names}).fetchall():
        _add(con, ("kept.record", name), value, redactor.value(name, value), place)


def without_private_places(found: pl.DataFrame) -> pl.DataFrame:
    """Replaces places that are private texts by the beginning of their log's hash, and drops the hash column."""
    import polars as pl

    redactor = Redactor(load_redaction(), _KEY)
    places = found["place"].drop_nulls().unique().to_list()
    private: dict[str, str] = {}
    for number in _suspected(redactor, ["/" + place.replace("!/", "\n/") for place in places]):
        parts = [redactor.path(part) for part in places[number].split("!/")]
        if "!/".join(parts) != places[number]:
            private[places[number]] = shown("!/".join(parts))
    by_hash = pl.lit("log ") + pl.col("content_hash").str.slice(0, _HASH_SHOWN)
    place = pl.col("place")
    told = pl.coalesce(by_hash, place.replace(private))
    return found.with_columns(pl.when(place.is_in(list(private))).then(told).otherwise(place).alias("place")).drop(
        "content_hash"
    )


def _texts(
    con: duckdb.DuckDBPyConnection, table: Table, column: str, data_type: str, others: list[str]
) -> list[tuple[Any, ...]]:
    text = f'unnest("{column}")' if data_type.endswith("[]") else f'"{column}"::varchar'
    log, line, run = (f'"{name}"' if name in others else "null" for name in ("log_id", "line", "run_id"))
    statement = f"""
        select text, count(*), min(({log}, {line})), min({run})
        from (select {text} as text, * from {table.sql})
        where text <> ''
        group by text
    """  # noqa: S608 - the names are those of our own tables
    return con.execute(statement).fetchall()


def _add(con: duckdb.DuckDBPyConnection, where: tuple[str, str], value: str, redacted: str, place: list[Any]) -> None:
    if redacted != value:
        rows, (log_id, line), run_id = place
        row = [*where, log_id, line, run_id, rows, shown(redacted)]
        con.execute("insert into private_text values (?, ?, ?, ?, ?, ?, ?)", row)


def _suspected(redactor: Redactor, texts: list[str]) -> list[int]:
    # One search in the joined texts: one search per text takes ten times as long.
    begins = list(accumulate((len(text) + 1 for text in texts), initial=0))
    return sorted({bisect_right(begins, start) - 1 for start in redactor.lines_to_check("\n".join(texts))})
