"""The views over 5,000 runs and 300,000 records: more than DuckDB compares with one another, and several row groups."""

import re
import shutil
from contextlib import closing

import pytest

from benchledger.definitions.rules import load_rules
from benchledger.store.database import open_for_writing
from tests.views.conftest import Ledger

RUNS, LINES = 5_000, 60
# Each of a fifth of them, whose ids are any.
LOAD = "1 + i % 5"


@pytest.fixture(scope="module")
def large(defined_ledger, tmp_path_factory):
    """Made once: the tests only ask it."""
    path = shutil.copy(defined_ledger, tmp_path_factory.mktemp("large") / "bench.duckdb")
    with closing(open_for_writing(path)) as con:
        yield filled(Ledger(con))


def filled(ledger):
    ledger.run(ledger.step(1), ledger.summary(1.0))
    shapes = dict(ledger.rows("select kind, shape_id from kept.shape where ordinal = 1"))
    con = ledger.con
    con.execute("delete from kept.record; delete from run; delete from run_log; delete from sighting; delete from log")
    con.execute(f"""
        create temp table n as select unnest(range(1, {RUNS} + 1)) as i;
        insert into log select i, 'h' || i, 1, {LINES}, 'ngc', 1, 'd', {LINES}, {LINES}, 0, 0, 0, 0, null, {LOAD} from n;
        insert into sighting by name
        select i as sighting_id, i as log_id, 'p' || i as path, 'c' || i % 50 as campaign, 'f' as folder, 's' as stem,
            timestamp '2026-11-21' as ingested_at, 'd' as definitions_hash, 'loaded' as status from n;
        insert into bench_case by name
        select 100000 + i as case_id, 'case' || i as name, 1 + i % 8 as gpus, 32 as batch_size_per_gpu,
            32 * (1 + i % 8) as global_batch_size from range(200) as c(i);
        insert into environment by name
        select 200000 + i as environment_id, case when i % 3 > 0 then 'V100' end as gpu_model,
            'd' || i as driver_version
        from range(20) as e(i);
        insert into run by name
        select i as run_id, 'k' || i as run_key, 100000 + i % 200 as case_id, 200000 + i % 20 as environment_id,
            case when i % 17 = 0 then 'oom' else 'ok' end as status from n;
        insert into run_log by name
        select i as run_id, i as log_id, 'train' as role, 1 as segment, 1 as first_line, {LINES} as last_line,
            'self' as paired_by from n;
        insert into kept.record by name
        select i as log_id, line, line * 100 as byte_offset, line as step,
            case when line = {LINES} then {shapes["summary"]} else {shapes["step"]} end as shape_id,
            timestamp '2026-11-21' + interval (line * 300 + hash(i, line) % 50) milliseconds as logged_at,
            [(100 + hash(i, line) % 1000 / 100)::double] as values, {LOAD} as load_number
        from n, range(1, {LINES} + 1) as l(line)
        order by load_number, hash(i), line;
    """)
    return ledger


ANSWERS = [
    "speed_table",
    "run_memory",
    "memory_table",
    "speedup_table",
    "leaderboard",
    "run_speed",
    "series",
    "kept.series_run",
    "conflict",
    "kept.trial_table",
    "kept.published_table",
    "kept.run_clock",
    "kept.evaluation",
    "run_convergence",
    "convergence_table",
]


def test_an_answer_reads_no_step_record(large):
    plans = {view: large.rows(f"explain (format json) select * from {view}")[0][1] for view in ANSWERS}

    assert large.rows("select count(*) from kept.record") == [(RUNS * LINES,)]
    assert [view for view, plan in plans.items() if re.search(r"\brecord\b", plan)] == []


@pytest.mark.parametrize("view", ["kept.run_record", "measurement"])
def test_of_the_records_those_of_a_runs_own_load_are_read(large, view):
    run_id = RUNS // 2
    asked = f"from {view} where list_contains([{run_id}], run_id)"
    profile = large.rows(f"explain (analyze, format json) {asked}")[0][1]

    read = [int(rows) for rows in re.findall(r'"operator_rows_scanned": (\d+)', profile)]
    assert LINES <= max(read) < RUNS * LINES / 2
    assert large.rows(f"select count(*) from ({asked})") == [(LINES,)]


def test_five_thousand_runs_are_told_under_every_rule(large):
    # A rule of another format, or one that wants 100 records or leaves out 64, says nothing of these.
    speaking = [rule for rule in load_rules() if rule.formats is None and not rule.complete and rule.skip < LINES]

    assert large.rows("select count(value) from speed_table") == [(200 * len(speaking),)]
    assert large.rows("select count(*) from speed_table where campaign glob 'c1*' and is_default") == [(44,)]


VIEWS = [
    "measurement",
    "series",
    "kept.series_run",
    "run_speed",
    "speed_table",
    "run_memory",
    "memory_table",
    "speedup_table",
    "kept.failure_table",
    "kept.max_batch_table",
    "kept.profile_table",
    "kept.kernel_table",
    "kept.utilization_table",
    "kept.run_clock",
    "kept.loss_curve",
    "kept.evaluation",
    "run_convergence",
    "convergence_table",
    "leaderboard",
    "conflict",
]


def test_no_view_compares_every_row_with_every_other(large):
    plans = {view: large.rows(f"explain select * from {view}")[0][1] for view in VIEWS}

    slow = ("NL_JOIN", "NESTED_LOOP_JOIN", "CROSS_PRODUCT", "IE_JOIN", "PIECEWISE_MERGE_JOIN", "DELIM_JOIN")
    assert [(view, word) for view, plan in plans.items() for word in slow if word in plan] == []
