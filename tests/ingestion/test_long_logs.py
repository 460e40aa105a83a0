"""Records of a long log do not wait in memory until all of it is read."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest

from benchledger.errors import DatabaseError
from benchledger.ingestion import pool, read, units, write
from benchledger.ingestion.ingest import ingest
from benchledger.ingestion.load import Insert
from benchledger.ingestion.transfer import Spill
from benchledger.scanning import columns, log_reader
from benchledger.store import memory
from tests.ingestion.conftest import made
from tests.ingestion.logs import put, run_text

TABLES = ("log", "kept.record", "kept.segment", "run", "fact", "kept.shape", "reject")


def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets a log of some KB be a long one: read in 4 KB, its records handed over from each."""
    monkeypatch.setattr(log_reader, "CHUNK", 4096)
    monkeypatch.setattr(read, "CHUNK", 4096)
    monkeypatch.setattr(columns, "ROWS_AT_ONCE", 1)


def rows_of(db: Path) -> dict[str, list[object]]:
    # A slow machine commits more often: which load wrote a log is no part of what was read.
    asked = "select columns(name -> name <> 'load_number') from {} order by all"
    with duckdb.connect(str(db), read_only=True) as con:
        return {table: con.sql(asked.format(table)).fetchall() for table in TABLES}


def long_logs(folder: Path) -> Path:
    for number in range(2):
        put(folder / f"{number}.log", run_text(steps=150, seed=number, at=3000 * number).log)
    # Two runs in one log: a part ends in the middle of each.
    put(folder / "both.log", run_text(steps=90, seed=7).log + run_text(steps=90, seed=8, at=9000).log)
    # Steps so far apart that no two are in one part: what they say together stands in none.
    put(folder / "far.log", run_text(steps=30, seed=10, at=9900).log.replace("\n", "\n" + "between steps\n" * 280))
    put(folder / "short.log", run_text(steps=3, seed=9).log)
    return folder


