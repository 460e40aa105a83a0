"""A facade: a ledger whose tables are views of the Parquet files of a lake, those of one snapshot. It is only read."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from benchledger.errors import DatabaseError, missing_extra
from benchledger.store.tables import Table, quoted_text, tables_of

if TYPE_CHECKING:
    import duckdb

# Files are named by their place in the lake. The variable `lake` is the folder before them; without it, in the shell of
# DuckDB, they are found from the folder of the lake. The column `lake` is NULL in a facade that lies in its lake;
# of a lake in a bucket it is the address, since its facade is read elsewhere.
MAKE_FACADE = """
create table kept.facade (lake varchar, snapshot bigint not null, bytes bigint not null, files varchar[] not null)
"""
_RETRY_S = 60
_FILE = re.compile(r"tables/\w+/\w+/[^/*?\[]+\.parquet")
_BUCKETS = ("s3", "gs", "az")


@dataclass(frozen=True)
class Facade:
    """Which files of which lake a facade reads, and how many bytes they have together."""

    lake: str | None
    snapshot: int
    bytes: int
    files: list[str]

    def lake_of(self, place: Path) -> str:
        """Returns the folder or address of the lake, with a slash at its end, for the facade at `place`."""
        if self.lake and is_address(self.lake):
            return f"{self.lake}/"
        return f"{(place.resolve().parent / (self.lake or '')).resolve()}/"


def facade_in(con: duckdb.DuckDBPyConnection) -> Facade | None:
    """Returns what a facade says of itself; None for a ledger."""
    import duckdb

    try:
        # Fails for a view, which could read any file. A macro of the ledger cannot stand for a function of `system`.
        con.execute("from system.main.pragma_storage_info('kept.facade') limit 0")
        row = con.execute("select lake, snapshot, bytes, files from kept.facade").fetchone()
    except duckdb.CatalogException:
        return None
    return Facade(*row) if row else None


def find_lake(con: duckdb.DuckDBPyConnection, place: Path) -> Facade | None:
    """Lets the views of a facade find their files; None for a ledger. Raises DatabaseError if a file is missing."""
    facade = facade_in(con)
    if facade is not None:
        import secrets
        import tempfile

        lake = facade.lake_of(place)
        if (foreign := next((file for file in facade.files if not _is_of(lake, file)), None)) is not None:
            raise DatabaseError(
                f"{place}: names {foreign}, which is no table's file in {lake}. Make a facade of that lake anew: bench "
                f"lake publish LAKE --facade FILE"
            )
        use_lake(con, lake)
        # In a bucket it would take a request for each file: a snapshot is removed with its files.
        needed = [f"snapshots/{facade.snapshot:08}"] if is_address(lake) else facade.files
        missing = [file for file in needed if not _exists(lake, file)]
        if missing:
            raise DatabaseError(
                f"{place}: {len(missing)} of the {len(needed)} files that it needs are missing in {lake}, for example "
                f"{missing[0]}. If the lake was published again since, take its new facade; if this file was moved, "
                f"make one here: bench lake publish LAKE --facade {place}"
            )
        (is_open,) = con.execute("select system.main.current_setting('enable_external_access')").fetchall()[0]
        if is_open:
            # A reader may have no right to write beside the facade.
            spill = Path(tempfile.gettempdir(), f"benchledger-{secrets.token_hex(8)}")
            con.execute(f"set temp_directory = {quoted_text(str(spill))}")
    return facade


def _is_of(lake: str, file: str) -> bool:
    """Returns whether a file is one that a publish made: a facade from elsewhere could name any other."""
    if is_address(lake):
        return lake.partition("://")[0] in _BUCKETS and _FILE.fullmatch(file) is not None
    return _FILE.fullmatch(file) is not None and os.path.realpath(lake + file).startswith(lake)


def use_lake(con: duckdb.DuckDBPyConnection, lake: str) -> None:
    """Lets DuckDB read the files of a lake: a folder or an address, with a slash at its end."""
    if is_address(lake):
        files = _bucket_files(lake.partition("://")[0])
        if not con.filesystem_is_registered(files.protocol):
            con.register_filesystem(files)
    con.execute(f"set variable lake = {quoted_text(lake)}")


def is_address(lake: str) -> bool:
    """Returns whether a lake is in a bucket."""
    return "://" in lake


@cache
def _bucket_files(scheme: Any) -> Any:
    """Returns the files of buckets, which DuckDB then reads without an extension, by the environment's credentials."""
    try:
        from obstore.fsspec import FsspecStore
    except ImportError as error:
        raise missing_extra("a lake in a bucket needs obstore and fsspec", error, "lake") from error

    class BucketFiles(FsspecStore):  # type: ignore[misc, unused-ignore]
        """The files of buckets, which never change: DuckDB asks a dozen times for the size of each."""

        _known: ClassVar[dict[str, Any]] = {}

        async def _info(self, path: str, **options: Any) -> Any:
            if not path.endswith(".parquet"):
                return await super()._info(path, **options)
            if path not in self._known:
                self._known[path] = await super()._info(path, **options)
            return self._known[path]

        def modified(self, path: str) -> Any:
            return self.info(path)["last_modified"]

    return BucketFiles(scheme, retry_config={"retry_timeout": timedelta(seconds=_RETRY_S)})


def _exists(lake: str, file: str) -> bool:
    if not is_address(lake):
        return Path(lake + file).is_file()
    try:
        return bool(_bucket_files(lake.partition("://")[0]).exists(lake + file))
    except Exception as error:
        why = str(error).partition("\n")[0]
        raise DatabaseError(f"{lake}{file}: {why}. Check the rights to this lake, and its address") from error


def readable_files(con: duckdb.DuckDBPyConnection) -> list[str]:
    """Returns the files that the views of a facade read; none for a ledger."""
    facade = facade_in(con)
    row = con.execute("select system.main.getvariable('lake')").fetchone()
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
