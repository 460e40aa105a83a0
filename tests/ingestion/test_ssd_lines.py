"""SSD's speed is what its ranks print last, not what they log last: the two may be of different ranks."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchledger import ingest
from benchledger.definitions.format_file import read_formats
from benchledger.scanning.columns import RecordColumns
from benchledger.scanning.log_reader import LogReader
from tests.ingestion.logs import ask, put
from tests.scanning.reading import SCANNERS

SETTINGS = "DLL 2022-11-19 22:20:01.022656 - PARAMETER dataset path : /d  batch size : 4  mode : benchmark-training  backbone : resnet50 "
PRINTED = "Done benchmarking. Total images: 7168\ttotal time: 2.5\tAverage images/sec: 90.5\tMedian images/sec: {:.3f}"
ENDED = "DLL 2022-11-19 22:25:54.310694 - () total time : 3.5 "
OF_ALL, OF_ONE = " images/s", ""


def logged(speed: float, unit: str) -> str:
    parts = (f"{name}_img/sec : {speed}{unit}" for name in ("avg", "med", "min", "max"))
    return f"DLL 2022-11-19 22:25:54.309023 - () {'  '.join(parts) if not unit else ' '.join(parts)}"


def speeds(folder: Path, *lines: str, ranks: int = 2) -> dict[str, float]:
    put(folder / "logs" / "ssd.log", "\n".join([SETTINGS] * ranks + list(lines) + [ENDED] * ranks) + "\n")
    put(folder / "logs" / "facts.toml", f"[case]\ngpus = {ranks}\n")
    ingest(folder / "logs", db=folder / "bench.duckdb")
    return dict(
        ask(
            folder / "bench.duckdb",
            "select rule, value from run_speed where phase = 'train' and value is not null and rule[:3] in ('ssd', 'lam')",
        )
    )


@pytest.mark.parametrize(("unit", "times"), [(OF_ALL, 1), (OF_ONE, 2)])
def test_the_last_printed_line_counts_and_not_the_last_record(tmp_path: Path, unit: str, times: int) -> None:
    found = speeds(tmp_path, logged(105.25, unit), logged(100.75, unit), PRINTED.format(100.75), PRINTED.format(105.25))

    assert found == {"ssd.median": 105.25 * times, "lambda.ssd": 105.25 * times, "ssd.logged_median": 100.75 * times}


def test_without_a_printed_line_the_last_record_counts(tmp_path: Path) -> None:
    assert speeds(tmp_path, logged(105.25, OF_ALL), logged(100.75, OF_ALL)) == {"ssd.logged_median": 100.75}


def test_a_printed_line_alone_says_not_of_how_many_gpus_it_is(tmp_path: Path) -> None:
    assert speeds(tmp_path / "two", PRINTED.format(105.25)) == {}
    assert speeds(tmp_path / "one", PRINTED.format(105.25), ranks=1) == {"ssd.median": 105.25, "lambda.ssd": 105.25}


@pytest.fixture(scope="module")
def readers() -> list[LogReader]:
    formats = read_formats()
    return [LogReader(formats, native=native) for native in SCANNERS]


@settings(deadline=None, max_examples=50)
@given(
    st.lists(st.sampled_from([logged(7.5, OF_ALL), logged(7.5, OF_ONE), PRINTED.format(7.5), SETTINGS]), max_size=12)
)
def test_a_printed_line_has_the_scope_of_the_record_before_it(readers: list[LogReader], lines: list[str]) -> None:
    log = ("\n".join([SETTINGS, *lines]) + "\n").encode()
    scope, scopes = None, []
    for line in lines:
        if " med_img/sec" in line:
            scope = "global" if " images/s" in line else "gpu"
        if "Done" in line:
            scopes.append(scope)

    for reader in readers:
        columns = RecordColumns()
        reader.read(io.BytesIO(log), columns, lambda _: False)
        layouts = [
            columns.layouts()[shape] for shape in columns.to_arrow([1]).sort_by("byte_offset")["shape_id"].to_pylist()
        ]
        told = [value.scope for layout in layouts for value in layout.values if value.name == "printed_median"]
        assert told == scopes
