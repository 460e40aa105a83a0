"""`bench db check`: checks what must hold in every ledger."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing, nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from benchledger.errors import DatabaseError
from benchledger.store.changed_views import LOOK_AFTER_S, changed_relations, limited_if_changed
from benchledger.store.database import open_for_reading
from benchledger.store.default_db import DEFAULT_DB
from benchledger.store.facade import tables_in
from benchledger.store.log_contents import WANTED, contents_path, kept_contents
from benchledger.store.private_file import key_of, private_path, private_paths, sightings_in
from benchledger.store.tables import Table
from benchledger.store.time_limit import ended_after

if TYPE_CHECKING:
    import duckdb
    import polars as pl

_RESTORE = "Restore the file from a backup, or ingest the logs into a new ledger"
_CURES = {
    "ingest": "Keep a copy (bench db backup), then read the logs again: bench ingest PATH --refresh",
    "exclude": "Say why: bench exclude RUN --reason TEXT",
    "restore": _RESTORE,
}
_INVARIANTS = "kept.invariant"
_VIEWS = "select schema_name, view_name from system.main.duckdb_views() where not internal order by all"


class Result(NamedTuple):
    """The result of one check: what must hold, whether it does, and if not, what was found and the cure."""

    what: str
    ok: bool
    found: str | None = None
    cure: str | None = None


def db_check(*, db: Path | str = DEFAULT_DB, wait_s: float = 30.0) -> pl.DataFrame:
    """Returns one row per check: `what` must hold, whether it is `ok`, and if not, what was `found` and the `cure`.

    Raises DatabaseError if the ledger cannot be opened: no ledger, another version, other migrations.
    """
    import polars as pl

    with closing(open_for_reading(db, wait_s)) as con, limited_if_changed(con, db):
        found = _ledger(con)
        found += _private(con, Path(db))
        found += _contents(con, Path(db))
    columns = {"what": pl.String, "ok": pl.Boolean, "found": pl.String, "cure": pl.String}
    return pl.DataFrame([tuple(one) for one in found], schema=columns, orient="row")


def failed_checks(db: Path | str) -> list[Result]:
    """Returns the failed checks of the tables of a ledger."""
    with closing(open_for_reading(db, 0)) as con, limited_if_changed(con, db):
        return [held for held in _ledger(con) if not held.ok]


def _ledger(con: duckdb.DuckDBPyConnection) -> list[Result]:
    unreadable, changed = _unreadable(con), changed_relations(con)
    # A view that somebody changed says nothing of the rows.
    rows = [] if unreadable or _INVARIANTS in changed else _rows(con)
    return [_readable(unreadable), _schema(changed), *rows]


def _unreadable(con: duckdb.DuckDBPyConnection) -> dict[str, str]:
    import duckdb

    broken = {}
    # Reads every value of every column: DuckDB verifies a block's checksum when it reads the block. Views are planned.
    every = {table: f"select bit_xor(hash(whole)) from {table.sql} as whole" for table in tables_in(con)}  # noqa: S608
    views = {view: f"from {view.sql} limit 0" for view in map(Table._make, con.execute(_VIEWS).fetchall())}
    for table, statement in {**views, **every}.items():
        slow = f"{table}: DuckDB has not planned it after {LOOK_AFTER_S:g} s. Drop this view, or use a backup"
        try:
            with nullcontext() if table in every else ended_after(con, LOOK_AFTER_S, partial(_told, slow)):
                con.execute(statement).fetchall()
        except duckdb.InterruptException:
            raise
        except duckdb.Error as error:
            broken[str(table)] = str(error).splitlines()[0]
    return broken


def _told(why: str, _: duckdb.DuckDBPyConnection) -> str:
    return why


def _readable(broken: dict[str, str]) -> Result:
    found = "; ".join(f"{name}: {why}" for name, why in broken.items())
    return Result(
        "every table can be read to its end, and every view planned",
        not broken,
        found or None,
        _RESTORE if broken else None,
    )


def _schema(changed: list[str]) -> Result:
    what = "tables and views are as the migrations made them; your own additions are allowed"
    found = f"missing or changed: {', '.join(changed)}" if changed else None
    return Result(what, not changed, found, _RESTORE if changed else None)


def _rows(con: duckdb.DuckDBPyConnection) -> list[Result]:
    import duckdb

    try:
        rows = con.execute(f"from {_INVARIANTS} order by what").fetchall()
    except duckdb.InterruptException:
        raise
    except duckdb.Error as error:
        return [Result("the rows can be compared", False, str(error).splitlines()[0], _RESTORE)]
    return [
        Result(what, True)
        if not found
        else Result(what, False, f"{found} violate it, for example {example}", _CURES[cure])
        for what, found, example, cure in rows
    ]


def _private(con: duckdb.DuckDBPyConnection, db: Path) -> list[Result]:
    there, readable = "the private files are there", "only the owner can read the private files"
    matches = "the private files belong to this ledger"
    path = private_path(db)
    if not path.is_file():
        # A public copy has no private files, and its readers need none.
        return [
            Result(there, True, "absent: the next ingest reads every file again; without the key it needs --key-file")
        ]
    modes = {file: file.stat().st_mode & 0o777 for file in private_paths(db) if file.is_file()}
    unsafe = [file for file, mode in modes.items() if os.name == "posix" and mode & 0o077]
    found = [Result(there, True)]
    if unsafe:
        what = ", ".join(f"the mode of {file.name} is {modes[file]:o}" for file in unsafe)
        found.append(Result(readable, False, what, f"chmod 600 {' '.join(map(str, unsafe))}"))
    else:
        found.append(Result(readable, True))
    cure = f"Put this ledger's own {path.name} beside it, or remove this one: a new one is made"
    try:
        if key_of(db) is None:
            found[0] = Result(there, True, "no key: the next ingest reads every file again, with new pseudonyms")
        seen = sightings_in(db)
    except DatabaseError as error:
        return [*found, Result(matches, False, str(error), cure)]
    known = {row[0] for row in con.execute("select sighting_id from sighting").fetchall()}
    if not seen or not known or seen & known:
        return [*found, Result(matches, True)]
    return [*found, Result(matches, False, f"none of the {len(seen)} places in it is in the ledger", cure)]


def _contents(con: duckdb.DuckDBPyConnection, db: Path) -> list[Result]:
    what = "every content that --keep-logs keeps is that of a log"
    try:
        with kept_contents(db) as contents:
            if contents is None:
                return []
            loose = contents.forms().keys() - {row[0] for row in con.execute(WANTED).fetchall()}
    except (DatabaseError, sqlite3.Error) as error:
        return [Result(what, False, str(error), f"Remove {contents_path(db).name}: --keep-logs makes a new one")]
    found = f"{len(loose)} without a log, as a killed ingest leaves them, for example {min(loose)}" if loose else None
    return [Result(what, not loose, found, "The next ingest that reads a log removes them" if loose else None)]
