"""The private files of several ledgers as one: files read, folders named, real names; and what these move."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from benchledger.definitions.log_format import LogFormat, all_formats_hash
from benchledger.definitions.names import Names
from benchledger.ingestion.discover import NamedFolders, folder_of
from benchledger.ingestion.facts_file import Declared, FactsFiles
from benchledger.ingestion.load import set_ids
from benchledger.ingestion.plan import Plan
from benchledger.ingestion.roots import Roots
from benchledger.ingestion.sightings import Sighting, SightingMaker
from benchledger.ingestion.write import sightings_again
from benchledger.redaction.redactor import Redactor
from benchledger.redaction.samples import load_redaction
from benchledger.store.private_file import PrivateFile, SeenFile, copy_private, names_in

if TYPE_CHECKING:
    import duckdb


@dataclass(frozen=True)
class _Private:
    seen: dict[str, SeenFile]
    roots: dict[str, bool]
    names: dict[str, str]


class _AsTold(FactsFiles):
    """Leaves all that a facts.toml said of a place as it is: the file may lie on another machine."""

    def declared(self, place: str) -> Declared:  # noqa: ARG002 - as in FactsFiles
        return Declared(None, ())

    def is_refused(self, place: str) -> bool:  # noqa: ARG002 - as in FactsFiles
        return True


def merge_private(
    con: duckdb.DuckDBPyConnection, sources: list[Path], private: PrivateFile, folder: Path
) -> tuple[str, ...]:
    """Fills the private files of a ledger, which has all sightings of `sources`, with all that theirs hold.

    Returns the ledgers that have none. They are read from copies in `folder`, since to open one can change it.
    """
    found, missing = [], []
    for number, source in enumerate(sources):
        copy = folder / f"{number}.duckdb"
        if not copy_private(source, copy):
            missing.append(str(source))
            continue
        with closing(PrivateFile(copy)) as opened:
            found.append(_Private(opened.seen(), opened.roots(), names_in(copy)))
    private.remember(_seen(con, found))
    for one in found:
        private.remember_names(one.names)
    roots = list(dict.fromkeys(place for one in found for place in one.roots))
    moving = _moving(found, roots)
    private.remember_roots(moving, is_settled=False)
    private.remember_roots([place for place in roots if place not in moving], is_settled=True)
    return tuple(missing)


def moved_sightings(
    con: duckdb.DuckDBPyConnection, private: PrivateFile, formats: dict[str, LogFormat], names: Names, now: datetime
) -> list[Sighting]:
    """The sightings below the roots that only another ledger was told of, as they are told below these."""
    redactor = Redactor(load_redaction(), private.key)
    plan = Plan(names, all_formats_hash(formats), False, None, redactor.path)
    plan.know_roots(con, private)
    plan.know(con, private, formats)
    roots = Roots(private.key, redactor, plan, [])
    if not roots.moved:
        return []
    sightings = SightingMaker(private.key, names, _AsTold(), None, redactor, roots, now)
    again = sightings_again(con, roots.moved, plan, sightings)
    private.remember_roots(roots.new, is_settled=True)
    return again


def _seen(con: duckdb.DuckDBPyConnection, found: list[_Private]) -> Iterator[SeenFile]:
    """Each file as it was read last.

    A facts.toml or archive that changed between two ledgers is left out: the next ingest reads it again.
    """
    several: dict[str, list[SeenFile]] = {}
    for one in found:
        for place, seen in one.seen.items():
            several.setdefault(place, []).append(seen)
    unlike = [seen for entries in several.values() if len(set(entries)) > 1 for seen in entries]
    set_ids(con, "unlike_seen", [seen.sighting_id for seen in unlike])
    read_at = dict(
        con.execute(
            """select sighting_id, (ingested_at, modified_at is not null, modified_at)::varchar from sighting
               where sighting_id in (select id from unlike_seen)"""
        ).fetchall()
    )
    for entries in several.values():
        logs = [seen for seen in entries if seen.log_id is not None]
        if len(set(entries)) == 1 or logs:
            yield max(logs or entries, key=lambda seen: (read_at.get(seen.sighting_id, ""), seen.mtime_ns, seen.size))


def _moving(found: list[_Private], roots: list[str]) -> set[str]:
    """The outermost roots below which a ledger that knows nothing of them has seen a file."""
    named, moving = NamedFolders(roots), set()
    for one in found:
        for seen in one.seen.values():
            outermost = named.outermost(folder_of(seen.within or seen.place))
            if outermost is not None and outermost not in one.roots:
                moving.add(outermost)
    return moving
