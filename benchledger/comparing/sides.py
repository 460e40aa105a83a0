"""The two sides of a comparison: a folder of logs, a ledger file, a campaign, or filters of the ledger."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from benchledger.answers.filters import MACHINE_COLUMNS, Filters, read_filters
from benchledger.answers.reports.convergence_cells import Target
from benchledger.answers.rows import reading, rows_asked
from benchledger.definitions.regular_file import is_duckdb, need_regular
from benchledger.errors import UsageError
from benchledger.kept import uses
from benchledger.store.scratch import work_folder

if TYPE_CHECKING:
    import duckdb

QUANTITIES = ("speed", "time_to_target", "memory", "final_loss")
_FOLDER = Path(__file__).with_name("sql")
# Columns of the environment that a side may be filtered by, besides those of every report.
VERSION_COLUMNS = (
    "framework_version", "implementation_version", "gpu_family", "driver_version", "cuda_version", "cudnn_version",
    "nccl_version", "mpi_version", "image", "interconnect", "topology", "cpu_model", "os", "python_version",
)  # fmt: skip


def sql_of(name: str) -> str:
    return (_FOLDER / f"{name}.sql").read_text(encoding="utf-8")


@dataclass(frozen=True)
class Side:
    """One side: its name for people, its ledger and its filters."""

    shown: str
    con: duckdb.DuckDBPyConnection
    filters: Filters


def open_sides(
    sides: tuple[str | Path, ...],
    a: Iterable[str],
    b: Iterable[str],
    db: Path | str,
    columns: dict[str, object],
    opened: ExitStack,
) -> tuple[Side, Side]:
    """Opens both sides until `opened` is closed; logs in a folder are read into a ledger that is removed then.

    Raises UsageError unless there are two sides, or filters for both.
    """
    asked = tuple(_conditions(side) for side in (a, b))
    if len(sides) not in (0, 2) or (not sides and not all(asked)):
        raise UsageError(
            "name both sides: two folders, ledgers or campaigns, as in: bench compare BEFORE AFTER; or filters of one "
            "ledger: bench compare --a framework_version=2.4 --b framework_version=2.5"
        )
    folder = opened.enter_context(work_folder())
    places = sides or (None, None)
    found = [_open(place, one, db, columns, folder, opened) for place, one in zip(places, asked, strict=True)]
    return found[0], found[1]


def trials_of(side: Side, rule: str | None, target: Target) -> pl.DataFrame:
    """Returns the trials of a side (sql/trials.sql). Raises UsageError if it has none."""
    asked = {"rule": rule, "target": target.value, "target_name": target.name or None, "target_text": target.said}
    side.con.execute(f"create or replace temp table compared_trial as {sql_of('trials')}", asked)
    frame = side.filters.apply(side.con.table("compared_trial")).pl()
    if frame.is_empty():
        error = side.filters.explain(side.con.table("compared_trial"), "trial")
        raise UsageError(f"{side.shown}: {error}")
    return frame


def rates_of(con: duckdb.DuckDBPyConnection, runs: list[int], rule: str) -> dict[int, list[float]]:
    """Returns the rates of each run that its speed under a rule is made of, in their order."""
    with uses(con, runs, rule):
        return {row["run_id"]: row["rates"] for row in rows_asked(con, sql_of("steps"))}


def _conditions(side: Iterable[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for condition in side:
        column, equals, value = condition.partition("=")
        if not equals or not column.strip():
            raise UsageError(f"no filter {condition!r}: write COLUMN=VALUE, as in: --a framework_version=2.4")
        found.setdefault(column.strip().replace("-", "_"), []).append(value.strip())
    return found


def _open(
    place: str | Path | None,
    asked: dict[str, list[str]],
    db: Path | str,
    columns: dict[str, object],
    folder: Path,
    opened: ExitStack,
) -> Side:
    for column in asked:
        if column in columns:
            raise UsageError(f"{column} is a filter of one side and of both: drop one")
    campaign, shown = None, ", ".join(f"{name}={','.join(values)}" for name, values in asked.items())
    if place is not None:
        shown = f"{place}, {shown}" if shown else str(place)
        need_regular(place)
        if Path(place).is_file() and is_duckdb(place):
            db = place
        elif Path(place).exists():
            db = _read(Path(place), folder)
        else:
            campaign = str(place)
    if "campaign" in asked:
        if campaign is not None or len(asked["campaign"]) > 1:
            raise UsageError("name one campaign per side; a glob selects several")
        campaign = asked["campaign"][0]
    more = {name: values for name, values in asked.items() if name != "campaign"}
    filters = read_filters(campaign, {**columns, **more}, extra=(*MACHINE_COLUMNS, *VERSION_COLUMNS))
    return Side(shown, opened.enter_context(reading(db, records=True)), filters)


def _read(path: Path, folder: Path) -> Path:
    from benchledger.ingestion.ingest import ingest

    # Of one key, so that a system has the same pseudonym on both sides.
    key_file = folder / "key"
    if not key_file.exists():
        key_file.touch(mode=0o600)
        key_file.write_text(secrets.token_hex(32), encoding="ascii")
    db = folder / f"side-{len(list(folder.iterdir()))}.duckdb"
    ingest(path, db=db, jobs=os.cpu_count() or 1, key_file=key_file)
    return db
