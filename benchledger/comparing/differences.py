"""`bench diff`: what differs between two runs, or two series, ranked by how likely it explains a change of speed."""

from __future__ import annotations

import math
import re
import statistics
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from benchledger.answers.rows import frame_of, reading, rows_asked
from benchledger.answers.tables.grouping import Row
from benchledger.comparing.sides import rates_of, sql_of
from benchledger.errors import need_utf8
from benchledger.store.default_db import DEFAULT_DB
from benchledger.store.run_keys import find_run

if TYPE_CHECKING:
    import duckdb

# A step is slow from this many medians on.
_SLOW = 1.5
_LEAST_STEPS = 20
# Telemetry that no device of ours has: derived from two samples.
OTHER_MEMORY = "memory of other processes"
_CELL = "select trial_runs from speed_table where cell = $name and value is not null"
_COLUMNS = ("kind", "name", "a", "b", "weight", "means")
# How likely a difference explains another speed, out of 100; docs/comparing.md has the order in words.
_WORK = {
    "precision", "batch_size_per_gpu", "global_batch_size", "gpus", "nodes", "seq_len", "gradient_accumulation",
    "model", "task", "framework", "implementation", "gpu_model",
}  # fmt: skip
_FACTS = {
    "framework_version": 86, "driver_version": 85, "cuda_version": 85, "cudnn_version": 84, "nccl_version": 84,
    "image": 82, "interconnect": 80, "topology": 80, "libraries": 76, "implementation_version": 74,
}  # fmt: skip
_FACT = 72
# Settings by words of their names.
_SETTINGS = (
    (re.compile(r"worker|loader|prefetch|pin_memory|dali|data_backend|cache"), 90),
    (re.compile(r"compile|fuse|amp|xla|jit|graph|checkpoint|recompute|flash|thread|half|tf32|optimizer|weights"), 88),
    (re.compile(r"batch|seq|length|precision|accumulation|parallel|world_size|hidden|layers|image_size"), 86),
)
_SETTING = 48
# Of a sampled quantity: what it means, whether a change is a ratio or a difference, the least, and weights of the least
# and of the most. What a change of speed itself causes is below what causes it.
_SAMPLES = {
    "clock": ("the GPU's clock", "ratio", 0.02, 64, 95),
    "memory_other": ("another process on the GPU", "difference", 256.0, 87, 92),
    "cpu_utilization": ("the host's processors", "difference", 10.0, 60, 78),
    "temperature": ("the GPU's temperature", "difference", 8.0, 30, 44),
    "gpu_utilization": ("the GPU waits, or no longer does", "difference", 5.0, 34, 50),
    "power": ("the GPU's power", "ratio", 0.05, 20, 32),
    "memory_utilization": ("the GPU's memory traffic", "difference", 5.0, 18, 30),
    "memory_used": ("memory", "ratio", 0.03, 22, 34),
    "memory_process": ("memory", "ratio", 0.03, 22, 34),
    "host_memory_used": ("the host's memory", "ratio", 0.1, 14, 24),
}
_STEPS = {
    "wait for input": ("the input pipeline", "ratio", 0.2, 80, 91),
    "slow steps": ("some steps stall", "difference", 0.02, 66, 82),
    "spread of steps": ("steps vary more", "difference", 0.1, 40, 56),
}
_ALARMING = re.compile(r"(?i)throttl|xid|ecc|nvlink|pcie|fall.?back|slow|retry|timed? ?out|disabled|not supported")
_WARNING = re.compile(r"(?i)warn|error|deprecat|fail")
_ON = {"true", "True", "1", "1.0", "on", "yes"}
# At this ratio, or this many times the least difference, a weight is highest.
_MOST_RATIO, _MOST_TIMES = 0.3, 6.0
# Each change that is explained reads the records of its runs.
MOST_EXPLAINED, _CAUSES = 10, 3


@dataclass
class Evidence:
    """The evidence for the runs of one side: values by name, each with one entry per run that has it."""

    runs: int
    facts: dict[str, list[str]] = field(default_factory=dict)
    settings: dict[str, list[str]] = field(default_factory=dict)
    # By name: quantity, and the values.
    samples: dict[str, tuple[str | None, list[float]]] = field(default_factory=dict)
    steps: dict[str, list[float]] = field(default_factory=dict)
    texts: Counter[str] = field(default_factory=Counter)


