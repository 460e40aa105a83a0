"""The command `bench`."""

from __future__ import annotations

import atexit
import gc
import os
import sys

import click

from benchledger import __version__
from benchledger.cli.commands import LazyCommand, MainGroup
from benchledger.cli.left_out import leave_out

# One line a command. The sentence is that of the command itself (a test compares them).
COMMANDS = {
    "audit": LazyCommand("benchledger.cli.audit:audit", "Check all that the ledger holds, and list what looks wrong."),
    "completion": LazyCommand(
        "benchledger.cli.completion:completion",
        "Print the script by which SHELL completes bench at TAB.",
    ),
    "data": LazyCommand("benchledger.cli.data:data", "Make training data."),
    "db": LazyCommand("benchledger.cli.db:db", "Look at the ledger's file, migrate, copy, compact or check it."),
    "exclude": LazyCommand(
        "benchledger.cli.exclude:exclude", "Leave each RUN out of every table, with the reason on record."
    ),
    "explain": LazyCommand(
        "benchledger.cli.explain:explain", "Explain WHAT, a cell, a run or a file: where it comes from."
    ),
    "export": LazyCommand("benchledger.cli.export:export", "Write answers as Markdown, CSV, Excel, JSON, ..."),
    "forget": LazyCommand(
        "benchledger.cli.forget:forget", "Remove each LOG from the ledger, with all that came from it."
    ),
    "formats": LazyCommand(
        "benchledger.cli.formats:formats", "List, show or check the log formats, or draft a new one from a log."
    ),
    "ingest": LazyCommand("benchledger.cli.ingest:ingest", "Read every log under PATHS into the ledger."),
    "query": LazyCommand("benchledger.cli.query:query", "Ask the shipped question NAME; without one, list them."),
    "redact": LazyCommand(
        "benchledger.cli.redact:redact", "Write the logs and archives under PATHS again without private names."
    ),
    "report": LazyCommand("benchledger.cli.report:report", "Print a table: speed, memory, failures, ..."),
    "run": LazyCommand("benchledger.cli.run:run", "Run training cases, and stage their logs for bench ingest."),
    "runs": LazyCommand("benchledger.cli.runs:runs", "List the runs, newest first."),
    "score": LazyCommand(
        "benchledger.cli.score:score", "Print the score NAME over cases or runs; without one, list them."
    ),
    "show": LazyCommand("benchledger.cli.show:show", "Show one RUN, by its key or the beginning of it."),
    "sql": LazyCommand("benchledger.cli.sql:sql", "Run one SQL STATEMENT over the ledger, read-only."),
}


@click.group(cls=MainGroup, lazy=COMMANDS, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--db",
    type=click.Path(dir_okay=False),
    envvar="BENCH_DB",
    help="The ledger, a DuckDB file; else $BENCH_DB, else db in ./bench.toml, else bench.duckdb.",
)
@click.option(
    "--definitions",
    type=click.Path(exists=True, file_okay=False),
    multiple=True,
    help="A folder with your own formats, names, rules or queries; can be given several times.",
)
@click.option("-q", "--quiet", is_flag=True, help="Print results and errors only.")
@click.option("-v", "--verbose", is_flag=True, help="Print more on the way.")
@click.version_option(__version__, prog_name="bench", message="%(prog)s %(version)s")
@click.pass_context
def bench(ctx: click.Context, db: str | None, definitions: tuple[str, ...], quiet: bool, verbose: bool) -> None:
    """A ledger of training-benchmark results: logs in, tables out."""
    # Not above: pathlib alone is a tenth of what help may cost.
    from benchledger.cli.settings import read_settings
    from benchledger.store.held import tell_waits_to

    if quiet and verbose:
        raise click.UsageError("-q and -v are opposites: give one of them")
    ctx.obj = read_settings(db, definitions, -1 if quiet else int(verbose))
    tell_waits_to(ctx.obj.say)


def main() -> None:
    """Runs the command with the arguments of this process."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal that has no character for a sign of a log shows its code instead of ending the command.
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    leave_out()
    # A command's modules and rows hold few cycles: a search at every 700 new objects, and one at the end, are a tenth
    # of what a short one takes.
    gc.set_threshold(100_000)
    ended: list[int] = []
    # The first that is registered is called last, when nothing else is left to be done.
    atexit.register(_leave, ended)
    try:
        bench(prog_name="bench")
    except SystemExit as end:
        ended += [end.code] if isinstance(end.code, int) else []
        raise
    finally:
        gc.freeze()


def _leave(ended: list[int]) -> None:
    # To take every module and library apart takes 20 ms. Where the output cannot be written, or there is an error to be
    # shown, Python ends as it does.
    if ended:
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        except (OSError, ValueError):
            return
        os._exit(ended[0])


if __name__ == "__main__":
    main()
