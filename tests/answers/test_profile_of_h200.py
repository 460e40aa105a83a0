"""The real profiles of the H200: each number computed a second time, straight from the files. Needs the real logs."""

from __future__ import annotations

import csv
import gzip
import json
import shutil
from pathlib import Path

import pytest

from benchledger import ingest, query, report_profile
from benchledger.answers.tables.table import Report


@pytest.fixture(scope="module")
def db(h200: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("profiles")
    for name in ("ncu_tbd_fp16", "ncu_tbd_fp16_bs4_step", "torch_profiler"):
        shutil.copytree(h200 / name, folder / "h200" / name)
    db = folder / "bench.duckdb"
    ingest(folder / "h200", db=db, campaign_name="h200")
    return db


@pytest.fixture(scope="module")
def report(db: Path) -> Report:
    return report_profile(db=db)


def pipes_of(file: Path) -> dict[str, tuple[float | None, float | None]]:
    """Each pipe's mean over all launches, and over all but that of the highest ID, weighted by cycles."""
    lines = file.read_text(encoding="utf-8").splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith('"ID"'))
    launches: dict[int, dict[str, str]] = {}
    for row in csv.DictReader(line for line in lines[start:] if line.startswith('"')):
        launches.setdefault(int(row["ID"]), {})[row["Metric Name"]] = row["Metric Value"].replace(",", "")

    def mean(name: str, ids: list[int]) -> float | None:
        pairs = [(launches[one][name], float(launches[one]["gpc__cycles_elapsed.max"])) for one in ids]
        known = [(float(value), cycles) for value, cycles in pairs if value != "n/a"]
        return sum(value * cycles for value, cycles in known) / sum(cycles for _, cycles in known) if known else None

    ids = sorted(launches)
    return {name: (mean(name, ids), mean(name, ids[:-1])) for name in launches[0] if "pipe" in name}


@pytest.mark.parametrize("name", ["ncu_tbd_fp16", "ncu_tbd_fp16_bs4_step"])
def test_every_pipe_is_what_the_file_says_both_our_way_and_tbds(report: Report, h200: Path, name: str) -> None:
    expected = pipes_of(h200 / name / f"{name}.log")
    rows = [row for row in report.cells.to_dicts() if row["path"].endswith(f"{name}.log")]

    found = {row["metric"]: (row["value"], row["tbd_value"]) for row in rows}
    assert len(found) == 4
    assert {metric: [*map(pytest.approx, both)] for metric, both in expected.items()} == {
        metric: [*both] for metric, both in found.items()
    }


def test_the_difference_to_tbds_own_script_is_a_number(report: Report) -> None:
    largest = max(abs(row["tbd_difference"]) for row in report.cells.to_dicts() if row["tbd_difference"] is not None)

    assert largest == pytest.approx(0.05232, abs=1e-5)
    assert any("4.8540 instead of 4.8017" in note for table in report.tables for note in table.notes)


def test_the_fp16_pipe_that_this_gpu_lacks_has_no_value(report: Report) -> None:
    fp16 = [row for row in report.cells.to_dicts() if "pipe_fp16" in row["metric"]]

    assert [(row["value"], row["tbd_value"], row["kernels"]) for row in fp16] == [(None, None, 0)] * 2


def test_the_table_by_batch_size(report: Report) -> None:
    (table,) = (table for table in report.tables if "FMA" in table.frame.columns)

    assert table.frame.drop("file").columns == ["batch size", "FMA", "FP16", "tensor", "SFU"]
    assert table.frame.drop("file").rows() == [
        ("4", "3.03", "n/a", "0.4398", "1.14"),
        ("unknown", "4.80", "n/a", "0.7595", "2.11"),
    ]


def test_the_trace_is_busy_while_a_kernel_runs(report: Report, h200: Path) -> None:
    trace = json.loads(gzip.decompress((h200 / "torch_profiler" / "chrome_trace.json.gz").read_bytes()))
    events = [event for event in trace["traceEvents"] if event.get("ph") == "X"]
    # A sweep over starts and ends: how long at least one is open.
    moments = [(event["ts"], 1) for event in events if event["cat"] == "kernel"]
    moments += [(event["ts"] + event["dur"], -1) for event in events if event["cat"] == "kernel"]
    busy, running, last = 0.0, 0, 0.0
    for moment, change in sorted(moments):
        busy += moment - last if running else 0.0
        running, last = running + change, moment
    (span,) = (event["dur"] for event in events if event["cat"] == "Trace")

    (row,) = (row for row in report.cells.to_dicts() if row["metric"] == "compute")
    assert row["value"] == pytest.approx(100 * busy / span, rel=1e-4)
    assert (row["value"], row["kernels"]) == (pytest.approx(5.552, abs=5e-4), 1085)


def test_kernels_by_the_time_that_they_took(db: Path, h200: Path) -> None:
    trace = json.loads(gzip.decompress((h200 / "torch_profiler" / "chrome_trace.json.gz").read_bytes()))
    times: dict[str, list[float]] = {}
    for event in trace["traceEvents"]:
        if event.get("cat") == "kernel":
            times.setdefault(event["name"], []).append(event["dur"] * 1e-6)

    rows = query("kernels", db=db, path="*chrome_trace*").to_dicts()
    assert {row["label"]: (row["calls"], row["total_s"]) for row in rows} == {
        name: (len(durations), pytest.approx(sum(durations))) for name, durations in times.items()
    }
    assert sum(row["share_percent"] for row in rows) == pytest.approx(100)
