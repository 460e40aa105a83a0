"""Roots: what was named to be read. A campaign that nobody states is its root and the folders below it."""

from __future__ import annotations

import hashlib
import io
import os
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING

from benchledger.archives.magic_bytes import HEAD, is_archive, without_suffixes
from benchledger.archives.member import CHAIN
from benchledger.ingestion.discover import FoundFile, NamedFolders, chain_of, folder_of, is_lasting, is_lone, printable
from benchledger.ingestion.load import sql_text
from benchledger.ingestion.plan import Plan
from benchledger.ingestion.remote import is_bucket
from benchledger.redaction.redactor import Redactor
from benchledger.scanning.content import content_hash
from benchledger.store.private_file import SeenFile

if TYPE_CHECKING:
    import duckdb

# macOS packs what a file has beside its bytes into a folder of its own.
_RESOURCE_FORKS = "__MACOSX"


def standard_input(content: bytes) -> FoundFile:
    """What came from standard input. Each archive is a place of its own: members of two may have the same names."""
    name = "stdin"
    place = f"{content_hash(content)}/{name}" if is_archive(content[:HEAD]) else name
    return FoundFile(place, name, name, len(content), 0, open=partial(io.BytesIO, content))


@dataclass(frozen=True)
class Root:
    """A folder, an archive or standard input, by its real place. `root_id` is a keyed hash of that."""

    place: str
    root_id: str
    name: str

    @cached_property
    def folder(self) -> str:
        """Its name as it is, an archive's without suffixes."""
        return printable(without_suffixes(os.path.basename(self.place)))

    @cached_property
    def above(self) -> str:
        """What the place of each plain file in it begins with."""
        return self.place.rstrip(os.sep) + os.sep


@dataclass(frozen=True)
class Below:
    """Where a file lies below its root, an archive taken for a folder of its stem: as it is, and redacted.

    `inner`: the same below the innermost archive, redacted. `own_top`: the first folder is that of the root itself,
    packed with what is in it.
    """

    path: str
    shown: str
    inner: str
    own_top: bool = False


class Roots:
    """Which root each file belongs to: the outermost folder that was named now or earlier and holds it.

    Without one it is the folder of a file that was named itself, or the archive. `new`: the folders that are named for
    the first time. `read`: the members of archives that were read so far, by archive.
    """

    def __init__(self, key: bytes, redactor: Redactor, plan: Plan, folders: list[str]) -> None:
        self._hash = hashlib.blake2b(b"root:", digest_size=8, key=key)
        self._redactor = redactor
        self._plan = plan
        self.read: dict[str, list[str]] = {}
        # One that holds no log, or not any more, says nothing of others.
        known = {place: settled for place, settled in plan.named.items() if self.id_of(place) in plan.root_ids}
        self.new = [place for place in dict.fromkeys([*folders, *known]) if not known.get(place)]
        self._named = NamedFolders([*known, *folders])
        self._roots: dict[str, Root] = {}
        # Of each archive on disk: the archives in it, itself too, that hold more than a folder of their own name.
        self._spread: dict[str, set[str]] = {}

    @cached_property
    def moved(self) -> list[SeenFile]:
        """The logs that were seen before below a folder that is the outermost one only now."""
        return self._plan.seen_through([place for place in self.new if self._named.outermost(place) == place])

    def id_of(self, place: str) -> str:
        keyed = self._hash.copy()
        keyed.update(os.fsencode(place))
        return keyed.hexdigest()

    def of(self, file: FoundFile) -> Root:
        on_disk = file.within or file.place
        folder = folder_of(on_disk)
        place = (self._named.outermost(folder) or folder) if folder else on_disk
        if file.within and chain_of(file.place, file.within) and self._named.outermost(folder) is None:
            place = on_disk
        if place not in self._roots:
            # All that comes from standard input has one root.
            lasting = place if is_lasting(place) else os.path.basename(place)
            self._roots[place] = Root(place, self.id_of(lasting), self._name(place, is_archive=place == file.within))
        return self._roots[place]

    def below(self, file: FoundFile, root: Root) -> Below:
        if not file.within:
            path = file.shown if file.top == root.place else _relative(file.place, root)
            shown = self._redactor.path(path, file.place)
            return Below(path, shown, shown)
        names = chain_of(file.place, file.within)
        if not names:
            # What a compressed file holds, or what is missing of an archive.
            place = file.named_place if is_lone(file.place) else file.within
            path = _relative(place, root) if is_lasting(place) else file.shown
            shown = self._redactor.path(path, place)
            return Below(path, shown, shown)
        return self._within(file, root, names)

    def archive(self, file: FoundFile, root: Root) -> str:
        within = file.within
        path = os.path.basename(within) if within == root.place else _relative(within, root)
        return self._redactor.path(path, within)

    def now_spread(self, archives: Iterable[str]) -> list[str]:
        """The folders of an archive's own name that were left out, and beside which more lay when it was read."""
        found: list[str] = []
        for archive in archives:
            known = self._spread.pop(archive, None)
            if known is not None:
                found += [f"{place}{CHAIN}{_stem(place)}" for place in self._spread_in(archive) - known]
        return found

    def _within(self, file: FoundFile, root: Root, names: list[str]) -> Below:
        redactor, archive = self._redactor, file.within
        if root.place == archive:
            paths, shown = [], []
        else:
            # As if the archive were a folder.
            relative = _relative(archive, root)
            paths = [without_suffixes(relative)]
            shown = [redactor.path(paths[0], archive[: len(archive) - len(relative) + len(paths[0])])]
        place, own_top, inner = archive, False, ""
        for number, name in enumerate(names):
            is_last = number == len(names) - 1
            path = printable(without_suffixes(name)) if not is_last else _beside(name, file.shown)
            inner = redactor.path(path, f"{place}{CHAIN}{path}")
            parts, told = path.split("/"), inner.split("/")
            if len(parts) > 1 and self._has_own_top(archive, place, name):
                # Of the root itself it stays to be read: it may say what a folder's name says.
                own_top = not paths
                parts, told = (parts, told) if own_top else (parts[1:], told[1:])
            paths.append("/".join(parts))
            shown.append("/".join(told))
            place = f"{place}{CHAIN}{name}"
        return Below("/".join(paths), "/".join(shown), inner, own_top)

    def _has_own_top(self, archive: str, place: str, name: str) -> bool:
        return name.partition("/")[0] == _stem(place) and place not in self._spread_in(archive)

    def _spread_in(self, archive: str) -> set[str]:
        if archive not in self._spread:
            spread: set[str] = set()
            seen = [member.place for member in self._plan.members_of(archive)]
            for member in (*seen, *self.read.get(archive, ())):
                place = archive
                for name in chain_of(member, archive):
                    top, inside, _ = name.partition("/")
                    if not (inside and top in (_stem(place), _RESOURCE_FORKS)):
                        spread.add(place)
                    place = f"{place}{CHAIN}{name}"
            self._spread[archive] = spread
        return self._spread[archive]

    def _name(self, place: str, *, is_archive: bool) -> str:
        if is_bucket(place):
            return self._redactor.text(place).partition("://")[2]
        name = os.path.basename(place)
        name = without_suffixes(name) if is_archive else name
        return self._redactor.path(printable(name) or "root", os.path.join(os.path.dirname(place), name))


