"""Frames hold the records that a run's numbers come from, in its order, read whole or in parts."""

import itertools
import shutil
from contextlib import closing
from importlib import resources

import duckdb
import polars as pl
import pyarrow as pa
import pytest

from benchledger.store.rollups import frames

# Written apart from the code: the views of a ledger, and a monitor's records by the devices that a claim names.
EXPECTED = """
    select run_id, part, log_id, line, byte_offset
    from run_record
    union all
    select run_log.run_id, null, record.log_id, record.line, record.byte_offset
    from record
    join run_log
        on record.log_id = run_log.log_id and record.line between run_log.first_line and run_log.last_line
    where (run_log.run_id, run_log.log_id, run_log.segment) not in (select (run_id, log_id, segment) from run_source)
        and run_log.role <> 'duplicate_stream'
        and (run_log.role <> 'telemetry' or run_log.devices is null or record.device is null
            or list_contains(run_log.devices, record.device))
"""


def every_part(con, is_long, chosen="select run_id from run"):
    con.execute(f"create or replace temp table chunk_run as {chosen}")
    con.execute(resources.files("benchledger.store.rollups").joinpath("claims.sql").read_text(encoding="utf-8"))
    return list(frames.ChunkRecords(con, "record", is_long).parts())


# Some records of each twin, as if its log were the only one to have them.
ONLY_HERE = """
    insert into stream_only
    select log_id, byte_offset from record
    where byte_offset % 3 = 0 and log_id in (select log_id from run_log where role = 'duplicate_stream')
"""


@pytest.fixture
def con(archives_ledger, tmp_path):
    shutil.copy(archives_ledger, tmp_path / "copy.duckdb")
    with closing(duckdb.connect(str(tmp_path / "copy.duckdb"))) as con:
        con.execute(ONLY_HERE)
        yield con


def test_a_chunk_has_each_record_as_often_as_runs_claim_it_in_each_runs_order(con):
    (found,) = every_part(con, is_long=False)
    told = found.select("run_id", "part", "log_id", "line", byte_offset=pl.col("place") & ((1 << 44) - 1)).rows()

    assert sorted(told, key=str) == sorted(con.execute(EXPECTED).fetchall(), key=str)
    assert {part for _, part, _, _, _ in told} == {0, 1, None}
    pieces = [
        (run_id, list(own)) for run_id, own in itertools.groupby(found.rows(named=True), lambda row: row["run_id"])
    ]
    assert len({run_id for run_id, _ in pieces}) == len(pieces)
    assert all(own == sorted(own, key=lambda row: row["place"]) for _, own in pieces)


def test_a_long_run_comes_in_parts_that_are_together_what_it_is_whole(con, monkeypatch):
    monkeypatch.setattr(frames, "PART_RECORDS", 2048)
    longest = con.execute(
        "select run_id from run_log join log using (log_id) group by run_id order by sum(records) desc limit 20"
    ).fetchall()
    parts = 0
    for (run_id,) in longest:
        chosen = f"select {run_id}::bigint as run_id"
        in_parts = every_part(con, True, chosen)
        (whole,) = every_part(con, False, chosen)
        assert pl.concat(in_parts).equals(whole)
        parts += len(in_parts)
    assert parts > 2 * len(longest)


def test_records_that_do_not_stand_in_their_order_are_sorted(con):
    con.execute("create table moved as from record order by hash(byte_offset)")
    chosen = "select run_id from run_log join log using (log_id) group by run_id order by sum(records) desc limit 1"
    con.execute(f"create or replace temp table chunk_run as {chosen}")
    con.execute(resources.files("benchledger.store.rollups").joinpath("claims.sql").read_text(encoding="utf-8"))

    for is_long in (False, True):
        moved = pl.concat(frames.ChunkRecords(con, "moved", is_long).parts())
        there = pl.concat(frames.ChunkRecords(con, "record", is_long).parts())
        assert moved.equals(there)
        assert there["place"].is_sorted()


def test_what_is_kept_of_a_part_holds_nothing_else_of_it_in_memory():
    numbers = bytearray(8 * 1000)
    column = pa.Array.from_buffers(pa.int64(), 1000, [None, pa.py_buffer(numbers)])
    rows = frames.framed(pa.table({"at": column}))
    kept = [frames.summed(rows, "at", first=pl.col("at").first()), frames.copied(rows[:10])]
    del column, rows
    # An error while anything of it is held.
    numbers.clear()

    assert [frame.height for frame in kept] == [1, 10]
