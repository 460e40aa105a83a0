"""What all readers of a format share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from benchledger.definitions.log_format import LogFormat
from benchledger.scanning import native_scanner
from benchledger.scanning.native_program import CompiledFormat, compiled_format


@pytest.fixture(scope="package", autouse=True)
def programs_compiled_once() -> Iterator[None]:
    """A reader for every example, but one program: compiling it takes longer than reading most logs."""
    # With its format, so that no other one comes to have the same id.
    known: dict[tuple[int, frozenset[str]], tuple[LogFormat, CompiledFormat | None]] = {}

    def compiled(log_format: LogFormat, units: frozenset[str]) -> CompiledFormat | None:
        key = (id(log_format), units)
        if key not in known:
            known[key] = (log_format, compiled_format(log_format, units))
        return known[key][1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(native_scanner, "compiled_format", compiled)
        yield
