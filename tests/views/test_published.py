"""What others published is data with its source, and stands beside ours of the same case."""

from __future__ import annotations

import pytest

from benchledger.definitions import published
from benchledger.definitions.published import load_published
from benchledger.definitions.queries import find_query
from benchledger.errors import DefinitionError
from benchledger.store import sync
from benchledger.store.published_logs import missing_logs_note
from benchledger.store.sync import sync_definitions

GOOD = """source    = "our wiki"
framework = "torch"
model     = "bert_base"
precision = "fp16"
rule      = "ngc.summary"
unit      = "samples/s"

[[table]]
section  = "2, speed"
logs = "theirs*"
columns  = [{ batch_size_per_gpu = 32 }, { batch_size_per_gpu = 64 }]
cells    = [
    [{ gpus = 1 }, "127.10", "-"],
    [{ gpus = 8 }, "1,018.4", ""],
]
"""


@pytest.fixture
def load(tmp_path, monkeypatch):
    def load(text):
        path = tmp_path / "wiki.toml"
        path.write_text(text)
        monkeypatch.setattr(published, "definition_files", lambda kind, suffix: [path])
        monkeypatch.setattr(sync, "files_in", lambda *kinds: [path])
        return load_published()

    return load


@pytest.fixture
def beside(ledger, load):
    """The rows of the question, after what others publish was written down."""

    def beside(text, *columns, **parameters):
        load(text)
        sync_definitions(ledger.con)
        query = find_query("against-published")
        frame = ledger.filled.execute(query.sql, query.bind(parameters)).pl()
        return frame.select(columns).rows()

    return beside


def run(ledger, speed, campaign="ours", **columns):
    ledger.run(ledger.summary(speed), campaigns=(campaign,), **columns)


def test_a_table_is_read_cell_by_cell_and_nothing_stays_nothing(load):
    cells = load(GOOD)

    assert [(cell["cell"], cell["printed"], cell["value"]) for cell in cells] == [
        ("batch_size_per_gpu=32, gpus=1", "127.10", 127.1),
        ("batch_size_per_gpu=32, gpus=8", "1,018.4", 1018.4),
    ]
    assert {(cell["framework"], cell["unit"], cell["logs"]) for cell in cells} == {("pytorch", "samples/s", "theirs*")}


def test_what_is_shipped_names_its_document_and_its_rule_or_none():
    cells = load_published()

    assert len({cell["source"] for cell in cells}) == 19
    assert all(cell["url"].startswith("https://") and cell["revision"] for cell in cells)


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ('source    = "our wiki"\n', "", 1, "source must be a text"),
        ("framework", "frame", 2, "unknown key 'frame'"),
        ('"torch"', '"caffe"', 2, "framework must be one of pytorch"),
        ("gpus = 8", "gpus = 0", 12, "gpus must be a count, not 0"),
        ("gpus = 8", "gpu = 8", 12, "unknown key 'gpu'"),
        ('"ngc.summary"', '"ngc.sumary"', 5, "no rule 'ngc.sumary'"),
        ('unit      = "samples/s"', 'unit = "images/s"', 6, "unit must be one of samples/s, tokens/s"),
        ('unit      = "samples/s"\n', "", 7, "a speed has a unit"),
        (', "-"]', "]", 12, "and 2 numbers"),
        ('"127.10"', "127.10", 12, "as it is printed"),
        ('"127.10"', '"12 7"', 12, "is no number"),
        ('"127.10"', '"nan"', 12, "is no number"),
        ('"127.10"', '"127,10"', 12, "is no number"),
        ('"127.10"', '"1_271"', 12, "is no number"),
        ("gpus = 8", "gpus = 1", 12, "two numbers stand for"),
        ('"127.10", "-"],\n    [{ gpus = 8 }, "1,018.4", ""]', '"-", "-"]', 12, "has no number"),
        ('section  = "2, speed"\n', "", 8, "section must be a text"),
        ("[{ gpus = 1 }", "[1", 12, "is a table"),
        ("[[table]]", "[table]", 8, "[[table]]"),
    ],
)
def test_a_mistake_is_told_with_file_and_line(load, tmp_path, old, new, line, words):
    assert GOOD.count(old) >= 1
    with pytest.raises(DefinitionError) as error:
        load(GOOD.replace(old, new, 1))

    assert str(error.value).startswith(f"{tmp_path / 'wiki.toml'}:{line}: ")
    assert words in str(error.value)


def test_how_near_ours_is_to_the_printed_digits(ledger, beside):
    near = {
        127.1: "rounded",
        127.0951: "rounded",
        127.109: "truncated",
        127.5: "within 0.5 %",
        126.47: "within 0.5 %",
        128.0: "other",
    }
    for number, speed in enumerate(near):
        run(ledger, speed, f"campaign {number}")

    rows = beside(GOOD, "printed", "our_value", "equal")

    assert {speed: equal for printed, speed, equal in rows if printed == "127.10"} == near


def test_what_we_have_not_is_listed_as_nothing_of_ours(beside):
    assert beside(GOOD, "printed", "our_value", "own_logs", "equal") == [
        ("127.10", None, False, "nothing of ours"),
        ("1,018.4", None, False, "nothing of ours"),
    ]


