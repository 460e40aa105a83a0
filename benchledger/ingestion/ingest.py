"""`bench ingest`: every file seen is accounted for, and what a log holds is in the ledger whole or not at all."""

from __future__ import annotations

import os
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from operator import attrgetter
from pathlib import Path
from typing import BinaryIO

from benchledger.archives.limits import Limits
from benchledger.definitions.log_format import all_formats_hash
from benchledger.definitions.names import load_names
from benchledger.errors import DatabaseError
from benchledger.ingestion.accounts import Accounts, FileOutcome
from benchledger.ingestion.batches import Batches
from benchledger.ingestion.discover import FoundFile, discover, named_folders
from benchledger.ingestion.facts_file import FactsFiles
from benchledger.ingestion.late_facts import account_for_facts, load_archived_facts, tell_late, unfitting_matches
from benchledger.ingestion.plan import Plan, Work
from benchledger.ingestion.pool import is_little
from benchledger.ingestion.read import gc_paused
from benchledger.ingestion.reading import ArchiveSources, Progress, Reading, Reporter
from benchledger.ingestion.roots import Roots
from benchledger.ingestion.sightings import SightingMaker
from benchledger.ingestion.write import Writer
from benchledger.redaction.redactor import Redactor
from benchledger.redaction.samples import known_redaction, load_redaction
from benchledger.scanning.samples import known_formats, load_formats
from benchledger.store.database import open_for_writing, spill_files
from benchledger.store.default_db import DEFAULT_DB
from benchledger.store.key_file import read_key_file
from benchledger.store.private_file import PrivateFile, private_path, private_paths

STDIN_NAME = "stdin"


@dataclass
class IngestResult:
    """Every file's outcome in the order in which it was seen, and what the ledger holds after it.

    `runs` is the number of runs that the files of this ingest belong to, `retold_runs` of those that were derived again
    because a facts.toml says something else now, `moved_runs` of those that lie below a folder that was named only now;
    `unpaired` counts telemetry, profile and
    sidecar logs that no run claims; `stale` counts logs in the ledger that were read under older definitions.
    `foreign` are the formats of logs in the ledger that no definition of today describes: they are kept as they are.
    `unfitting`: what in a facts.toml was said for some files, none of which there is, with its line.
    `archives` were read, or unchanged, had `nested_archives` within, and held `archived_files`; of
    `damaged_archives` a part could not be read.
    `lost_private`: the list of files or the key was missing, so that no file could be skipped as unchanged.
    """

    outcomes: list[FileOutcome] = field(default_factory=list)
    runs: int = 0
    retold_runs: int = 0
    moved_runs: int = 0
    unpaired: int = 0
    stale: int = 0
    lost_private: bool = False
    foreign: tuple[str, ...] = ()
    unfitting: tuple[str, ...] = ()
    archives: int = 0
    archived_files: int = 0
    damaged_archives: int = 0
    nested_archives: int = 0
    bytes_read: int = 0
    seconds: float = 0.0

    @property
    def files(self) -> Counter[str]:
        """Number of files per status; the sum over all statuses is the number of files seen."""
        return Counter(map(attrgetter("status"), self.outcomes))

    @property
    def pieces(self) -> int:
        """Pieces cut from the anchored lines of the logs that were read: records + ignored + rejects."""
        return sum(outcome.pieces for outcome in self.outcomes)

    @property
    def records(self) -> int:
        """Records of the logs that were read."""
        return sum(outcome.records for outcome in self.outcomes)

    @property
    def ignored(self) -> int:
        """Pieces that a format ignores for a stated reason."""
        return sum(outcome.ignored for outcome in self.outcomes)

    @property
    def rejects(self) -> int:
        """Pieces that should have been records and are not; each is kept in table reject."""
        return sum(outcome.rejects for outcome in self.outcomes)


