"""The options that commands share: filters by case column, form and place of the output, --wait."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from benchledger.answers.filters import MACHINE_COLUMNS, NUMBER_COLUMNS, TEXT_COLUMNS
from benchledger.cli.reveal import reveal_option, with_pseudonyms

# In a context's meta: whether all tables are printed.
ALL_TABLES = "benchledger.all_tables"
FORMATS = ("table", "markdown", "csv", "json", "parquet")
_Function = TypeVar("_Function", bound=Callable[..., Any])
wait_option = click.option(
    "--wait",
    "wait_s",
    type=click.FloatRange(min=0),
    default=30.0,
    show_default=True,
    metavar="SECONDS",
    help="Wait this long for another process to release the ledger.",
)
form_option = click.option(
    "--format", "form", type=click.Choice(["table", "json"]), default="table", show_default=True, help="Output format."
)


def case_options(function: _Function) -> _Function:
    """Adds --campaign and one filter per case column, each with one or several values: --gpus 1,8 --model unknown."""
    for column in reversed((*TEXT_COLUMNS, *NUMBER_COLUMNS, *MACHINE_COLUMNS)):
        kind = "NUMBER" if column in NUMBER_COLUMNS else "GLOB"
        name = "--" + column.replace("_", "-")
        text = f"Filter by {column} ({'number' if kind == 'NUMBER' else 'glob'}; repeatable)."
        option = click.option(
            name, column, multiple=True, metavar=kind, help=text,
            callback=with_pseudonyms if column == "system" else None,
        )  # fmt: skip
        function = option(function)
    return campaign_option(function)


def campaign_option(function: _Function) -> _Function:
    return click.option(
        "--campaign",
        metavar="GLOB",
        callback=with_pseudonyms,
        help="Filter by campaign (glob): its whole name, or the part after its root.",
    )(function)


def language_option(function: _Function) -> _Function:
    return click.option("--lang", metavar="LANG", help="Language of the headings: en or zh.")(function)


def rule_option(function: _Function) -> _Function:
    return click.option(
        "--rule",
        metavar="RULE",
        help="Use this rule (or each rule of a glob such as 'paddle.*') instead of the default.",
    )(function)


def layout_option(function: _Function) -> _Function:
    return click.option(
        "--layout",
        metavar="NAME",
        help="Table layout: paddle, paddle_max, dlperf, or your own.",
    )(function)


def layout_options(*, columns: str, speeds: bool = False, cells: bool = True) -> Callable[[_Function], _Function]:
    """Adds --layout, --lang, --columns, --rows and, for tables that have them, --unit, --published and --cells."""

    def add(function: _Function) -> _Function:
        options: list[Callable[[_Function], _Function]] = [layout_option, language_option]
        options.append(click.option("--columns", multiple=True, metavar="LIST", help=columns))
        text = "GPU counts in this order: 1,8,32."
        options.append(click.option("--rows", multiple=True, metavar="LIST", help=text))
        if speeds:
            text = "Print another name for the unit: sequences/sec for samples/s."
            options.append(click.option("--unit", metavar="WORD", help=text))
            text = "Print published numbers instead; sources: bench query against-published."
            options.append(click.option("--published", metavar="GLOB", help=text))
        if cells:
            text = "Add the cell name of each number, for bench explain."
            options.append(click.option("--cells", is_flag=True, help=text))
        text = "Omit the notes below the tables."
        options.append(click.option("--no-notes", is_flag=True, help=text))
        for option in reversed(options):
            function = option(function)
        return function

    return add


def output_options(function: _Function) -> _Function:
    function = reveal_option(function)
    function = click.option(
        "--output",
        type=click.Path(dir_okay=False, path_type=Path),
        help="Write to this file instead of stdout; required for parquet.",
    )(function)
    return click.option(
        "--format", "form", type=click.Choice(FORMATS), default="table", show_default=True, help="Output format."
    )(function)


def report_options(function: _Function) -> _Function:
    """Adds --format, --output and --all to a report."""
    return all_option(output_options(function))


def all_option(function: _Function) -> _Function:
    """Adds --all, which `print_report` reads: without it, many tables are listed."""
    return click.option(
        "--all",
        is_flag=True,
        expose_value=False,
        callback=lambda ctx, _, wanted: ctx.meta.update({ALL_TABLES: wanted}),
        help="Print all tables; more than 12 are only listed by default.",
    )(function)


def given(options: dict[str, Any]) -> dict[str, Any]:
    """Returns the given filters and other options as arguments of the library."""
    return {
        name: _several(name, value) if isinstance(value, tuple) else value
        for name, value in options.items()
        if value is not None and value is not False and value != ()
    }


def _several(name: str, values: tuple[str, ...]) -> list[str]:
    # options are JSON, which contains commas.
    return [part for value in values for part in ([value] if name == "options" else value.split(","))]
