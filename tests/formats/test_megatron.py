"""Megatron's logs as they come: appended to each other."""

from __future__ import annotations

from benchledger.scanning.lines import LineReader
from benchledger.scanning.samples import load_formats
from benchledger.scanning.statements import SegmentNotes

RUN = b"""using world size: 8, data-parallel size: 8
setting number of microbatches to constant 4
building GPT model ...
 iteration       10/      20 | elapsed time per iteration (ms): 500.0 | lm loss: 7.1E+00 |
setting number of microbatches to constant 8
 iteration       20/      20 | elapsed time per iteration (ms): 500.0 | lm loss: 6.1E+00 |
"""


def test_a_run_that_was_appended_is_a_run_of_its_own_and_more_micro_batches_are_not() -> None:
    log_format = load_formats()["megatron-gpt"]
    notes = SegmentNotes()
    for row in LineReader(log_format).read(RUN + RUN).rows:
        notes.add(row, log_format)

    assert [segment.first_line for segment in notes.segments] == [1, 7]
