"""Planted private items of many kinds are replaced, and lines that only look private stay: what docs/privacy.md states."""

from __future__ import annotations

import base64
import json
import random
import re
import string
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchledger.redaction.redactor import Redactor
from benchledger.redaction.samples import known_redaction

PAGE = " ".join((Path(__file__).parents[2] / "docs" / "privacy.md").read_text(encoding="utf-8").split())
NO_CONTEXT = "names without context"
FOLDER = Path(__file__).parent / "planted"
_MARKED = re.compile("⟦(.+?)⟧")
_FILLER = re.compile(r"%([xXauldb])(\d+)|%w:([\w-]+)")
_ALPHABETS = {
    "x": "0123456789abcdef", "X": "0123456789ABCDEF", "a": string.ascii_letters + string.digits,
    "u": string.ascii_uppercase + string.digits, "l": string.ascii_lowercase + string.digits, "d": string.digits,
    "b": string.ascii_letters + string.digits + "+/",
}  # fmt: skip


def filled(line: str, rng: random.Random) -> str:
    """The line with random characters for its fillers: no secret, not even a made one, is written in a file."""

    def fill(match: re.Match[str]) -> str:
        if match[3]:
            return base64.urlsafe_b64encode(json.dumps({match[3]: [0, 1, 2, 3, 4, 5, 6, 7]}).encode()).decode()
        return "".join(rng.choices(_ALPHABETS[match[1]], k=int(match[2])))

    return _FILLER.sub(fill, line)


def planted() -> Iterator[tuple[str, str, list[str]]]:
    """Each line of private.txt: its kind, the line, and what is private in it."""
    rng, kind = random.Random(28), ""
    for line in (FOLDER / "private.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("# ") and "⟦" not in line:
            kind = line[2:]
        elif line and not line.startswith("# "):
            line = filled(line, rng)
            yield kind, _MARKED.sub(r"\1", line), _MARKED.findall(line)


def lookalikes() -> list[str]:
    """The lines of lookalikes.txt."""
    rng = random.Random(28)
    return [filled(line, rng) for line in (FOLDER / "lookalikes.txt").read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def redactor() -> Redactor:
    return Redactor(known_redaction(), b"k" * 32)


def survivors(redactor: Redactor) -> tuple[Counter[str], list[tuple[str, str, str]]]:
    """How many items each kind has, and the items that are still there, with the redacted line."""
    items: Counter[str] = Counter()
    left = []
    for kind, line, private in planted():
        items[kind] += len(private)
        clean = redactor.fresh(line)
        left += [(kind, name, clean) for name in private if name in clean]
    return items, left


def test_of_planted_items_at_least_95_percent_are_replaced_as_the_page_says(redactor: Redactor) -> None:
    items, left = survivors(redactor)
    without_context = items.pop(NO_CONTEXT)
    kept = [one for one in left if one[0] != NO_CONTEXT]

    assert len(items) >= 40
    assert items.total() >= 300
    assert len(kept) <= 0.05 * items.total(), kept
    stated = (
        f"Of {items.total()} planted private items of {len(items)} kinds, {items.total() - len(kept)} are replaced "
        f"({1 - len(kept) / items.total():.1%}). Of {without_context} names without context, "
        f"{without_context - (len(left) - len(kept))} are."
    )
    assert stated.replace("%", " %") in PAGE


def test_lines_that_only_look_private_stay_as_the_page_says(redactor: Redactor) -> None:
    lines = lookalikes()
    changed = [(line, redactor.fresh(line)) for line in lines if redactor.fresh(line) != line]

    assert len(lines) >= 300
    assert changed == []
    assert f"Of {len(lines)} lines that only look private, {len(changed)} change." in PAGE


def test_without_rules_the_planted_items_are_all_found_to_be_there() -> None:
    assert all(name in line for _, line, private in planted() for name in private)