def evidence_of(con: duckdb.DuckDBPyConnection, runs: list[int], *, of_records: bool = True) -> Evidence:
    found = Evidence(len(runs))
    for row in _asked(con, "statements", runs):
        of_kind = found.facts if row["kind"] == "fact" else found.settings
        of_kind.setdefault(row["name"], []).append(row["value"])
    if not of_records:
        return found
    highest: dict[tuple[int, str | None], float] = {}
    for row in _asked(con, "samples", runs):
        found.samples.setdefault(row["name"], (row["quantity"], []))[1].append(row["value"])
        highest[row["run_id"], row["quantity"]] = row["highest"]
    others = [
        max(highest[run, "memory_used"] - highest[run, "memory_process"], 0.0)
        for run in runs
        if (run, "memory_used") in highest and (run, "memory_process") in highest
    ]
    if others:
        found.samples[OTHER_MEMORY] = ("memory_other", others)
    _add_steps(con, runs, found)
    for row in _asked(con, "log_texts", runs):
        found.texts[row["text"]] += row["lines"]
    return found


def _add_steps(con: duckdb.DuckDBPyConnection, runs: list[int], found: Evidence) -> None:
    by_rule: dict[str, list[int]] = {}
    for row in _asked(con, "default_rules", runs):
        by_rule.setdefault(row["rule"], []).append(row["run_id"])
    for rule, of_rule in by_rule.items():
        for rates in rates_of(con, of_rule, rule).values():
            times = [1 / rate for rate in rates if rate > 0]
            if len(times) < _LEAST_STEPS:
                continue
            middle = statistics.median(times)
            slow = [time for time in times if time > _SLOW * middle]
            found.steps.setdefault("slow steps", []).append(len(slow) / len(times))
            spread = statistics.quantiles(times, n=20)
            found.steps.setdefault("spread of steps", []).append((spread[-1] - spread[0]) / middle)
    for row in _asked(con, "input_waits", runs):
        found.steps.setdefault("wait for input", []).append(row["value"])


def _asked(con: duckdb.DuckDBPyConnection, name: str, runs: list[int]) -> list[Row]:
    return rows_asked(con, sql_of(name), runs=runs)


def diff(a: str, b: str, /, *, db: Path | str = DEFAULT_DB) -> pl.DataFrame:
    """Returns what differs between two runs, one row each, the likeliest cause of another speed first.

    `a` and `b` are keys of runs, or names of cells of the speed table, which stand for all their trials. `weight`, out
    of 100, says how likely such a difference explains a speed; it is a ranking, no probability. Raises
    NothingFoundError for an unknown run.
    """
    with reading(db, records=True) as con:
        found = differences(*(evidence_of(con, _runs_of(con, side, db)) for side in (a, b)))
    if not found:
        return pl.DataFrame(schema={name: pl.Float64 if name == "weight" else pl.String for name in _COLUMNS})
    return frame_of([{name: getattr(one, name) for name in _COLUMNS} for one in found])


def _runs_of(con: duckdb.DuckDBPyConnection, name: str, db: Path | str) -> list[int]:
    need_utf8(name)
    cell = con.execute(_CELL, {"name": name}).fetchone()
    return list(cell[0]) if cell is not None else [find_run(con, name, db)[1]]


@dataclass(frozen=True)
class Difference:
    """One difference between A and B; `weight`, out of 100, orders differences by how likely they explain a speed."""

    kind: str
    name: str
    a: str
    b: str
    weight: float
    means: str

    def __str__(self) -> str:
        return f"{self.name} {self.a} → {self.b}"


def differences(a: Evidence, b: Evidence) -> list[Difference]:
    """Returns what differs between two sides, the likeliest cause of a change of speed first."""
    found = [*_facts(a, b), *_settings(a, b), *_samples(a, b), *_steps(a, b), *_texts(a, b)]
    found.sort(key=lambda one: (-one.weight, one.kind, one.name))
    # A setting that says again what a fact says: batch_size beside batch_size_per_gpu.
    told: set[tuple[str, str]] = set()
    kept = []
    for one in found:
        values = (one.a, one.b)
        if one.kind == "setting" and values in told:
            continue
        kept.append(one)
        if one.kind in ("case", "environment", "setting"):
            told.add(values)
    return kept


def causes_of(a: Evidence, b: Evidence) -> str | None:
    """Returns the likeliest causes of a change between two sides in one text; None if nothing differs."""
    return "; ".join(map(str, differences(a, b)[:_CAUSES])) or None


