"""`bench query`: a shipped question by its name."""

from __future__ import annotations

from pathlib import Path

import click

import benchledger
from benchledger.cli import complete
from benchledger.cli.case_options import output_options
from benchledger.cli.settings import Settings

# Of a question with more columns than a terminal has room for, those that a table shows; the other forms have all.
_SHOWN = {
    "rules": ["rule", "reads", "formats", "window", "statistic", "unit", "trial_statistic", "runs", "series"],
    "rules_side_by_side": [
        "model", "precision", "gpus", "gpu_model", "framework", "batch_size_per_gpu", "rule", "value", "unit",
        "default_rule", "default_value", "compared", "rule_rank", "default_rank",
    ],
}  # fmt: skip


@click.command()
@click.argument("name", required=False, shell_complete=complete.questions)
@click.option("--list", "list_all", is_flag=True, help="List the questions with their parameters, as without a NAME.")
@click.option("-p", "--parameter", "parameters", multiple=True, metavar="NAME=VALUE", help="A parameter; several.")
@click.option("--sql", "show_sql", is_flag=True, help="Print its SQL with the parameters in place, and do not ask it.")
@output_options
@click.pass_obj
def query(
    settings: Settings,
    name: str | None,
    list_all: bool,
    parameters: tuple[str, ...],
    show_sql: bool,
    form: str,
    output: Path | None,
) -> None:
    """Ask the shipped question NAME; without one, list them."""
    from benchledger.answers.query import query_note
    from benchledger.cli.output import print_frame, write_text
    from benchledger.definitions.query_header import pairs
    from benchledger.exports.safe_text import escaped_lines

    given = pairs(parameters)
    if name is None or list_all:
        if given or show_sql:
            raise click.UsageError("give the NAME of the question that these are for; bench query lists them")
        print_frame(benchledger.queries(), form, output)
    elif show_sql:
        write_text(escaped_lines(benchledger.query_sql(name, **given).rstrip("\n")), output)
    else:
        answer = benchledger.query(name, db=settings.db, **given)
        shown = _SHOWN.get(name.replace("-", "_"), answer.columns) if form == "table" else answer.columns
        print_frame(answer.select(shown), form, output)
        if note := query_note(name, db=settings.db, **given):
            settings.say(f"note: {note}")
