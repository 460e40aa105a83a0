"""Tab completion: names of definitions, and values in the ledger if it is not locked."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from benchledger.cli.settings import Settings

Complete = Callable[[click.Context, click.Parameter, str], "list[CompletionItem]"]

# A shell inserts completions as they are: they must contain nothing from a log that a shell would act on.
_HARMLESS = re.compile(r"[\w./@:+=,%-]+", re.ASCII)
SHOWN = 500
_FORMAT = re.compile(r'^format\s*=\s*"([\w.-]+)"', re.MULTILINE)


def names_of_files(kind: str, suffix: str) -> Complete:
    """Completes the names of one kind of definitions, which are their file names."""

    def names(_settings: Settings) -> Iterator[str]:
        from benchledger.definitions.folders import definition_files

        return (path.stem for path in definition_files(kind, suffix))

    return _offering(names)


def _formats(_settings: Settings) -> Iterator[str]:
    from benchledger.definitions.folders import definition_files

    # Reading and proving every definition takes ten times as long as a user waits after TAB.
    for path in definition_files("ingest/formats", ".toml"):
        yield from _FORMAT.findall(path.read_text(encoding="utf-8"))[:1]


def _rules(_settings: Settings) -> Iterator[str]:
    from benchledger.definitions.rules import load_rules

    return (rule.rule for rule in load_rules())


def pages(report: str) -> Complete:
    def names(_settings: Settings) -> list[str]:
        from benchledger.definitions.layouts import page_layouts

        return page_layouts(report)

    return _offering(names)


def of_ledger(statement: str) -> Complete:
    """Completes the first column of a query on the ledger."""

    def values(settings: Settings) -> Iterator[str]:
        from contextlib import closing

        from benchledger.store.database import open_for_reading

        with closing(open_for_reading(settings.db, wait_s=0)) as con:
            # Without a parameter for the typed text: with one, DuckDB looks for numpy and pandas, which takes longer.
            found = con.execute(statement).fetchall()
        return (str(row[0]) for row in found)

    return _offering(values)


def of_case(column: str) -> Complete:
    """Completes the values of a column of bench_case or environment in the ledger."""
    table = "environment" if column in ("system", "gpu_model") else "bench_case"
    statement = f'select distinct "{column}"::varchar from {table} where "{column}" is not null'  # noqa: S608
    return of_ledger(statement)


def _offering(values: Callable[[Settings], Iterable[str]]) -> Complete:
    def complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem

        from benchledger.errors import BenchledgerError

        try:
            found = list(values(_settings(ctx)))
        except (BenchledgerError, OSError, ValueError):
            # No ledger, a locked ledger or a wrong definition: the command itself will report it.
            return []
        given: Any = ctx.params.get(param.name or "") or ()
        offered = {one for one in found if one.startswith(incomplete) and _HARMLESS.fullmatch(one)} - set(given)
        return [CompletionItem(one) for one in sorted(offered)[:SHOWN]]

    return complete


def _settings(ctx: click.Context) -> Settings:
    from benchledger.cli.settings import read_settings

    # No command runs during completion: only the options of `bench` itself have been read.
    given = ctx.find_root().params
    return read_settings(given.get("db"), given.get("definitions") or (), 0)


formats = _offering(_formats)
rules = _offering(_rules)
questions = names_of_files("queries", ".sql")
layouts = names_of_files("queries/layouts", ".toml")
campaigns = of_ledger("select distinct campaign from sighting where campaign is not null")
runs = of_ledger("select run_key from run")
statuses = of_ledger("select distinct status from run")
logs = of_ledger("select distinct place_of(path, archive, member) from sighting semi join log using (log_id)")
