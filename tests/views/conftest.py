"""A ledger whose rows are made by hand, in a real database made by the migrations."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest

from benchledger.kept import keep
from benchledger.store.database import open_for_writing
from tests.ledger_rows import PendingRows, take_definitions_as_followed

START = datetime(2026, 11, 21, 4, 0, 0)
ONE_GPU = {"gpus": 1, "nodes": 1, "batch_size_per_gpu": 32, "global_batch_size": 32}


@dataclass(frozen=True)
class Piece:
    """One record to store: its values are (name, quantity, value, unit, scope)."""

    kind: str
    values: tuple[tuple[str, str | None, float | None, str | None, str | None], ...]
    phase: str | None = "train"
    columns: dict[str, Any] = field(default_factory=dict)


class Ledger:
    """Stores logs and runs as ingestion would; every id is the next number, so that tests can name rows.

    Begin a transaction first, as an ingest does: each row and each step of the filling by itself takes several times as long.
    """

    def __init__(self, con: duckdb.DuckDBPyConnection) -> None:
        self._con, self._pending = con, PendingRows(con)
        # Where a run is seen of which a test does not say it.
        self.campaigns: tuple[str | None, ...] = ("c",)
        self._is_kept = self._was_kept = False
        # What was given to each test: tests in halves have begun.
        self.begun: dict[str, Any] = {}
        self._ids = count(1)
        self._shapes: dict[Any, int] = {}
        self._cases: dict[str, int] = {}
        self._environments: dict[str, int] = {}
        self.insert("kept.format", format="ngc", version=1, default_rule="ngc.summary", role="train")
        self.insert("kept.format", format="paddle", version=1, default_rule="steps.mean_skip1", role="train")

    @property
    def con(self) -> duckdb.DuckDBPyConnection:
        """The ledger as an ingest leaves it; what a test writes through it is kept before anything is asked again."""
        con = self.filled
        self._is_kept = False
        return con

    @property
    def filled(self) -> duckdb.DuckDBPyConnection:
        """The ledger as an ingest leaves it, only to be asked: filling it takes longer than most questions."""
        self.keep()
        return self._con

    def write(self, statement: str, *parameters: Any) -> None:
        """Changes what was stored; nothing of it is kept before something is asked."""
        self._is_kept = False
        self._pending.write()
        self._con.execute(statement, list(parameters))

    def keep(self) -> None:
        """Fills what an ingest keeps of the runs, where something was written since."""
        if not self._is_kept:
            self._pending.write()
            if not self._was_kept:
                take_definitions_as_followed(self._con)
            # By hand a log can get more lines, or other ones, which no log of an ingest does.
            self._con.execute("delete from kept.run_hash")
            keep(self._con)
            self._is_kept = self._was_kept = True

    def insert(self, table: str, **columns: Any) -> None:
        self._is_kept = False
        self._pending.add(table, columns)

    def rows(self, sql: str, *parameters: Any, **named: Any) -> list[tuple[Any, ...]]:
        self.keep()
        return self._con.execute(sql, named or list(parameters)).fetchall()

    def rule(self, rule: str, **columns: Any) -> None:
        given = {
            "source": "test",
            "window": "",
            "statistic": "mean",
            "ranks": "all",
            "trial_statistic": "median",
            "description": "",
            "kind": "step",
            "skip": 0,
            "positive_only": False,
        }
        self.insert("kept.rule", rule=rule, **{**given, **columns})

    @staticmethod
    def summary(
        speed: float | None,
        name: str = "training_sequences_per_second",
        unit: str | None = "samples/s",
        scope: str | None = "global",
        **columns: Any,
    ) -> Piece:
        phase = columns.pop("phase", "train")
        return Piece("summary", ((name, "throughput", speed, unit, scope),), phase, columns)

    @staticmethod
    def step(
        number: int | None,
        at: float | None = None,
        speed: float | None = None,
        unit: str | None = "samples/s",
        scope: str | None = "global",
        name: str = "ips",
        **columns: Any,
    ) -> Piece:
        values = [("step_loss", "loss", 1.0, "1", None)]
        if speed is not None:
            values.append((name, "throughput", speed, unit, scope))
        logged_at = None if at is None else START + timedelta(seconds=at)
        return Piece("step", tuple(values), "train", {"step": number, "logged_at": logged_at, **columns})

    @staticmethod
    def memory(mib: float, quantity: str = "memory_used", kind: str = "sample", **columns: Any) -> Piece:
        phase = None if kind == "sample" else "train"
        return Piece(kind, (("memory", quantity, mib, "MiB", "gpu"),), phase, columns)

    @staticmethod
    def loss(value: float, step: int | None, at: float | None = None, name: str = "loss", **columns: Any) -> Piece:
        """A loss that a run prints while it trains."""
        logged_at = None if at is None else START + timedelta(seconds=at)
        return Piece(
            "step", ((name, "loss", value, None, None),), "train", {"step": step, "logged_at": logged_at, **columns}
        )

    @staticmethod
    def metric(
        value: float,
        step: int | None = None,
        at: float | None = None,
        unit: str | None = "1",
        name: str = "top1",
        quantity: str = "accuracy",
        kind: str = "summary",
        **columns: Any,
    ) -> Piece:
        """A metric that an evaluation of a run gives."""
        logged_at = None if at is None else START + timedelta(seconds=at)
        return Piece(
            kind,
            ((name, quantity, value, unit, None),),
            "validation",
            {"step": step, "logged_at": logged_at, **columns},
        )

    @staticmethod
    def kernel(label: str, start_s: float, seconds: float, **columns: Any) -> Piece:
        """A kernel of a timeline."""
        return Piece(
            "kernel",
            (("dur", "kernel_time", seconds, "s", "gpu"),),
            None,
            {"label": label, "clock_s": start_s, **columns},
        )

    def log(self, *pieces: Piece, format: str = "ngc", campaigns: tuple[str | None, ...] | None = None) -> int:
        """Stores one log, a record a line, and a sighting of it in each campaign."""
        log_id = next(self._ids)
        n = len(pieces)
        self.insert(
            "log",
            log_id=log_id,
            content_hash=f"hash{log_id}",
            bytes=100 * n,
            lines=n,
            format=format,
            format_version=1,
            definitions_hash="d",
            pieces=n,
            records=n,
            ignored=0,
            rejects=0,
            notes=0,
            load_number=1,
        )
        for campaign in self.campaigns if campaigns is None else campaigns:
            self.sighting(log_id, campaign)
        self._records(
            {
                "log_id": log_id,
                "line": line,
                "byte_offset": 100 * line,
                "shape_id": self._shape(format, piece),
                "values": [value[2] for value in piece.values],
                "load_number": 1,
                **piece.columns,
            }
            for line, piece in enumerate(pieces, start=1)
        )
        return log_id

    def _records(self, rows: Iterable[dict[str, Any]]) -> None:
        """All in one go: one by one, a thousand lines take seconds."""
        rows = list(rows)
        names = sorted({name for row in rows for name in row})
        if rows:
            table = pa.table({name: [row.get(name) for row in rows] for name in names})
            self._is_kept = False
            self._con.register("arriving", table)
            self._con.execute("insert into kept.record by name select * from arriving")
            self._con.unregister("arriving")

    def sighting(self, log_id: int | None, campaign: str | None, status: str = "loaded", **columns: Any) -> int:
        sighting_id = next(self._ids)
        given = {
            "path": f"{campaign}/{log_id}.log",
            "folder": str(campaign),
            "folder_path": campaign,
            "stem": str(log_id),
            **columns,
        }
        self.insert(
            "sighting",
            sighting_id=sighting_id,
            log_id=log_id,
            campaign=campaign,
            ingested_at=START,
            definitions_hash="d",
            status=status,
            **given,
        )
        return sighting_id

    def run(
        self,
        *pieces: Piece,
        log_id: int | None = None,
        role: str = "train",
        format: str = "ngc",
        campaigns: tuple[str | None, ...] | None = None,
        case: dict[str, Any] | None = None,
        environment: dict[str, Any] | None = None,
        status: str = "ok",
        **columns: Any,
    ) -> int:
        """Stores one run with its log; returns the run's id."""
        run_id = next(self._ids)
        log_id = self.log(*pieces, format=format, campaigns=campaigns) if log_id is None else log_id
        self.insert(
            "run",
            run_id=run_id,
            run_key=columns.pop("run_key", f"key{run_id}"),
            case_id=self.case(case),
            environment_id=self.environment(environment),
            status=status,
            **columns,
        )
        self.attach(run_id, log_id, role)
        return run_id

    def attach(self, run_id: int, log_id: int, role: str, **columns: Any) -> None:
        given = {"segment": 1, "first_line": 1, "last_line": 10**9, "paired_by": "test", **columns}
        self.insert("run_log", run_id=run_id, log_id=log_id, role=role, **given)

    def case(self, columns: dict[str, Any] | None = None) -> int:
        given = {"framework": "pytorch", "implementation": "ngc", "model": "bert_base", "precision": "fp16"}
        given |= ONE_GPU if columns is None else columns
        return self._once("bench_case", "case_id", self._cases, {"name": json.dumps(given), **given})

    def environment(self, columns: dict[str, Any] | None = None) -> int:
        return self._once("environment", "environment_id", self._environments, columns or {})

    def _once(self, table: str, key: str, known: dict[str, int], columns: dict[str, Any]) -> int:
        text = json.dumps(columns, sort_keys=True)
        if text not in known:
            known[text] = next(self._ids)
            self.insert(table, **{key: known[text]}, **columns)
        return known[text]

    def _shape(self, format: str, piece: Piece) -> int:
        layout = (format, piece.kind, piece.phase, tuple((v[0], v[1], v[3], v[4]) for v in piece.values))
        if layout not in self._shapes:
            self._shapes[layout] = next(self._ids)
            for ordinal, (name, quantity, _, unit, scope) in enumerate(piece.values, start=1):
                self.insert(
                    "kept.shape",
                    shape_id=self._shapes[layout],
                    ordinal=ordinal,
                    format=format,
                    record=piece.kind,
                    kind=piece.kind,
                    phase=piece.phase,
                    name=name,
                    quantity=quantity,
                    unit=unit,
                    scope=scope,
                )
        return self._shapes[layout]


