"""The arithmetic of what comes after the first ingest: ratios of the same round, and medians of these."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import duckdb
import pytest

from benchmarks.again import Again
from benchmarks.growth import Grown, Packed, Peak
from benchmarks.ingests import _files
from benchmarks.large_ledger import multiply
from benchmarks.page_growth import Further, again_lines, further_section, growth_lines, packed_lines, peak_lines


def again(unchanged: float, find: float, large: float) -> Again:
    return Again(unchanged, find, into_large=large, into_empty=0.5, records=1_600_000, database=90_000_000)


def peak(size: int, tree: float | None) -> Peak:
    return Peak("dense", size, 2.0, tree, largest_mib=150.0)


def test_an_unchanged_tree_is_stated_in_times_of_find() -> None:
    text = "\n".join(again_lines([again(0.5, 0.05, 0.8), again(0.9, 0.03, 0.6), again(0.4, 0.08, 0.7)]))

    assert "unchanged: 0.50 s" in text
    # 10, 30 and 5 times: not the median of the one by the median of the other.
    assert "**10.0** times" in text
    assert "**1.40** times as long (under 2)" in text
    assert "1,600,000 records, 90 MB" in text


def test_growth_is_stated_per_byte() -> None:
    rounds = [[Grown(1, 10, 50_000_000, 2.0, 3.0, 20_000_000), Grown(2, 20, 100_000_000, 5.0, 6.0, 45_000_000)]]

    assert growth_lines(rounds)[-2:] == [
        "| 10 | 50 | 2.00 s | 4.00 | 20.0 MB | 0.40 |",
        "| 20 | 100 | 5.00 s | 5.00 | 45.0 MB | 0.45 |",
    ]


def test_archives_are_stated_in_times_of_the_plain_logs() -> None:
    one = Packed(2.0, 4_000_000, {"a.tar.gz": 3.0}, {"a.tar.gz": 1_000_000}, {"a.tar.gz": 300.0})

    assert packed_lines([one])[-1] == "| `a.tar.gz` | 1 | 3.00 s | **1.50** | 300 MiB |"


def test_the_peak_of_a_long_file_is_stated_in_times_of_the_short_ones() -> None:
    lines = peak_lines([[peak(60_000_000, 200.0), peak(480_000_000, 260.0)]])

    assert lines[-2].endswith("| 200 MiB | **1.00** |")
    assert lines[-1].endswith("| 260 MiB | **1.30** |")


def test_where_no_tree_is_known_the_largest_process_counts() -> None:
    assert peak_lines([[peak(1_000_000, None)]])[-1].endswith("| 150 MiB | **1.00** |")


def test_what_was_not_measured_has_no_table() -> None:
    assert further_section(Further()) == ""


@pytest.mark.parametrize(
    ("summary", "files"),
    [
        ("files: 22 = 21 loaded + 1 facts\n", {"loaded": 21, "facts": 1}),
        ("files: 20,000 = 20,000 unchanged\n", {"unchanged": 20_000}),
        ("nothing", {}),
    ],
)
def test_the_summary_of_an_ingest_tells_its_files(summary: str, files: dict[str, int]) -> None:
    assert _files(summary) == files


def test_a_ledger_is_multiplied_with_all_that_hangs_together(tmp_path: Path) -> None:
    path = tmp_path / "ledger.duckdb"
    with closing(duckdb.connect(str(path))) as con:
        con.execute("""
            create schema kept;
            create table log (log_id bigint primary key, content_hash varchar unique);
            create table kept.record (log_id bigint, line bigint);
            create table run (run_id bigint primary key, run_key varchar unique);
            create table run_log (run_id bigint, log_id bigint);
            create table kept.rule (rule varchar primary key);
            insert into log values (1, 'a'), (2, 'b'); insert into kept.record values (1, 1), (1, 2), (2, 1);
            insert into run values (1, 'k'); insert into run_log values (1, 2); insert into kept.rule values ('r');
        """)

    multiply(path, 3)

    with closing(duckdb.connect(str(path))) as con:
        counts = [
            con.execute(f"select count(*) from {table}").fetchone()
            for table in ("log", "kept.record", "run", "kept.rule")
        ]
        assert counts == [(6,), (9,), (3,), (1,)]
        joined = con.execute("select count(*) from run join run_log using (run_id) join log using (log_id)").fetchone()
        assert joined == (3,)
        assert con.execute("select count(*) from kept.record anti join log using (log_id)").fetchone() == (0,)
