"""A line that differs from the one before in numbers and times only is read in one pass: what is nearly like it is not."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest

from benchledger.definitions.log_format import LogFormat
from benchledger.scanning import native_scanner
from benchledger.scanning.log_reader import LogReader
from benchledger.scanning.samples import load_formats
from tests.scanning.reading import DLLOGGER, line_format, read_by_reference, read_by_scanner, readers

pytestmark = pytest.mark.skipif(not native_scanner.is_available(), reason="the extension was not compiled here")

TIME = "DLL 2021-05-23 10:58:40.494617"
LOSS = "step_loss : 2.25  learning_rate : 1e-05 "
DLL_LINES = [
    f"{TIME} - Training Epoch: 0 Training Iteration: 7  {LOSS}",
    f"{TIME} - Training Epoch: 12 Training Iteration: 123456789012  {LOSS}",
    f"{TIME} - Training Epoch: 0 Training Iteration: 12345678901234567890  {LOSS}",
    f"{TIME} - Training Epoch: -1 Training Iteration: +7  {LOSS}",
    f"{TIME} - Training Epoch: 0 Training Iteration: 7.5  {LOSS}",
    f"{TIME} - Training Epoch: 0 Training Iteration: 7/9  {LOSS}",
    f"{TIME} - Training Epoch: None Training Iteration: 7  {LOSS}",
    f"{TIME} - Training Epoch: 0 Training Iteration:   7  {LOSS}",
    f"{TIME} - Training  Epoch: 0 Training Iteration: 7  {LOSS}",
    f"{TIME} - Training Epoch: 0 Training Iteration: 7   {LOSS}",
    f"{TIME} - Training Epoch: 0 Training Iteration: 7 {LOSS}",
    f"{TIME} - Training Epoch: 0 Training Iteration: 7 Validation Iteration: 3  {LOSS}",
    f"{TIME} - Training Epoch: 0 Training Iteration: 7  {LOSS}{TIME} - Training Epoch: 0 Training Iteration: 8  {LOSS}",
    f"{TIME} - Training Epoch: 0 Training Iteration: 7  {LOSS}\rDLL: 3",
    f"\x1b[32m{TIME} - Training Epoch: 0 Training Iteration: 7  {LOSS}",
    f"Iteration: 5% {TIME} - Training Epoch: 0 Training Iteration: 7  {LOSS}",
    f"{TIME[:-7]} - Training Epoch: 0 Training Iteration: 7  {LOSS}",
    f"{TIME[:-7]},5 - Training Epoch: 0 Training Iteration: 7  {LOSS}",
    f"{TIME}123 - Training Epoch: 0 Training Iteration: 7  {LOSS}",
    f"DLL 2021/05/23T00:00:59.999999 - Training Epoch: 0 Training Iteration: 7  {LOSS}",
    f"DLL 2024-02-29 10:58:40.494617 - Training Epoch: 0 Training Iteration: 7  {LOSS}",
    f"DLL 2023-02-29 10:58:40.494617 - Training Epoch: 0 Training Iteration: 7  {LOSS}",
    f"DLL 2021-05-23 10:68:40.494617 - Training Epoch: 0 Training Iteration: 7  {LOSS}",
    f"DLL 2021-05-23 10:58.40.494617 - Training Epoch: 0 Training Iteration: 7  {LOSS}",
    f"DLL 1921-05-23 10:58:40.494617 - Training Epoch: 0 Training Iteration: 7  {LOSS}",
]
MADE = f"""
{DLLOGGER}
detect.proof = [["progress: ", "loss"]]
[[record]]
name = "asked_first"
kind = "step"
templates = ["FIRST"]
[[record]]
name = "part"
kind = "summary"
templates = ["progress: {{clock_s:float}} of {{whole:float}} : {{pairs}}"]
"""
# What another record, which is asked first, takes of the lines of `part`: what decides are the numbers.
MADE_LINES = {
    "progress: {step:int} of {planned:int} : {pairs}": [("1.5", "9", "5"), ("1", "9", "5"), ("1", "9.5", "5")],
    "progress: {clock_s:float} of 7 : {pairs}": [("1", "9", "5"), ("1", "7", "5"), ("1", "7.5", "5")],
    "progress: 12{clock_s:float} of {whole:float} : {pairs}": [("1", "9", "5"), ("125", "9", "5"), ("12", "9", "5")],
    "rate : {step:int}": [("1", "9", "5.5"), ("1", "9", "5"), ("1", "9", "-5")],
    "nothing: {step:int} : {pairs}": [("1", "9", "5"), ("1" + "0" * 400, "9", "5"), ("1", "nan", "5")],
}


def each_behind_each_other(lines: list[str]) -> bytes:
    return "".join(f"{text}\n" for one, other in permutations(lines, 2) for text in (one, one, other, one)).encode()


def assert_read_as_by_reference(log_format: LogFormat, log: bytes) -> None:
    expected = read_by_reference(log_format, log)

    found, _ = read_by_scanner(LogReader({log_format.name: log_format}, native=True), log)

    assert found == expected


def test_each_line_behind_each_other_is_what_the_reference_reader_says() -> None:
    log_format = load_formats()["ngc-pytorch-bert"]

    assert_read_as_by_reference(log_format, f"{DLL_LINES[0]}\n".encode() + each_behind_each_other(DLL_LINES))


@pytest.mark.parametrize("first", MADE_LINES)
def test_numbers_decide_between_records_that_have_the_same_words(tmp_path: Path, first: str) -> None:
    log_format = line_format(tmp_path, MADE.replace("FIRST", first))
    lines = [f"progress: {clock} of {whole} : loss : 2.5  rate : {rate}" for clock, whole, rate in MADE_LINES[first]]

    assert_read_as_by_reference(log_format, each_behind_each_other(lines))


def test_as_many_blanks_stand_before_a_number_as_ever(tmp_path: Path) -> None:
    log_format = line_format(tmp_path, MADE.replace("FIRST", "nothing: {step:int}"))
    log = "".join(f"progress:{' ' * blanks}1 of 9 : loss : 2.5\n" for blanks in (70, 80, 81, 70, 1, 70, 81))

    assert_read_as_by_reference(log_format, log.encode())


@pytest.mark.parametrize(
    ("line", "template"),
    [
        ("it/s: {}", "it/s: {speed:float}"),
        ("step: 4 it/s: {}", "step: {step:int} it/s: {speed:float}"),
        ("it/s: {} loss: 2.5", "it/s: {speed:float} loss: {loss:float}"),
    ],
)
def test_a_number_among_an_earlier_templates_words_is_read_by_that_template(
    tmp_path: Path, line: str, template: str
) -> None:
    unknown = template.replace("{speed:float}", "-1.000")
    made = line_format(
        tmp_path,
        f"""
        [detect]
        proof = [["it/s: "]]
        [[record]]
        name = "unknown"
        kind = "step"
        templates = ["{unknown}"]
        [[record]]
        name = "known"
        kind = "step"
        templates = ["{template}"]
        """,
    )
    log = "".join(line.format(speed) + "\n" for speed in (5.5, 6.5, 7.5, "-1.000", 8.5, "-1.0")).encode()

    told = read_by_reference(made, log)
    assert [row["names"] == told.rows[3]["names"] for row in told.rows] == [False, False, False, True, False, False]
    for reader in readers({"made": made}):
        assert read_by_scanner(reader, log)[0].rows == told.rows
