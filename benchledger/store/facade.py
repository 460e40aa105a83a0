"""A facade: a ledger whose tables are views of the Parquet files of a lake, those of one snapshot. It is only read."""

from __future__ import annotations

import secrets
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchledger.errors import DatabaseError
from benchledger.store.tables import Table, quoted, tables_of

if TYPE_CHECKING:
    import duckdb

# Files are named by their place in the lake. The variable `lake` is the folder before them; without it, in the shell of
# DuckDB, they are found from the folder of the lake. The column `lake` is NULL in a facade that lies in its lake.
MAKE_FACADE = """
create table kept.facade (lake varchar, snapshot bigint not null, bytes bigint not null, files varchar[] not null)
"""
_TEXT = "'"


@dataclass(frozen=True)
class Facade:
    """Which files of which lake a facade reads, and how many bytes they have together."""

    lake: str | None
    snapshot: int
    bytes: int
    files: list[str]

    def lake_of(self, place: Path) -> str:
        """Returns the folder of the lake, with a slash at its end, for the facade at `place`."""
        return f"{(place.resolve().parent / (self.lake or '')).resolve()}/"


def facade_in(con: duckdb.DuckDBPyConnection) -> Facade | None:
    """Returns what a facade says of itself; None for a ledger."""
    import duckdb

    try:
        row = con.execute("select lake, snapshot, bytes, files from kept.facade").fetchone()
    except duckdb.CatalogException:
        return None
    return Facade(*row) if row else None


def find_lake(con: duckdb.DuckDBPyConnection, place: Path) -> Facade | None:
    """Lets the views of a facade find their files; None for a ledger. Raises DatabaseError if a file is missing."""
    facade = facade_in(con)
    if facade is not None:
        lake = facade.lake_of(place)
        missing = [file for file in facade.files if not Path(lake + file).exists()]
        if missing:
            raise DatabaseError(
                f"{place}: {len(missing)} of the {len(facade.files)} files that it reads are missing in {lake}, for "
                f"example {missing[0]}. If the lake was published again since, take its new facade; if this file was "
                f"moved, make one here: bench lake publish LAKE --facade {place}"
            )
        con.execute(f"set variable lake = {quoted(lake, _TEXT)}")
        (is_locked,) = con.execute("select current_setting('lock_configuration')").fetchall()[0]
        if not is_locked:
            # A reader may have no right to write beside the facade.
            spill = Path(tempfile.gettempdir(), f"benchledger-{secrets.token_hex(8)}")
            con.execute(f"set temp_directory = {quoted(str(spill), _TEXT)}")
    return facade


def readable_files(con: duckdb.DuckDBPyConnection) -> list[str]:
    """Returns the files that the views of a facade read; none for a ledger."""
    facade = facade_in(con)
    row = con.execute("select getvariable('lake')").fetchone()
    return [f"{row[0]}{file}" for file in facade.files] if facade and row else []


def tables_in(con: duckdb.DuckDBPyConnection) -> list[Table]:
    """Returns the tables of a ledger; of a facade the views that have files, too."""
    facade = facade_in(con)
    views = {Table(*file.split("/")[1:3]) for file in facade.files} if facade else set()
    return sorted({*tables_of(con), *views})


def refuse_facade(con: duckdb.DuckDBPyConnection, place: Path | str) -> None:
    """Raises DatabaseError for a facade, which cannot be changed, merged or copied."""
    if facade_in(con) is not None:
        raise DatabaseError(
            f"{place}: is the facade of a lake and is only read. To read more logs: bench ingest SOURCE --lake LAKE, "
            f"then bench lake publish LAKE. For anything else make a ledger: bench lake publish LAKE --into FILE"
        )
