"""The options that every report shares: filters by case column, the form of the output, and where it goes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from benchledger.answers.filters import NUMBER_COLUMNS, TEXT_COLUMNS
from benchledger.cli import complete

FORMATS = ("table", "markdown", "csv", "json", "parquet")
_Function = TypeVar("_Function", bound=Callable[..., Any])


def case_options(function: _Function) -> _Function:
    """Adds --campaign and one filter per case column, each with one value or several: --gpus 1,8 --model unknown."""
    for column in reversed((*TEXT_COLUMNS, *NUMBER_COLUMNS, "gpu_model")):
        kind = "NUMBER" if column in NUMBER_COLUMNS else "GLOB"
        name = "--" + column.replace("_", "-")
        text = f"Only where {column} is one of these."
        option = click.option(
            name, column, multiple=True, metavar=kind, help=text, shell_complete=complete.of_case(column)
        )
        function = option(function)
    return click.option(
        "--campaign",
        metavar="GLOB",
        help="Only campaigns that match.",
        shell_complete=complete.campaigns,
    )(function)


def language_option(function: _Function) -> _Function:
    """Adds --lang."""
    return click.option("--lang", metavar="LANG", help="Language of the headings: en or zh.")(function)


def rule_option(function: _Function) -> _Function:
    """Adds --rule."""
    return click.option(
        "--rule",
        metavar="RULE",
        shell_complete=complete.rules,
        help="By this rule, or by each of a glob such as 'paddle.*', instead of the default.",
    )(function)


def layout_option(function: _Function) -> _Function:
    """Adds --layout."""
    return click.option(
        "--layout",
        metavar="NAME",
        shell_complete=complete.layouts,
        help="How tables are headed and written: paddle, paddle_max, dlperf, or your own.",
    )(function)


def page_layout_option(report: str, text: str) -> Callable[[_Function], _Function]:
    """Adds --layout for a report that a layout makes a page of."""
    return click.option("--layout", metavar="NAME", shell_complete=complete.pages(report), help=text)


def layout_options(*, columns: str, speeds: bool = False, cells: bool = True) -> Callable[[_Function], _Function]:
    """Adds --layout, --lang, --columns, --rows and, where a table has them, --unit, --published and --cells."""

    def add(function: _Function) -> _Function:
        options: list[Callable[[_Function], _Function]] = [layout_option, language_option]
        options.append(click.option("--columns", multiple=True, metavar="LIST", help=columns))
        text = "Only these numbers of GPUs, in this order, known or not: 1,8,32."
        options.append(click.option("--rows", multiple=True, metavar="LIST", help=text))
        if speeds:
            text = "Another word for the unit: sequences/sec for samples/s."
            options.append(click.option("--unit", metavar="WORD", help=text))
            text = "Instead: what documents whose source matches printed (bench query against-published names them)."
            options.append(click.option("--published", metavar="GLOB", help=text))
        if cells:
            text = "Add the name of each number, for bench explain."
            options.append(click.option("--cells", is_flag=True, help=text))
        text = "Print nothing but title, unit, table and what is quoted under it."
        options.append(click.option("--no-notes", is_flag=True, help=text))
        for option in reversed(options):
            function = option(function)
        return function

    return add


def output_options(function: _Function) -> _Function:
    """Adds --format and --output."""
    function = click.option(
        "--output",
        type=click.Path(dir_okay=False, path_type=Path),
        help="Write to this file instead of stdout; parquet needs it.",
    )(function)
    return click.option(
        "--format", "form", type=click.Choice(FORMATS), default="table", show_default=True, help="Form of the output."
    )(function)


def given(options: dict[str, Any]) -> dict[str, Any]:
    """The filters and other options that were given, as the library takes them."""
    return {
        name: _several(name, value) if isinstance(value, tuple) else value for name, value in options.items() if value
    }


def _several(name: str, values: tuple[str, ...]) -> list[str]:
    # Not options: JSON has commas of its own.
    return [part for value in values for part in ([value] if name == "options" else value.split(","))]
