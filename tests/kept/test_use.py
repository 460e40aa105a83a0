"""The readings that a rule uses are those that its number is made of: counted for every run and rule."""

from contextlib import closing

import pytest

from benchledger.kept import uses
from benchledger.store.database import open_for_reading

AGAIN = """
select run_id, rule, phase, unit, value, records_used, records_skipped, status, reason, is_window_whole
from {}
order by all
"""
COUNTED = """
create temp table counted as
select run_id, rule, phase, unit, count(*) filter (dropped is null) as used, count(*) as seen
from use
group by all
"""
OTHERS = """
select speed.run_id, speed.rule, speed.phase, speed.unit, records_used, records_skipped, used, seen
from kept.speed
full join counted
    on counted.run_id = speed.run_id
    and counted.rule = speed.rule
    and counted.phase is not distinct from speed.phase
    and counted.unit is not distinct from speed.unit
join kept.rule on rule.rule = coalesce(speed.rule, counted.rule)
-- The median over ranks is one reading a step: of these the lines are more.
where rule.ranks <> 'median' and (used is distinct from records_used or seen is distinct from records_used + records_skipped)
"""


@pytest.mark.parametrize("which", ["demo_ledger", pytest.param("archives_ledger", marks=pytest.mark.long)])
def test_what_is_used_and_dropped_is_what_the_numbers_count(request, which):
    with closing(open_for_reading(request.getfixturevalue(which))) as con:
        runs = [run_id for (run_id,) in con.execute("select run_id from run").fetchall()]
        with uses(con, runs):
            con.execute(COUNTED)
            assert con.execute(OTHERS).fetchall() == []
            assert con.execute("select count(distinct rule) from counted where used > 0").fetchall()[0][0] > 5
            con.execute("drop table counted")
            assert (
                con.execute(AGAIN.format("speed_now")).fetchall() == con.execute(AGAIN.format("kept.speed")).fetchall()
            )
        assert con.execute("select count(*) from duckdb_tables() where temporary").fetchall() == [(0,)]
