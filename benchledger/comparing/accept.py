"""Accepts changes that `bench history` finds, with a reason. An acceptance outlives its run."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import polars as pl

from benchledger.comparing.history import history
from benchledger.comparing.sides import QUANTITIES
from benchledger.errors import NothingFoundError, UsageError
from benchledger.store.database import open_for_writing
from benchledger.store.default_db import DEFAULT_DB
from benchledger.store.frames import frame_of
from benchledger.store.run_keys import find_run
from benchledger.store.writing import transaction
from benchledger.upkeep.exclude import signed

_ACCEPTED = "from kept.accepted_change where list_contains($keys, run_key) order by all"
_REMOVED = """
delete from kept.accepted_change
where run_key = $key and ($quantity is null or quantity is null or quantity = $quantity)
"""


def accept_changes(
    *runs: str,
    reason: str | None = None,
    by: str | None = None,
    quantity: str | None = None,
    undo: bool = False,
    db: Path | str = DEFAULT_DB,
    wait_s: float = 30.0,
    **asked: Any,
) -> pl.DataFrame:
    """Accepts the changes of `bench history` at these runs, or with `undo` no longer. Returns what is stored of them.

    `runs` are keys or beginnings of keys; `quantity` limits the acceptance to speed, memory, ... `asked` is what found
    the changes: `over`, `target`, `threshold` and the others of `history`. Private names in the reason and in `by` are
    replaced as in logs. Raises UsageError without a run or a reason, NothingFoundError for an unknown run, for one at
    which `history` finds no change, or with `undo` for one without an acceptance. Nothing is written then.
    """
    if not runs:
        raise UsageError("name the RUN at which the change begins: bench history lists it")
    if undo and (reason or by):
        raise UsageError("--undo removes the acceptance: it takes neither --reason nor --by")
    if quantity is not None and quantity not in QUANTITIES:
        raise UsageError(f"no quantity {quantity!r}; known: {', '.join(QUANTITIES)}")
    if not undo and not (reason or "").strip():
        raise UsageError("give a reason with --reason TEXT; it is shown with the change")
    acceptable = (
        None if undo else history(db=db, wait_s=wait_s, quantity=[quantity] if quantity else (), **asked).acceptable
    )
    with closing(open_for_writing(db, wait_s, make=False)) as con, transaction(con, db):
        keys = sorted({find_run(con, run, db)[0] for run in runs})
        stored = frame_of(con.execute(_ACCEPTED, {"keys": keys}))
        if undo and stored.is_empty():
            raise NothingFoundError(f"no accepted change at {', '.join(runs)}; list all with: bench history")
        unchanged = [] if acceptable is None else [key for key in keys if key not in acceptable]
        if unchanged:
            step = f"step of {quantity}" if quantity else "step"
            raise NothingFoundError(
                f"{', '.join(unchanged)}: bench history finds no {step} there. Name a RUN that it lists, "
                "with the same --over, --target and --threshold; leave out an outlier with: bench exclude RUN"
            )
        for key in keys:
            con.execute(_REMOVED, {"key": key, "quantity": quantity})
            if not undo:
                row = [key, quantity, *signed(reason, by, db)]
                con.execute("insert into kept.accepted_change values (?, ?, ?, ?, ?)", row)
        return stored if undo else frame_of(con.execute(_ACCEPTED, {"keys": keys}))
