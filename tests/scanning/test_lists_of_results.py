"""Lists of results: each line a run of its own, the number it asks for, and what the path in it tells."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchledger.definitions.log_format import LogFormat
from benchledger.errors import DefinitionError
from benchledger.scanning.lines import LineReader
from benchledger.scanning.log_reader import LogReader
from benchledger.scanning.samples import load_formats
from benchledger.scanning.statements import SegmentCollector
from tests.scanning.reading import line_format, read_by_reference, read_by_scanner, values_of

LINES = b"""# a README
./logs/mxnet/bert/bz32/4n8g/bert_base_b32_fp32_3.log {3: 1881.88}
./logs/mxnet/bert/bz32/4n8g/bert_base_b32_fp32_4.log {3: 1881.88, 4: 1985.75}
./logs/mxnet/bert/bz32/1n1g/bert_base_b32_fp32_4.log {4: 127.17}
{'bert': {'1n1g': {'average_speed': 126.74,
                   'speedup': 1.0}}}
"""


def extract() -> LogFormat:
    return load_formats()["dlperf-extract"]


def test_each_line_says_its_own_trial() -> None:
    rows = LineReader(extract()).read(LINES).rows

    assert [(row.line, values_of(row)["speed"]) for row in rows] == [(2, 1881.88), (3, 1985.75), (4, 127.17)]


def test_each_line_is_a_run_with_what_its_path_tells() -> None:
    notes = SegmentCollector()
    for row in LineReader(extract()).read(LINES).rows:
        notes.add(row, extract())
    notes.close()

    told = [{said.name: said.value for said in segment.statements} for segment in notes.segments]
    assert [(facts["nodes"], facts["gpus"], facts["trial"], facts["model"]) for facts in told] == [
        ("4", "32", "3", "bert_base"),
        ("4", "32", "4", "bert_base"),
        ("1", "1", "4", "bert_base"),
    ]
    assert {(facts["framework"], facts["precision"], facts["batch_size_per_gpu"]) for facts in told} == {
        ("mxnet", "fp32", "32")
    }


def test_a_list_without_the_own_trial_is_a_reject() -> None:
    pieces = LineReader(extract()).read(b"1n1g/bert_b32_fp32_4.log {3: 1881.88}\n1n1g/bert_b32_fp32_4.log {4: 18")

    assert pieces.rows[0].line == 2
    assert [reject.reason.split(":")[0] for reject in pieces.rejects] == ["no own value"]


@pytest.mark.parametrize(
    "log",
    [
        LINES * 3,
        LINES.replace(b"\n", b"\r\n"),
        LINES.replace(b"./logs", b"  ./logs"),
        b"noise " + LINES + b"1n1g/a_b1_fp32_1.log {1: 5} 1n1g/b_b1_fp32_1.log {1: 5}\n1n1g/_b_.log {\n",
        LINES + b"'speedup': 1.0, 1n1g/a_b1_fp32_1.log {1: 5}\n",
    ],
)
def test_both_readers_agree(log: bytes) -> None:
    found, read = read_by_scanner(LogReader(load_formats()), log)

    assert read.format == "dlperf-extract"
    assert found == read_by_reference(extract(), log)


def test_a_record_at_the_line_start_is_not_found_in_mid_line(tmp_path: Path) -> None:
    record = '[[record]]\nname = "r"\nkind = "summary"\nline_start = true\ntemplates = ["{who:word} has {n:int}"]\n'
    made = line_format(tmp_path, 'anchors = [" has "]\n' + record)

    pieces = LineReader(made).read(b"a has 5\rb has 6\nthe cat has 7\n")

    assert [values_of(row) for row in pieces.rows] == [{"who": "a", "n": 5}, {"who": "b", "n": 6}]
    assert len(pieces.rejects) == 1


def test_a_hole_at_the_line_start_needs_an_anchor(tmp_path: Path) -> None:
    record = '[[record]]\nname = "r"\nkind = "summary"\nline_start = true\ntemplates = ["{who:word} has {n:int}"]\n'

    with pytest.raises(DefinitionError, match="begins with a hole: it is found by an anchor, and needs one"):
        line_format(tmp_path, 'anchors = ["other"]\n' + record)
