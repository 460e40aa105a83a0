"""Sightings: where a log was seen, and what its path and the facts.toml above it say of it."""

from __future__ import annotations

import hashlib
import os
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from benchledger.definitions.campaign_folders import without_moments
from benchledger.definitions.names import NO_MATCH, NameFact, NameMatch, Names
from benchledger.ingestion.discover import FoundFile, folder_above, folder_of, joined
from benchledger.ingestion.facts_file import DeclaredFact, FactsFiles
from benchledger.ingestion.load import insert, set_ids
from benchledger.ingestion.roots import Below, Root, Roots
from benchledger.redaction.redactor import Redactor

if TYPE_CHECKING:
    import duckdb

_REMEMBERED = 10_000
# What launchers and programs call the log of each process: Detectron2, torchrun, Paddle, and `rank_3` in any name but
# that of an adapter, such as `lora_rank_8`.
_RANK = re.compile(
    r"\.rank(\d{1,6})$|(?<=/)attempt_\d+/(\d{1,6})(?=/std(?:out|err)\.log$)|(?<=/workerlog\.)(\d{1,6})$"
    r"|(?<![a-z0-9])(?<![dl]ora[-_.=])(?<!low[-_.=])(?:global)?rank[-_.=]?(\d{1,6})(?![0-9])(?:_localrank-\d+)?",
    re.IGNORECASE,
)
# What a program writes for its checkpoints lies in its output folder.
_CHECKPOINT = re.compile(r"checkpoint-\d+|last-checkpoint")


@dataclass
class Sighting:
    """One row of table sighting and its rows of sighting_fact; those of sighting_file where a manifest was read.

    `keeps_declared`: a facts.toml above is refused now, so that what was declared of this place before stays.
    """

    row: dict[str, Any]
    root: Root
    facts: list[dict[str, Any]]
    files: list[dict[str, Any]] | None = None
    keeps_declared: bool = False

    @property
    def sighting_id(self) -> int:
        """The keyed hash of place and content."""
        return int(self.row["sighting_id"])


