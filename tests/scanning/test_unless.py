"""A line that holds a proof and what `unless` names proves nothing; the lines behind it still may."""

from __future__ import annotations

import pytest

from tests.scanning.found import find

OTHER = "Running throughput average: 1.5 MB/s (disk)\n"
OWN = "Running throughput average: 41.73\n"


@pytest.mark.parametrize(
    ("log", "format_name", "line"),
    [
        (OTHER * 3, None, None),
        (OWN, "tbd-throughput", 1),
        (OTHER * 2 + OWN, "tbd-throughput", 3),
        # What stands before the proof on its line is no part of it.
        ("disk 1.5 MB/s " + OWN, "tbd-throughput", 1),
    ],
)
def test_a_line_with_what_unless_names_is_no_proof(log: str, format_name: str | None, line: int | None) -> None:
    read = find(log).log

    assert read.format == format_name
    assert line is None or read.evidence.startswith(f"line {line} holds ")
