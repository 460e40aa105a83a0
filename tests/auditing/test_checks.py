"""Every check finds what it is for, and leaves its neighbour in peace."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import duckdb
import pytest

import benchledger
from benchledger.definitions.checks import load_checks
from benchledger.exports.audit import audit_page
from tests.auditing.cases import CASES, Make
from tests.auditing.conftest import writing
from tests.views.conftest import Ledger

LedgerOf = Callable[[Make], Path]


@pytest.fixture(scope="module")
def filled(defined_ledger: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ledger with one run, made once: to fill one takes as long as to audit it."""
    db = Path(shutil.copy(defined_ledger, tmp_path_factory.mktemp("filled") / "bench.duckdb"))
    with writing(db) as ledger:
        ledger.run(ledger.summary(1.0))
    return db


@pytest.fixture
def one_run(filled: Path, tmp_path: Path) -> Path:
    """A copy of it, in which a statement changes what no ingest would."""
    return Path(shutil.copy(filled, tmp_path / "bench.duckdb"))


def findings(db: Path, check: str) -> list[str]:
    return benchledger.audit(db=db, checks=[check]).findings["about"].to_list()


@pytest.mark.long
@pytest.mark.parametrize("check", CASES)
def test_a_ledger_that_breaks_it_has_a_finding(check: str, ledger_of: LedgerOf) -> None:
    assert findings(ledger_of(CASES[check][0]), check) != []


@pytest.mark.long
@pytest.mark.parametrize("check", CASES)
def test_a_ledger_that_just_does_not_break_it_has_none(check: str, ledger_of: LedgerOf) -> None:
    assert findings(ledger_of(CASES[check][1]), check) == []


def test_every_check_has_both_ledgers() -> None:
    assert sorted(CASES) == sorted(load_checks())


def test_a_contradiction_names_the_value_that_counts_first_and_what_the_log_wrote(ledger_of: LedgerOf) -> None:
    def two_models(ledger: Ledger) -> None:
        run, log = ledger.run(ledger.summary(1.0)), 2
        for line, (value, logged, used) in enumerate(
            (("bert_base", "base", True), ("bert_large", "24L", False)), start=4
        ):
            said = {"value": value, "value_logged": logged, "log_id": log, "line": line, "used": used}
            ledger.insert("fact", run_id=run, name="model", source="log", **said)

    (about,) = findings(ledger_of(two_models), "facts_contradict")

    assert about == 'model: bert_base counts, by log ("base", line 4); not bert_large by log ("24L", line 5)'


def test_the_slowest_tenth_is_a_speed_that_a_line_holds(ledger_of: LedgerOf) -> None:
    speeds = [1.0] * 10 + [50.0, 60.0] + [100.0] * 8

    def steps(ledger: Ledger) -> None:
        ledger.run(*(ledger.step(number, speed=speed) for number, speed in enumerate(speeds)), format="paddle")

    (about,) = findings(ledger_of(steps), "unsteady_speed")

    assert about.endswith("the slowest tenth up to 50")


def test_a_clock_of_whole_seconds_times_no_step_that_is_shorter(ledger_of: LedgerOf) -> None:
    def every(seconds: int) -> Make:
        # 1000 samples/s with a global batch of 256: 0.256 s a step, and so neither 1 s nor 20.
        return lambda ledger: ledger.run(
            *(ledger.step(n, at=float(n * seconds), speed=1000.0) for n in range(6)),
            case={"gpus": 8, "nodes": 1, "batch_size_per_gpu": 32, "global_batch_size": 256},
        )

    assert findings(ledger_of(every(1)), "speed_against_clock") == []
    assert findings(ledger_of(every(20)), "speed_against_clock") != []


def test_a_private_text_is_told_by_its_place_and_not_shown(ledger_of: LedgerOf) -> None:
    (about,) = findings(ledger_of(CASES["private_text"][0]), "private_text")

    assert about == "fact.value, 1 row(s): made on <ip>"


