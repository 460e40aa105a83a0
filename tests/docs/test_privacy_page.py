"""docs/privacy.md: its rules prove themselves, and it names every kind and what it says of addresses is so."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchledger.definitions.redaction import KINDS, SHAPE_HOLES, read_redaction, redaction_files
from benchledger.definitions.toml_file import read_toml
from benchledger.redaction.redactor import Redactor
from benchledger.redaction.samples import known_redaction, prove, shown
from tests.docs.pages import TOP, blocks, write_file

PAGE = TOP / "docs" / "privacy.md"
TEXT = PAGE.read_text(encoding="utf-8")


def test_the_rules_on_the_page_prove_themselves(tmp_path: Path) -> None:
    (block,) = blocks(PAGE, "toml")

    prove(read_redaction([*redaction_files(), read_toml(write_file(block, tmp_path))]))


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_named_with_its_pseudonym(kind: str) -> None:
    assert f"| {kind} | `{KINDS[kind]}-" in TEXT


def test_every_hole_of_a_shape_is_named() -> None:
    assert [hole for hole in SHAPE_HOLES if f"{{{hole}}}" not in TEXT] == []


@pytest.mark.parametrize(
    ("text", "expected"), [("8.8.8.8", "8.8.8.8"), ("10.2.1.243", "<ip>"), ("cuBLAS 10.2.1.243", "cuBLAS 10.2.1.243")]
)
def test_what_the_page_says_of_bare_numbers_is_so(text: str, expected: str) -> None:
    assert shown(Redactor(known_redaction(), b"k" * 32).text(text)) == expected
