"""Records that begin with a hole, where their line begins: found by their anchor, behind a rank's prefix or a colour too."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from benchledger.definitions.format_file import read_formats
from benchledger.definitions.template import parse_template
from benchledger.scanning.lines import LineReader
from benchledger.scanning.patterns import head_pattern, heads_pattern, line_start, word_start
from tests.scanning.reading import read_by_reference, read_by_scanner, readers

FORMAT = """
format = "made"
version = 1
anchors = ["   |  "]
[detect]
proof = [["   |  "]]
[[record]]
name = "row"
kind = "summary"
line_start = true
templates = ["{gpus:int}   |  {speed:float} |"]
[[record]]
name = "step"
kind = "step"
templates = ["step {step:int} loss {loss:float}"]
"""


@pytest.mark.parametrize(
    ("line", "record", "rank"),
    [
        ("     8     |   10318   |", "row", None),
        ("[1,3]<stdout>:     8     |   10318   |", "row", 3),
        ("5:      8     |   10318   |", "row", 5),
        ("\x1b[1m     8     |   10318   |\x1b[0m", "row", None),
        ("\x1b[32m8     |   10318   |\x1b[0m", "row", None),
        ("[default5]:     8     |   10318   |", "row", 5),
        ("[rank5]:     8     |   10318   |", "row", 5),
        ("[pod/trainer-0/main]      8     |   10318   |", "row", None),
        ("2024-01-01T00:07:26.123456789Z      8     |   10318   |", "row", None),
        ("2024-01-01T00:07:26.123456789Z [1,3]<stdout>:     8     |   10318   |", "row", 3),
        ("2024-01-01 00:07:26      8     |   10318   |", "row", None),
        ("2024-01-01 00:07:26,123      8     |   10318   |", "row", None),
        ("2024-01-01 00:07:26.123456      8     |   10318   |", "row", None),
        ("\x1b[K     8     |   10318   |", "row", None),
        ("\x1b[34m\x1b[1m     8     |   10318   |", "row", None),
        ("\x1b[36m(Worker pid=4711, ip=10.0.0.3)\x1b[0m      8     |   10318   |", "row", None),
        ("(Worker pid=4711)      8     |   10318   |", "row", None),
        ("(Worker pid=4711, ip=10.0.0.3)      8     |   10318   |", "row", None),
        ("trainer-1  |      8     |   10318   |", "row", None),
        ("2024-01-01T00:07:26.123456789Z stdout F      8     |   10318   |", "row", None),
        ("stderr:      8     |   10318   |", "row", None),
        ("2024-01-01 00:07:26,123 INFO      8     |   10318   |", "row", None),
        ("2024-01-01 00:07:26,123 - INFO -      8     |   10318   |", "row", None),
        ("INFO:root:     8     |   10318   |", "row", None),
        ("+ 8     |   10318   |", "row", None),
        ("[pod/trainer-0/main] + 8     |   10318   |", "row", None),
        ("2024-01-01T00:07:26.123456789Z + 8     |   10318   |", "row", None),
        ("2024-01-01T00:07:26.123456789Z stdout F + 8     |   10318   |", "row", None),
        ("trainer-1  | + 8     |   10318   |", "row", None),
        ("(Worker pid=4711, ip=10.0.0.3) + 8     |   10318   |", "row", None),
        ("step 8 loss 2.5", "step", None),
    ],
)
def test_a_line_begins_at_its_start_or_behind_a_rank(tmp_path: Path, line: str, record: str, rank: int | None) -> None:
    (tmp_path / "made.toml").write_text(FORMAT, encoding="utf-8")
    pieces = LineReader(read_formats([tmp_path / "made.toml"])["made"]).read(line.encode() + b"\n")

    assert [(row.layout.record.name, row.columns.get("rank")) for row in pieces.rows] == [(record, rank)]
    assert pieces.rejects == []


@pytest.mark.parametrize("before", ["of them ", "(of 3) ", "(pid=3) ", "(x, ip=31234567) ", "(x ip=1.2.3.4) "])
def test_a_row_in_the_middle_of_a_line_is_no_row(tmp_path: Path, before: str) -> None:
    (tmp_path / "made.toml").write_text(FORMAT, encoding="utf-8")
    log_format = read_formats([tmp_path / "made.toml"])["made"]
    log = f"{before}8     |   10318   |\n".encode()

    found = read_by_reference(log_format, log)

    assert found.rows == []
    assert [reject.reason.partition(":")[0] for reject in found.rejects] == ["no head"]
    assert all(read_by_scanner(reader, log)[0] == found for reader in readers({"made": log_format}))


GLUED = """
format = "made"
version = 1
anchors = ["loss of"]
[[record]]
name = "step"
kind = "step"
line_start = true
templates = ["v2 loss of {step:int} is {loss:float}"]
[detect]
proof = [["loss of"]]
"""


def test_the_digit_behind_the_first_letter_of_a_line_does_not_make_a_glued_rank_a_time(tmp_path: Path) -> None:
    (tmp_path / "made.toml").write_text(GLUED, encoding="utf-8")
    log_format = read_formats([tmp_path / "made.toml"])["made"]
    log = b"3:v2 loss of 7 is 2.5\n"

    found = read_by_reference(log_format, log)

    assert [row["step"] for row in found.rows] == [7]
    assert all(read_by_scanner(reader, log)[0] == found for reader in readers({"made": log_format}))


HEADS = [
    "{n:int} of {all:int}", "step {n:int}", "step{n:int}: x", "stage {n:int}", "step at {n:int}", "[x] {n:int}",
    "{n:int} rows", "12 rows {n:int}", "12 rows", "13 rows", "end of {n:int}", "{loss:float} end of {n:int}", "[y]",
]  # fmt: skip
BETWEEN = [
    "",
    "",
    " ",
    "\n",
    "a",
    "1:",
    "[1,0]<stdout>:",
    "\x1b[0m",
    "7\x1b[0m",
    "2024-01-01T00:07:26.5Z ",
    "+ ",
    "Z + ",
    "5Z + ",
]


@pytest.mark.parametrize("seed", [0, 1, 2, 10, 13])
def test_heads_that_share_their_start_are_found_where_each_is_by_itself(seed: int) -> None:
    chance = random.Random(seed)
    templates = [parse_template(head, anywhere=True) for head in chance.sample(HEADS, len(HEADS))]
    starts = {
        one: start
        for one in templates
        if (start := chance.choice([None, word_start, word_start, line_start])) is not None
    }
    pieces = [re.sub("{.*?}", number, head) for head in HEADS for number in ("8", " 8")]
    log = "".join(chance.choice(BETWEEN) + chance.choice(pieces) for _ in range(600)).encode()

    alone = []
    for template in templates:
        head, start = head_pattern(template), starts.get(template, lambda _: b"")
        first = head[: 2 if head.startswith(b"\\") else 1] if template.first_literal else b""
        alone.append(b"(?:" + first + start(first) + head[len(first) :] + b")")
    spans = [one.span() for one in re.finditer(heads_pattern(templates, starts), log)]
    assert spans == [one.span() for one in re.finditer(b"|".join(alone), log)]
    assert len(spans) > 100
