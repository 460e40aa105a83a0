"""Where an answer may be written: over an earlier one, over nothing that people would miss."""

from __future__ import annotations

import gzip
import shutil
import zipfile
from pathlib import Path

import pytest

import benchledger
from benchledger.errors import UsageError
from benchledger.store.key_file import KEY_BYTES, KEY_MAGIC, store_key
from tests.cli.bench import run_bench
from tests.ingestion.logs import put, run_text
from tests.ledger_rows import ledger_rows

MARKERS = "# Ours\n\nWords.\n\n<!-- bench report speed -->\n<!-- /bench -->\n"
EVERY = [
    ["report", "speed", "--output"],
    ["runs", "--format", "parquet", "--output"],
    ["sql", "select 1", "--format", "csv", "--output"],
    ["audit", "--check", "no_campaign", "--page"],
    ["query", "rejects", "--sql", "--output"],
    ["export", "leaderboard", "--format", "markdown", "--output"],
    ["export", "tables", "speed", "--format", "parquet", "--output"],
    ["export", "tables", "speed", "memory", "--format", "xlsx", "--output"],
]


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    db = tmp_path_factory.mktemp("places") / "r.duckdb"
    with ledger_rows(db) as ledger:
        ledger.run(127.09)
    return db


def test_an_answer_goes_over_no_ledger_no_archive_and_no_page(db: Path, tmp_path: Path) -> None:
    ledger = Path(shutil.copy(db, tmp_path / "other"))
    private = put(tmp_path / "other.private", b"SQLite format 3\x00" + bytes(100))
    key = put(tmp_path / "other.key", KEY_MAGIC + bytes(KEY_BYTES))
    packed = put(tmp_path / "logs.csv", gzip.compress(b"step 1"))
    with zipfile.ZipFile(tmp_path / "years.zip", "w") as archive:
        archive.writestr("a.log", "step 1")
    page = put(tmp_path / "README.md", MARKERS)
    link = tmp_path / "link.md"
    link.symlink_to(ledger)
    for place in (ledger, private, key, packed, tmp_path / "years.zip", page, link):
        before = place.read_bytes()

        result = run_bench("query", "--format", "csv", "--output", place)

        assert (result.exit_code, place.read_bytes() == before) == (2, True), place
        assert f"{place}: is " in result.stderr
        assert "is not overwritten" in result.stderr


@pytest.mark.parametrize("ending", [".wal", ".private-journal"])
def test_no_answer_is_written_where_a_database_looks_for_its_newest_rows(db: Path, tmp_path: Path, ending: str) -> None:
    shutil.copy(db, tmp_path / "other")
    put(tmp_path / "other.private", b"SQLite format 3\x00" + bytes(100))
    place, link = tmp_path / f"other{ending}", tmp_path / "link.csv"
    link.symlink_to(place)

    results = [run_bench("query", "--format", "csv", "--output", output) for output in (place, link)]

    assert [result.exit_code for result in results] == [2, 2]
    assert not place.exists()


@pytest.mark.parametrize("words", EVERY, ids=" ".join)
def test_no_command_writes_over_the_ledger(db: Path, words: list[str]) -> None:
    before = db.read_bytes()

    result = run_bench(*words, db, db=db)

    assert (result.exit_code, db.read_bytes() == before) == (2, True)
    assert f"{db}: is a DuckDB database, maybe a ledger, and is not overwritten. Name another file" in result.stderr


def test_a_page_with_markers_is_led_to_the_command_that_fills_them(db: Path, tmp_path: Path) -> None:
    page = put(tmp_path / "README.md", MARKERS)

    result = run_bench("report", "speed", "--format", "markdown", "--output", page, db=db)

    assert f"bench report --write {page} fills them; name another file" in result.stderr


def test_a_log_that_was_read_is_no_place_for_an_answer(tmp_path: Path) -> None:
    log, db = put(tmp_path / "logs" / "run.log", run_text().log), tmp_path / "bench.duckdb"
    benchledger.ingest(tmp_path / "logs", db=db)
    before = log.read_bytes()

    for words in (["report", "speed"], ["export", "leaderboard", "--format", "markdown"]):
        result = run_bench(*words, "--output", log, db=db)

        assert (result.exit_code, log.read_bytes()) == (2, before)
        assert "run.log: is a log of this ledger and is not overwritten" in result.stderr


@pytest.mark.parametrize("name", ["a.md", "a.csv", "a.json", "a.tex", "a.parquet", "a.xlsx"])
def test_an_earlier_export_is_replaced(db: Path, tmp_path: Path, name: str) -> None:
    for _ in range(2):
        assert run_bench("export", "tables", "speed", "--output", tmp_path / name, db=db).exit_code == 0


def test_an_earlier_export_is_replaced_though_it_was_looked_at_by_an_ingest(tmp_path: Path) -> None:
    page, db = tmp_path / "out" / "a.md", tmp_path / "bench.duckdb"
    with ledger_rows(db) as ledger:
        ledger.run(127.09)
    page.parent.mkdir()
    run_bench("export", "leaderboard", "--output", page, db=db)
    store_key(db, b"k" * 32)
    benchledger.ingest(page.parent, db=db)

    assert run_bench("export", "leaderboard", "--output", page, db=db).exit_code == 0


def test_a_workbook_is_replaced_by_a_workbook_only(db: Path, tmp_path: Path) -> None:
    book = tmp_path / "a.xlsx"
    run_bench("export", "leaderboard", "--output", book, db=db)

    result = run_bench("export", "leaderboard", "--format", "markdown", "--output", book, db=db)

    assert result.exit_code == 2
    assert "a.xlsx: is an Excel workbook, and is not overwritten. Name another file" in result.stderr


@pytest.mark.parametrize("export", [benchledger.export_index, benchledger.export_dlperf])
def test_of_a_folder_of_json_files_nothing_is_written_where_one_has_no_place(db: Path, tmp_path: Path, export) -> None:  # type: ignore[no-untyped-def]
    names = list(export(db=db).files)
    taken = tmp_path / "out" / names[-1]
    taken.parent.mkdir(parents=True)
    shutil.copy(db, taken)

    with pytest.raises(UsageError, match="is a DuckDB database, maybe a ledger, and is not overwritten"):
        export(db=db, output=tmp_path / "out")

    assert [path for path in (tmp_path / "out").rglob("*") if path.is_file()] == [taken]


def test_several_tables_of_csv_make_no_folder_with_the_name_of_a_file(db: Path, tmp_path: Path) -> None:
    result = run_bench("export", "tables", "speed", "failures", "--output", tmp_path / "x.csv", db=db)

    assert result.exit_code == 2
    assert f"--format csv --output {tmp_path / 'x'}" in result.stderr
    assert not (tmp_path / "x.csv").exists()
