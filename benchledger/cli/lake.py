"""`bench lake`: a lake of logs, and the ledger that is made of it."""

from __future__ import annotations

from pathlib import Path

import click

import benchledger
from benchledger.cli.commands import KnownGroup
from benchledger.cli.options import FILE, FiniteRange, form_option
from benchledger.cli.settings import Settings
from benchledger.errors import counted
from benchledger.exports.values import escaped_lines, json_text
from benchledger.store.key_file import stored_key

_WITH_LAKE = {"paths", "lake", "cluster", "key_file", "campaign_name", "form"}


@click.group(cls=KnownGroup)
def lake() -> None:
    """Publish, settle, compact, check or clean up a lake.

    A lake is a folder or bucket into which many processes read logs. Fill it with: bench ingest PATHS --lake LAKE.
    See docs/scale.md.
    """


@lake.command()
@click.argument("lake")
@click.option(
    "--into",
    type=FILE,
    help="Write one ledger, a new file, instead of the tables and the facade; the lake is only read.",
)
@click.option(
    "--facade",
    type=FILE,
    help="Where to write the facade.  [default: LAKE/facade.duckdb]",
)
@click.option(
    "--key-file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="With --into: the lake's key, so that the new ledger can read more logs.  [default: $BENCH_KEY_FILE]",
)
@form_option
@click.pass_obj
def publish(
    settings: Settings, /, lake: str, into: Path | None, facade: Path | None, key_file: Path | None, form: str
) -> None:
    """Make the tables of a lake from all its logs.

    They are Delta tables in the lake. The facade is a small read-only ledger of these tables, for all commands that
    only read: bench --db LAKE/facade.duckdb report.
    """
    key_file = key_file or (settings.key_file if into else None)
    made = benchledger.lake_publish(lake=lake, into=into, facade=facade, key_file=key_file)
    _print(
        made,
        form,
        f"{made.path}: {counted(made.logs, 'log')}, {counted(made.runs, 'run')} of {counted(made.units, 'unit')}",
    )
    if into is not None and stored_key(into) is None:
        settings.say(f"{into} has no key: the first ingest into it needs --key-file FILE, the key of the lake")


@lake.command()
@click.argument("lake")
@form_option
def settle(lake: str, form: str) -> None:
    """Derive and store the rows that depend on several units.

    A unit is a group of folders that one worker read. Later publishes copy these rows instead of deriving them.
    """
    done = benchledger.lake_settle(lake=lake)
    found = f"{counted(done.runs, 'run')} and {counted(done.campaigns, 'campaign')}"
    text = f"{found} depend on several of the {counted(done.units, 'unit')}"
    _print(done, form, text if done.is_new else f"{text}; settled before")


@lake.command()
@click.argument("lake")
@form_option
def compact(lake: str, form: str) -> None:
    """Join the tables of small units into few objects."""
    done = benchledger.lake_compact(lake=lake)
    _print(done, form, f"{counted(done.objects_before, 'object')} joined into {done.objects}")


@lake.command()
@click.argument("lake")
@form_option
def status(lake: str, form: str) -> None:
    """Count the sources, units, files and records of a lake.

    A source is the set of PATHS of one ingest. A unit is a group of its folders that one worker read.
    """
    found = benchledger.lake_status(lake=lake)
    _print(
        found, form,
        f"sources: {found.sources}\nunits: {found.units}, {found.read} read\nfiles: {found.files}\n"
        f"records: {found.records}\nobjects: {found.objects}, {found.bytes / 1e6:.1f} MB\n"
        f"needed by no unit: {found.unneeded}, {found.unneeded_bytes / 1e6:.1f} MB",
    )  # fmt: skip


@lake.command()
@click.argument("lake")
@form_option
def check(lake: str, form: str) -> None:
    """Check that no row of a lake is missing or damaged.

    All its tables are read. Exit 1 if there is a problem.
    """
    found = benchledger.lake_check(lake=lake)
    _print(found, form, "\n".join([f"units: {found.units}, problems: {len(found.problems)}", *found.problems]))
    click.get_current_context().exit(int(bool(found.problems)))


@lake.command()
@click.argument("lake")
@click.option(
    "--older-than-hours",
    type=FiniteRange(min=0, max=1e6),
    default=24.0,
    show_default=True,
    help="Keep objects that are younger, or were needed until then.",
)
@click.option("--dry-run", is_flag=True, help="Show what would be removed; remove nothing.")
@form_option
def gc(lake: str, older_than_hours: float, dry_run: bool, form: str) -> None:
    """Remove objects that a lake no longer needs.

    These are former units, rows derived by another version, files left by killed workers, and tables older than the
    last two publishes.
    """
    gone = benchledger.lake_gc(lake=lake, older_than_hours=older_than_hours, dry_run=dry_run)
    said = "would be removed" if dry_run else "removed"
    _print(gone, form, f"{counted(gone.objects, 'object')} {said}: {gone.bytes / 1e6:.1f} MB")


def ingest_into_lake(
    settings: Settings, paths: tuple[Path | str, ...], place: str, cluster: str, key_file: Path | None,
    campaign_name: str | None, form: str,
) -> None:  # fmt: skip
    """Reads logs into a lake, and prints what was done. The other options of bench ingest are refused."""
    from benchledger.cli.ingest_summary import is_refused_facts, say_left_out_files

    ctx = click.get_current_context()
    given = click.core.ParameterSource.COMMANDLINE
    others = [one for one in ctx.params if one not in _WITH_LAKE and ctx.get_parameter_source(one) == given]
    if others:
        name = others[0].removesuffix("_s").replace("_", "-")
        raise click.UsageError(f"--{name} does not go with --lake")
    if any(str(path) == "-" for path in paths) or not paths:
        raise click.UsageError("--lake reads files, folders and addresses, not standard input")

    def progress(done: int, total: int) -> None:
        settings.say(f"{done} of {total} units", at=1)

    done = benchledger.lake_ingest(
        *paths, lake=place, cluster=cluster, key_file=key_file, campaign_name=campaign_name, progress=progress
    )
    again = f", {done.derived} derived again" if done.derived else ""
    text = f"files: {done.files}\nunits: {done.units}, {done.read} read now{again}\nin {done.seconds:.1f} s"
    if form == "json" or settings.verbosity >= 0:
        _print(done, form, text)
    listed = f"bench --db {place.rstrip('/')}/facade.duckdb query unrecognised"
    say_left_out_files(settings, done.left_out, f"bench lake publish {place}, then {listed}")
    settings.say(f"make its tables with: bench lake publish {place}")
    if done.read + done.derived < done.units:
        settings.say(f"then list the unrecognised files of units that were read before with: {listed}")
    ctx.exit(int(not done.recognised or any(map(is_refused_facts, done.left_out))))


def _print(found: object, form: str, text: str) -> None:
    if form == "json":
        text = json_text(found)
    # An error of Parquet quotes bytes of the file.
    click.echo(escaped_lines(text))
