"""--reveal: real names in place of pseudonyms, for the owner of the ledger's private file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from benchledger.cli.commands import REVEAL

if TYPE_CHECKING:
    from benchledger.redaction.real_names import RealNames

_Value = TypeVar("_Value")


# The functions of this module read it.
reveal_option = click.option(
    "--reveal",
    count=True,
    expose_value=False,
    # Before the filters, which take real names then.
    is_eager=True,
    callback=lambda ctx, _, times: ctx.meta.update({REVEAL: ctx.meta.get(REVEAL, 0) + times}),
    help="Show real names and paths, not pseudonyms (needs the ledger's private file). Twice: also in an export.",
)


def revealed(value: _Value, output: Path | None = None) -> _Value:
    """Returns an answer with real names if --reveal asks for them."""
    names = asked_names(output)
    if names is None:
        return value
    from benchledger.exports.real_names import with_real_names

    return with_real_names(value, names)


def asked_names(output: Path | None = None) -> RealNames | None:
    """Returns the real names if --reveal asks for them. An export (a file, no terminal) asks for it once more."""
    context = click.get_current_context(silent=True)
    times = context.meta.get(REVEAL, 0) if context is not None else 0
    if context is None or not times:
        return None
    if times < 2 and _is_export(output):
        where = "standard output is not a terminal" if output is None else str(output)
        raise click.UsageError(f"{where}: an export with real names needs --reveal once more: --reveal --reveal")
    return _read(context)


def with_pseudonyms(ctx: click.Context, _: click.Parameter, value: Any) -> Any:
    """Returns the value of a filter; with --reveal it may be a real name."""
    if not value or not ctx.meta.get(REVEAL):
        return value
    names = _read(ctx)
    return names.hidden(value) if isinstance(value, str) else tuple(map(names.hidden, value))


def headed(text: str, form: str, output: Path | None = None) -> str:
    """Returns text as it is printed or written: the head of an export with real names says so."""
    context = click.get_current_context(silent=True)
    if context is None or not context.meta.get(REVEAL) or not _is_export(output):
        return text
    from benchledger.exports.real_names import headed as with_head

    return with_head(text, form)


def _read(context: click.Context) -> RealNames:
    from benchledger.cli.settings import Settings
    from benchledger.store.real_names import read_real_names

    return read_real_names((context.find_object(Settings) or Settings()).db)


def _is_export(output: Path | None) -> bool:
    return output is not None or not sys.stdout.isatty()
