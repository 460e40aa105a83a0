"""`bench ingest`: gives every file an outcome, and loads each log as a whole or not at all."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import BinaryIO

from benchledger.archives.limits import Limits
from benchledger.definitions.log_format import all_formats_hash
from benchledger.definitions.names import load_names
from benchledger.errors import need_campaign_name
from benchledger.ingestion.accounts import Accounts
from benchledger.ingestion.batches import Batches, BatchLimits
from benchledger.ingestion.discover import FoundFile, discover, named_folders
from benchledger.ingestion.facts_file import FactsFiles
from benchledger.ingestion.keep_logs import end_keeping, keeping_of, provide_kept_facts, with_kept
from benchledger.ingestion.outcomes import Documents, FileOutcome
from benchledger.ingestion.plan import Plan
from benchledger.ingestion.pool import Pool, is_little
from benchledger.ingestion.read import gc_paused, process_reader
from benchledger.ingestion.reading import (
    ArchiveSources,
    Progress,
    Reading,
    Reporter,
    account_for_facts,
    late_members,
    load_archived_facts,
    unfitting_matches,
)
from benchledger.ingestion.roots import Roots, standard_input
from benchledger.ingestion.sightings import SightingMaker
from benchledger.ingestion.units import ReadFiles
from benchledger.ingestion.write import Writer
from benchledger.redaction.redactor import Redactor
from benchledger.redaction.samples import known_redaction, load_redaction
from benchledger.scanning.samples import known_formats, load_formats
from benchledger.store.copies import copy_for_trial, ledger_files
from benchledger.store.database import open_for_writing
from benchledger.store.default_db import DEFAULT_DB
from benchledger.store.key_file import need_key, read_key_file
from benchledger.store.private_file import PrivateFile, SeenFile
from benchledger.store.scratch import work_folder


@dataclass
class IngestResult:
    """Every file's outcome in the order in which it was seen, and what the ledger holds after it.

    `runs` is the number of runs that the files of this ingest belong to, `retold_runs` of those that were derived again
    because a facts.toml has changed, `moved_runs` of those below a folder that was named only now; `unpaired` counts
    telemetry, profile and sidecar logs without a run; `stale` counts logs that were read with older definitions.
    `foreign` are the formats of logs that no definition of today describes: they are kept as they are. `unfitting`:
    each `match` of a facts.toml that fits no log, with its line.
    `archives` were read, or unchanged, with `nested_archives` and `archived_files` in them; parts of `damaged_archives`
    could not be read. `lost_private`: the list of files or the key was missing, so no file was skipped as unchanged.
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
        return Counter(outcome.status for outcome in self.outcomes)

    @property
    def pieces(self) -> int:
        """Pieces cut from the lines of the logs that were read: records + ignored + rejects + unread."""
        return sum(outcome.pieces for outcome in self.outcomes)

    @property
    def records(self) -> int:
        return sum(outcome.records for outcome in self.outcomes)

    @property
    def ignored(self) -> int:
        """Pieces that a format ignores for a stated reason."""
        return sum(outcome.ignored for outcome in self.outcomes)

    @property
    def rejects(self) -> int:
        """Pieces that should have been records and are not; each is kept in table reject."""
        return sum(outcome.rejects for outcome in self.outcomes)

    @property
    def unread(self) -> int:
        """Lines with a measurement that the format of their log does not know: see table kept.unread."""
        return sum(outcome.unread for outcome in self.outcomes)


