"""What stands above a question: what a row is, what its parameters take, and an example that fits them."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchledger.definitions import queries
from benchledger.definitions.queries import Query, load_queries, read_query
from benchledger.errors import DefinitionError, UsageError

HEAD = """-- One row per series of a kind.
-- $campaign = '*', a glob of run_campaign.campaign
-- $kind = '*', a glob of 'weak', 'strong'
-- $state = 'all', one of 'ok', 'oom'
-- $least = 1
-- Example: bench query mine -p kind=w* -p least=3
"""
BODY = "select $campaign, $kind, $state, $least -- not $this\n"


def read(tmp_path: Path, text: str) -> Query:
    path = tmp_path / "mine.sql"
    path.write_text(text)
    return read_query(path)


def test_a_header_says_all_that_the_list_shows(tmp_path: Path) -> None:
    query = read(tmp_path, HEAD + BODY)

    assert query.sentence == "One row per series of a kind."
    assert query.parameters == {"campaign": "*", "kind": "*", "state": "all", "least": 1}
    assert query.declared["campaign"].column == ("run_campaign", "campaign")
    assert query.example == "bench query mine -p kind=w* -p least=3"


@pytest.mark.parametrize("given", [{"kind": "weak"}, {"kind": "*o*"}, {"state": "oom"}, {"state": "all"}])
def test_a_word_of_the_list_is_taken(tmp_path: Path, given: dict[str, str]) -> None:
    assert read(tmp_path, HEAD + BODY).bind(given).items() >= given.items()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"kind": "wek"}, "no 'wek'; known: weak, strong"),
        ({"state": "o*"}, "no 'o*'; known: "),
        ({"least": "few"}, "must be like 1, not 'few'"),
        ({"least": "nan"}, "must be like 1, not 'nan'"),
        ({"most": "1"}, "has no parameter 'most'; it has: campaign"),
    ],
)
def test_a_value_that_it_cannot_take_is_refused_with_those_that_it_can(
    tmp_path: Path, given: dict[str, str], words: str
) -> None:
    with pytest.raises(UsageError, match=words.replace("*", r"\*")):
        read(tmp_path, HEAD + BODY).bind(given)


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("a glob of run_campaign.campaign", "a globe of x", 2, "must read $name = 'default'"),
        ("a glob of 'weak', 'strong'", "a glob of weak", 3, "is of a column"),
        ("a glob of 'weak', 'strong'", "a glob of 'weak' 'strong'", 3, "is of a column"),
        ("= 1\n", "= few\n", 5, "must be 'text', a number"),
        ("query mine", "query yours", 6, "must be of this query: bench query mine"),
        ("bench query", "rm -rf", 6, "must be of this query"),
        ("-p least=3", "--sql", 6, "gives parameters and nothing else"),
        ("-p least=3", "-p most=3", 6, "gives $most, which is not declared"),
        ("-p least=3", "-p least=few", 6, "must be like 1"),
        ("-p least=3", "-p least", 6, "must read NAME=VALUE"),
        ("kind=w*", "kind='w", 6, "No closing quotation"),
    ],
)
def test_a_mistake_above_a_question_is_told_with_file_and_line(
    tmp_path: Path, old: str, new: str, line: int, words: str
) -> None:
    assert old in HEAD
    with pytest.raises(DefinitionError) as error:
        read(tmp_path, HEAD.replace(old, new) + BODY)

    assert str(error.value).startswith(f"{tmp_path / 'mine.sql'}:{line}: ")
    assert words in str(error.value)


def test_a_file_whose_name_nobody_could_ask_for_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "my-own.sql").write_text("-- One row.\nselect 1\n")
    monkeypatch.setattr(queries, "named_files", lambda *_: {"my-own": tmp_path / "my-own.sql"})

    with pytest.raises(DefinitionError, match=r"my-own\.sql:1: name it my_own\.sql"):
        load_queries()


def test_filled_in_it_is_sql_of_its_own(tmp_path: Path) -> None:
    sql = read(tmp_path, HEAD + BODY).filled({"campaign": "it's $least", "least": "7"})

    assert sql == "-- One row per series of a kind.\nselect 'it''s $least', '*', 'all', 7 -- not $this;\n"


def test_every_shipped_question_has_an_example() -> None:
    assert [query.name for query in load_queries().values() if query.example is None] == []
