"""`bench ingest`: every file seen is accounted for, and what a log holds is in the ledger whole or not at all."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path
from typing import BinaryIO

from benchledger.archives.limits import Limits
from benchledger.definitions.log_format import all_formats_hash
from benchledger.definitions.names import load_names
from benchledger.errors import DatabaseError
from benchledger.ingestion.accounts import Accounts
from benchledger.ingestion.batches import Batches
from benchledger.ingestion.collecting import without_collecting
from benchledger.ingestion.discover import FoundFile, discover
from benchledger.ingestion.facts_file import FactsFiles
from benchledger.ingestion.outcome import IngestResult, Progress
from benchledger.ingestion.plan import Plan, Work
from benchledger.ingestion.pool import is_little
from benchledger.ingestion.reading import Reading, Reporter
from benchledger.ingestion.sightings import SightingMaker
from benchledger.ingestion.take_up import load_archived_facts, take_up, tell_late, unfitting_matches
from benchledger.ingestion.unpack import Unpacker
from benchledger.ingestion.write import Writer
from benchledger.redaction.redactor import Redactor
from benchledger.redaction.samples import known_redaction, load_redaction
from benchledger.scanning.samples import known_formats, load_formats
from benchledger.store.database import open_for_writing, waiting_files
from benchledger.store.default_db import DEFAULT_DB
from benchledger.store.key_file import read_key_file
from benchledger.store.private import PrivateFile, private_path

STDIN_NAME = "stdin"


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
    if dry_run:
        with tempfile.TemporaryDirectory() as folder:
            target = _copy_for_trial(Path(db), Path(folder))
            return _ingest(paths, target, jobs, refresh, campaign_name, key, wait_s, stdin, limits, progress, Path(db))
    return _ingest(paths, Path(db), jobs, refresh, campaign_name, key, wait_s, stdin, limits, progress, Path(db))


def _ingest(
    paths: tuple[Path | str, ...], db: Path, jobs: int, refresh: bool, campaign_name: str | None,
    given_key: bytes | None, wait_s: float, stdin: BinaryIO | None, limits: Limits | None,
    progress: Callable[[Progress], None] | None, real_db: Path,
) -> IngestResult:  # fmt: skip
    began = time.monotonic()
    formats, names = known_formats(), load_names()
    result = IngestResult()
    with without_collecting():
        given = list(discover(paths, _own_files(real_db)))
    with ExitStack() as opened:
        # A ledger that is there may be held: that is found out before anything is read.
        is_new = db.parent.is_dir() and not db.exists()
        con = None if is_new else opened.enter_context(closing(open_for_writing(db, wait_s, records=0)))
        with without_collecting(), closing(PrivateFile(db, given_key)) as private:
            key = private.key
            redactor = Redactor(known_redaction(), key)
            campaign_name = redactor.optional(campaign_name)
            plan = Plan(names, all_formats_hash(formats), refresh, campaign_name, redactor.path)
            if con is not None:
                plan.know(con, private, formats)
        if refresh and not paths and stdin is None:
            given = plan.stale_files()
        content: bytes | None = None
        if stdin is not None:
            opened.close()
            content = stdin.read()
            given.append(FoundFile(STDIN_NAME, STDIN_NAME, STDIN_NAME, len(content), 0))
        with without_collecting():
            work = plan.sort_out(given, content)
        writer = Writer(db, wait_s, formats, plan, jobs)
        if stdin is None and is_little(work.sizes):
            # To let go of it and to open it again would take longer than the reading.
            writer.con = con
        else:
            opened.close()
        opened.callback(writer.let_go)
        report = Reporter(progress, work.sizes)
        reading = Reading(work, plan, key, db.parent, jobs, report)
        # While other processes read: the formats have to prove themselves.
        load_formats()
        load_redaction()
        facts = FactsFiles()
        sightings = SightingMaker(key, names, facts, campaign_name, redactor)
        accounts = Accounts(plan, sightings, redactor)
        unpacker = Unpacker(plan, facts, limits or Limits(), content, accounts.folders)
        with Batches(accounts, writer, reading.others_read) as batches:
            if reading.others_read:
                batches.prepare(is_new)
            for _ in reading.into(accounts, unpacker):
                batches.write_if_full(reading.left)
            batches.finish()
        for file in work.unreadable:
            accounts.unreadable(file, file.problem or "cannot be read")
        retold = take_up(work, plan, facts, accounts, db)
        # What is left writes and counts; nobody has to wait for a reader any more.
        writer.hold(accounts.pending.records)
        writer.write(accounts.take())
        retold += tell_late(unpacker.late, db)
        if retold:
            load_archived_facts(retold, plan, unpacker)
            result.retold_runs = writer.retell(retold, sightings)
        with without_collecting():
            unchanged = _account_for_unchanged(work, plan, accounts)
        writer.complete(result, unchanged)
    given_folders = [os.path.realpath(path) for path in paths if os.path.isdir(path)]
    unfitting = unfitting_matches(work, plan, facts, accounts, given_folders)
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
        str(private_path(place)),
        f"{private_path(place)}-journal",
        f"{private_path(place)}-wal",
        *map(str, waiting_files(Path(place))),
    }


def _copy_for_trial(db: Path, folder: Path) -> Path:
    import shutil

    target = folder / "trial.duckdb"
    for source, copy in ((db, target), (private_path(db), private_path(target))):
        if source.exists():
            try:
                shutil.copy(source, copy)
            except OSError as error:
                raise DatabaseError(
                    f"{source}: cannot be copied for a dry run: {error.strerror}. Free some disk space"
                ) from error
    return target
