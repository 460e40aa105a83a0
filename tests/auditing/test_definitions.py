"""Checks are definitions: one's own are added, and what is wrong with one is told with file and line."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import benchledger
from benchledger.definitions import folders
from benchledger.errors import DefinitionError, UsageError
from tests.auditing.conftest import writing

SOUND = "-- A run.\n-- severity: note\nselect run_id, 'x' as about from run;\n"
EXPECTATION = """
[[check]]
check = "house_speed"
sentence = "A value that is no percentage."
severity = "warning"
on = "(select run_id, log_id, line, value from measurement)"
expectation = "ExpectColumnValuesToBeBetween"
arguments = { column = "value", min_value = 0, max_value = 100 }
"""


@pytest.fixture(autouse=True)
def own(tmp_path: Path) -> Iterator[Path]:
    """A folder of one's own definitions, in use."""
    home = tmp_path / "own" / "schema" / "expectations"
    home.mkdir(parents=True)
    folders.use_definitions(tmp_path / "own")
    yield home
    folders.use_definitions()


@pytest.fixture(scope="module")
def db(defined_ledger: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Made once: an audit only reads it."""
    db = Path(shutil.copy(defined_ledger, tmp_path_factory.mktemp("checked") / "bench.duckdb"))
    with writing(db) as ledger:
        ledger.run(ledger.step(1, speed=99.0), ledger.step(2, speed=101.5))
    return db


def test_one_s_own_check_in_sql_is_made(own: Path, db: Path) -> None:
    (own / "house_run.sql").write_text(SOUND, encoding="utf-8")

    done = benchledger.audit(db=db, checks=["house_run"])

    assert done.checks.rows() == [("house_run", "note", 1, "A run.")]
    assert done.findings.select("severity", "about", "place").rows() == [("note", "x", "c/2.log")]


def test_a_named_expectation_finds_the_rows_with_their_lines(own: Path, db: Path) -> None:
    (own / "house.toml").write_text(EXPECTATION, encoding="utf-8")

    done = benchledger.audit(db=db, checks=["house_speed"])

    assert done.findings.select("about", "value", "place", "line").rows() == [("value: 101.5", 101.5, "c/2.log", 2)]


def test_a_named_expectation_finds_every_row_however_many_there_are(own: Path, db: Path) -> None:
    rows = EXPECTATION.replace(
        "(select run_id, log_id, line, value from measurement)", "(select range as value from range(131))"
    )
    (own / "house.toml").write_text(rows, encoding="utf-8")

    assert benchledger.audit(db=db, checks=["house_speed"]).findings["value"].to_list() == list(range(101, 131))


def test_an_expectation_of_a_whole_table_gives_one_finding(own: Path, db: Path) -> None:
    text = EXPECTATION.replace("ExpectColumnValuesToBeBetween", "ExpectTableRowCountToEqual")
    own_text = text.replace('{ column = "value", min_value = 0, max_value = 100 }', "{ value = 7 }")
    (own / "house.toml").write_text(own_text + 'about = "rows"\n', encoding="utf-8")

    done = benchledger.audit(db=db, checks=["house_speed"])

    assert done.findings.select("about", "value", "line").rows() == [("rows", 4.0, None)]


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("a.sql", "select 1;", "a.sql:1: the first line must be a comment"),
        ("a.sql", "-- A run.\nselect 1;", "a.sql:1: state the severity in one line"),
        ("a.sql", "-- A run.\n-- severity: bad\nselect 1;", "a.sql:2: severity must be one of error, warning, note"),
        ("a.sql", "-- severity: note\nselect 1;", "a.sql:1: the first line must be a comment that says what a finding"),
        ("a-b.sql", SOUND, "a-b.sql:1: the name of a check has lower-case letters"),
        ("clock_backwards.sql", SOUND, "clock_backwards.sql:1: check 'clock_backwards' exists already, in "),
        ("a.sql", SOUND.replace("run;", "no_table;"), "a.sql:3: DuckDB refuses this check; it selects some of run_id"),
        ("a.sql", SOUND.replace("'x' as about", "1 as other"), "a.sql:.*other"),
        ("a.sql", SOUND.replace("select", "select $x,"), r"a.sql:3: \$x has no default"),
        ("a.toml", EXPECTATION.replace("warning", "grave"), "a.toml:5: severity must be one of error, warning, note"),
        ("a.toml", EXPECTATION.replace("ExpectC", "c"), "a.toml:7: expectation is the name of one"),
        ("a.toml", EXPECTATION.replace("ExpectC", "ExpectNoC"), "a.toml:3: Great Expectations has no 'ExpectNoC"),
        ("a.toml", EXPECTATION.replace("measurement", "nothing"), "a.toml:3: DuckDB cannot read from"),
        ("a.toml", EXPECTATION.replace("min_value", "least"), "a.toml:3: ExpectColumn.* refuses its arguments"),
        ("a.toml", EXPECTATION.replace('"value", min', '"other", min'), "a.toml:3: check house_speed: no verdict: .*other"),
        ("a.toml", EXPECTATION.replace("on =", "of ="), "a.toml:6: unknown key 'of'; known here: about, arguments"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_check_is_told_with_its_line(
    file: str, text: str, message: str, own: Path, db: Path
) -> None:
    (own / file).write_text(text, encoding="utf-8")

    with pytest.raises(DefinitionError, match=message):
        benchledger.audit(db=db, checks=["a" if "speed" not in text else "house_speed"])


def test_a_check_reads_no_file_and_writes_none(own: Path, db: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.csv").write_text("a\n1\n", encoding="utf-8")
    text = SOUND.replace("from run", f"from '{tmp_path}/secret.csv'")
    (own / "a.sql").write_text(text, encoding="utf-8")

    with pytest.raises(DefinitionError, match=r"disabled|Permission"):
        benchledger.audit(db=db, checks=["a"])


def test_an_unknown_check_is_told_with_the_known_ones(db: Path) -> None:
    with pytest.raises(UsageError, match=r"no check 'clock_backward'; did you mean 'clock_backwards'\?; known: "):
        benchledger.audit(db=db, checks=["clock_backward"])
