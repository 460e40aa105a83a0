"""Small logs of NGC PyTorch BERT for tests: the demo's print layouts with other numbers; and questions to a ledger."""

from __future__ import annotations

import random
import re
import threading
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb

from benchledger.redaction.redactor import Redactor
from benchledger.redaction.samples import known_redaction
from benchledger.store.private_file import PrivateFile
from data.print_layouts import Made, events, json_twin, telemetry, text_log

_asking = threading.local()
START = datetime(2026, 1, 2, 3, 0, 0, tzinfo=UTC)

# What must not depend on order, wrapping or repetition; sightings may grow.
STABLE = {
    "log": "select * exclude (load_number) from log order by all",
    "run": "select * from run order by all",
    "bench_case": "select * from bench_case order by all",
    "environment": "select * from environment order by all",
    "measurement": "select * from measurement order by all",
    "reject": "select * from reject order by all",
    "speed_table": "select * from speed_table order by all",
}


@dataclass(frozen=True)
class Written:
    """The texts of one run."""

    log: str
    twin: str
    telemetry: str


def run_text(
    *, precision: str = "fp32", batch: int = 32, gpus: int = 1, speed: float = 200.0, ends: str = "ok", steps: int = 120,
    at: float = 0.0, seed: int = 1,
) -> Written:  # fmt: skip
    """The log, JSON twin and telemetry of one run that starts `at` seconds after START."""
    made = Made("x", "x", precision, batch, gpus, speed, 14000, ends=ends, steps=0 if ends == "oom" else steps)
    noise = random.Random(seed)
    found = events(made, START + timedelta(seconds=at), noise)
    return Written(text_log(made, found), json_twin(found), telemetry(made, found, noise))


def later(text: str, microseconds: int) -> str:
    """The text of another run, whose lines are printed so much later."""
    return re.sub(r"(?<=:\d\d\.)\d{6}", lambda found: f"{min(int(found[0]) + microseconds, 999_999):06}", text)


def put(path: Path, text: str | bytes) -> Path:
    """Writes a file, with its folders."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def ask(db: Path, statement: str, *parameters: Any) -> list[tuple[Any, ...]]:
    """The rows of one question to a ledger."""
    # To attach it takes half the time of a connection of its own, and most tests ask several questions.
    con = _asking.con = getattr(_asking, "con", None) or duckdb.connect()
    con.execute(f"attach '{db}' as ledger (read_only)")
    try:
        con.execute("use ledger")
        return con.execute(statement, list(parameters)).fetchall()
    finally:
        con.execute("use memory; detach ledger")


def of_root(db: Path, root: str, relation: str, columns: str) -> list[tuple[Any, ...]]:
    """Some columns of the rows of a root's run in a relation."""
    runs = "select run_id from kept.run_campaign where campaign = ?"
    return ask(db, f"select {columns} from {relation} where run_id in ({runs}) order by all", root)


def one(db: Path, statement: str, *parameters: Any) -> Any:
    """The only value of the only row."""
    rows = ask(db, statement, *parameters)
    assert len(rows) == 1, rows
    return rows[0][0] if len(rows[0]) == 1 else rows[0]


def accept_runs(db: Path, reason: str, *, by: str | None = None, of: str = "run") -> None:
    """Keeps acceptances as `bench history --accept` does, without the long history that has a step there."""
    with closing(duckdb.connect(str(db))) as con:
        con.execute(
            f"insert into kept.accepted_change select run_key, null, $reason, now()::timestamp, $by from {of}",
            {"reason": reason, "by": by},
        )


def kept_paths(db: Path, paths: Iterable[str]) -> dict[str, str]:
    """Paths as a ledger keeps them, by what they were: folders may be named after machines."""
    with closing(PrivateFile(db)) as private:
        redactor = Redactor(known_redaction(), private.key)
        return {path: redactor.path(path) for path in paths}


StableTables = dict[str, list[tuple[Any, ...]]]


def stable_tables(db: Path) -> StableTables:
    """Every table that must be the same after the same logs, in whatever order they came."""
    # By one connection: to open one takes as long as to ask for all of them.
    with duckdb.connect(str(db), read_only=True) as con:
        return {
            name: [tuple(map(repr, row)) for row in con.execute(statement).fetchall()]
            for name, statement in STABLE.items()
        }