def ingest(
    *paths: Path | str,
    db: Path | str = DEFAULT_DB,
    jobs: int = 1,
    refresh: bool = False,
    dry_run: bool = False,
    campaign_name: str | None = None,
    key_file: Path | str | None = None,
    wait_s: float = 30.0,
    stdin: BinaryIO | None = None,
    limits: Limits | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> IngestResult:
    """Reads every log under the paths into the ledger and returns what became of each file.

    `refresh` reads again what was read before; without paths, every log of the ledger whose definitions have changed.
    `dry_run` reads and accounts, and writes nothing. `limits` are those against archives that are bombs.
    `key_file` holds the key of a new ledger's pseudonyms, so that they are those of another one; a ledger keeps the key
    that it was made with. Raises UsageError for a path that does not exist or a key file that cannot be used,
    DatabaseError and DatabaseHeldError (after `wait_s` seconds) for a database that cannot be used, DefinitionError for
    a definition that is wrong.
    """
    key = read_key_file(Path(key_file)) if key_file is not None else None
    options = _Options(Path(db), jobs, refresh, campaign_name, key, wait_s, limits or Limits(), progress)
    if dry_run:
        with tempfile.TemporaryDirectory() as folder:
            return _ingest(paths, stdin, options, _copy_for_trial(Path(db), Path(folder)))
    return _ingest(paths, stdin, options, Path(db))


@dataclass(frozen=True)
class _Options:
    # As in `ingest`.
    db: Path
    jobs: int
    refresh: bool
    campaign_name: str | None
    key: bytes | None
    wait_s: float
    limits: Limits
    progress: Callable[[Progress], None] | None


def _ingest(paths: tuple[Path | str, ...], stdin: BinaryIO | None, options: _Options, db: Path) -> IngestResult:
    # `db` is where it is written to: for a dry run a copy.
    began = time.monotonic()
    formats, names = known_formats(), load_names()
    result = IngestResult()
    with gc_paused():
        given, folders = list(discover(paths, _own_files(options.db))), named_folders(paths)
    with ExitStack() as opened:
        # A ledger that is there may be held: that is found out before anything is read.
        is_new = db.parent.is_dir() and not db.exists()
        con = None if is_new else opened.enter_context(closing(open_for_writing(db, options.wait_s, records=0)))
        with gc_paused(), closing(PrivateFile(db, options.key)) as private:
            key = private.key
            redactor = Redactor(known_redaction(), key)
            campaign_name = redactor.optional(options.campaign_name)
            plan = Plan(names, all_formats_hash(formats), options.refresh, campaign_name, redactor.path)
            if con is not None:
                plan.know(con, private, formats)
        if options.refresh and not paths and stdin is None:
            given = plan.stale_files()
        content: bytes | None = None
        if stdin is not None:
            opened.close()
            content = stdin.read()
            given.append(FoundFile(STDIN_NAME, STDIN_NAME, STDIN_NAME, len(content), 0))
        with gc_paused():
            work = plan.sort_out(given, content)
        roots = Roots(key, redactor, plan, folders)
        writer = Writer(db, options.wait_s, formats, plan, roots, options.jobs)
        if stdin is None and is_little(work.sizes):
            # To let go of it and to open it again would take longer than the reading.
            writer.con = con
        else:
            opened.close()
        opened.callback(writer.let_go)
        report = Reporter(options.progress, work.sizes)
        reading = Reading(work, plan, key, db.parent, options.jobs, report)
        # While other processes read: the formats have to prove themselves.
        load_formats()
        load_redaction()
        facts = FactsFiles()
        sightings = SightingMaker(key, names, facts, campaign_name, redactor, roots, datetime.now(UTC))
        accounts = Accounts(plan, sightings, redactor)
        roots.read = accounts.members
        sources = ArchiveSources(plan, facts, options.limits, content, accounts.folders)
        opened.callback(reading.close)
        with Batches(accounts, writer, reading.others_read) as batches:
            if reading.others_read:
                batches.prepare(is_new)
            reading.into(accounts, sources, lambda: batches.write_if_due(reading.left))
            for file in work.unreadable:
                accounts.unreadable(file, file.problem or "cannot be read")
            batches.finish()
            retold = account_for_facts(work, plan, facts, accounts, db)
            # What is left writes and counts; nobody has to wait for a reader any more.
            batches.write_rest()
        retold += tell_late(sources.late, db)
        moved = [seen for seen in roots.moved if seen.place not in accounts.outcomes]
        spread = tell_late(roots.now_spread(accounts.members), db)
        if retold or moved or spread:
            load_archived_facts([*retold, *moved, *spread], plan, sources)
            writer.retell(spread, sightings)
            result.retold_runs = writer.retell(retold, sightings)
            result.moved_runs = writer.retell(moved, sightings)
        with gc_paused():
            unchanged = _account_for_unchanged(work, plan, accounts)
        result.runs, result.unpaired, result.stale = writer.finish(unchanged)
    unfitting = unfitting_matches(work, plan, facts, accounts, folders)
    result.unfitting = tuple(redactor.text(said) for said in unfitting)
    result.outcomes = accounts.in_order(work.order)
    result.archives, result.archived_files = len(accounts.members), accounts.archived_files
    result.nested_archives = accounts.nested_archives
    result.damaged_archives = len(accounts.damaged)
    result.bytes_read, result.lost_private = accounts.bytes_read, plan.lost_private
    result.foreign = tuple(plan.foreign)
    result.seconds = time.monotonic() - began
    return result


def _account_for_unchanged(work: Work, plan: Plan, accounts: Accounts) -> set[int]:
    logs: set[int] = set()
    for file in work.unchanged:
        seen = plan.seen[file.place]
        log = plan.logs.get(seen.log_id) if seen.log_id is not None else None
        accounts.unchanged(file, log.format if log else None, log.status if log else seen.status)
        if seen.log_id is not None:
            logs.add(seen.log_id)
    for archive in work.unchanged_archives:
        logs |= accounts.unchanged_archive(archive)
    return logs


def _own_files(db: Path) -> set[str]:
    # The ledger may lie in the folder that is ingested.
    place = os.path.realpath(db)
    return {
        place,
        f"{place}.wal",
        *map(str, private_paths(place)),
        f"{private_path(place)}-journal",
        f"{private_path(place)}-wal",
        *map(str, spill_files(Path(place))),
    }


def _copy_for_trial(db: Path, folder: Path) -> Path:
    import shutil

    target = folder / "trial.duckdb"
    for source, copy in zip((db, *private_paths(db)), (target, *private_paths(target)), strict=True):
        if source.exists():
            try:
                shutil.copy(source, copy)
            except OSError as error:
                raise DatabaseError(
                    f"{source}: cannot be copied for a dry run: {error.strerror}. Free some disk space"
                ) from error
    return target
