"""Units: what one worker reads, by its digest. Its tables are written first, then its marker, which is the commit."""

from __future__ import annotations

import hashlib
import json
import os
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from benchledger.archives.member import CHAIN
from benchledger.definitions.definition_cache import files_in, hash_of
from benchledger.definitions.folders import own_folders, use_definitions
from benchledger.errors import DatabaseHeldError, UsageError, need_campaign_name
from benchledger.ingestion.base_tables import BaseTables
from benchledger.ingestion.discover import FACTS_FILE, folder_above
from benchledger.ingestion.outcomes import LEFT_OUT, FileOutcome
from benchledger.ingestion.seams import Input, derive, load_definitions, read_unit
from benchledger.ingestion.units import in_parts
from benchledger.lake.objects import LEASES, TABLES, Lake, open_lake
from benchledger.lake.parts import part_of, read_part, write_part
from benchledger.store.key_file import read_key_file
from benchledger.store.migrations import program_version, shipped_migrations
from benchledger.store.sync import synced_hash

if TYPE_CHECKING:
    import pyarrow as pa

KEY_ENV = "BENCH_KEY_FILE"
# A worker renews its lease while it reads. Where one is older, its worker was killed, and another one reads the unit.
LEASE_S = 60.0
_WAIT_S = 10.0
READ, DERIVED, KNOWN, LEASED = "read", "derived", "known", "leased"


@dataclass(frozen=True)
class Unit:
    """Whole folders of files to read into a lake. The key is read where the unit is read: it never travels."""

    digest: str
    inputs: tuple[Input, ...]
    definitions: str
    choices: Choices


class UnitOutcome(NamedTuple):
    """The outcome of a unit; if it was read or derived now, also its files that are in no table.

    `recognised`: some file is in a table, or the unit was not read now.
    """

    how: str
    left_out: tuple[FileOutcome, ...] = ()
    recognised: bool = True


@dataclass(frozen=True)
class Choices:
    """The options that all units of one ingest share."""

    lake: str
    key_file: str | None
    now: datetime
    campaign_name: str | None = None
    # The user's own definitions.
    folders: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        need_campaign_name(self.campaign_name)


def key_from(key_file: Path | str | None) -> bytes:
    """The key in a file, by default that of $BENCH_KEY_FILE. Raises UsageError without one."""
    named = key_file or os.environ.get(KEY_ENV)
    if not named:
        raise UsageError(
            f"a lake needs the key of its pseudonyms: --key-file FILE, or ${KEY_ENV} on each machine. Make one: "
            f"`(umask 077; openssl rand -hex 32 > FILE)`"
        )
    return read_key_file(Path(named))


def definitions_hash() -> str:
    """A hash of all definitions and code that reading depends on."""
    return hash_of(files_in("ingest/formats", "ingest/names", "ingest", "schema/vocabulary"))


def derived_digests(digests: Iterable[str]) -> dict[str, str]:
    """By the digest of each unit, that of what follows from it by the rules, the code and the schema of today."""
    steps = [step.digest for step in shipped_migrations()]
    by = " ".join([program_version(), synced_hash(), definitions_hash(), _code_hash(), *steps])
    return {one: hashlib.blake2b(f"{one} {by}".encode(), digest_size=16).hexdigest() for one in digests}


def units_of(inputs: Iterable[Input], key: bytes, most_bytes: int, choices: Choices) -> Iterator[Unit]:
    """The units of some files: whole folders in order, together as large as `most_bytes`; a larger folder is one."""
    folders: dict[str, list[Input]] = {}
    definitions = definitions_hash()
    for one in inputs:
        folders.setdefault(os.path.dirname(one.place), []).append(one)
    facts = {folder: one for folder, some in folders.items() for one in some if one.place == f"{folder}/{FACTS_FILE}"}
    for part in in_parts(sorted(folders), lambda folder: sum(one.size for one in folders[folder]), most_bytes):
        yield _unit([folders[name] for name in part], facts, key, choices, definitions)


def read_into_lake(unit: Unit, lease_s: float = LEASE_S) -> UnitOutcome:
    """Reads a unit, unless it was read before or another worker reads it now; says which."""
    choices = unit.choices
    lake = open_lake(choices.lake)
    if own_folders() != list(choices.folders):
        use_definitions(*choices.folders)
    if definitions_hash() != unit.definitions:
        raise UsageError("this machine has other definitions than the driver: install the same benchledger there")
    derived = derived_digests([unit.digest])[unit.digest]
    if lake.marker(derived) is not None and lake.marker(unit.digest) is not None:
        return UnitOutcome(KNOWN)
    key = key_from(choices.key_file)
    lake.need_key(key)
    with leased(lake, unit.digest, lease_s) as is_mine:
        return _read(unit, derived, lake, key) if is_mine else UnitOutcome(LEASED)


