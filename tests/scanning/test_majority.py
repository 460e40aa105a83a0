"""A log without a proof is of the format whose steps are nine of ten of its lines, and says so; others stay unknown."""

from __future__ import annotations

import pytest

from benchledger.scanning.log_reader import LogReader
from benchledger.scanning.samples import load_formats
from tests.formats.foreign_lines import LINES
from tests.scanning.found import find

# Without the norm of the gradients, which is the proof.
STEPS = [f"{{'loss': {2 - step / 50}, 'learning_rate': 5e-05, 'epoch': {step / 10}}}" for step in range(40)]


@pytest.fixture(scope="module")
def reader() -> LogReader:
    return LogReader(load_formats())


def test_a_log_of_steps_without_a_proof_is_of_its_program_by_majority(reader: LogReader) -> None:
    found = find("\n".join(STEPS) + "\n", reader)

    assert (found.log.format, len(found.rows)) == ("hf-trainer", 40)
    assert found.log.evidence == (
        "by majority: 40 of 40 lines from the first step on are of hf-trainer, without its proof"
    )


def test_text_before_the_first_step_does_not_count(reader: LogReader) -> None:
    assert find("\n".join(["loading the weights"] * 100 + STEPS) + "\n", reader).log.format == "hf-trainer"


def test_one_line_in_ten_may_be_of_something_else(reader: LogReader) -> None:
    lines = [line for step in range(4) for line in (*STEPS[step * 10 : step * 10 + 9], "saved a checkpoint")]

    assert find("\n".join(lines) + "\n", reader).log.format == "hf-trainer"


def test_two_lines_in_ten_may_not(reader: LogReader) -> None:
    lines = [line for step in range(8) for line in (*STEPS[step * 4 : step * 4 + 4], "saved a checkpoint")]

    assert find("\n".join(lines) + "\n", reader).log.format != "hf-trainer"


def test_nine_steps_are_too_few(reader: LogReader) -> None:
    assert find("\n".join(STEPS[:9]) + "\n", reader).log.format != "hf-trainer"


def test_a_name_that_the_format_does_not_know_is_of_another_program(reader: LogReader) -> None:
    lines = [line.replace("'learning_rate'", "'lr_of_ours'") for line in STEPS]

    assert find("\n".join(lines) + "\n", reader).log.format != "hf-trainer"


def test_many_lines_of_another_program_are_of_no_format_of_lines(reader: LogReader) -> None:
    found = {program: find((text + "\n") * 60, reader).log.format for program, text in LINES.items()}

    assert {program: name for program, name in found.items() if name} == {}
