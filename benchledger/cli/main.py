"""The command `bench`."""

from __future__ import annotations

import atexit
import gc
import os
import sys
from contextlib import suppress

import click

from benchledger import __version__
from benchledger.cli.commands import REVEAL, SOMETIMES_WRITING, WRITING_COMMANDS, MainGroup, end_process
from benchledger.cli.import_blocker import block_imports
from benchledger.cli.signals import command_ended, end_if_unheard, handle_signals

# The first sentence of each command's own help (a test compares them). Command NAME is function NAME of cli/NAME.py.
COMMANDS = {
    "audit": "Check the whole ledger and list suspicious values.",
    "compare": "Compare two sets of runs case by case, with intervals and verdicts.",
    "completion": "Print the tab-completion script for SHELL.",
    "data": "Make training data.",
    "db": "Inspect, migrate, copy, compact or check the ledger file.",
    "diff": "List what differs between two runs, the likeliest cause first.",
    "exclude": "Exclude each RUN from all tables; the reason is recorded.",
    "explain": "Explain where a number, a run or a file comes from.",
    "export": "Export reports to Markdown, CSV, Excel, JSON, ...",
    "forget": "Remove each LOG and everything derived from it.",
    "formats": "List, show, check or draft log formats.",
    "history": "Find where a number of a case changed over time, and which are regressions.",
    "ingest": "Read all logs under PATHS into the ledger.",
    "lake": "Publish, settle, compact, check or clean up a lake.",
    "merge": "Merge each LEDGER into a new one, as if one ingest had read all their logs.",
    "plot": "Draw a plot in the terminal, or as SVG, PNG or Vega-Lite JSON.",
    "query": "Run the shipped query NAME; without NAME, list all queries.",
    "redact": "Copy logs and archives under PATHS with private names replaced.",
    "report": "Print a report: speed, memory, failures, ...",
    "reproduce": "Compare published tables with the numbers of their logs.",
    "run": "Run training cases and stage their logs for ingest.",
    "runs": "List runs, newest first.",
    "score": "Print the score NAME of cases or runs; without NAME, list all scores.",
    "show": "Show one RUN, named by its key or the start of it.",
    "site": "Write the ledger as a site: static pages in FOLDER.",
    "sql": "Run one read-only SQL STATEMENT on the ledger.",
}


@click.group(
    cls=MainGroup,
    lazy=COMMANDS,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.option(
    "--db",
    type=click.Path(dir_okay=False),
    envvar="BENCH_DB",
    help="The ledger (a DuckDB file). Default: $BENCH_DB, then db in ./bench.toml, then bench.duckdb.",
)
@click.option(
    "--definitions",
    type=click.Path(exists=True, file_okay=False),
    multiple=True,
    help="Folder with your own formats, names, rules or queries (repeatable).",
)
@click.option("-q", "--quiet", is_flag=True, help="Print results and errors only.")
@click.option("-v", "--verbose", is_flag=True, help="Print more messages.")
@click.option("--reveal", count=True, help="Show real names and paths: the same as --reveal of a command.")
@click.version_option(__version__, prog_name="bench", message="%(prog)s %(version)s")
@click.pass_context
def bench(
    ctx: click.Context, db: str | None, definitions: tuple[str, ...], quiet: bool, verbose: bool, reveal: int
) -> None:
    """A ledger of training-benchmark results: logs in, tables out."""
    # Imported here: pathlib alone is a tenth of the time that help may take.
    from benchledger.cli.memory_limit import check_memory_limit
    from benchledger.cli.settings import read_settings
    from benchledger.store.lock_wait import set_wait_listener
    from benchledger.store.time_limit import set_last_resort

    if quiet and verbose:
        raise click.UsageError("-q and -v cannot be combined")
    check_memory_limit()
    ctx.obj = read_settings(db, definitions, -1 if quiet else int(verbose))
    ctx.meta[REVEAL] = reveal
    set_wait_listener(ctx.obj.say)
    set_last_resort(end_process)
    if ctx.invoked_subcommand not in (*WRITING_COMMANDS, *SOMETIMES_WRITING):
        end_if_unheard()
    if ctx.invoked_subcommand is None:
        from benchledger.cli.overview import print_overview

        print_overview(ctx.obj)


def main() -> None:
    """Runs the command with the arguments of this process."""
    _replace_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        # A terminal that lacks a character shows its code instead of ending the command.
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    block_imports()
    handle_signals()
    # The modules and rows of a command contain few cycles, and the definitions alone are 100,000 objects. Garbage
    # collection at every 700 new objects, and at the end, takes a tenth of a short command's time.
    gc.set_threshold(1_000_000)
    ended: list[int] = []
    # Registered first, so called last, when nothing else is left to do.
    atexit.register(_leave, ended)
    try:
        bench(prog_name="bench")
    except SystemExit as end:
        if isinstance(end.code, int):
            ended.append(end.code)
            with suppress(OSError, ValueError):
                sys.stdout.flush()
                sys.stderr.flush()
                command_ended(end.code)
        raise
    finally:
        gc.freeze()


def _replace_closed_streams() -> None:
    # If the shell closed a stream (`>&-`), the next opened file, such as a ledger, would take its number, and printed
    # text would be written into that file.
    # To standard output nothing can be written then either: an answer that nobody gets is an error.
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        access = os.O_RDONLY if name == "stdout" else os.O_RDWR
        if getattr(sys, name) is None and os.open(os.devnull, access) == number:
            setattr(sys, name, open(number, "w" if number else "r"))  # noqa: PTH123, SIM115 - kept open


def _leave(ended: list[int]) -> None:
    # Taking down every module and library takes 20 ms. If there is an error to show, Python exits as usual.
    if ended:
        try:
            sys.stderr.flush()
            sys.stdout.flush()
        except (OSError, ValueError):
            if not ended[0]:
                return
        os._exit(ended[0])


if __name__ == "__main__":
    main()
