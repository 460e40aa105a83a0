"""Copies the definitions that views read into tables of the ledger: rules, demands, settings, published numbers."""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from benchledger.definitions.definition_cache import files_in, hash_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    import duckdb


# The folders of rules, published numbers and suites.
_READ_FROM = ("queries/rules", "queries/published", "queries/submissions")


def sync_definitions(con: duckdb.DuckDBPyConnection) -> None:
    """Makes the tables kept.rule, demanded_runs, setting_word, known_word and published equal to the definitions.

    In the caller's transaction.
    """
    # Skipped if the files are unchanged: reading and comparing them takes longer than ingesting a handful of logs.
    files = synced_hash()
    if con.execute("select files from kept.synced_definitions").fetchall() == [(files,)]:
        return
    _sync_rules(con)
    _sync_demands(con)
    _sync_settings(con)
    _sync_published(con)
    _sync_words(con)
    con.execute("delete from kept.synced_definitions")
    con.execute("insert into kept.synced_definitions values ($files)", {"files": files})


def synced_hash() -> str:
    """Returns a hash of all files that sync_definitions reads."""
    return hash_of(files_in(*_READ_FROM, "schema/vocabulary"))


def _sync_rules(con: duckdb.DuckDBPyConnection) -> None:
    from benchledger.definitions import rules

    names, rows = _quoted(rules.COLUMNS), [rule.row() for rule in rules.load_rules()]
    if con.execute(f"select {names} from kept.rule order by rule").fetchall() == sorted(rows):  # noqa: S608 - names are our own
        return
    with _incoming(con, rules.COLUMNS, rows):
        # Not deleted and inserted: within one transaction DuckDB would still find the old key.
        con.execute("delete from kept.rule where rule not in (select rule from incoming)")
        changes = ", ".join(f'"{column}" = excluded."{column}"' for column in rules.COLUMNS[1:])
        into = f"insert into kept.rule ({names}) select {names} from incoming"  # noqa: S608
        con.execute(f"{into} on conflict (rule) do update set {changes}")


def _sync_demands(con: duckdb.DuckDBPyConnection) -> None:
    from benchledger.definitions.submissions import demanded_runs

    rows = demanded_runs()
    if con.execute("from kept.demanded_runs order by all").fetchall() == rows:
        return
    con.execute("delete from kept.demanded_runs")
    if rows:
        with _incoming(con, ("rule", "benchmark", "runs"), rows):
            con.execute("insert into kept.demanded_runs from incoming")


def _sync_settings(con: duckdb.DuckDBPyConnection) -> None:
    from benchledger.definitions.vocabulary import setting_words

    rows = setting_words()
    if con.execute("from kept.setting_word order by all").fetchall() == rows:
        return
    con.execute("delete from kept.setting_word")
    with _incoming(con, ("word", "is_case"), rows):
        con.execute("insert into kept.setting_word from incoming")


def _sync_published(con: duckdb.DuckDBPyConnection) -> None:
    from benchledger.definitions import published

    # Those with a verdict were read from pages by bench reproduce.
    names = _quoted(published.COLUMNS)
    rows = [tuple(map(cell.get, published.COLUMNS)) for cell in published.load_published()]
    if Counter(con.execute(f"select {names} from published where verdict is null").fetchall()) == Counter(rows):  # noqa: S608
        return
    con.execute("delete from published where verdict is null")
    if rows:
        with _incoming(con, published.COLUMNS, rows):
            con.execute(f"insert into published ({names}) select {names} from incoming")  # noqa: S608


def _sync_words(con: duckdb.DuckDBPyConnection) -> None:
    from benchledger.definitions.vocabulary import vocabulary

    rows = [(fact.name, word) for fact in vocabulary().facts.values() for word in fact.words() or ()]
    con.execute("delete from kept.known_word")
    with _incoming(con, ("name", "word"), rows):
        con.execute("insert into kept.known_word from incoming")


def _quoted(columns: tuple[str, ...]) -> str:
    return ", ".join(f'"{column}"' for column in columns)


@contextmanager
def _incoming(con: duckdb.DuckDBPyConnection, columns: tuple[str, ...], rows: list[tuple[Any, ...]]) -> Iterator[None]:
    # As Arrow: with parameters, DuckDB looks for numpy at each of two thousand values.
    import pyarrow as pa

    con.register("incoming", pa.table(dict(zip(columns, map(list, zip(*rows, strict=True)), strict=True))))
    try:
        yield
    finally:
        con.unregister("incoming")
