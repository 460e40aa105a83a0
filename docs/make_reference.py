"""Writes the reference of tables, views and macros from the database's comments: python -m docs.make_reference."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from benchledger.store.database import open_for_writing

if TYPE_CHECKING:
    import duckdb

FOLDER = Path(__file__).resolve().parent
REFERENCE = FOLDER / "sql-reference.md"
PAGE = FOLDER / "sql.md"
BEGIN, END = "<!-- made by `make docs` from the comments in the database -->", "<!-- end of what is made -->"

HEAD = """# Every table, view and macro of the ledger

Made by `make docs` from the comments in the database, which say the same in a shell of `duckdb`
(`select column_name, comment from duckdb_columns() where table_name = 'speed_table'`). [sql.md](sql.md) teaches how to
ask them. NULL means that nothing says so. Schema `kept` holds what the tables and views are made of, and what the
questions of `bench query` read.
"""
PARTS = {"main": "Tables and views", "macro": "Macros", "kept": "Schema kept"}
THINGS = """
    with relation as (
        select schema_name, 'table' as kind, table_name as name, comment from duckdb_tables()
        union all
        select schema_name, 'view', view_name, comment from duckdb_views() where not internal
    )
    select schema_name as part, kind, if(schema_name = 'main', name, schema_name || '.' || name) as name, name as spelt,
        comment
    from relation
    union all
    select 'macro', 'macro', function_name, function_name || '(' || array_to_string(parameters, ', ') || ')', comment
    from duckdb_functions() where not internal and function_type in ('macro', 'table_macro')
    order by all"""
COLUMNS = """
    select if(schema_name = 'main', table_name, schema_name || '.' || table_name) as name, column_name,
        lower(data_type), comment
    from duckdb_columns() where not internal order by name, column_index"""
Thing = tuple[str, str, str, str, str]


def main() -> None:
    """Writes both pages again."""
    reference, page = pages()
    REFERENCE.write_text(reference, encoding="utf-8")
    PAGE.write_text(page, encoding="utf-8")


def pages() -> tuple[str, str]:
    """The text of docs/sql-reference.md, and of docs/sql.md with its list made again."""
    with tempfile.TemporaryDirectory() as folder, closing(open_for_writing(Path(folder) / "bench.duckdb")) as con:
        things = sorted(con.execute(THINGS).fetchall(), key=lambda thing: [*PARTS].index(thing[0]))
        return _reference(con, things), _with_list(PAGE.read_text(encoding="utf-8"), things)


def _reference(con: duckdb.DuckDBPyConnection, things: list[Thing]) -> str:
    columns: dict[str, list[tuple[str, str, str]]] = {}
    for table, *column in con.execute(COLUMNS).fetchall():
        columns.setdefault(table, []).append((column[0], column[1], column[2]))
    parts = [HEAD]
    for part, title in PARTS.items():
        parts.append(f"## {title}\n")
        for _, kind, name, spelt, comment in (thing for thing in things if thing[0] == part):
            parts.append(f"### {name}\n\n{_plain(_without_spelling(comment, spelt) if kind == 'macro' else comment)}\n")
            parts.append(f"`{spelt}`\n" if kind == "macro" else _table(("column", "type", "is"), columns[name]))
    return "\n".join(parts)


def _with_list(page: str, things: list[Thing]) -> str:
    listed = [
        (f"[{spelt}](sql-reference.md#{name})", kind, _first_sentence(_without_spelling(comment, spelt)))
        for part, kind, name, spelt, comment in things
        if part != "kept"
    ]
    before, _, rest = page.partition(BEGIN)
    after = rest.partition(END)[2]
    return f"{before}{BEGIN}\n\n{_table(('name', 'kind', 'is'), listed)}\n{END}{after}"


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *(tuple(map(_plain, row)) for row in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _without_spelling(comment: str, spelt: str) -> str:
    said = re.sub(rf"^{re.escape(spelt.partition('(')[0])}\([^)]*\)[^:]*: ", "", comment)
    return said[:1].upper() + said[1:]


def _first_sentence(comment: str) -> str:
    return re.split(r"(?<=\.) ", comment, maxsplit=1)[0]


def _plain(text: str) -> str:
    # As a page shows them: a bar would end the cell, a bracket begin a tag.
    return text.replace("|", r"\|").replace("<", "&lt;").replace("*", r"\*")


if __name__ == "__main__":
    main()
