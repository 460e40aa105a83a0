"""`bench query`: runs a shipped query by its name."""

from __future__ import annotations

from pathlib import Path

import click

import benchledger
from benchledger.cli.options import output_options
from benchledger.cli.output import print_frame, write_text
from benchledger.cli.settings import Settings
from benchledger.exports.values import escaped_lines

# In a context's meta: the words of the command line.
_WORDS = "benchledger.query_words"
# The columns that a terminal table shows for wide queries; the other forms have all.
_SHOWN = {
    "rules": ["rule", "reads", "formats", "window", "statistic", "unit", "trial_statistic", "runs", "series"],
    "rules_side_by_side": [
        "model", "precision", "gpus", "gpu_model", "framework", "batch_size_per_gpu", "rule", "value", "unit",
        "default_rule", "default_value", "compared", "rule_rank", "default_rank",
    ],
}  # fmt: skip
# The columns that a narrow terminal shows first.
_FIRST = {
    "against_published": ("cell", "printed", "our_value", "equal", "our_cell", "unit", "source"),
    "ci_verdict": ("name", "status", "change", "value", "base_value", "unit", "campaign"),
    "conflicts": ("run_key", "name", "used_value", "other_value", "campaign"),
    "convergence": ("run_key", "case_name", "final_loss", "best_value", "loss_name", "status"),
    "history": ("name", "verdict", "value", "started_at", "unit", "campaign"),
    "max_batch": ("largest_ok", "smallest_oom", "model", "precision", "gpus", "campaign"),
    "mixed": ("name", "mixed", "lowest", "highest", "unit", "campaign"),
    "model_flops": ("mfu_percent", "tflops_per_gpu", "value", "unit", "model", "campaign"),
    "noise": ("certainty_percent", "value", "unit", "model", "gpus", "precision", "batch", "campaign"),
    "rules_side_by_side": ("rule", "value", "default_rule", "default_value", "unit", "model"),
    "speed": ("value", "unit", "model", "gpus", "precision", "batch_size_per_gpu", "campaign"),
    "speedup": ("speedup", "value", "unit", "model", "gpus", "precision", "batch_size_per_gpu", "campaign"),
}


class _QueryCommand(click.Command):
    """The command, whose help lists the parameters of the query that the command line names."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parses as click does; help is printed then, and needs the words of the command line."""
        ctx.meta[_WORDS] = list(args)
        return super().parse_args(ctx, args)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes what a row of the named query is and its parameters, then the options."""
        from benchledger.definitions.queries import load_queries

        named = [word.replace("-", "_") for word in ctx.meta.get(_WORDS, []) if not word.startswith("-")]
        found = load_queries() if named else {}
        for query in (found[name] for name in named if name in found):
            parameters = [
                (f"-p {name}=", f"default: {'none' if value in (None, '') else value}")
                for name, value in query.parameters.items()
            ]
            with formatter.section(f"Query {query.name}"):
                formatter.write_text(query.sentence)
                formatter.write_dl(parameters or [("no parameters", "")])
                if query.example:
                    formatter.write_text(f"Example: {query.example}")
        super().format_options(ctx, formatter)


@click.command(cls=_QueryCommand)
@click.argument("name", required=False)
@click.option("--list", "list_all", is_flag=True, help="List the queries with their parameters.")
@click.option(
    "-p", "--parameter", "parameters", multiple=True, metavar="NAME=VALUE", help="Parameter of the query (repeatable)."
)
@click.option("--sql", "show_sql", is_flag=True, help="Print the SQL with parameters filled in; do not run it.")
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
    """Run the shipped query NAME; without NAME, list all queries."""
    from benchledger.answers.query import query_note
    from benchledger.definitions.queries import pairs

    given = pairs(parameters)
    if name is None or list_all:
        if given or show_sql:
            raise click.UsageError("name the query that these options belong to; list queries with: bench query")
        print_frame(benchledger.queries(), form, output)
    elif show_sql:
        write_text(escaped_lines(benchledger.query_sql(name, **given).rstrip("\n")), output)
    else:
        answer = benchledger.query(name, db=settings.db, **given)
        question = name.replace("-", "_")
        shown = _SHOWN.get(question, answer.columns) if form == "table" else answer.columns
        print_frame(answer.select(shown), form, output, _FIRST.get(question, ()))
        if note := query_note(name, db=settings.db, **given):
            settings.say(f"note: {note}")