def test_a_column_that_is_not_stated_is_no_condition_and_each_campaign_stands_for_itself(ledger, beside):
    run(ledger, 100.0, "a", case={"gpus": 1, "batch_size_per_gpu": 32, "task": "squad"})
    run(ledger, 200.0, "b", case={"gpus": 1, "batch_size_per_gpu": 32, "seq_len": 128})
    run(ledger, 300.0, "c", case={"gpus": 1, "batch_size_per_gpu": 32, "precision": "fp32"})
    run(ledger, 400.0, "d", case={"gpus": 1, "batch_size_per_gpu": 64})
    run(ledger, 500.0, "e", case={"gpus": 1})

    rows = beside(GOOD, "campaign", "our_value", "ratio")

    assert [row[:2] for row in rows] == [("a", 100.0), ("b", 200.0), (None, None)]
    assert rows[1][2] == pytest.approx(200 / 127.1)
    assert beside(GOOD, "campaign", campaign="b*") == [("b",), (None,)]


def test_the_documents_own_logs_go_before_those_of_others_and_need_not_say_all(ledger, beside):
    run(ledger, 100.0, "mine")
    run(ledger, 127.1, "theirs/2", case={"gpus": 1, "model": None, "batch_size_per_gpu": 32})

    assert beside(GOOD, "campaign", "own_logs")[0] == ("theirs/2", True)
    assert [row[0] for row in beside(GOOD, "campaign", every="true")] == ["mine", "theirs/2", None]


def test_where_the_claimed_rule_gives_no_number_ours_is_by_the_default_rule_and_says_so(ledger, beside):
    steps = [ledger.step(number, number, speed=50.0) for number in range(1, 4)]
    ledger.run(*steps, format="paddle")

    assert beside(GOOD, "rule", "rule_is", "our_value")[0] == ("steps.mean_skip1", "default", 50.0)


def test_where_the_claimed_rule_gives_a_number_ours_by_the_default_rule_is_left_out(ledger, beside):
    run(ledger, 127.1)

    rows = beside(GOOD.replace("ngc.summary", "summary.last"), "printed", "rule", "rule_is")

    assert [row for row in rows if row[0] == "127.10"] == [("127.10", "summary.last", "claimed")]


def test_tokens_are_not_compared_with_samples(ledger, beside):
    run(ledger, 127.1)

    assert beside(GOOD.replace("samples/s", "tokens/s"), "our_value", "equal") == [(None, "nothing of ours")] * 2


def test_another_card_is_called_another_card(ledger, beside):
    run(ledger, 414.9, environment={"gpu_model": "H200"})
    text = GOOD.replace("unit ", 'gpu_model = "V100-SXM2-16GB"\nunit ')

    assert beside(text, "gpu_model", "our_gpu_model", "equal")[0] == ("V100-SXM2-16GB", "H200", "other card")


def test_a_card_of_another_family_is_another_card(ledger, beside):
    text = GOOD.replace("unit ", 'gpu_model = "V100-SXM2-16GB"\nunit ')
    for number, family in enumerate(("A100", "V100")):
        run(ledger, 414.9, f"campaign {number}", environment={"gpu_family": family})

    assert beside(text, "our_gpu_model", "equal")[:2] == [("A100", "other card"), ("V100", "other")]


def test_a_documents_own_logs_are_known_by_its_commit_however_the_folder_is_spelled(ledger):
    sync_definitions(ledger.con)
    case = {"gpus": 1, "batch_size_per_gpu": 32, "precision": "fp32", "model": "bert_base"}
    case |= {"framework": "paddlepaddle", "implementation": "paddlenlp"}
    campaigns = [
        f"logs/{folder}/{below}"
        for folder in ("Paddle+Perf@454a0608", "Perf-454a0608d7", "perf_454a0608", "Perf/454a0608")
        for below in ("Bert/logs", "Bert_logs")
    ]
    for campaign in campaigns:
        run(ledger, 127.1, campaign, case=case)

    own = """select distinct campaign, revision from kept.published_table
             where own_logs and source = 'PaddlePaddle/Perf Bert/README.md' order by all"""
    assert ledger.rows(own) == sorted((campaign, "454a0608") for campaign in campaigns)


def test_a_ledger_without_a_documents_own_logs_says_so(ledger, load):
    load(GOOD)
    sync_definitions(ledger.con)
    run(ledger, 127.1)
    before = missing_logs_note(ledger.filled)
    run(ledger, 127.1, "theirs/1", case={"gpus": 1, "batch_size_per_gpu": 32})

    assert before == "0 of 2 published numbers lead to logs of their own here: no folder matches published.logs"
    assert missing_logs_note(ledger.filled) is None
    assert missing_logs_note(ledger.filled, "nobody*") is None


def test_a_speed_up_stands_beside_ours(ledger, beside):
    run(ledger, 100.0)
    run(ledger, 400.0, case={"gpus": 8, "nodes": 1, "batch_size_per_gpu": 32, "global_batch_size": 256})
    text = GOOD.replace("{ batch_size_per_gpu = 64 }", '{ batch_size_per_gpu = 32, quantity = "speedup" }')
    text = text.replace('"1,018.4", ""', '"1,018.4", "4.0"')

    assert ("speedup", "4.0", 4.0, "1", "rounded") in beside(text, "quantity", "printed", "our_value", "unit", "equal")


def test_a_number_that_is_no_longer_defined_goes(ledger, load):
    load(GOOD)
    sync_definitions(ledger.con)
    load(GOOD.replace("127.10", "127.11"))
    sync_definitions(ledger.con)

    assert ledger.rows("select printed from published order by all") == [("1,018.4",), ("127.11",)]