def _stem(place: str) -> str:
    return without_suffixes(place.rpartition("/")[2])


def _relative(place: str, root: Root) -> str:
    return printable(place[len(root.above) :]).replace(os.sep, "/")


def _beside(name: str, shown: str) -> str:
    # What a compressed file holds has its name without the suffix.
    return "/".join([*printable(name).split("/")[:-1], shown.rpartition("/")[2]])


_ARE_ALIKE = """
select 1 from kept.root group by name having count(*) > 1
union all
select 1
from sighting
where campaign_path is not null
group by root_id, lower(regexp_replace(campaign_path, '[^[:alnum:]/]+', '', 'g'))
having min(campaign_path) < max(campaign_path)
union all
select 1
from sighting
join kept.root using (root_id)
where campaign <> name || if(campaign_path = '', '', '/' || campaign_path)
limit 1
"""


def move_others(con: duckdb.DuckDBPyConnection) -> list[int]:
    """Moves older sightings at the places of temp table written_sighting to the root of these; returns their logs."""
    con.execute(sql_text("move_others"))
    return [row[0] for row in con.execute("select distinct log_id from moved_other").fetchall()]


def name_campaigns(con: duckdb.DuckDBPyConnection) -> list[int]:
    """Tells campaigns of roots of one name apart, and gives spellings of a campaign one name; returns the logs touched.

    A campaign's name depends on what the ledger holds, not on the order in which it came.
    """
    if con.execute(_ARE_ALIKE).fetchone() is None:
        return []
    con.execute(sql_text("name_campaigns"))
    # All that was in a campaign with them: what a monitor watched hangs on all runs of its campaign.
    touched = con.execute(
        """select distinct log_id from sighting
           where log_id is not null and campaign in (
               select sighting.campaign from sighting join renamed using (sighting_id)
           )"""
    ).fetchall()
    con.execute(
        "update sighting set campaign = renamed.campaign from renamed where sighting.sighting_id = renamed.sighting_id"
    )
    return [row[0] for row in touched]


def drop_empty_roots(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("delete from kept.root where root_id not in (select root_id from sighting where root_id is not null)")
