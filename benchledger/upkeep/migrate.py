"""`bench db migrate`: brings a ledger of an older version to this one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from benchledger.store.database import closing_written, open_as_it_is, transaction
from benchledger.store.default_db import DEFAULT_DB
from benchledger.store.migrations import migrate
from benchledger.store.sync import sync_definitions

if TYPE_CHECKING:
    import polars as pl


def db_migrate(*, db: Path | str = DEFAULT_DB, wait_s: float = 30.0) -> pl.DataFrame:
    """Brings a ledger to this program's version. Returns all its steps so far: version, time, whether taken now.

    Each step is a transaction: a step that fails leaves the ledger at the version before. Raises DatabaseError for a
    ledger of a newer version or of an unreleased one, DatabaseHeldError if it is locked for longer than `wait_s`.
    """
    import polars as pl

    with closing_written(open_as_it_is(Path(db), read_only=False, wait_s=wait_s), db) as con:
        applied = migrate(con, str(db))
        if applied:
            # New columns of views need the rules of today.
            with transaction(con, db):
                sync_definitions(con)
        steps = "select version, applied_at, benchledger_version from kept.schema_version order by version"
        return con.sql(steps).pl().with_columns(now=pl.col("version").is_in(applied))
