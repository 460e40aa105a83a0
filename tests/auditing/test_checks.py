"""Every check finds what it is for, and leaves its neighbour in peace."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import benchledger
from benchledger.definitions.checks import load_checks
from tests.auditing.cases import CASES, Make

LedgerOf = Callable[[Make], Path]


def findings(db: Path, check: str) -> list[str]:
    return benchledger.audit(db=db, checks=[check]).findings["about"].to_list()


@pytest.mark.parametrize("check", CASES)
def test_a_ledger_that_breaks_it_has_a_finding(check: str, ledger_of: LedgerOf) -> None:
    assert findings(ledger_of(CASES[check][0]), check) != []


@pytest.mark.parametrize("check", CASES)
def test_a_ledger_that_just_does_not_break_it_has_none(check: str, ledger_of: LedgerOf) -> None:
    assert findings(ledger_of(CASES[check][1]), check) == []


def test_every_check_has_both_ledgers() -> None:
    assert sorted(CASES) == sorted(load_checks())


def test_a_private_text_is_told_by_its_place_and_not_shown(ledger_of: LedgerOf) -> None:
    (about,) = findings(ledger_of(CASES["private_text"][0]), "private_text")

    assert about == "fact.value, 1 row(s): made on <ip>"
