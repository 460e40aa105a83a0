"""What a table on a terminal leaves out, the other forms have."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.bench import run_bench
from tests.ledger_rows import ledger_rows


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    db = tmp_path_factory.mktemp("short") / "bench.duckdb"
    with ledger_rows(db) as ledger:
        run = ledger.run(127.09, key="aaaa00000000-1")
        ledger.device_memory(run, ("0", 9000.0), ("0", 9100.0), ("1", 9500.0), ("2", 8000.0))
    return db


def test_memory_of_many_devices_is_a_line_on_a_terminal_and_whole_in_json(db: Path) -> None:
    told = run_bench("--db", str(db), "show", "aaaa").stdout.partition("\nmemory\n")[2].partition("\n\n")[0]
    whole = json.loads(run_bench("--db", str(db), "show", "aaaa", "--format", "json").stdout)["memory"]

    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in told.splitlines()]
    assert rows[0] == ["definition", "devices", "fullest", "highest_mib", "lowest_mib", "records_used"]
    assert rows[2:] == [["device", "3", "1", "9500.0", "8000.0", "4"]]
    assert [row["value_mib"] for row in whole] == [9100.0, 9500.0, 8000.0]


def test_runs_say_whose_program_they_are_of(db: Path) -> None:
    heads = run_bench("--db", str(db), "runs").stdout.splitlines()[0]

    assert "| framework | implementation |" in heads


def test_rules_fit_a_terminal_and_csv_has_their_sources(db: Path) -> None:
    table = run_bench("--db", str(db), "query", "rules").stdout.splitlines()
    csv = run_bench("--db", str(db), "query", "rules", "--format", "csv").stdout.splitlines()

    assert max(map(len, table)) < 200
    assert "source" not in table[0]
    assert csv[0].endswith("source")
