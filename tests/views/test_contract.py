"""Names, columns and comments that analysts rely on."""

import re
import tomllib
from collections import Counter
from contextlib import closing
from pathlib import Path

import duckdb

from benchledger.store.migrations import glossary_file, shipped_migrations

CASE = (
    "case_id name framework implementation model task precision batch_size_per_gpu global_batch_size nodes gpus "
    "seq_len gradient_accumulation options"
)
CELL = (
    f"series_id campaign {CASE} system gpu_model rule is_default value unit trials trials_dropped lowest highest stdev "
    "conflicts status"
)
CONTRACT = {
    "measurement": "run_id log_id role line byte_offset kind phase ordinal step epoch rank device label logged_at "
    "clock_s name quantity value text unit unit_logged scope",
    "series": "series_id campaign case_id system gpu_model gpu_memory_mib framework_version implementation_version variant mixed",
    "kept.series_run": "series_id run_id trial",
    "run_speed": "run_id case_id rule is_default phase value unit records_used records_skipped status reason",
    "run_memory": "run_id case_id definition device value_mib records_used",
    "speed_table": CELL,
    "memory_table": f"series_id campaign {CASE} system gpu_model definition value_mib gpu_memory_mib headroom_mib",
    "speedup_table": f"{CELL} scaling base_series_id base_gpus base_value speedup efficiency",
    "kept.failure_table": f"run_id campaign {CASE} status reason log_id line text",
    "kept.max_batch_table": "campaign system gpu_model framework implementation model task precision nodes gpus seq_len "
    "gradient_accumulation options largest_ok smallest_oom",
    "leaderboard": "model task precision seq_len gpu_model gpus unit rank rank_last series_id campaign framework "
    "implementation batch_size_per_gpu value rule trials trials_dropped system framework_version implementation_version variant cell "
    "lowest highest",
    "conflict": "run_id name used_value other_value used_source other_source",
    "kept.rule": "rule source window statistic ranks rounding trial_statistic",
    "kept.profile_table": "run_id",
    "convergence_table": f"series_id campaign {CASE} system gpu_model loss_name metric",
    "run_convergence": "run_id case_id run_key status loss_name",
    "kept.loss_curve": "run_id name is_main nth",
    "kept.evaluation": "run_id name is_main nth",
}


def test_views_have_the_columns_of_the_contract_in_its_order(ledger):
    columns = {}
    for name in CONTRACT:
        columns[name] = [row[0] for row in ledger.rows(f"describe {name}")]

    assert {name: found[: len(CONTRACT[name].split())] for name, found in columns.items()} == {
        name: words.split() for name, words in CONTRACT.items()
    }


PEOPLE_READ = (
    "run bench_case environment series log sighting run_log reject fact conflict measurement run_speed run_memory "
    "run_convergence speed_table speedup_table memory_table convergence_table leaderboard published"
)


def test_what_people_read_stands_in_main_and_all_else_in_kept(ledger):
    found = ledger.rows(
        "select schema_name, table_name from duckdb_tables() where not internal "
        "union all select schema_name, view_name from duckdb_views() where not internal"
    )

    assert {schema for schema, _ in found} == {"main", "kept"}
    assert sorted(name for schema, name in found if schema == "main") == sorted(PEOPLE_READ.split())
    assert len(PEOPLE_READ.split()) <= 20


def test_every_view_answers_in_a_ledger_that_is_attached_beside_others(demo_ledger: Path) -> None:
    with closing(duckdb.connect()) as con:
        con.execute(f"attach '{demo_ledger}' as one (read_only)")
        views = "select schema_name, view_name from duckdb_views() where database_name = 'one' and not internal"
        for schema, view in con.execute(views).fetchall():
            con.execute(f"from one.{schema}.{view} limit 1").fetchall()


def test_measurement_all_has_the_columns_of_measurement(ledger):
    assert ledger.rows("describe kept.measurement_all") == ledger.rows("describe measurement")


def test_every_table_view_and_column_has_a_comment(ledger):
    silent = ledger.rows(
        "select table_name from duckdb_tables() where not internal and comment is null "
        "union all select view_name from duckdb_views() where not internal and comment is null "
        "union all select table_name || '.' || column_name from duckdb_columns() "
        "where not internal and comment is null "
        "union all select function_name from duckdb_functions() where not internal and comment is null"
    )

    assert silent == []


def own_comments():
    """The comments beside create statements, by table and column."""
    found = re.compile(r"^comment on column ([\w.]+)\.\"?(\w+)\"? is\s+((?:'(?:[^']|'')*'\s*)+);$", re.MULTILINE)
    for step in shipped_migrations():
        for table, column, text in found.findall(step.path.read_text(encoding="utf-8")):
            yield table, column, re.sub(r"'\s*\n\s*'", "", text)[1:-1].replace("''", "'")


def test_a_comment_that_several_columns_share_is_written_once(ledger):
    glossary = tomllib.loads(glossary_file().read_text(encoding="utf-8"))
    own = list(own_comments())
    own_places = {(table, column) for table, column, _ in own}
    columns = ledger.rows(
        "select if(schema_name = 'main', '', schema_name || '.') || table_name, column_name "
        "from duckdb_columns() where not internal"
    )
    shared = Counter(column for table, column in columns if (table, column) not in own_places)

    assert [(table, column) for table, column, text in own if glossary.get(column) == text] == []
    assert {column for column in glossary if shared[column] < 2} == set()


def test_a_comment_is_a_sentence(ledger):
    comments = ledger.rows(
        "select comment from duckdb_tables() where not internal "
        "union all select comment from duckdb_views() where not internal"
    )

    assert [text for (text,) in comments if not (text.startswith("One row per") and text.endswith("."))] == []
