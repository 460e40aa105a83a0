"""Writes rows into a ledger as the loader would, for tests of what stands on the tables."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from itertools import chain
from pathlib import Path
from typing import Any

import duckdb

from benchledger.kept import keep
from benchledger.kept.statements import sql_of, temporary_relations
from benchledger.store.database import open_for_writing
from benchledger.store.writing import closing_written

FORMAT = "ngc_pytorch_bert"
SUMMARY_RULE = "ngc.summary"
STEP_RULE = "steps.mean_skip1"
START = datetime(2021, 3, 1, 12, 0, 0)
# The campaign that the ledger has for the time being, for any text may be the name of one.
THE_LEDGERS = "that of the ledger"

# The eight cells of README 000, by GPUs, precision and batch size per GPU.
README_000 = {
    (1, "fp32", 32): 127.09,
    (1, "fp32", 48): 126.48,
    (1, "fp16", 64): 511.13,
    (1, "fp16", 96): 532.24,
    (8, "fp32", 32): 1018.40,
    (8, "fp32", 48): 1012.80,
    (8, "fp16", 64): 4063.19,
    (8, "fp16", 96): 4207.36,
}


@contextmanager
def ledger_rows(db: Path) -> Iterator[LedgerRows]:
    """A ledger to write rows into; it is closed at the end, so that it can be read."""
    with closing_written(open_for_writing(db, records=0), db) as con:
        # One transaction, as an ingest has: each row by itself takes half as long again.
        con.begin()
        ledger = LedgerRows(con)
        yield ledger
        ledger.pending.write()
        # Records of logs that say they have none are not looked for.
        con.execute(
            """update log set records = counted.records, pieces = counted.records + ignored + rejects
               from (select log_id, count(*) as records from kept.record group by log_id) as counted
               where log.log_id = counted.log_id"""
        )
        take_definitions_as_followed(con)
        keep(con)
        con.commit()


def take_definitions_as_followed(con: duckdb.DuckDBPyConnection) -> None:
    """As if the rules and formats had been there before the runs, of which nothing is kept so far.

    Else each run would be filled twice, for its own sake and for theirs.
    """
    with temporary_relations(con):
        for part in ("definitions", "followed"):
            con.execute(sql_of(part))


class PendingRows:
    """Rows that are still to be written: statement by statement, since to plan one takes longer than to write rows."""

    def __init__(self, con: duckdb.DuckDBPyConnection) -> None:
        self._con = con
        self._rows: dict[tuple[str, ...], list[list[Any]]] = {}

    def add(self, table: str, columns: dict[str, Any]) -> None:
        self._rows.setdefault((table, *columns), []).append(list(columns.values()))

    def write(self) -> None:
        rows, self._rows = self._rows, {}
        for (table, *columns), some in rows.items():
            names, places = ", ".join(f'"{column}"' for column in columns), ", ".join("?" for _ in columns)
            values = ", ".join([f"({places})"] * len(some))
            self._con.execute(f"insert into {table} ({names}) values {values}", list(chain.from_iterable(some)))


class LedgerRows:
    """Rows of one ledger; every method returns the id or key of what it wrote. Ids count up from 1.

    Runs are of the campaign `campaign` unless they are given one; None is no campaign.
    """

    campaign = "ngc"

    def __init__(self, con: duckdb.DuckDBPyConnection) -> None:
        self.pending = PendingRows(con)
        self._con = con
        self._ids = itertools.count(1)
        self._cases: dict[str, int] = {}
        self.insert("kept.format", format=FORMAT, version=1, default_rule=SUMMARY_RULE, role="train")
        con.execute("delete from kept.rule")
        self.rule(SUMMARY_RULE, kind="summary", statistic="last")
        self.rule(STEP_RULE, kind="step", statistic="mean", skip=1)
        self.summary_shape = self.shape("summary", name="training_sequences_per_second", quantity="throughput")
        self.memory_shape = self.shape("sample", name="memory.used", quantity="memory_used", unit="MiB", phase=None)
        self.allocated_shape = self.shape("step", name="allocated", quantity="memory_allocated", unit="MiB")

    def insert(self, table: str, **values: Any) -> None:
        """One row of a table; columns that are not given are NULL."""
        self.pending.add(table, values)

    @property
    def con(self) -> duckdb.DuckDBPyConnection:
        """The ledger with all rows so far."""
        self.pending.write()
        return self._con

    def rule(self, rule: str, *, kind: str, statistic: str, skip: int = 0, trial_statistic: str = "median") -> None:
        """A rule without rounding, for every format."""
        how = {"kind": kind, "window": f"skip {skip}", "skip": skip, "positive_only": False, "statistic": statistic}
        trials = {"ranks": "all", "trial_statistic": trial_statistic}
        self.insert("kept.rule", rule=rule, source="test", description="test", **how, **trials)

    def shape(
        self,
        kind: str,
        *,
        name: str,
        quantity: str,
        unit: str | None = "samples/s",
        scope: str = "global",
        phase: str | None = "train",
    ) -> int:
        """A line layout with one value."""
        shape_id = next(self._ids)
        values = {"format": FORMAT, "record": kind, "kind": kind, "phase": phase, "name": name, "quantity": quantity}
        self.insert("kept.shape", shape_id=shape_id, ordinal=1, unit=unit, unit_logged=unit, scope=scope, **values)
        return shape_id

    def case(self, **columns: Any) -> int:
        """A case; the same columns give the same one."""
        columns = {
            "framework": "pytorch",
            "implementation": "ngc",
            "model": "bert_base",
            "task": "pretraining",
            "precision": "fp32",
            "batch_size_per_gpu": 32,
            "nodes": 1,
            "gpus": 1,
            "seq_len": 128,
            **columns,
        }
        key = repr(sorted(columns.items(), key=str))
        if key not in self._cases:
            self._cases[key] = next(self._ids)
            name = "bert_base_bs{batch_size_per_gpu}_{precision}_{gpus}".format(**columns)
            self.insert("bench_case", case_id=self._cases[key], **{"name": name, **columns})
        return self._cases[key]

    def run(
        self,
        *speeds: float,
        key: str | None = None,
        campaign: str | None = THE_LEDGERS,
        status: str = "ok",
        reason: str | None = None,
        text: str | None = None,
        trial: int | None = None,
        path: str | None = None,
        shape_id: int | None = None,
        environment: dict[str, Any] | None = None,
        **case: Any,
    ) -> int:
        """A run with one train log and a summary record a speed; a status line where the run has a `text`."""
        run_id, environment_id, log_id = next(self._ids), next(self._ids), next(self._ids)
        key = key or f"{run_id:012x}-1"
        path = path or f"logs/{key}.log"
        self.insert(
            "environment", environment_id=environment_id, **{"gpu_model": "V100-SXM2-16GB", **(environment or {})}
        )
        line = 100 if text is not None else None
        log = log_id if text is not None else None
        ended = {"status": status, "reason": reason, "status_log_id": log, "status_line": line}
        started_at = START + timedelta(minutes=run_id)
        ids = {"run_id": run_id, "case_id": self.case(**case), "environment_id": environment_id}
        self.insert("run", **ids, run_key=key, trial=trial, started_at=started_at, time_source="log", **ended)
        self.log(run_id, log_id, role="train", path=path, campaign=campaign, event_line=line, event_text=text)
        for number, speed in enumerate(speeds, start=1):
            self.record(log_id, number, shape_id or self.summary_shape, speed)
        return run_id

    def log(
        self,
        run_id: int,
        log_id: int,
        *,
        role: str,
        path: str,
        campaign: str | None = THE_LEDGERS,
        event_line: int | None = None,
        event_text: str | None = None,
    ) -> int:
        """A log of a run, all of it, with its sighting."""
        sighting_id, campaign = next(self._ids), self.campaign if campaign == THE_LEDGERS else campaign
        counts = {"pieces": 0, "records": 0, "ignored": 0, "rejects": 0, "notes": 0}
        log = {"content_hash": f"hash{log_id}", "bytes": 1, "lines": 100, "format": FORMAT, "format_version": 1}
        self.insert("log", log_id=log_id, definitions_hash="d", load_number=1, **log, **counts)
        seen = {
            "path": path,
            "folder": "logs",
            "stem": "x",
            "campaign": campaign,
            "folder_path": campaign,
            "ingested_at": START,
        }
        self.insert("sighting", sighting_id=sighting_id, log_id=log_id, definitions_hash="d", status="loaded", **seen)
        lines = {"first_line": 1, "last_line": 100}
        segment = {"first_record_line": 1, "last_record_line": 100, "records": 1, "step_records": 0}
        segment |= {"expects_closing": False, "final_loss_nan": False, "event_line": event_line}
        self.insert("kept.segment", log_id=log_id, segment=1, role=role, event_text=event_text, **lines, **segment)
        place = {"run_id": run_id, "log_id": log_id, "sighting_id": sighting_id, "role": role, "segment": 1}
        self.insert("run_log", **place, **lines, paired_by="self")
        return sighting_id

    def record(self, log_id: int, line: int, shape_id: int, value: float, device: str | None = None) -> None:
        """A record with one value."""
        place = {"log_id": log_id, "line": line, "byte_offset": line * 10, "shape_id": shape_id}
        self.insert("kept.record", **place, device=device, values=[value], load_number=1)

    def device_memory(self, run_id: int, *samples: tuple[str, float], campaign: str | None = THE_LEDGERS) -> None:
        """A telemetry log of a run, a sample a line."""
        log_id = next(self._ids)
        self.log(run_id, log_id, role="telemetry", path=f"logs/gpu{log_id}.csv", campaign=campaign)
        for line, (device, used) in enumerate(samples, start=1):
            self.record(log_id, line, self.memory_shape, used, device)

    def fact(
        self, run_id: int, name: str, value: str | None, source: str, *, used: bool, line: int | None = None
    ) -> None:
        """One statement about a run."""
        self.insert("fact", run_id=run_id, name=name, value=value, source=source, line=line, used=used)

    def readme_000(self, campaign: str | None = THE_LEDGERS) -> None:
        """The runs whose speeds are the eight cells of README 000."""
        for (gpus, precision, batch_size), speed in README_000.items():
            accumulation = 67584 // (gpus * batch_size)
            case = {"gpus": gpus, "precision": precision, "batch_size_per_gpu": batch_size}
            self.run(speed, campaign=campaign, global_batch_size=67584, gradient_accumulation=accumulation, **case)
