"""A proof holds with colour codes within its literals, and with blanks for tabs or tabs for blanks."""

from __future__ import annotations

import re

import pytest

from benchledger.scanning.detection import Detector
from benchledger.scanning.log_reader import LogReader
from benchledger.scanning.recognition import _body
from benchledger.scanning.samples import load_formats
from tests.proportion import assert_in_proportion
from tests.scanning.found import find
from tests.scanning.reading import line_format

FORMAT = """
pairs = { assign = ": ", between = ["  "] }
[detect]
proof = [["[INFO]\\tepoch ", " loss", "  rate"]]
unless = ["per device"]
[[record]]
name = "step"
kind = "step"
templates = ["epoch {epoch:int} {pairs}"]
"""


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> LogReader:
    return LogReader({"made": line_format(tmp_path_factory.mktemp("formats"), FORMAT)})


@pytest.mark.parametrize(
    "line",
    [
        "[INFO]\tepoch 3 loss: 2.5  rate: 0.5",
        "[INFO]    epoch 3 loss: 2.5  rate: 0.5",
        "[INFO]\tepoch\t3 loss: 2.5\trate: 0.5",
        "[\x1b[32mINFO\x1b[0m]\tepoch 3 \x1b[1;31mloss\x1b[0m: 2.5  rate: 0.5",
    ],
)
def test_colours_and_kinds_of_blanks_do_not_hide_a_proof(reader: LogReader, line: str) -> None:
    found = find(f"some words\n{line}\n", reader)

    assert found.log.format == "made"
    assert found.log.evidence.startswith("line 2 holds ")


@pytest.mark.parametrize(
    "line",
    [
        "[INFO] epoch 3 loss: 2.5  rate: 0.5",
        "[INFO]\tepoch 3 loss: 2.5 rate:\t0.5",
        "[INFO]\tepoch 3 loss:\n 2.5\trate: 0.5",
        "[INFO]\tepoch 3\tloss: 2.5\trate: 0.5 per device",
        "[INFO]\tepoch\n" + "[INFO]\tepoch\tloss" * 3_000,
    ],
)
def test_fewer_blanks_and_other_words_prove_nothing(reader: LogReader, line: str) -> None:
    assert find(f"{line}\n", reader).log.format is None


def test_a_list_whose_separators_became_tabs_is_a_reject(reader: LogReader) -> None:
    found = find("[INFO]\tepoch\t3 loss:\t2.5\trate:\t0.5  steps: 7\n", reader)

    assert (found.rows, found.rejects) == ([], ["no template"])


def test_a_long_line_of_blanks_is_searched_in_proportion() -> None:
    formats = {name: load_formats()[name] for name in ("mmdet", "megatron-gpt")}
    detector = Detector(formats)
    words = b"\n".join(
        literal for one in formats.values() for proof in one.proofs for literal in map(str.encode, proof)
    )
    head = re.sub(rb"[ \t]+", b"\n", words) + b"\t\n"

    assert_in_proportion(detector.look_loosely, head + b" " * 6_000, head + b" " * 48_000)


def test_the_lines_of_a_majority_are_found_in_proportion() -> None:
    assert_in_proportion(lambda head: _body(head, [b"x"]), b"x\n" + b" " * 6_000, b"x\n" + b" " * 48_000)
    assert _body(b"x\n \t\n\n  y \r z\n", [b"x"]) == [b"x", b"  y ", b" z"]
