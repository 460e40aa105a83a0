"""The options that commands share: filters by case column, form and place of the output, --wait."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from pathlib import Path
from typing import Any

import click

from benchledger.answers.filters import MACHINE_COLUMNS, NUMBER_COLUMNS, TEXT_COLUMNS
from benchledger.cli.reveal import reveal_option, with_pseudonyms

# In a context's meta: whether all tables are printed.
ALL_TABLES = "benchledger.all_tables"
FORMATS = ("table", "markdown", "csv", "json", "parquet")
FILE = click.Path(dir_okay=False, path_type=Path)
FOLDER = click.Path(file_okay=False, path_type=Path)
Option = Callable[[Any], Any]


def together(*options: Option) -> Option:
    """Returns several options as one decorator, in the order in which the help lists them."""

    def add(function: Any) -> Any:
        for option in reversed(options):
            function = option(function)
        return function

    return add


class FiniteRange(click.FloatRange):
    """A range of numbers without `nan`, which lies in every range of click, and `inf`."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        number = super().convert(value, param, ctx)
        if not isfinite(number):
            self.fail(f"{value} is not a finite number.", param, ctx)
        return number


wait_option = click.option(
    "--wait",
    "wait_s",
    type=FiniteRange(min=0),
    default=30.0,
    show_default=True,
    metavar="SECONDS",
    help="Wait this long for another process to release the ledger.",
)
form_option = click.option(
    "--format", "form", type=click.Choice(["table", "json"]), default="table", show_default=True, help="Output format."
)
language_option = click.option("--lang", metavar="LANG", help="Language of the headings: en or zh.")
rule_option = click.option(
    "--rule",
    metavar="RULE",
    help="Use this rule (or each rule of a glob such as 'paddle.*') instead of the default.",
)
layout_option = click.option("--layout", metavar="NAME", help="Table layout: paddle, paddle_max, dlperf, or your own.")
campaign_option = click.option(
    "--campaign",
    metavar="GLOB",
    callback=with_pseudonyms,
    help="Filter by campaign (glob): its whole name, or the part after its root.",
)
# Which `print_report` reads: without it, many tables are listed.
all_option = click.option(
    "--all",
    is_flag=True,
    expose_value=False,
    callback=lambda ctx, _, wanted: ctx.meta.update({ALL_TABLES: wanted}),
    help="Print all tables; more than 12 are only listed by default.",
)
output_options = together(
    click.option(
        "--format", "form", type=click.Choice(FORMATS), default="table", show_default=True, help="Output format."
    ),
    click.option("--output", type=FILE, help="Write to this file instead of stdout; required for parquet."),
    reveal_option,
)


def _filter(column: str) -> Option:
    kind, shown = ("NUMBER", "number") if column in NUMBER_COLUMNS else ("GLOB", "glob")
    return click.option(
        "--" + column.replace("_", "-"),
        column,
        multiple=True,
        metavar=kind,
        help=f"Filter by {column} ({shown}; repeatable).",
        callback=with_pseudonyms if column == "system" else None,
    )


# Each filter takes one or several values: --gpus 1,8 --model unknown.
case_options = together(campaign_option, *map(_filter, (*TEXT_COLUMNS, *NUMBER_COLUMNS, *MACHINE_COLUMNS)))


def layout_options(*, columns: str, speeds: bool = False, cells: bool = True) -> Option:
    """Adds --layout, --lang, --columns, --rows and, for tables that have them, --unit, --published and --cells."""
    of_speeds = (
        click.option("--unit", metavar="WORD", help="Print another name for the unit: sequences/sec for samples/s."),
        click.option(
            "--published",
            metavar="GLOB",
            help="Print published numbers instead; sources: bench query against-published.",
        ),
    )
    of_cells = click.option("--cells", is_flag=True, help="Add the cell name of each number, for bench explain.")
    return together(
        layout_option,
        language_option,
        click.option("--columns", multiple=True, metavar="LIST", help=columns),
        click.option("--rows", multiple=True, metavar="LIST", help="GPU counts in this order: 1,8,32."),
        *(of_speeds if speeds else ()),
        *((of_cells,) if cells else ()),
        click.option("--no-notes", is_flag=True, help="Omit the notes below the tables."),
    )


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