def _facts(a: Evidence, b: Evidence) -> Iterator[Difference]:
    for name, values_a, values_b, share in _stated(a.facts, b.facts, a.runs, b.runs):
        if name == "status":
            yield Difference("outcome", name, values_a, values_b, 100 * share, "how the run ended")
            continue
        is_work = name in _WORK or name.startswith("options.")
        weight = 97 if is_work else _FACTS.get(name, _FACT)
        # A number that follows from others, of which each is listed.
        weight -= 2 * (name in ("global_batch_size", "nodes"))
        kind = "case" if is_work else "environment"
        yield Difference(kind, name, values_a, values_b, weight * share, "another case" if is_work else "environment")


def _settings(a: Evidence, b: Evidence) -> Iterator[Difference]:
    for name, values_a, values_b, share in _stated(a.settings, b.settings, a.runs, b.runs):
        weight = next((weight for words, weight in _SETTINGS if words.search(name)), _SETTING)
        yield Difference("setting", name, values_a, values_b, weight * share, "a setting")


def _stated(
    a: dict[str, list[str]], b: dict[str, list[str]], runs_a: int, runs_b: int
) -> Iterator[tuple[str, str, str, float]]:
    """Yields what is stated otherwise, and how surely: less where only some runs differ, or one side states nothing."""
    for name in sorted({*a, *b}):
        values_a, values_b = a.get(name, []), b.get(name, [])
        if set(values_a) == set(values_b):
            continue
        share = 1.0 if not set(values_a) & set(values_b) else 0.6
        if not values_a or not values_b:
            # A switch that is not named is mostly off.
            share = 0.95 if {*values_a, *values_b} <= _ON else 0.7
        yield name, _listed(values_a, runs_a), _listed(values_b, runs_b), share


def _samples(a: Evidence, b: Evidence) -> Iterator[Difference]:
    for name in sorted({*a.samples} & {*b.samples}):
        quantity, values_a = a.samples[name]
        how = _SAMPLES.get(quantity or "")
        if how is None or (quantity == "cpu_utilization" and not name.startswith("host")):
            continue
        weight = _weight(values_a, b.samples[name][1], how)
        if weight is not None:
            yield Difference("telemetry", name, _number(values_a), _number(b.samples[name][1]), weight, how[0])


def _steps(a: Evidence, b: Evidence) -> Iterator[Difference]:
    for name, how in _STEPS.items():
        if name in a.steps and name in b.steps:
            weight = _weight(a.steps[name], b.steps[name], how)
            if weight is not None:
                texts = [_number(side.steps[name], as_share=how[1] == "difference") for side in (a, b)]
                yield Difference("steps", name, texts[0], texts[1], weight, how[0])


def _weight(a: list[float], b: list[float], how: tuple[str, str, float, int, int]) -> float | None:
    """Returns the weight of a measured change; None if it is too small, or the runs of both sides overlap."""
    _, kind, least, low, high = how
    if max(min(a), min(b)) <= min(max(a), max(b)) and max(len(a), len(b)) > 1:
        return None
    before, after = sum(a) / len(a), sum(b) / len(b)
    if kind == "difference":
        size, most = abs(after - before), least * _MOST_TIMES
    elif before > 0 and after > 0:
        size, most = abs(math.log(after / before)), _MOST_RATIO
    else:
        size, most = _MOST_RATIO * (before != after), _MOST_RATIO
    if size < least:
        return None
    return low + (high - low) * min((size - least) / max(most - least, 1e-9), 1.0)


def _texts(a: Evidence, b: Evidence) -> Iterator[Difference]:
    for text in sorted(set(a.texts) ^ set(b.texts)):
        weight = 84 if _ALARMING.search(text) else 68 if _WARNING.search(text) else 28
        # A statement that is gone explains less than a new one.
        weight -= 20 * (text in a.texts)
        yield Difference(
            "log", f"log line {text!r}", f"{a.texts[text]} times", f"{b.texts[text]} times", weight, "a log line"
        )


def _listed(values: list[str], runs: int) -> str:
    distinct = list(dict.fromkeys(values))
    told = ", ".join(distinct[:3]) + (", ..." if len(distinct) > 3 else "")
    return told if len(values) >= runs else (f"{told} (or not stated)" if told else "not stated")


def _number(values: list[float], as_share: bool = False) -> str:
    mean = sum(values) / len(values)
    return f"{mean * 100:.1f} %" if as_share else f"{mean:.4g}"