class SightingMaker:
    """Makes the sightings of one ingest. Ids are keyed, so that they tell nothing of real paths.

    Names and facts.toml are read from the path as it is; what is kept of it is redacted.
    """

    def __init__(
        self,
        key: bytes,
        names: Names,
        facts: FactsFiles,
        campaign_name: str | None,
        redactor: Redactor,
        roots: Roots,
        now: datetime,
    ) -> None:
        self._keyed = hashlib.blake2b(digest_size=8, key=key)
        self._redactor = redactor
        self._names = names
        self._facts = facts
        self._roots = roots
        self._campaign_name = campaign_name
        self._now = now.astimezone(UTC).replace(tzinfo=None)
        self._folders: dict[str, str] = {}
        self._above: dict[str, list[str]] = {}
        self._redacted: dict[tuple[str, str, str, str | None], tuple[str, str, str | None]] = {}

    def make(
        self, file: FoundFile, log_id: int | None, status: str, reason: str | None, kept_campaign: str | None = None,
        listed: tuple[str, ...] | None = None,
    ) -> Sighting:  # fmt: skip
        """The sighting of one file.

        `kept_campaign` is what --campaign-name said of this place before; `listed` are the files that a manifest
        binds, relative to its folder.
        """
        root = self._roots.of(file)
        below = self._roots.below(file, root)
        # The path of an empty file, or of one that is no log, states nothing: an archive may have 60,000 empty members.
        is_log = log_id is not None and status != "empty"
        match = self._names.match(below.path, root.folder) if is_log else NO_MATCH
        named, folder = file.named_place, folder_of(file.place)
        declared = self._facts.declared(named)
        keeps = self._facts.is_refused(named)
        redactor = self._redactor
        below_path, folder_path = "", None
        words: list[str] = []
        if is_log:
            below_path, words = self._campaign_path(below, match)
            folder_path = "/".join([root.name, *below.shown.split("/")[below.own_top : -1]])
        campaign: str | None = None
        campaign_source: str | None = None
        campaign_path: str | None = None
        if self._campaign_name or kept_campaign:
            campaign, campaign_source = self._campaign_name or kept_campaign, "option"
        elif declared.campaign:
            campaign, campaign_source = redactor.text(declared.campaign), "facts.toml"
        elif is_log:
            campaign_path, campaign_source = below_path, "name" if match.parts else "folder"
            campaign = f"{root.name}/{campaign_path}" if campaign_path else root.name
        sighting_id = self.id_of(file.place, log_id)
        row = {
            "sighting_id": sighting_id,
            "log_id": log_id,
            "path": below.inner,
            "archive": self._roots.archive(file, root) if file.archive else file.archive,
            "member": redactor.path(file.member) if file.member else file.member,
            "campaign": campaign,
            "campaign_source": campaign_source,
            "root_id": root.root_id if is_log else None,
            "campaign_path": campaign_path,
            "place": self._place(named),
            "folder": self._folder(output := _output_folder(folder)),
            "folders": self._folders_above(output),
            # Of the name as it is: companions are told by their suffix, and equal stems stay equal.
            "words": words,
            **self._job(named),
            "folder_path": folder_path,
            "stem": self._stem(file.shown.rpartition("/")[2], below.inner.rpartition("/")[2]),
            "name_rule": match.rule,
            "modified_at": _time(file.mtime_ns),
            "ingested_at": self._now,
            "definitions_hash": self._names.definitions_hash,
            "status": status,
            "reason": redactor.optional(reason),
        }
        facts = [self._fact(sighting_id, fact, "name", match.rule) for fact in match.facts]
        # A folder is called the same in paths and as a system.
        shown = {root.folder: root.name, **dict(zip(below.path.split("/"), below.shown.split("/"), strict=False))}
        for fact, said in zip(facts, match.facts, strict=True):
            if fact["name"] == "system" and said.logged in shown:
                fact["value"] = fact["value_logged"] = shown[said.logged]
        facts += [self._fact(sighting_id, fact, fact.source, fact.place) for fact in declared.facts]
        if listed is None:
            return Sighting(row, root, facts, None, keeps)
        places = {name: self._place(joined(folder, name)) for name in listed}
        files = [
            {"sighting_id": sighting_id, "file": redactor.path(name), "place": place} for name, place in places.items()
        ]
        return Sighting(row, root, facts, files, keeps)

    def _campaign_path(self, below: Below, match: NameMatch) -> tuple[str, list[str]]:
        # The folders that name the campaign, by their names as they are; and the words of all other names.
        real, shown = (path.split("/")[below.own_top :] for path in (below.path, below.shown))
        folders = self._names.campaign_folders
        kept = folders.kept_of(real[: -max(match.parts, 1)])
        others = [name for place, name in enumerate(shown[:-1]) if place not in kept]
        words = folders.words_of([*others, self._names.stem(shown[-1])])
        return "/".join(without_moments(shown[place]) for place in kept), words

    def id_of(self, place: str, log_id: int | None) -> int:
        return int.from_bytes(self._hash(f"{log_id}:", os.fsencode(place)), "big") >> 1

    def _fact(self, sighting_id: int, fact: NameFact | DeclaredFact, source: str, place: str | None) -> dict[str, Any]:
        # Names say much alike.
        key = (fact.name, fact.value, fact.logged, place)
        if (kept := self._redacted.get(key)) is None:
            redactor = self._redactor
            kept = (
                redactor.value(fact.name, fact.value),
                redactor.value(fact.name, fact.logged),
                redactor.optional(place),
            )
            if len(self._redacted) < _REMEMBERED:
                self._redacted[key] = kept
        value, logged, place = kept
        return {"sighting_id": sighting_id, "name": fact.name, "value": value, "value_logged": logged,
                "source": source, "place": place}  # fmt: skip

    def _stem(self, name: str, kept: str) -> str:
        stem = self._names.stem(name)
        return stem if name == kept else self._redactor.text(stem)

    def _folder(self, folder: str) -> str:
        # Logs are paired within a folder; which folder it is on this machine is nobody's business.
        if folder not in self._folders:
            self._folders[folder] = self._hash("folder:", os.fsencode(folder)).hex()
        return self._folders[folder]

    def _folders_above(self, folder: str) -> list[str]:
        # A sidecar holds for its folder and what is below.
        if folder not in self._above:
            hashes = [self._folder(folder)]
            above, below = folder_above(folder), folder
            while above != below and above not in self._above:
                hashes.append(self._folder(above))
                above, below = folder_above(above), above
            self._above[folder] = hashes + (self._above[above] if above != below else [])
        return self._above[folder]

    def _place(self, place: str) -> str:
        # A manifest lists files; which file is meant is told by a hash of its real path.
        return self._hash("place:", os.fsencode(place)).hex()

    def _job(self, place: str) -> dict[str, Any]:
        matches = list(_RANK.finditer(place))
        if not matches:
            return {"job": None, "job_rank": None}
        found, group = matches[-1], matches[-1].lastindex or 0
        # `log.txt.rank1` is of the job of `log.txt`; other names have a rank 0 of their own.
        before = place[: found.start()] if group == 1 else place[: found.start(group)] + "*"
        return {"job": self._place(before + place[found.end() :]), "job_rank": int(found[group])}

    def _hash(self, what: str, text: bytes) -> bytes:
        keyed = self._keyed.copy()
        keyed.update(what.encode() + text)
        return keyed.digest()