@pytest.fixture(scope="session")
def opened(defined_ledger: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[duckdb.DuckDBPyConnection]:
    """A ledger without logs, opened once: to open one and to write it down at the end takes as long as most tests."""
    path = shutil.copy(defined_ledger, tmp_path_factory.mktemp("views") / "bench.duckdb")
    with closing(open_for_writing(path, records=0)) as con:
        yield con


Write = Callable[[Ledger], object]


def given(write: Write) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Says what a test asks about: it is written, in a campaign of its own, into the one ledger of the file's tests.

    To fill a ledger takes longer than what most tests ask, and hardly longer for the runs of all of them.
    """

    def marked(test: Callable[..., None]) -> Callable[..., None]:
        test.given = write  # type: ignore[attr-defined]
        return test

    return marked


# Which rows of a relation with such a column are of one campaign; the first that a relation has decides.
_OWN = {
    "campaign": "campaign = '{own}'",
    "run_id": "run_id in (select run_id from kept.run_campaign where campaign = '{own}')",
    "log_id": "log_id in (select log_id from main.sighting where campaign = '{own}')",
    "series_id": "series_id in (select series_id from main.series where campaign = '{own}')",
    "case_id": "case_id in (select case_id from main.run join kept.run_campaign using (run_id) where campaign = '{own}')",
}
_RELATIONS = """
select schema_name, table_name, list(column_name) from duckdb_columns()
where database_name = current_database() and schema_name in ('main', 'kept') and not internal group by all
"""


class OwnLedger:
    """A ledger as one campaign is alone in it."""

    def __init__(self, ledger: Ledger, campaign: str) -> None:
        self._ledger, self._campaign = ledger, campaign

    def __getattr__(self, name: str) -> Any:
        return getattr(self._ledger, name)

    def rows(self, sql: str, *parameters: Any, **named: Any) -> list[tuple[Any, ...]]:
        own = []
        for schema, name, columns in self._ledger.rows(_RELATIONS):
            keys = [key for key in _OWN if key in columns]
            # A log need not be of a run, nor a row of a run of a log.
            keys = keys[:2] if keys[:2] == ["run_id", "log_id"] else keys[:1]
            if keys and re.search(rf"\b{name}\b", sql):
                rows = " or ".join(_OWN[key] for key in keys).format(own=self._campaign)
                own.append(f"{name} as (from {schema}.{name} where {rows})")
                sql = re.sub(rf"\bkept\.{name}\b", name, sql)
        return self._ledger.rows(f"with {', '.join(own)} {sql}", *parameters, **named)


def in_halves(test: Callable[[OwnLedger], Iterator[None]]) -> Callable[..., None]:
    """Makes a test of one that writes, yields, and then asks: it writes with the others, as what is `given`."""

    def second_half(given_all: Ledger) -> None:
        assert next(given_all.begun[test.__name__], None) is None

    second_half.given = lambda ledger: test(OwnLedger(ledger, test.__name__))  # type: ignore[attr-defined]
    return second_half


@pytest.fixture(scope="module")
def given_all(
    request: pytest.FixtureRequest, defined_ledger: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Ledger]:
    """A ledger of what is `given` to the tests of a file, each in the campaign that its test names. Only to be asked."""
    path = shutil.copy(defined_ledger, tmp_path_factory.mktemp("given") / "bench.duckdb")
    with closing(open_for_writing(path, records=0)) as con:
        con.begin()
        ledger = Ledger(con)
        for name, test in vars(request.module).items():
            if hasattr(test, "given"):
                ledger.campaigns = (name,)
                ledger.begun[name] = test.given(ledger)
                if isinstance(ledger.begun[name], Iterator):
                    next(ledger.begun[name])
        yield ledger


@pytest.fixture
def told(request: pytest.FixtureRequest, given_all: Ledger) -> Callable[..., list[tuple[Any, ...]]]:
    """Asks for the speeds of what is given to this test."""
    own = "run_id in (select run_id from kept.run_campaign where campaign = ?)"

    def ask(rule: str, columns: str = "value, unit, records_used, records_skipped, status") -> list[tuple[Any, ...]]:
        name = request.function.__name__
        return given_all.rows(f"select {columns} from run_speed where rule = ? and {own} order by all", rule, name)

    return ask


@pytest.fixture
def ledger(opened: duckdb.DuckDBPyConnection) -> Iterator[Ledger]:
    """A ledger to write into, as an ingest does in one transaction, of which nothing is left after the test."""
    opened.begin()
    yield Ledger(opened)
    opened.rollback()
