"""What a ledger holds beside published numbers: runs with their case, places and numbers under every rule."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchledger.answers.rows import rows_asked
from benchledger.kept import uses
from benchledger.reproducing.chance import windows
from benchledger.store.private_file import PrivateFile, private_path

if TYPE_CHECKING:
    import duckdb

_SQL = Path(__file__).with_name("sql")
# Of all rules the one that takes the most programs' steps, and leaves none of them out.
_ALL_STEPS = "steps.median_skip0"


@dataclass(frozen=True)
class Number:
    """A number of a run: its rule, whether that is the default, made for the program (`named`), or `general`."""

    rule: str
    rule_is: str
    quantity: str
    unit: str
    value: float
    over_trials: bool = False


@dataclass(frozen=True)
class Place:
    """Where a log was seen: its path as shown, and with its real names for matching."""

    log_id: int | None
    shown: str
    parts: tuple[str, ...]
    status: str


@dataclass
class Run:
    run_id: int
    facts: dict[str, Any]
    places: list[Place] = field(default_factory=list)
    numbers: list[Number] = field(default_factory=list)

    @property
    def words(self) -> str:
        """Its places, system and GPU, squeezed to letters and digits."""
        if not hasattr(self, "_words"):
            said = [*("/".join(place.parts) for place in self.places), self.facts["system"], self.facts["gpu_model"]]
            self._words = re.sub(r"[\W_]+", "", " ".join(filter(None, said))).lower()
        return self._words


@dataclass(frozen=True)
class Evidence:
    """The runs and places that may stand behind a page."""

    runs: tuple[Run, ...]
    places: tuple[Place, ...]
    con: duckdb.DuckDBPyConnection
    made: dict[int, dict[str, float]] = field(default_factory=dict)

    def windows(self, run_ids: list[int]) -> dict[int, dict[str, float]]:
        """Returns what means and medians over windows of some runs' printed rates give, by run; made once for each."""
        missing = [run for run in run_ids if run not in self.made]
        if missing:
            with uses(self.con, missing, _ALL_STEPS):
                rates = {row["run_id"]: row["rates"] for row in rows_asked(self.con, _read("rates"))}
            self.made.update({run: windows(rates.get(run, [])) for run in missing})
        return {run: self.made[run] for run in run_ids}


def _read(name: str) -> str:
    return (_SQL / f"{name}.sql").read_text(encoding="utf-8")


def read_evidence(con: duckdb.DuckDBPyConnection, db: Path, only_below: tuple[Path, ...] = ()) -> Evidence:
    """Returns what a ledger has; with `only_below` only what was read from these files and folders.

    Folders with pseudonyms are known by their real names if the private file is there.
    """
    real = _real_names(db)
    kept = _read_from(db, only_below) if only_below else None
    places, by_log = [], defaultdict(list)
    for row in rows_asked(con, _read("places")):
        if kept is not None and row["sighting_id"] not in kept:
            continue
        parts = tuple(part for part in real(row["path"]).replace("\\", "/").split("/") if part)
        place = Place(row["log_id"], row["path"], parts, row["status"])
        places.append(place)
        by_log[row["log_id"]].append(place)
    numbers = defaultdict(list)
    for row in rows_asked(con, _read("numbers")):
        numbers[row.pop("run_id")].append(Number(**row))
    runs = []
    for row in rows_asked(con, _read("runs")):
        row["system"] = real(row["system"]) if row["system"] else None
        found = [place for log in row["logs"] for place in by_log.get(log, ())]
        if found:
            runs.append(Run(row["run_id"], row, found, numbers[row["run_id"]]))
    return Evidence(tuple(runs), tuple(places), con)


def _real_names(db: Path) -> Any:
    if not private_path(db).is_file():
        return lambda text: text
    from benchledger.store.real_names import read_real_names

    return read_real_names(db).text


def _read_from(db: Path, folders: tuple[Path, ...]) -> set[int]:
    tops = [os.path.realpath(folder) for folder in folders]
    private = PrivateFile(db)
    try:
        return {
            file.sighting_id
            for place, file in private.seen().items()
            if any(place == top or place.startswith((f"{top}/", f"{top}!")) or file.within == top for top in tops)
        }
    finally:
        private.close()
