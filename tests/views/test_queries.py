"""Shipped questions: each runs, says what a row is, and refuses what it does not know."""

import shutil
from contextlib import closing

import pytest

from benchledger.definitions.queries import find_query, load_queries, read_query
from benchledger.errors import DefinitionError, UsageError
from benchledger.store.database import open_for_writing
from tests.views.conftest import Ledger

ASKED = {
    "kernels",
    "utilization",
    "speed",
    "memory",
    "speedup",
    "failures",
    "rejects",
    "conflicts",
    "manifests",
    "unpaired",
    "rules",
    "coverage",
    "runs_by_status",
    "unrecognised",
}


@pytest.fixture(scope="module")
def filled(defined_ledger, tmp_path_factory):
    """A ledger that the questions only read."""
    path = shutil.copy(defined_ledger, tmp_path_factory.mktemp("filled") / "bench.duckdb")
    with closing(open_for_writing(path, records=0)) as con:
        con.begin()
        ledger = Ledger(con)
        fill(ledger)
        ledger.keep()
        yield ledger


def fill(ledger):
    run = ledger.run(ledger.summary(5.0), campaigns=("a",))
    ledger.run(status="oom", campaigns=("a",))
    ledger.run(ledger.loss(5.0, 1), ledger.metric(0.5), campaigns=("a",))
    ledger.run(ledger.summary(6.0), campaigns=(None,), case={"gpus": 2})
    ledger.attach(run, ledger.log(ledger.memory(5.0)), "telemetry")
    ledger.attach(run, ledger.log(ledger.kernel("gemm", 0.0, 1.0)), "profile")
    stray = ledger.log(ledger.memory(5.0), campaigns=("stray",))
    ledger.insert(
        "kept.segment",
        log_id=stray,
        segment=1,
        role="telemetry",
        first_line=1,
        last_line=1,
        first_record_line=1,
        last_record_line=1,
        records=1,
        step_records=0,
        expects_closing=False,
        final_loss_nan=False,
    )
    ledger.insert("reject", log_id=stray, line=3, byte_offset=9, reason="no template", text="step: x")
    ledger.sighting(None, "a", status="unrecognised", reason="nearest: dllogger")
    ledger.run(ledger.summary(5.0, phase=None), campaigns=("a",))
    ledger.insert("kept.format", format="manifest", version=1, role="manifest")
    manifest = ledger.log(format="manifest", campaigns=("a",))
    ledger.attach(run, manifest, "manifest")
    ledger.insert("fact", run_id=run, name="gpus", value="8", source="log", used=True)
    ledger.insert("fact", run_id=run, name="gpus", value="4", source="name", used=False)
    ledger.sighting(ledger.log(ledger.summary(5.0), campaigns=()), None, status="document", reason="a page by its name")
    for system in ("one", "two"):
        ledger.run(ledger.summary(7.0), campaigns=("b",), case={"gpus": 3}, environment={"os": system})
    ledger.insert("fact", run_id=run, name="model", value="ours_12m", source="log", used=True)
    ledger.insert("kept.unread", log_id=stray, line=4, lines=2, text="loss so far: 5")
    ledger.write("update log set evidence = 'by majority: 9 of 10 lines' where log_id = ?", stray)


@pytest.mark.parametrize("name", sorted(load_queries()))
def test_every_question_answers_with_its_defaults_and_says_what_a_row_is(filled, name):
    query = find_query(name)
    rows = filled.rows(query.sql, **query.bind({}))

    assert query.sentence.startswith("One row per ")
    assert rows != []


@pytest.mark.parametrize("name", sorted(load_queries()))
def test_the_column_that_the_values_of_a_parameter_must_match_is_there(filled, name):
    for parameter in load_queries()[name].declared.values():
        if parameter.column is not None:
            table, column = parameter.column
            filled.rows(f"select {column} from {table} limit 0")


def test_the_questions_that_were_asked_for_are_there():
    assert load_queries().keys() >= ASKED


def ask(ledger, name, columns, **parameters):
    query = find_query(name)
    listed = ", ".join(columns)
    return ledger.rows(f"select {listed} from ({query.sql.strip().removesuffix(';')}\n)", **query.bind(parameters))


def test_a_campaign_glob_reaches_also_runs_without_a_campaign(filled):
    assert ask(filled, "speed", ["campaign", "value"]) == [("a", 5.0), ("b", 7.0), (None, 6.0)]
    assert ask(filled, "speed", ["campaign", "value"], campaign="a*") == [("a", 5.0)]


def test_coverage_says_what_became_of_the_others(ledger):
    ledger.run(ledger.summary(5.0))
    ledger.run(status="oom", case={"gpus": 2, "name": "mp_bs96_fp16_8"})

    assert ask(ledger, "coverage", ["with_speed", "series", "missing"]) == [(1, 2, "mp_bs96_fp16_8: oom")]


def test_unpaired_lists_only_logs_that_no_run_claims(filled):
    assert [path for (path,) in ask(filled, "unpaired", ["path"])] == [
        path for (path,) in filled.rows("select path from sighting where campaign = 'stray'")
    ]


def test_an_unknown_question_or_parameter_lists_the_known_ones():
    with pytest.raises(UsageError, match="did you mean 'speedup'"):
        find_query("spedup")
    with pytest.raises(UsageError, match=r"no parameter 'camp'; did you mean 'campaign'\?; it has: campaign"):
        find_query("speed").bind({"camp": "*"})
    with pytest.raises(UsageError, match="must be like 1000, not 'many'"):
        find_query("rejects").bind({"limit": "many"})


def test_text_is_read_as_the_defaults_kind_of_value():
    assert find_query("rejects").bind({"limit": "5", "path": "5"}) == {"limit": 5, "path": "5"}


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("select 1", 1, "first line must be a comment"),
        ("-- One row.\nselect\n  $n", 3, "$n has no default"),
        ("-- One row.\n-- $n = 1\nselect 1", 1, "$n is declared and not used"),
        ("-- One row.\n-- $n = *\nselect $n", 2, "must be 'text', a number"),
    ],
)
def test_a_mistake_in_a_question_is_told_with_file_and_line(tmp_path, text, line, words):
    path = tmp_path / "mine.sql"
    path.write_text(text)

    with pytest.raises(DefinitionError) as error:
        read_query(path)

    assert str(error.value).startswith(f"{path}:{line}: ")
    assert words in str(error.value)


def test_a_dollar_in_text_or_comment_is_no_parameter(tmp_path):
    path = tmp_path / "mine.sql"
    path.write_text("-- One row: $a is no parameter here.\n-- $n = 'it''s'\nselect '$b', \"$c\", $n -- $d\n")

    assert dict(read_query(path).parameters) == {"n": "it's"}
