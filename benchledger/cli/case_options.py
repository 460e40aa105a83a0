"""The options that every report shares: filters by case column, the form of the output, and where it goes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from benchledger.answers.filters import NUMBER_COLUMNS, TEXT_COLUMNS

FORMATS = ("table", "markdown", "csv", "json", "parquet")
_Function = TypeVar("_Function", bound=Callable[..., Any])


def case_options(function: _Function) -> _Function:
    """Adds --campaign and one filter per case column, each with one value or several: --gpus 1,8 --model unknown."""
    for column in reversed((*TEXT_COLUMNS, *NUMBER_COLUMNS, "gpu_model")):
        kind = "NUMBER" if column in NUMBER_COLUMNS else "GLOB"
        name = "--" + column.replace("_", "-")
        option = click.option(name, column, multiple=True, metavar=kind, help=f"Only where {column} is one of these.")
        function = option(function)
    return click.option(
        "--campaign",
        metavar="GLOB",
        help="Only campaigns that match.",
    )(function)


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


def given(filters: dict[str, Any]) -> dict[str, Any]:
    """The filters that were given, as the library takes them."""
    # Not options: JSON has commas of its own.
    return {
        column: [part for value in values for part in ([value] if column == "options" else value.split(","))]
        for column, values in filters.items()
        if values
    }
