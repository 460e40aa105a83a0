"""What is kept of runs: the same however it was filled, read once, and by the rules of today."""

import shutil
from contextlib import closing

import pytest

from benchledger import kept as engine
from benchledger.kept import fill, runs
from benchledger.kept.statements import OF_CLOCKS, OF_ONE_RANK, OF_ONE_RUN, sql_of
from benchledger.store.database import open_for_writing

KEPT = (
    "run_speed",
    "run_memory",
    "kept.series_member",
    "series",
    "kept.series_run",
    "conflict",
    "kept.cell",
    "kept.speedup",
)
KEPT += ("kept.run_clock", "kept.loss", "kept.low_loss", "kept.evaluation_all")


@pytest.fixture
def con(demo_ledger, tmp_path):
    with closing(open_for_writing(shutil.copy(demo_ledger, tmp_path))) as con:
        yield con


def kept(con):
    return {table: sorted(map(repr, con.execute(f"from {table}").fetchall())) for table in KEPT}


def test_runs_that_are_read_a_few_at_a_time_say_what_they_say_together(con, monkeypatch):
    together = kept(con)
    monkeypatch.setattr(fill, "CHUNK_RECORDS", 100)
    monkeypatch.setattr(fill, "LONG_RUN", 100)

    con.execute("delete from kept.run_hash")
    engine.keep(con)

    assert kept(con) == together
    assert together["run_speed"]
    assert together["run_memory"]


@pytest.mark.parametrize("logs", [0, 3, 1000])
def test_records_say_the_same_whether_this_transaction_added_them_or_not(con, logs):
    together = kept(con)
    again = "create temp table again as from kept.record where log_id in (select log_id from log order by log_id limit $logs)"
    con.begin()
    con.execute(again, {"logs": logs})
    con.execute("delete from kept.record where log_id in (select log_id from again)")
    con.execute("insert into kept.record from again")
    con.execute("delete from kept.run_hash")
    engine.keep(con)

    assert kept(con) == together


def test_a_run_whose_logs_are_what_they_were_is_not_read_again(con):
    before = kept(con)
    con.execute("delete from kept.record")

    engine.keep(con)

    assert kept(con) == before


def test_a_changed_rule_is_asked_of_the_records_that_are_there(con):
    whole = con.execute("select records_used from run_speed where rule = 'steps.mean_skip5' order by all").fetchall()
    con.execute("update kept.rule set skip = 6 where rule = 'steps.mean_skip5'")
    others = con.execute("select * from kept.speed where rule <> 'steps.mean_skip5' order by all").fetchall()

    engine.follow_definitions(con)

    fewer = con.execute("select records_used from run_speed where rule = 'steps.mean_skip5' order by all").fetchall()
    assert fewer == [(max(used - 1, 0),) for (used,) in whole]
    assert con.execute("select * from kept.speed where rule <> 'steps.mean_skip5' order by all").fetchall() == others


def test_the_runs_of_one_long_log_are_read_together(con, monkeypatch):
    # A run weighs as much as its own part of a log, not as all of it.
    monkeypatch.setattr(fill, "LONG_RUN", 10**9)
    monkeypatch.setattr(fill, "CHUNK_RECORDS", 10**6)
    chunks = []
    real = fill.fill_records
    monkeypatch.setattr(
        fill, "fill_records", lambda con, *, is_long: chunks.append(is_long) or real(con, is_long=is_long)
    )
    con.execute("update log set records = 10**6 * 10, pieces = 10**6 * 10 + ignored + rejects where true")
    con.execute("delete from kept.run_hash")
    engine.keep(con)

    assert chunks == [False]


def test_a_run_that_is_gone_leaves_nothing(con):
    con.execute("create temp table gone as select run_id from run limit 3")
    con.execute("delete from run_log where run_id in (from gone)")
    con.execute("delete from fact where run_id in (from gone)")
    con.execute("delete from run where run_id in (from gone)")

    engine.keep(con, "from gone")

    by_run = (
        "run_speed",
        "kept.speed",
        "run_memory",
        "kept.series_member",
        "kept.series_run",
        "kept.run_hash",
        "kept.run_format",
    )
    by_run += ("kept.silent_run", "kept.run_fallback")
    for table in (*by_run, "kept.run_clock", "kept.loss", "kept.low_loss", "kept.evaluation_all"):
        assert con.execute(f"select * from {table} where run_id in (from gone)").fetchall() == []
    assert con.execute("select * from series anti join kept.series_run using (series_id)").fetchall() == []
    assert con.execute("select * from kept.cell anti join series using (series_id)").fetchall() == []
    assert con.execute("select * from kept.speedup anti join series using (series_id)").fetchall() == []


def test_rows_that_a_join_has_turned_are_put_in_order_again(con, monkeypatch):
    # Keys that share a slot of its hash table come last in their batch: of 2,000 small runs, some stood behind later ones.
    together = kept(con)
    written = runs.sql_of
    ends = {
        "losses": "coalesce(rank, -1) = lane",
        "readings": "makes_rounds\nfrom claimed_record\nwhere part is not null",
    }

    def turned(name, **given):
        text = written(name, **given)
        end = ends.get(name, ";")
        assert end in text
        return text.replace(end, f"{end} order by run_id desc, place desc") if name in ends else text

    monkeypatch.setattr(runs, "sql_of", turned)
    con.execute("delete from kept.run_hash")
    engine.keep(con)

    assert kept(con) == together


@pytest.mark.parametrize("name", ["clocks", "kept_losses", "repeats", "rounds", "timings"])
def test_of_a_long_run_every_window_reads_a_stream(name):
    # Another window holds all rows: the memory would grow with the length of the run.
    text = sql_of(name, streams=OF_ONE_RUN | OF_ONE_RANK | OF_CLOCKS)

    assert " over " in text or "window " in text
    assert "rows between" not in text
    assert "partition by" not in text
