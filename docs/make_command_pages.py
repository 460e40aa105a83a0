"""The pages of all commands and all queries, from their help and their comments."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator

import click

from benchledger.cli.main import bench
from benchledger.definitions.queries import load_queries

COMMANDS_HEAD = """# Every command

Made from the help of the commands: `bench COMMAND --help` prints the same. Options of `bench` itself stand before the
command: `bench --db results.duckdb runs`.
"""
QUERIES_HEAD = """# Every query

Made from the comments of `queries/*.sql`: `bench query --list` prints the same. Each is run by its name
(`bench query rejects`), and `-p NAME=VALUE` sets a parameter. `*` matches everything.
"""


def commands_page() -> str:
    """Returns the page of all commands, groups before their commands."""
    return COMMANDS_HEAD + "".join(_sections(bench, "bench", None))


def queries_page() -> str:
    """Returns the page of all queries that ship."""
    parts = [QUERIES_HEAD]
    for name, query in sorted(load_queries().items()):
        parts.append(f"\n## {name.replace('_', '-')}\n\n{_plain(query.sentence)}\n")
        # Of no default there is a blank: `rule=`.
        defaults = [(f"`{key}`", "" if value is None else f"`{value}`") for key, value in query.parameters.items()]
        parts.append(_table(("parameter", "default"), defaults))
        if query.example:
            parts.append(f"\n```sh\n{query.example}\n```\n")
    return "".join(parts)


def _sections(command: click.Command, words: str, above: click.Context | None) -> Iterator[str]:
    with click.Context(command, info_name=words.rsplit(maxsplit=1)[-1], parent=above) as ctx:
        text = inspect.cleandoc(command.help or "").replace("\n", " ").replace("  ", "\n\n")
        usage = " ".join([words, *command.collect_usage_pieces(ctx)])
        yield f"\n{'#' * (1 + len(words.split()))} {words}\n\n{_plain(text)}\n\n```text\n{usage}\n```\n"
        records = [record for option in command.get_params(ctx) if (record := option.get_help_record(ctx))]
        # Each command has --help.
        told = [(f"`{names}`", text) for names, text in records if text and "--help" not in names]
        yield _table(("option", "meaning"), told)
        if isinstance(command, click.Group):
            for name in command.list_commands(ctx):
                inner = command.get_command(ctx, name)
                assert inner is not None
                yield from _sections(inner, f"{words} {name}", ctx)


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [tuple(map(_plain, row)) for row in rows]
    shown = [head, tuple("---" for _ in head), *lines] if lines else []
    return "".join(f"\n| {' | '.join(line)} |" for line in shown) + "\n"


def _plain(text: str) -> str:
    # A bar would end the cell, a bracket begin a tag.
    return text.replace("|", r"\|").replace("<", "&lt;")
