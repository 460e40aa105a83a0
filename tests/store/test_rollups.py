"""What is kept of runs: the same however it was filled, read once, and by the rules of today."""

import shutil
from contextlib import closing

import pytest

from benchledger.store import rollups
from benchledger.store.database import open_for_writing

KEPT = ("run_speed", "run_memory", "series_member", "series", "series_run", "conflict", "kept_cell", "kept_speedup")
KEPT += ("run_clock", "kept_loss", "kept_low_loss", "kept_evaluation")


@pytest.fixture
def con(demo_ledger, tmp_path):
    with closing(open_for_writing(shutil.copy(demo_ledger, tmp_path))) as con:
        yield con


def kept(con):
    return {table: sorted(map(repr, con.execute(f"from {table}").fetchall())) for table in KEPT}


def test_runs_that_are_read_a_few_at_a_time_say_what_they_say_together(con, monkeypatch):
    together = kept(con)
    monkeypatch.setattr(rollups, "CHUNK_RECORDS", 100)
    monkeypatch.setattr(rollups, "LONG_RUN", 100)

    con.execute("delete from kept_run")
    rollups.keep_rollups(con)

    assert kept(con) == together
    assert together["run_speed"]
    assert together["run_memory"]


@pytest.mark.parametrize("few", [0, 1_000_000])
def test_records_say_the_same_whether_this_transaction_added_them_or_not(con, monkeypatch, few):
    together = kept(con)
    monkeypatch.setattr(rollups, "FEW_RECORDS", few)
    again = (
        "create temp table again as from record where log_id in (select log_id from log order by log_id limit $logs)"
    )
    for logs in (0, 3, 1000):
        con.begin()
        con.execute(again, {"logs": logs})
        con.execute("delete from record where log_id in (select log_id from again)")
        con.execute("insert into record from again")
        con.execute("delete from kept_run")
        rollups.keep_rollups(con)

        assert kept(con) == together
        con.rollback()


def test_a_run_whose_logs_are_what_they_were_is_not_read_again(con):
    before = kept(con)
    con.execute("delete from record")

    rollups.keep_rollups(con)

    assert kept(con) == before


def test_a_changed_rule_is_asked_of_the_records_that_are_there(con):
    whole = con.execute("select records_used from run_speed where rule = 'steps.mean_skip5' order by all").fetchall()
    con.execute("update rule set skip = 6 where rule = 'steps.mean_skip5'")
    others = con.execute("select * from kept_speed where rule <> 'steps.mean_skip5' order by all").fetchall()

    rollups.follow_definitions(con)

    fewer = con.execute("select records_used from run_speed where rule = 'steps.mean_skip5' order by all").fetchall()
    assert fewer == [(max(used - 1, 0),) for (used,) in whole]
    assert con.execute("select * from kept_speed where rule <> 'steps.mean_skip5' order by all").fetchall() == others


def test_a_run_that_is_gone_leaves_nothing(con):
    con.execute("create temp table gone as select run_id from run limit 3")
    con.execute("delete from run_log where run_id in (from gone)")
    con.execute("delete from fact where run_id in (from gone)")
    con.execute("delete from run where run_id in (from gone)")

    rollups.keep_rollups(con, "from gone")

    by_run = ("run_speed", "kept_speed", "run_memory", "series_member", "series_run", "kept_run", "run_format")
    by_run += ("silent_run", "run_fallback")
    for table in (*by_run, "run_clock", "kept_loss", "kept_low_loss", "kept_evaluation"):
        assert con.execute(f"select * from {table} where run_id in (from gone)").fetchall() == []
    assert con.execute("select * from series anti join series_run using (series_id)").fetchall() == []
    assert con.execute("select * from kept_cell anti join series using (series_id)").fetchall() == []
    assert con.execute("select * from kept_speedup anti join series using (series_id)").fetchall() == []