def ingest(
    *paths: Path | str,
    db: Path | str = DEFAULT_DB,
    jobs: int = 1,
    refresh: bool = False,
    dry_run: bool = False,
    documents: bool = False,
    keep_logs: bool = False,
    keep_redacted: bool = False,
    campaign_name: str | None = None,
    key_file: Path | str | None = None,
    wait_s: float = 30.0,
    stdin: BinaryIO | None = None,
    limits: Limits | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> IngestResult:
    """Reads every log under the paths into the ledger and returns what became of each file.

    Paths can be addresses (s3://BUCKET/FOLDER, gs://, az://, https://HOST/FILE). `refresh` reads again what was read
    before; without paths, every log whose definitions have changed. `dry_run` reads and accounts, and writes nothing.
    `documents` reads pages and scripts that quote log lines as logs, `keep_logs` keeps the contents of logs in
    LEDGER.logs, `keep_redacted` with private names replaced: as every later ingest does. `limits`: against bombs.
    `key_file` holds the key of a new ledger's pseudonyms; a ledger keeps its key. Raises UsageError for a path that
    does not exist or a wrong key file, DatabaseError and DatabaseHeldError (after `wait_s` seconds) for a database that
    cannot be used, DefinitionError for a wrong definition.
    """
    key = read_key_file(Path(key_file)) if key_file is not None else None
    options = IngestOptions(
        Path(db), jobs, refresh, campaign_name, key, wait_s, limits or Limits(), progress or (lambda _: None),
        documents=documents, keep_logs=keep_logs and not dry_run, keep_redacted=keep_redacted and not dry_run,
    )  # fmt: skip
    return ingest_with(options, *paths, stdin=stdin, dry_run=dry_run)


@dataclass(frozen=True)
class IngestOptions:
    """The arguments of `ingest`, with the content of the key file; when batches are written; the files, if listed."""

    db: Path
    jobs: int = 1
    refresh: bool = False
    campaign_name: str | None = None
    key: bytes | None = None
    wait_s: float = 30.0
    limits: Limits = field(default_factory=Limits)
    progress: Callable[[Progress], None] = lambda _: None
    batch_limits: BatchLimits = field(default_factory=BatchLimits)
    documents: bool = False
    keep_logs: bool = False
    keep_redacted: bool = False
    files: list[FoundFile] | None = None  # Then nobody asks which matches of a facts.toml fit no log.


def ingest_with(
    options: IngestOptions, *paths: Path | str, stdin: BinaryIO | None = None, dry_run: bool = False
) -> IngestResult:
    need_campaign_name(options.campaign_name)
    if not dry_run:
        return _Ingest(paths, options, options.db).run(stdin)
    with work_folder() as folder:
        return _Ingest(paths, options, copy_for_trial(options.db, folder)).run(stdin)


class _Ingest:
    """One ingest, in the order of its methods. `db` is where it is written to: for a dry run a copy."""

    def __init__(self, paths: tuple[Path | str, ...], options: IngestOptions, db: Path) -> None:
        self._began = time.monotonic()
        self._options, self._db = options, db
        self._formats, self._names = known_formats(), load_names()
        self._reads_all_stale = options.refresh and not paths
        with gc_paused():
            failed, found = dict[str, Exception](), options.files
            self._files = list(discover(paths, ledger_files(options.db), failed) if found is None else found)
            self._folders = named_folders(paths, failed)

    def run(self, stdin: BinaryIO | None) -> IngestResult:
        with ExitStack() as opened:
            self._plan_work(opened, stdin)
            self._begin_reading(opened)
            changed = self._read_and_write()
            result = IngestResult()
            self._write_again(changed, result)
            with gc_paused():
                unchanged = self._accounts.unchanged_files(self._work)
            result.runs, result.unpaired, result.stale = self._writer.finish(unchanged)
            self._writer.close()
            end_keeping(self._db, self._work, self._sources.facts)
        self._sum_up(result)
        return result

    def _plan_work(self, opened: ExitStack, stdin: BinaryIO | None) -> None:
        options, db = self._options, self._db
        # A ledger that exists may be locked: this fails before anything is read.
        self._is_new = db.parent.is_dir() and not db.exists()
        con = None if self._is_new else opened.enter_context(closing(open_for_writing(db, options.wait_s, records=0)))
        self._tops = self._folders if options.files is None else []
        need_key(db, options.key, con)
        with gc_paused(), closing(PrivateFile(db, options.key)) as private:
            self._key = private.key
            self._redactor = Redactor(known_redaction(), self._key)
            self._campaign_name = self._redactor.optional(options.campaign_name)
            plan = Plan(
                self._names, all_formats_hash(self._formats), options.refresh, self._campaign_name, self._redactor.path,
                documents=options.documents,
            )  # fmt: skip
            plan.know_roots(con, private)
            self._roots = Roots(self._key, self._redactor, plan, self._folders)
            # Files below a new root may have been seen before, and then count as its own.
            asked = None if stdin is not None or self._roots.new else self._files
            if con is not None:
                plan.know(con, private, self._formats, asked, self._tops)
        if self._reads_all_stale and stdin is None:
            self._files = with_kept(plan.stale_files(), plan, con, options.db)
        if stdin is not None:
            opened.close()
            self._files.append(standard_input(stdin.read()))
        with gc_paused():
            self._plan, self._work = plan, plan.sort_out(self._files)
        self._documents = Documents(self._names.documents, self._formats)
        self._writer = Writer(db, options.wait_s, self._formats, plan, self._roots, options.jobs, self._documents)
        if stdin is None and is_little(self._work.sizes):
            # To close it and to open it again would take longer than the reading.
            self._writer.con = con
        else:
            opened.close()
        opened.callback(self._writer.abandon)

    def _begin_reading(self, opened: ExitStack) -> None:
        options, plan = self._options, self._plan
        keeping = keeping_of(self._db, raw=options.keep_logs, redacted=options.keep_redacted)
        pool = Pool(partial(process_reader, plan.known, self._key, self._db.parent, keeping=keeping), options.jobs)
        self._reading = Reading(self._work, pool, Reporter(options.progress, self._work.sizes), jobs=options.jobs)
        # While other processes read: check the samples of all formats.
        load_formats()
        load_redaction()
        self._facts = FactsFiles(self._work.facts)
        provide_kept_facts(self._facts, options.db)
        self._sightings = SightingMaker(
            self._key, self._names, self._facts, self._campaign_name, self._redactor, self._roots, datetime.now(UTC)
        )
        self._accounts = Accounts(plan, self._sightings, self._redactor, self._documents)
        self._roots.read = self._accounts.members
        self._sources = ArchiveSources(plan, self._facts, options.limits, self._accounts.folders)
        opened.callback(self._reading.close)

    def _read_and_write(self) -> list[SeenFile]:
        """Returns the files read earlier whose facts.toml has changed."""
        accounts, reading = self._accounts, self._reading
        limits, reads_ahead = self._options.batch_limits, reading.in_other_processes
        with Batches(accounts, self._writer, reads_ahead=reads_ahead, limits=limits) as batches:

            def write() -> None:
                batches.write_if_due(reading.bytes_left)

            if reads_ahead:
                batches.prepare(self._is_new)
            for part in reading.parts(self._sources, write):
                batches.add(part)
                write()
            accounts.add(self._work.unreadable, ReadFiles())
            batches.finish()
            changed = account_for_facts(self._work, self._plan, self._facts, accounts, self._db)
            # From here on the ledger stays open.
            batches.write_rest()
        return changed + late_members(self._sources.late, self._db)

    def _write_again(self, changed: list[SeenFile], result: IngestResult) -> None:
        """Writes sightings again: those of a changed facts.toml, of a new root, of an archive with more in it."""
        moved = [seen for seen in self._roots.moved if seen.place not in self._accounts.outcomes]
        spread = late_members(self._roots.now_spread(self._accounts.members), self._db)
        if changed or moved or spread:
            load_archived_facts([*changed, *moved, *spread], self._plan, self._sources)
            self._writer.write_again(spread, self._sightings)
            result.retold_runs = self._writer.write_again(changed, self._sightings)
            result.moved_runs = self._writer.write_again(moved, self._sightings)

    def _sum_up(self, result: IngestResult) -> None:
        accounts, plan = self._accounts, self._plan
        unfitting = unfitting_matches(self._work, plan, self._facts, accounts, self._tops)
        result.unfitting = tuple(self._redactor.text(line) for line in unfitting)
        result.outcomes = accounts.in_order(self._work.order)
        result.archives, result.archived_files = len(accounts.members), accounts.archived_files
        result.nested_archives, result.damaged_archives = accounts.nested_archives, len(accounts.damaged)
        result.bytes_read, result.lost_private = accounts.bytes_read, plan.lost_private
        result.foreign, result.seconds = tuple(plan.foreign), time.monotonic() - self._began
