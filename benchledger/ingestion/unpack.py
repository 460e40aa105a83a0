"""What an ingest knows of its archives: what is to be read of each, and the facts.toml files that are in them."""

from __future__ import annotations

import os
from dataclasses import replace

from benchledger.archives.limits import Limits
from benchledger.ingestion.discover import FoundFile
from benchledger.ingestion.facts_file import FactsFiles
from benchledger.ingestion.members import Packed, Unpacked, facts_in
from benchledger.ingestion.plan import Plan, is_below


class Unpacker:
    """Prepares the archives of one ingest to be read, and takes up the facts.toml files that come out of them.

    `content` is that of standard input, `told` the folders of all that was told so far, which others fill.
    """

    def __init__(
        self, plan: Plan, facts: FactsFiles, limits: Limits, content: bytes | None, told: set[str]
    ) -> None:  # fmt: skip
        self._plan, self._facts, self._limits = plan, facts, limits
        self._content = content
        self._told = told
        # Folders whose facts.toml came when something below had been told already.
        self.late: list[str] = []

    def packed(self, archive: FoundFile) -> Packed:
        """An archive, and what has to be known to read it."""
        previous = {seen.place: self._plan.previous(seen.place) for seen in self._plan.members_of(archive.place)}
        known = {place: content for place, content in previous.items() if content is not None}
        on_disk = os.path.isabs(archive.place)
        packed = Packed(
            archive, self._limits, self._plan.wanted.get(archive.place), known, None if on_disk else self._content
        )
        if not on_disk and archive.place not in self._plan.seen:
            # What is told of standard input is not remembered, and cannot be told again.
            self.load_facts(archive, None)
        return packed

    def take_up(self, unpacked: Unpacked) -> None:
        """Reads the facts.toml files that were among these members, before these are told."""
        for number, file in enumerate(unpacked.files):
            if (text := unpacked.facts.get(file.place)) is not None:
                unpacked.files[number] = self._declare(file, text)

    def load_facts(self, archive: FoundFile, places: set[str] | None) -> None:
        """Reads the facts.toml files of an archive (at these places, or all), and nothing else of it."""
        for file, text in facts_in(Packed(archive, self._limits, content=self._content)):
            if text is not None and (places is None or file.place in places):
                self._declare(file, text)

    def _declare(self, file: FoundFile, text: bytes) -> FoundFile:
        self._facts.provide(file.place, text)
        folder = os.path.dirname(file.place)
        if any(is_below(told, folder) for told in self._told):
            self.late.append(folder)
        return replace(file, problem=self._facts.problems.get(file.place))