def _output_folder(folder: str) -> str:
    return folder_above(folder) if _CHECKPOINT.fullmatch(os.path.basename(folder)) else folder


def _time(mtime_ns: int) -> datetime | None:
    # An archive can claim any time, and 0 where it has none.
    try:
        return datetime.fromtimestamp(mtime_ns / 1e9, UTC).replace(tzinfo=None) if mtime_ns else None
    except (OverflowError, ValueError, OSError):
        return None


def write_sightings(con: duckdb.DuckDBPyConnection, sightings: list[Sighting]) -> None:
    """Writes sightings with their roots, facts and files, in place of what the same ones stated before."""
    if not sightings:
        return
    rows = list({sighting.sighting_id: sighting for sighting in sightings}.values())
    _keep_declared(con, [sighting for sighting in rows if sighting.keeps_declared])
    set_ids(con, "written_sighting", [sighting.sighting_id for sighting in rows])
    for table in ("kept.sighting_fact", "sighting"):
        con.execute(f"delete from {table} where sighting_id in (select id from written_sighting)")  # noqa: S608
    roots = {sighting.root for sighting in rows if sighting.row["root_id"] is not None}
    insert(con, "kept.root", [{"root_id": root.root_id, "name": root.name} for root in roots], "on conflict do nothing")
    insert(con, "sighting", [sighting.row for sighting in rows])
    insert(con, "kept.sighting_fact", [fact for sighting in rows for fact in sighting.facts])
    # What a manifest lists is known only when it is read; what is told of its place again leaves that as it is.
    listing = [sighting for sighting in rows if sighting.files is not None]
    set_ids(con, "listing", [sighting.sighting_id for sighting in listing])
    con.execute("delete from kept.sighting_file where sighting_id in (select id from listing)")
    insert(con, "kept.sighting_file", [file for sighting in listing for file in sighting.files or ()])


def _keep_declared(con: duckdb.DuckDBPyConnection, sightings: list[Sighting]) -> None:
    # What a facts.toml said of these places before it was refused; what a nearer one says now counts before it.
    set_ids(con, "kept", [sighting.sighting_id for sighting in sightings])
    campaigns = dict(
        con.execute(
            """select sighting_id, campaign from sighting
               where campaign_source = 'facts.toml' and sighting_id in (select id from kept)"""
        ).fetchall()
    )
    before = con.execute(
        """select sighting_id, name, value, value_logged, source, place from kept.sighting_fact
           where source in ('facts.toml', 'correct') and sighting_id in (select id from kept)"""
    )
    columns = [column[0] for column in before.description]
    facts: dict[int, list[dict[str, Any]]] = {}
    for row in before.fetchall():
        facts.setdefault(row[0], []).append(dict(zip(columns, row, strict=True)))
    for sighting in sightings:
        told = {(fact["name"], fact["source"]) for fact in sighting.facts}
        kept = facts.get(sighting.sighting_id, [])
        sighting.facts += [fact for fact in kept if (fact["name"], fact["source"]) not in told]
        if sighting.sighting_id in campaigns and sighting.row["campaign_source"] not in ("option", "facts.toml"):
            sighting.row.update(
                campaign=campaigns[sighting.sighting_id], campaign_source="facts.toml", campaign_path=None
            )
