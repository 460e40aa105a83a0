"""What the benchmark writes into docs/performance.md."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.page import BEGIN, END, Measured, section, write
from benchmarks.rounds import Measurement, Starts


def measurement(ingest: float, rg: float | None = 1.0) -> Measurement:
    return Measurement(
        ingest=ingest,
        cpu=8.0,
        rg=rg,
        grep=2.0,
        insert=0.5,
        start=0.5,
        script=12.0,
        by_python=None,
        tree_mib=300.0,
        largest_mib=200.0,
        database=500_000,
        rows=7,
        logs=1,
        records=5,
    )


def test_the_multiple_is_ingest_over_search_insert_and_start() -> None:
    assert measurement(6.0).multiple == 3.0


def test_without_rg_the_limit_is_taken_with_grep() -> None:
    assert measurement(6.0, rg=None).multiple == 2.0


def test_the_page_states_the_median_round_and_the_spread() -> None:
    rounds = [measurement(ingest) for ingest in (4.0, 6.0, 14.0)]

    text = section([Measured("2 of 1 MB", 2, 2_000_000, ["DLL 20"], rounds)], [Starts(0.01, 0.04)], 2, "Measured here.")

    assert "| **3.0** | 2.0 to 7.0 |" in text
    assert "| 2 of 1 MB | 2 MB | 5 | 6.00 s | 8.00 s | 0 MB/s | 0.25 of the bytes | 300 MiB | 200 MiB |" in text
    assert "| 2 of 1 MB | 12.00 s | 6.00 s | **2.00** | not measured | |" in text
    assert "`bench --help` 40 ms: **4.0** times as long" in text


def test_only_the_marked_section_of_the_page_is_replaced(tmp_path: Path) -> None:
    page = tmp_path / "performance.md"
    page.write_text(f"# Mine\n\n{BEGIN}\nold\n{END}\n\nmy words\n")

    write(page, "new\n")

    assert page.read_text() == f"# Mine\n\n{BEGIN}\nnew\n{END}\n\nmy words\n"


def test_a_page_without_markers_keeps_all_its_text(tmp_path: Path) -> None:
    page = tmp_path / "performance.md"
    page.write_text("# Mine\n")

    write(page, "new\n")

    assert page.read_text() == f"# Mine\n\n{BEGIN}\nnew\n{END}\n"


def test_half_a_marker_is_refused(tmp_path: Path) -> None:
    page = tmp_path / "performance.md"
    page.write_text(f"{BEGIN}\nold\n")

    with pytest.raises(SystemExit, match="put the second one back"):
        write(page, "new\n")