@pytest.fixture(scope="module")
def whole(defined_ledger: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with such logs, and with a ledger in which none of them was read in parts. Read only."""
    home = tmp_path_factory.mktemp("whole")
    ingest(long_logs(home / "logs"), db=made(defined_ledger, home / "ledger"))
    return home


@pytest.mark.parametrize(
    ("scanner", "jobs"), [pytest.param("native", 1, marks=pytest.mark.long), ("python", 1), ("native", 2)]
)
def test_a_long_log_that_is_written_in_parts_gives_the_same_rows(
    db: Path, whole: Path, monkeypatch: pytest.MonkeyPatch, scanner: str, jobs: int
) -> None:
    monkeypatch.setenv("BENCH_SCANNER", scanner)
    small_parts(monkeypatch)
    monkeypatch.setattr(pool, "WORTH_A_PROCESS", 0)
    monkeypatch.setattr(units, "UNIT_BYTES", 1)
    handed: list[int] = []
    monkeypatch.setattr(Spill, "add", counted(handed, Spill.add))
    ingest(whole / "logs", db=db, jobs=jobs)

    assert rows_of(db) == rows_of(whole / "ledger" / "bench.duckdb")
    # What other processes handed over is not seen here.
    assert len(handed) > 10 or jobs > 1


# Of so few rows a part is mostly what tells its columns.
@pytest.mark.parametrize(("jobs", "shared_bytes"), [(1, 10**6), (2, 10**6), (2, 128)])
def test_threads_share_what_is_left_of_long_logs_unless_one_is_asked_for_or_records_are_long(
    db: Path, whole: Path, monkeypatch: pytest.MonkeyPatch, jobs: int, shared_bytes: int
) -> None:
    small_parts(monkeypatch)
    monkeypatch.setattr(write, "SHARED_BYTES", shared_bytes)
    shared: list[bool] = []
    rest = Insert.rest

    def noting(self: Insert) -> None:
        shared.append(self.threads > 1)
        rest(self)

    monkeypatch.setattr(Insert, "rest", noting)
    ingest(whole / "logs", db=db, jobs=jobs)

    assert any(shared) is ((jobs, shared_bytes) == (2, 10**6))
    assert rows_of(db) == rows_of(whole / "ledger" / "bench.duckdb")


def counted(handed: list[int], add):  # type: ignore[no-untyped-def]
    def counting(self: Spill, rows: pa.Table) -> None:
        handed.append(rows.num_rows)
        add(self, rows)

    return counting


def test_a_long_log_in_two_places_is_kept_once(db: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small_parts(monkeypatch)
    text = run_text(steps=300).log
    put(tmp_path / "logs" / "a" / "run.log", text)
    put(tmp_path / "logs" / "b" / "run.log", text)
    # Each is a unit of its own, so that both are read.
    monkeypatch.setattr(units, "UNIT_BYTES", 1)
    first = ingest(tmp_path / "logs", db=db)
    before = rows_of(db)
    again = ingest(put(tmp_path / "more" / "run.log", text).parent, db=db)

    assert first.files == {"loaded": 1, "duplicate": 1}
    assert again.files == {"duplicate": 1}
    assert rows_of(db) == before


def test_records_that_wait_have_no_name_in_any_folder(tmp_path: Path) -> None:
    spill = Spill(tmp_path)
    spill.add(pa.table({"log_id": [0, 0, 1], "line": [1, 2, 3]}))
    waiting = spill.end([17, None])

    assert os.listdir(tmp_path) == []
    assert [rows.to_pylist() for long in waiting for rows in long.parts()] == [
        [{"log_id": 17, "line": 1}, {"log_id": 17, "line": 2}]
    ]
    waiting[0].leave_out({17})
    assert list(waiting[0].parts()) == []


def test_records_that_wait_are_what_they_were_whatever_the_parts_before_them_state(tmp_path: Path) -> None:
    schema = pa.schema(
        [("log_id", pa.int64()), ("line", pa.int64()), ("step", pa.int64()), ("values", pa.list_(pa.float64()))]
    )
    parts = [[(0, 1, None, [1.5])], [(0, 2, 7, None), (0, 3, None, [None, 2.0])], [(0, 4, None, None)]]
    spill = Spill(tmp_path)
    for part in parts:
        columns = zip(*part, strict=True)
        spill.add(
            pa.table(
                [pa.array(list(column), field.type) for column, field in zip(columns, schema, strict=True)], schema
            )
        )
    (waiting,) = spill.end([17])

    for _ in range(2):
        found = list(waiting.parts())
        assert [[tuple(row.values())[1:] for row in rows.to_pylist()] for rows in found] == [
            [row[1:] for row in part] for part in parts
        ]
        assert all(rows.schema == schema for rows in found)
    assert waiting.rows == 4


def test_what_all_records_of_a_part_say_takes_no_room_while_they_wait(tmp_path: Path) -> None:
    alike = [[0, 0], [7, 7], [1, 2]]
    others = [[0, 1], [7, 8], [1, 2]]
    nearly = [[0, 0, 0], [7, 9, 7], [1, 2, 3]]
    spill = Spill(tmp_path)
    for log_ids, epochs, lines in (alike, others, nearly):
        spill.add(pa.table({"log_id": log_ids, "epoch": epochs, "line": lines}))
    (waiting,) = spill.end([17, 18])

    assert [part.constants for part in waiting._parts] == [{"log_id": 0, "epoch": 7}, {}, {"log_id": 0}]
    assert [waiting._read(part).column_names for part in waiting._parts] == [
        ["line"], ["log_id", "epoch", "line"], ["epoch", "line"]
    ]  # fmt: skip
    assert [rows.column("log_id").to_pylist() for rows in waiting.parts()] == [[17, 17], [17, 18], [17, 17, 17]]
    assert [rows.column("epoch").to_pylist() for rows in waiting.parts()] == [[7, 7], [7, 8], [7, 9, 7]]


def test_records_of_a_long_log_are_handed_over_in_their_order_whichever_scanner_took_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    handed: list[pa.Table] = []
    collected = columns.RecordColumns(None, handed.append)
    places = [(0, 90), (1, 10), (0, 40), (1, 20)]
    rows = [{"log_id": log, "byte_offset": at} for log, at in places]
    monkeypatch.setattr(collected, "_count", lambda: len(rows))
    monkeypatch.setattr(collected, "take", lambda: pa.Table.from_pylist(rows, columns.record_schema()))
    collected.flush(1)

    assert [(row["log_id"], row["byte_offset"]) for row in handed[0].to_pylist()] == [
        (0, 40),
        (0, 90),
        (1, 10),
        (1, 20),
    ]


def test_a_disk_that_is_full_of_waiting_records_leaves_the_ledger_as_it_was(db: Path, tmp_path: Path) -> None:
    logs = put(tmp_path / "logs" / "run.log", run_text(steps=2000).log).parent
    code = f"""
import resource, signal
from benchledger.ingestion import read
from benchledger.scanning import columns, log_reader
from benchledger.store import database
log_reader.CHUNK, read.CHUNK, columns.ROWS_AT_ONCE = 4096, 4096, 20
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (65536, 65536))
import sys
from benchledger.cli.main import main
sys.argv = ["bench", "--db", {db.name!r}, "ingest", {str(logs)!r}]
main()
"""
    full = subprocess.run([sys.executable, "-c", code], cwd=db.parent, capture_output=True, text=True, check=False)

    assert full.returncode == 1, full.stderr
    assert f"{db.parent.resolve()}: the records of a long log cannot be buffered here" in full.stderr
    assert "Free some disk space" in full.stderr
    assert "Traceback" not in full.stderr
    assert ingest(logs, db=db).files == {"loaded": 1}


def test_a_long_log_that_needs_more_memory_than_is_meant_for_it_is_written_all_the_same(
    db: Path, whole: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small_parts(monkeypatch)
    lifted: list[duckdb.DuckDBPyConnection] = []
    load_all = write.load_logs

    def load_in_little(con: duckdb.DuckDBPyConnection, *given: Any) -> Insert:
        if not lifted:
            con.execute("set memory_limit = '3MB'")
        return load_all(con, *given)

    def lift(con: duckdb.DuckDBPyConnection) -> None:
        lifted.append(con)
        memory.lift_memory_limit(con)

    monkeypatch.setattr(write, "load_logs", load_in_little)
    monkeypatch.setattr(write, "lift_memory_limit", lift)
    ingest(whole / "logs", db=db)

    assert len(lifted) == 1
    assert rows_of(db) == rows_of(whole / "ledger" / "bench.duckdb")


def test_parts_that_lie_within_one_another_are_refused(
    db: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small_parts(monkeypatch)
    logs = put(tmp_path / "logs" / "run.log", run_text(steps=300).log).parent
    add = Spill.add
    monkeypatch.setattr(Spill, "add", lambda self, rows: (add(self, rows[::2]), add(self, rows[1::2]))[0])

    with pytest.raises(DatabaseError, match=r"run\.log: .*records of one part stand among those of another"):
        ingest(logs, db=db)
    assert rows_of(db)["log"] == []


def test_a_ledger_whose_folder_takes_no_file_says_so(tmp_path: Path) -> None:
    with pytest.raises(DatabaseError, match="the records of a long log cannot be buffered here"):
        Spill(tmp_path / "gone").add(pa.table({"log_id": [0]}))


def test_the_records_of_a_long_log_lie_in_one_piece_beside_those_of_others(
    db: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small_parts(monkeypatch)
    monkeypatch.setattr(columns, "ROWS_AT_ONCE", 25)
    ingest(long_logs(tmp_path / "logs"), db=db)

    with duckdb.connect(str(db), read_only=True) as con:
        pieces = con.execute("select sum((before is distinct from log_id)::int), count(distinct log_id) from "
                             "(select log_id, lag(log_id) over () as before from kept.record)").fetchone()  # fmt: skip
    assert pieces is not None
    assert pieces[0] == pieces[1] > 1
