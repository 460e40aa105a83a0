"""Every check finds what it is for, and leaves its neighbour in peace."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import benchledger
from benchledger.definitions.checks import load_checks
from tests.auditing.cases import CASES, Make
from tests.views.conftest import Ledger

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


@pytest.mark.parametrize(
    ("statement", "about"),
    [
        ("delete from environment", "a run without an environment"),
        ("delete from run_log", "a run without a log or manifest"),
        ("delete from shape", "1 records without a shape"),
        ("update record set line = 9", "records beyond its 1 lines"),
        ("delete from record; insert into record select * from record", None),
        ("insert into record select * from record", "1 records by its own count, 2 stored"),
        ("update run_log set log_id = 99", "a log of a run that does not stand in log"),
    ],
)
def test_a_row_that_leads_nowhere_is_an_error(statement: str, about: str | None, ledger_of: LedgerOf) -> None:
    def make(ledger: Ledger) -> None:
        ledger.run(ledger.summary(1.0))
        ledger.con.execute(statement)

    assert (about in findings(ledger_of(make), "inconsistent")) is (about is not None)
