"""On every line of the real logs with four dotted numbers: addresses go, versions and names of layers stay."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchledger.redaction.redactor import Redactor
from benchledger.redaction.samples import known_redaction

_FOUR = re.compile(rb"\d\.\d{1,3}\.\d{1,3}\.\d")
_QUAD = re.compile(r"(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])")
# corpus/README.md: what is plainly an address there, all of it in ranges that are never routed.
_ADDRESS = re.compile(r"10\.|192\.168\.")
_USER_OR_HOST = re.compile(rb"(?:/home/|/rech/|yq01-|instance-3bwob41y|luna-\d|app-user-|trainer-0\.)")


@pytest.fixture(scope="module")
def logs(corpus: Path) -> list[bytes]:
    return [path.read_bytes() for path in sorted(corpus.rglob("*")) if path.is_file()]


def lines_with(pattern: re.Pattern[bytes], log: bytes) -> Iterator[str]:
    """The lines of a log in which a pattern stands, each once."""
    end = -1
    for match in pattern.finditer(log):
        if match.start() > end:
            start = log.rfind(b"\n", 0, match.start()) + 1
            end = log.find(b"\n", match.start()) % (len(log) + 1)
            yield log[start:end].decode("utf-8", "replace")


def test_of_four_dotted_numbers_only_the_addresses_go(logs: list[bytes]) -> None:
    redactor = Redactor(known_redaction(), b"k" * 32)
    before, after = Counter[str](), Counter[str]()
    for log in logs:
        for text in lines_with(_FOUR, log):
            before.update(_QUAD.findall(text))
            after.update(_QUAD.findall(redactor.text(text)))

    assert sum(count for quad, count in before.items() if _ADDRESS.match(quad)) > 500
    assert after == Counter({quad: count for quad, count in before.items() if not _ADDRESS.match(quad)})
    assert after["8.0.4.30"] > 100


def test_no_line_that_names_a_home_a_host_or_a_job_keeps_the_name(logs: list[bytes]) -> None:
    redactor = Redactor(known_redaction(), b"k" * 32)
    names = re.compile(
        r"leinao|ubuntu/|heya02|/disk\d|ura81os|/commun\b|yq01-|instance-3b|luna-\d|app-user|trainer-0\."
    )
    texts = [redactor.text(line) for line in {line for log in logs for line in lines_with(_USER_OR_HOST, log)}]

    assert len(texts) > 500
    assert [text[:300] for text in texts if names.search(text)] == []