@pytest.mark.parametrize(
    ("statement", "about"),
    [
        ("update sighting set path = 'home/crim/a.log'", "sighting.path, 1 row(s): home/<user>/a.log"),
        ("update kept.record set texts = ['x', 'ssh crim@yq01-gpu-255-129-15-00']", "kept.record.texts, 1 row(s): "),
        ("update kept.record set label = 'tcp://10.78.119.14:29500'", "kept.record.label, 1 row(s): tcp://<ip>:29500"),
        ("update run set reason = 'lost 10.78.119.14:80'", "run.reason, 1 row(s): lost <ip>:80"),
        ("update kept.shape set name = 'Host Name'; update kept.record set texts = ['crimbox']", "kept.record.Host Name, 1 row(s): "),
    ],
)  # fmt: skip
def test_a_private_text_is_found_wherever_it_stands(statement: str, about: str, one_run: Path) -> None:
    with closing(duckdb.connect(str(one_run))) as con:
        con.execute(statement)

    (found,) = findings(one_run, "private_text")

    assert found.startswith(about)
    assert not [name for name in ("crim", "yq01", "10.78") if name in found]


@pytest.mark.parametrize("apart", [{"nodes": 2}, {"gradient_accumulation": 4}])
def test_half_precision_is_compared_with_the_same_case_only(apart: dict[str, int], ledger_of: LedgerOf) -> None:
    def make(ledger: Ledger) -> None:
        ledger.run(ledger.summary(100.0), case={"gpus": 8, "precision": "fp32"})
        ledger.run(ledger.summary(50.0), case={"gpus": 8, "precision": "fp16", **apart})

    assert findings(ledger_of(make), "fp16_no_faster") == []


def test_half_precision_is_compared_with_the_same_version_only(ledger_of: LedgerOf) -> None:
    def make(ledger: Ledger) -> None:
        for precision, speed, version in (("fp32", 100.0, "2.1"), ("fp16", 50.0, "1.8")):
            environment = {"framework_version": version}
            ledger.run(ledger.summary(speed), case={"gpus": 8, "precision": precision}, environment=environment)

    assert findings(ledger_of(make), "fp16_no_faster") == []


def test_a_log_whose_place_is_private_is_told_by_its_hash_in_every_finding(ledger_of: LedgerOf) -> None:
    def make(ledger: Ledger) -> None:
        ledger.run(ledger.summary(1.0))
        ledger.write("update sighting set archive = 'b.tar', member = 'home/crim/a.log', campaign = null")

    audit = benchledger.audit(db=ledger_of(make), checks=["private_text", "no_campaign"])

    told = set(audit.findings.select("check", "place").rows())
    assert told == {("private_text", "log hash2"), ("no_campaign", "log hash2")}
    assert "crim" not in audit_page(audit, "bench.duckdb")


@pytest.mark.parametrize(
    ("statement", "invariant"),
    [
        ("delete from environment", "every run has a case, an environment and a log"),
        ("delete from run_log", "every run has a case, an environment and a log"),
        ("delete from kept.shape", "every record has a layout with a name for each value"),
        ("update kept.record set line = 9", "no record is beyond the last line of its log"),
        ("insert into kept.record select * from kept.record", "every log has as many records as it counts"),
        (
            "insert into reject select log_id, 1, 0, null, 'x', 'x' from log",
            "every log has as many rejects as it counts",
        ),
        (
            "insert into kept.ignored_piece select log_id, 'x', 2 from log",
            "every log has as many ignored pieces as it counts",
        ),
        ("update run_log set log_id = 99", "every log of a run refers to an existing log"),
    ],
)
def test_a_row_that_leads_nowhere_is_an_error(statement: str, invariant: str, one_run: Path) -> None:
    with closing(duckdb.connect(str(one_run))) as con:
        con.execute(statement)

    assert any(invariant in about for about in findings(one_run, "inconsistent"))


def test_rows_that_are_written_again_lead_where_they_led(one_run: Path) -> None:
    with closing(duckdb.connect(str(one_run))) as con:
        con.execute(
            "create temp table before as from kept.record; delete from kept.record; insert into kept.record from before"
        )

    assert findings(one_run, "inconsistent") == []
