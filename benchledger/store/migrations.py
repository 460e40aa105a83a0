"""Brings the tables and views of a ledger to this program's version, one numbered SQL file at a time."""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from benchledger import __version__
from benchledger.definitions.folders import shipped_root
from benchledger.errors import DatabaseError, DefinitionError, upgrade_line
from benchledger.store.facade import refuse_facade
from benchledger.store.tables import quoted, quoted_text, tables_of

if TYPE_CHECKING:
    import duckdb

_NUMBERED = re.compile(r"(\d{4})_\w+\.sql")
_MADE = re.compile(r"^create (?:table|view) ([\w.]+)", re.MULTILINE)


_SILENT = """
select schema_name || '.' || table_name as name, column_name
from duckdb_columns()
where not internal and comment is null
"""


@dataclass(frozen=True)
class Migration:
    """One step of the schema, which brings a ledger to `version`."""

    version: int
    path: Path

    @property
    def digest(self) -> str:
        return hashlib.blake2b(self.path.read_bytes(), digest_size=16).hexdigest()


def shipped_migrations(folder: Path | None = None) -> list[Migration]:
    home = folder or shipped_root() / "schema" / "migrations"
    found: list[Migration] = []
    for path in sorted(home.glob("*.sql")):
        match = _NUMBERED.fullmatch(path.name)
        if match is None or int(match[1]) != len(found) + 1:
            raise DefinitionError(f"{path}:1: the next migration must be named {len(found) + 1:04}_WORDS.sql")
        found.append(Migration(int(match[1]), path))
    if not found:
        raise DefinitionError(
            f"{home}:1: contains no migrations; the installation is incomplete: reinstall benchledger"
        )
    return found


def latest_version() -> int:
    return shipped_migrations()[-1].version


def schema_version(con: duckdb.DuckDBPyConnection, place: str) -> int:
    """Returns a ledger's version; 0 for an empty database. Raises DatabaseError for a database of another program."""
    import duckdb

    tables = {str(table) for table in tables_of(con)}
    if not tables:
        return 0
    foreign = DatabaseError(f"{place}: is a DuckDB database, but no ledger of benchledger. Name another file with --db")
    if {"schema_version", "run", "sighting"} <= tables:
        raise _unreleased(place, "all tables in one schema")
    if "kept.schema_version" not in tables:
        raise foreign
    try:
        row = con.execute(
            "select max(version) from kept.schema_version where benchledger_version is not null"
        ).fetchone()
    except duckdb.Error as error:
        raise foreign from error
    if row is None or row[0] is None:
        raise foreign
    return int(row[0])


def migrate(con: duckdb.DuckDBPyConnection, place: str, migrations: Sequence[Migration] | None = None) -> list[int]:
    """Applies the missing migrations, each file in its own transaction; returns the versions applied."""
    import duckdb

    if migrations is None and _is_current(con):
        return []
    steps = shipped_migrations() if migrations is None else migrations
    refuse_facade(con, place)
    have = schema_version(con, place)
    _refuse_newer(have, steps[-1].version, place)
    _refuse_other(con, steps[:have], place)
    applied = []
    for step in steps[have:]:
        con.begin()
        try:
            con.execute(
                "create schema if not exists kept; create table if not exists kept.schema_version"
                "(version integer not null, applied_at timestamp not null, benchledger_version varchar not null, "
                "digest varchar not null)"
            )
            statements = step.path.read_text(encoding="utf-8")
            con.execute(statements)
            con.execute(_shared_comments(con, statements))
            made = [step.version, datetime.now(UTC).replace(tzinfo=None), program_version(), step.digest]
            con.execute("insert into kept.schema_version values (?, ?, ?, ?)", made)
            con.commit()
        except duckdb.Error as error:
            _undo(con)
            raise DatabaseError(
                f"{place}: migration {step.path.name} failed and was undone; the database is as it was at version "
                f"{step.version - 1}. Keep a copy of it and report this: {error}"
            ) from error
        except BaseException:
            _undo(con)
            raise
        applied.append(step.version)
    return applied


def glossary_file() -> Path:
    return shipped_root() / "schema" / "glossary.toml"


def _shared_comments(con: duckdb.DuckDBPyConnection, statements: str) -> str:
    # For the columns of what the statements make, where a column has no comment of its own.
    glossary = tomllib.loads(glossary_file().read_text(encoding="utf-8"))
    made = {name if "." in name else f"main.{name}" for name in _MADE.findall(statements)}
    return ";".join(
        f"comment on column {table}.{quoted(column)} is {quoted_text(glossary[column])}"
        for table, column in con.execute(_SILENT).fetchall()
        if table in made and column in glossary
    )


def date_migrations(con: duckdb.DuckDBPyConnection) -> None:
    """Dates the migrations of a new ledger now, since it may be a copy of an older empty ledger."""
    # Not as a parameter: DuckDB imports pandas, if it is installed, to inspect one.
    con.execute("update kept.schema_version set applied_at = make_timestamp(epoch_us(now()))")


def _undo(con: duckdb.DuckDBPyConnection) -> None:
    import duckdb

    # An interrupted commit has already ended its transaction.
    with suppress(duckdb.Error):
        con.rollback()


def check_version(con: duckdb.DuckDBPyConnection, place: str) -> None:
    """Raises DatabaseError unless the ledger has exactly this program's version."""
    if _is_current(con):
        return
    have, need = schema_version(con, place), latest_version()
    _refuse_newer(have, need, place)
    if have == 0:
        raise DatabaseError(f"{place}: is an empty database. Read logs with: bench ingest PATH")
    if have < need:
        raise DatabaseError(
            f"{place}: has schema version {have}, this program needs {need}. Bring it there: bench db migrate"
        )
    _refuse_other(con, shipped_migrations(), place)


def _is_current(con: duckdb.DuckDBPyConnection) -> bool:
    # The fast check before each answer. Only if it fails is it worth finding out what is wrong.
    import duckdb

    try:
        made = con.execute(
            "select version, digest from kept.schema_version where benchledger_version is not null"
        ).fetchall()
    except duckdb.Error:
        return False
    return sorted(made) == [(step.version, step.digest) for step in shipped_migrations()]


def _refuse_newer(have: int, need: int, place: str) -> None:
    if have > need:
        raise DatabaseError(
            f"{place}: has schema version {have}, this program knows up to {need}. Install the newer benchledger "
            f"that wrote it ({upgrade_line()}), or name another file with --db"
        )


def _refuse_other(con: duckdb.DuckDBPyConnection, applied: Sequence[Migration], place: str) -> None:
    # A migration may be edited between releases: an older ledger then has other tables under the same number.
    if not applied:
        return
    # Not duckdb_columns(): it plans every view of the ledger to list its columns.
    columns = con.execute("select name from pragma_table_info('kept.schema_version')").fetchall()
    have_digests = ("digest",) in columns
    made = dict(con.execute("select version, digest from kept.schema_version").fetchall()) if have_digests else {}
    for step in applied:
        if made.get(step.version) != step.digest:
            raise _unreleased(place, f"another {step.path.name}")


def _unreleased(place: str, other: str) -> DatabaseError:
    return DatabaseError(
        f"{place}: was made by an unreleased benchledger, with {other}, and cannot be migrated. Move this "
        "file and its .private and .key aside, and ingest the logs again"
    )


def program_version() -> str:
    # Not from the installed package: looking that up takes longer than copying an empty ledger.
    return __version__
