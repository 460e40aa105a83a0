"""On the real logs: the scanner equals the reference, the formats are told apart, and nothing is left over."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from benchledger.scanning.samples import load_formats
from tests.scanning.reading import assert_conserved, read_by_reference, read_by_scanner, readers


def files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def assert_equal_on(folder: Path) -> Counter[str]:
    # One reader for all: what it learns from one log serves the next, as in a real ingest.
    by = readers(load_formats())
    seen: Counter[str] = Counter()
    for path in files(folder):
        log = path.read_bytes()
        found, read = read_by_scanner(by[0], log)
        seen[read.format or read.status] += 1
        if read.format is None:
            assert read.evidence, path
            # A log that is not told must not be one of ours that begins late.
            assert b"training_sequences_per_second : " not in log, path
            continue
        assert_conserved(found)
        if load_formats()[read.format].kind == "lines":
            expected = read_by_reference(load_formats()[read.format], log)
            assert found == expected, path
            assert all(read_by_scanner(reader, log)[0] == expected for reader in by[1:]), path
        if read.format != "paddle-index":
            # The one index file of the corpus is the published template, with comments in it.
            assert found.rejects == [], path
    return seen


@pytest.mark.long
def test_every_log_of_the_corpus(corpus: Path) -> None:
    seen = assert_equal_on(corpus)

    assert seen.total() == 869
    expected = {
        "ngc-pytorch-bert": 86,
        "nvidia-smi-csv": 26,
        "paddle-index": 1,
        "ncu-csv": 1,
        "tf-ngc-bert": 42,
        "paddle-bert": 35,
        "megatron-gpt": 6,
        "gluon-nlp-bert-pretrain": 1,
        "empty": 3,
    }
    assert {name: seen[name] for name in expected} == expected


def test_every_log_of_the_h200_runs(h200: Path) -> None:
    seen = assert_equal_on(h200)

    assert {"ngc-pytorch-bert", "ngc-pytorch-bert-json", "nvidia-smi-csv"} <= set(seen)
    assert seen["megatron-gpt"] == 3
