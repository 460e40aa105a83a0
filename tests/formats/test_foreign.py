"""Logs of programs that nobody described stay unrecognised, however much they look like a known one."""

from __future__ import annotations

import json

import pytest

from benchledger.scanning.log_reader import LogReader
from benchledger.scanning.samples import load_formats
from tests.formats.foreign_lines import DOCUMENTS, LINES
from tests.scanning.found import find


@pytest.fixture(scope="module")
def reader() -> LogReader:
    return LogReader(load_formats())


@pytest.mark.parametrize("program", LINES)
def test_a_log_of_another_program_is_of_no_format(program: str, reader: LogReader) -> None:
    found = find(LINES[program] + "\n", reader)

    assert (found.log.format, found.rows) == (None, []), found.log.evidence


@pytest.mark.parametrize("program", DOCUMENTS)
def test_a_json_document_of_another_program_is_of_no_format(program: str) -> None:
    assert find(json.dumps(DOCUMENTS[program])).log.format is None


def test_a_header_of_nvidia_smi_is_known_by_its_blanks_or_by_its_units() -> None:
    assert find("name, driver_version\nTesla V100, 440.33.01\n").log.format == "nvidia-smi-csv"
    assert find("index,memory.used [MiB]\n0,998\n").log.format == "nvidia-smi-csv"
