"""A list that differs from the one before in its numbers only is read in one pass: what is nearly like it is not."""

from __future__ import annotations

from itertools import permutations

import pytest

from benchledger.scanning import native_scanner
from benchledger.scanning.log_reader import LogReader
from benchledger.scanning.samples import load_formats
from tests.scanning.reading import read_by_reference, read_by_scanner

pytestmark = pytest.mark.skipif(not native_scanner.is_available(), reason="the extension was not compiled here")

# Of each format the beginning of a line, the first of which proves it, and lists that are nearly alike.
DLL = "DLL 2021-05-23 10:58:40.494617 - Training Epoch: 0 Training Iteration: 7  "
DLL_LISTS = [
    "step_loss : 2.25  learning_rate : 1e-05 ",
    "step_loss : -.5  learning_rate : +7. ",
    "step_loss : 2.25  learning_rate : 1e-05",
    "step_loss : 2.25  learning_rate : 1e-05%",
    "step_loss : 2.25  learning_rate : 1e-05 and more",
    "step_loss : 2.25  learning_rate : 1e-05 s",
    "step_loss : 2.25 s learning_rate : 1e-05 ",
    "step_loss : 2.25  learning_rate : 1e-05  loss_scale : 3 ",
    "step_loss : 2.25 ",
    "step_loss : nan  learning_rate : None ",
    "step_loss : 2.25.5  learning_rate : 1e-05 ",
    "step_loss : 12:30  learning_rate : 1e-05 ",
    "step_loss : 2.25/3  learning_rate : 1e-05 ",
    "step_loss : 2.25e  learning_rate : 1e-05 ",
    "step_loss : 9007199254740993.00000000000000000001  learning_rate : 1e-05 ",
    "step_loss : '2.25'  learning_rate : 1e-05 ",
    "step_loss :  2.25  learning_rate : 1e-05 ",
    "step_losses : 2.25  learning_rate : 1e-05 ",
    "step_loss : 2.25  learning_rate : 1e-05 DLL 2021-05-23 10:58:41 - step_loss : 1 ",
]
PADDLE = "global step 7, epoch: 0, batch: 6, "
PADDLE_LISTS = [
    "speed: 2.25 step/s, ips: 5 sequences/s",
    "speed: 3 step/s, ips: 5.125 sequences/s",
    "speed: 3 step/s, ips: 5.125 sentences/s",
    "speed: 3 step/s, ips: 5.125 tokens/s",
    "speed: 3 step/s, ips: 5.125",
    "speed: 3 step/s, ips: 5.125sequences/s",
    "speed: 3 step/s, ips: 5.125 K sequences/s",
    "speed: 3 step/s, ips: 5.125 sequences/s, reader_cost: 0.1",
    "speed: 3 step/s , ips: 5.125 sequences/s",
    "speed: inf step/s, ips: 5.125 sequences/s",
    "speed: 3 step/s, ips: 5,125 sequences/s",
]


@pytest.mark.parametrize(
    ("name", "before", "lists"),
    [("ngc-pytorch-bert", DLL, DLL_LISTS), ("paddle-bert", PADDLE, PADDLE_LISTS)],
    ids=["dllogger", "paddle"],
)
def test_each_list_behind_each_other_is_what_the_reference_reader_says(
    name: str, before: str, lists: list[str]
) -> None:
    format_ = load_formats()[name]
    log = "".join(
        f"{before}{text}\n" for one, other in permutations(lists, 2) for text in (one, one, other, one)
    ).encode()
    expected = read_by_reference(format_, log)

    found, read = read_by_scanner(LogReader({name: format_}, native=True), log)

    assert read.status == "loaded"
    assert found == expected
