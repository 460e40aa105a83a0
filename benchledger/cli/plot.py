"""`bench plot`: draws the numbers of the ledger in the terminal, or as SVG, PNG or Vega-Lite."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import Any

import click

from benchledger.cli.commands import KnownGroup
from benchledger.cli.options import FILE, Option, case_options, given, rule_option, together
from benchledger.cli.settings import Settings
from benchledger.exports.values import escaped_lines

_RUN = click.option("--run", metavar="KEY", help="The run: its key or the start of it.")
_TARGET = click.option("--target", metavar="NUMBER", help="Draw this loss as the target: 6.5 or loss=6.5.")
_OUTPUT = click.option("--output", type=FILE, help="Write to FILE.svg, FILE.png or FILE.json.")
_SQL = click.option("--sql", "show_sql", is_flag=True, help="Print the SQL that gives the points.")
# With the help of each: what it draws, in the words of its function in Python.
_PLOTS: dict[str, tuple[str, tuple[Option, ...]]] = {
    "scaling": (
        "Speed-up and efficiency by number of GPUs, with the ideal line.\n\nA terminal shows the speed-up only.",
        (rule_option,),
    ),
    "speed": ("Speed of each series as a bar, the fastest first.", (rule_option,)),
    "batch": ("Speed by batch size, and the sizes that ran out of memory.", (rule_option,)),
    "loss": ("Training loss of runs, with a target.", (_RUN, _TARGET)),
    "steps": ("Every reading of one run, and which of them its rule skips.", (_RUN, rule_option)),
    "memory": ("Memory of the fullest GPU, beside the size of the GPU.", ()),
    "utilization": ("Utilization of GPUs and their pipes: by profile, or over time for one run.", (_RUN,)),
    "history": ("Speed of cases over the dates of their runs.", (rule_option,)),
}


@click.group(cls=KnownGroup)
def plot() -> None:
    """Draw a plot in the terminal, or as SVG, PNG or Vega-Lite JSON."""


def _add(name: str, text: str, options: tuple[Option, ...]) -> None:
    @plot.command(name, help=text)
    @together(case_options, *options, _OUTPUT, _SQL)
    @click.pass_obj
    def command(settings: Settings, /, campaign: str | None, output: Path | None, show_sql: bool, **words: Any) -> None:
        _draw(name, settings, output, show_sql, campaign=campaign, **given(words))


for _name, (_text, _options) in _PLOTS.items():
    _add(_name, _text, _options)


def _draw(name: str, settings: Settings, output: Path | None, show_sql: bool, **words: Any) -> None:
    from benchledger.cli.import_blocker import allow_imports
    from benchledger.exports.answer_files import refuse_overwrite
    from benchledger.plots.charts import file_bytes, need_ending
    from benchledger.plots.data import plot_data

    if output is not None:
        need_ending(output)
        refuse_overwrite(output, db=settings.db)

    # The library that thins long lines needs numpy.
    allow_imports()
    drawn = plot_data(name, db=settings.db, **words)
    if drawn.choice:
        settings.say(drawn.choice)
    if show_sql:
        click.echo(escaped_lines(drawn.sql.rstrip("\n")))
    elif output is None:
        from benchledger.plots.terminal import terminal_text

        size = shutil.get_terminal_size()
        coloured = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
        click.echo(
            terminal_text(drawn, size.columns, max(16, min(30, size.lines - 12)), coloured=coloured), color=coloured
        )
    else:
        from benchledger.exports.answer_files import write_whole
        from benchledger.plots.vega import vega_lite

        write_whole(output, file_bytes(vega_lite(drawn), output))
        settings.say(f"written: {output}")
