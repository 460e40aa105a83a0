"""Takes up facts.toml files that are new, changed or gone: which logs they speak of has to be told again."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path

from benchledger.ingestion.accounts import Accounts
from benchledger.ingestion.discover import FACTS_FILE, found_at
from benchledger.ingestion.facts_file import FactsFiles
from benchledger.ingestion.plan import Plan, Work, is_below
from benchledger.ingestion.reading import ArchiveSources
from benchledger.store.private_file import PrivateFile, SeenFile


def account_for_facts(work: Work, plan: Plan, facts: FactsFiles, accounts: Accounts, db: Path) -> list[SeenFile]:
    """Accounts for every facts.toml; returns the files read earlier of which one says something else now."""
    changed: list[str] = []
    for file in work.facts:
        folder = os.path.dirname(file.place)
        facts.bodies(folder)
        problem, is_new = facts.problems.get(file.place), plan.facts_changed(file)
        if is_new and problem is None:
            # What a refused one said before stays until it is mended.
            changed.append(folder)
        if problem is not None:
            accounts.unreadable(file, problem)
        elif is_new:
            accounts.facts(file)
        else:
            accounts.unchanged(file, None, "facts")
    gone = plan.facts_gone(work.order)
    changed += [os.path.dirname(seen.place) for seen in gone]
    if gone:
        with closing(PrivateFile(db)) as private:
            private.forget(seen.place for seen in gone)
    just_read = {seen.place for seen in accounts.pending.seen}
    below = {seen.place: seen for folder in changed for seen in plan.seen_below(folder) if seen.log_id is not None}
    return [seen for place, seen in sorted(below.items()) if place not in just_read]


def late_members(folders: list[str], db: Path) -> list[SeenFile]:
    """The members of archives that were accounted for before a facts.toml came that speaks of them."""
    if not folders:
        return []
    with closing(PrivateFile(db)) as private:
        seen = private.seen().values()
    return [
        file
        for file in seen
        if file.log_id is not None and any(is_below(os.path.dirname(file.place), folder) for folder in folders)
    ]


def unfitting_matches(work: Work, plan: Plan, facts: FactsFiles, accounts: Accounts, given: list[str]) -> list[str]:
    """Each `match` of a facts.toml that fits no log below it, new or known, as file:line and what is so.

    Only of folders of which all was looked at: those at or below the `given` ones, and those of archives.
    """
    folders = {os.path.dirname(archive) for archive in accounts.members}
    found: list[str] = []
    for file in work.facts:
        folder = os.path.dirname(file.place)
        if folder not in folders and not any(is_below(folder, top) for top in given):
            continue
        if facts.unfitting(folder):
            # What was unchanged was not asked for so far.
            for seen in plan.seen_below(folder):
                if seen.log_id is not None:
                    facts.declared(plan.found_again(seen).named_place)
        shown = accounts.outcomes[file.place].path
        found += [f"{shown}:{said}" for said in facts.unfitting(folder)]
    return found


def load_archived_facts(retold: list[SeenFile], plan: Plan, sources: ArchiveSources) -> None:
    """Reads the facts.toml files again that lie in the archives of these files, where nothing else is read again."""
    for archive in sorted({seen.within for seen in retold if seen.within}):
        places = {seen.place for seen in plan.members_of(archive) if os.path.basename(seen.place) == FACTS_FILE}
        if places:
            sources.load_facts(found_at(archive, os.path.basename(archive)), places)