def _read(unit: Unit, derived: str, lake: Lake, key: bytes) -> UnitOutcome:
    definitions, marker = load_definitions(), lake.marker(unit.digest)
    if marker is None:
        base = read_unit(unit.inputs, key, definitions, unit.choices.now, campaign_name=unit.choices.campaign_name)
        told = {"files": len(unit.inputs), "bytes": sum(one.size for one in unit.inputs)}
        is_first = write_part(lake, unit.digest, unit.digest, base.tables, **told)
    else:
        base, is_first = BaseTables.made_of(read_part(lake, part_of(unit.digest, marker), marker["rows"])), False
    tables = derive(base, definitions).tables
    is_derived = write_part(lake, derived, unit.digest, tables)
    how = READ if is_first else DERIVED if is_derived else KNOWN
    if how == KNOWN:
        return UnitOutcome(how)
    sightings = base.tables["sighting"]
    recognised = not {*sightings.column("status").to_pylist()} <= {*LEFT_OUT}
    return UnitOutcome(how, tuple(_left_out(sightings)), recognised)


def _left_out(sightings: pa.Table) -> Iterator[FileOutcome]:
    columns = ("path", "archive", "member", "status", "reason")
    for row in sightings.select(columns).to_pylist():
        if row["status"] in LEFT_OUT:
            place = row["path"] if row["archive"] is None else CHAIN.join(filter(None, (row["archive"], row["member"])))
            yield FileOutcome(row["path"], row["status"], row["reason"], place=place)


@cache
def _code_hash() -> str:
    engine = Path(__file__).parents[1]
    return hash_of(
        path for part in ("ingestion", "kept") for path in sorted((engine / part).rglob("*.*")) if path.suffix != ".pyc"
    )


def _unit(folders: list[list[Input]], facts: dict[str, Input], key: bytes, choices: Choices, definitions: str) -> Unit:
    inputs = {one.place: one for some in folders for one in some}
    for some in folders:
        folder = os.path.dirname(some[0].place)
        while True:
            if folder in facts:
                inputs.setdefault(facts[folder].place, facts[folder])
            above = folder_above(folder)
            if above == folder:
                break
            folder = above
    digest = hashlib.blake2b(digest_size=16, key=key)
    given = tuple(inputs[place] for place in sorted(inputs))
    stated = [(one.place, one.shown, one.root, one.size, one.mtime_ns, one.problem) for one in given]
    digest.update(json.dumps([definitions, choices.campaign_name, stated]).encode("utf-8", "surrogatepass"))
    return Unit(digest.hexdigest(), given, definitions, choices)


@contextmanager
def alone(lake: Lake) -> Iterator[None]:
    """The right to write or remove tables, for one process. A killed one is waited for until its lease ends."""
    until = time.monotonic() + LEASE_S + _WAIT_S
    while True:
        with leased(lake, TABLES, LEASE_S) as is_mine:
            if is_mine:
                yield
                return
        if time.monotonic() > until:
            raise DatabaseHeldError(f"{lake.place}: another process publishes it or removes objects. Wait for its end")
        time.sleep(1.0)


@contextmanager
def leased(lake: Lake, digest: str, lease_s: float) -> Iterator[bool]:
    """Whether this process has the lease of a unit, which it renews. Only to spare work: the marker decides."""
    place = f"{LEASES}/{digest}"
    if not lake.put_new(place, _now()):
        before = lake.get(place)
        if before is not None and datetime.now(UTC) - datetime.fromisoformat(before.decode()) < timedelta(0, lease_s):
            yield False
            return
        lake.put(place, _now())
    ended = threading.Event()

    def renew() -> None:
        while not ended.wait(max(lease_s / 4, 1.0)):
            lake.put(place, _now())

    renewing = threading.Thread(target=renew, daemon=True)
    renewing.start()
    try:
        yield True
    finally:
        ended.set()
        renewing.join()
        lake.delete([place])


def _now() -> bytes:
    return datetime.now(UTC).isoformat().encode()
