"""Which runs may stand behind a claim: by its facts, the page's links, and the words of paths."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from benchledger.reproducing.claims import Claim
from benchledger.reproducing.evidence import Evidence, Number, Place, Run
from benchledger.reproducing.page_parts import Link, Page
from benchledger.reproducing.words import Facts, facts_of, family_of

# Facts that name a case: of two runs that fit, the one that states more of them.
NAMING = ("gpus", "batch_size_per_gpu", "precision", "framework", "model")
_LINKED = ("gpus", "batch_size_per_gpu", "precision", "gpu_family", "gradient_accumulation", "framework", "nodes")
# Words of heads that name no log.
_COMMON = frozenset({
    "gpu", "gpus", "card", "cards", "device", "batch", "batchsize", "size", "node", "nodes", "num", "number", "max",
    "per", "sec", "second", "speed", "throughput", "training", "train", "test", "performance", "the", "with", "without",
    "and", "for", "ngc", "images", "image", "samples", "sequences", "tokens", "words", "avg", "mean", "median",
})  # fmt: skip
_LOG_LIKE = re.compile(r"(?:^|/)logs?(?:/|_)|\.(?:log|txt|out|jsonl?|csv)(?:\.gz)?$", re.IGNORECASE)


def differs(name: str, stated: object, run: Run) -> bool:
    """Tells whether a run contradicts a stated fact; one that the run does not state is no contradiction."""
    known = run.facts.get(name)
    if name in ("system", "mode") or stated is None:
        return False
    if name == "gpu_family":
        known = known or run.facts["gpu_model"]
        return known is not None and str(stated).lower() not in re.sub(r"[\s-]", "", str(known)).lower()
    if known is None or stated == "max":
        return False
    if name == "model":
        return stated not in (known, family_of(known))
    if name == "precision":
        return stated != known and (stated, known) != ("fp32", "tf32")
    if name == "gradient_accumulation" and stated == "some":
        return bool(known == 1)
    return bool(stated != known)


def fits(facts: Facts, run: Run, without: tuple[str, ...] = ()) -> bool:
    return not any(differs(name, value, run) for name, value in facts.items() if name not in without)


@dataclass(frozen=True)
class LinkedLog:
    """A link to a log: what its label and name state, and its logs too; the places it leads to; if it was repaired."""

    link: Link
    stated: Facts
    facts: Facts
    places: tuple[Place, ...]
    repaired: bool = False


@dataclass(frozen=True)
class Candidates:
    """The runs that may stand behind a claim: tiers, the likeliest first, and the facts that had to be given up."""

    tiers: tuple[tuple[Run, ...], ...]
    linked: tuple[LinkedLog, ...]
    given_up: tuple[str, ...] = ()

    def first(self) -> tuple[Run, ...]:
        return next((tier for tier in self.tiers if tier), ())


class Matcher:
    def __init__(self, page: Page, path: Path, evidence: Evidence) -> None:
        self.evidence = evidence
        self._page_parts = Path(os.path.realpath(path)).parts[:-1]
        self._by_name: dict[str, list[Place]] = {}
        for place in evidence.places:
            self._by_name.setdefault(place.parts[-1].lower(), []).append(place)
        self._runs_of: dict[int | None, list[Run]] = {}
        for run in evidence.runs:
            for log in run.facts["logs"]:
                self._runs_of.setdefault(log, []).append(run)
        self.links = [found for link in page.links if (found := self._follow(link)) is not None]
        self._tops = {part for part in self._page_parts if any(part in place.parts for place in evidence.places)}

    def candidates(self, claim: Claim) -> Candidates:
        """Returns the runs for a claim. Where none fits, one fact is given up, and said to be."""
        linked = tuple(found for found in self.links if _speaks_of(found.facts, claim.facts))
        for given_up in ((), ("batch_size_per_gpu",), ("precision",), ("gpus",)):
            runs = self._fitting(claim, given_up, linked)
            if runs:
                return Candidates(self._tiers(runs, linked), linked, given_up)
        return Candidates((), linked)

    def _fitting(self, claim: Claim, given_up: tuple[str, ...], linked: Sequence[LinkedLog]) -> list[Run]:
        runs = [
            run for run in self.evidence.runs
            if fits(claim.facts, run, given_up)
            and numbers_of(claim, run)
            # A log that contradicts the page on these is the page's only if its own name says as the page.
            and all(name == "batch_size_per_gpu" or claim.facts.get(name) in _named(run, name) for name in given_up)
        ]  # fmt: skip
        logs = {place.log_id for found in linked for place in found.places}
        system = str(claim.facts.get("system", ""))
        if system:
            runs = _of_system(runs, system)
        for word in words_of(claim):
            having = [run for run in runs if word in run.words or logs.intersection(run.facts["logs"])]
            runs = having if any(word in run.words for run in having) else runs
        if claim.facts.get("batch_size_per_gpu") == "max" and runs:
            largest = max(run.facts["batch_size_per_gpu"] or 0 for run in runs)
            runs = [run for run in runs if (run.facts["batch_size_per_gpu"] or 0) == largest]
        return runs

    def _tiers(self, runs: list[Run], linked: Sequence[LinkedLog]) -> tuple[tuple[Run, ...], ...]:
        logs = {place.log_id for found in linked for place in found.places}
        here = max((self.nearness(run) for run in runs), default=0)
        unknown = min(_unknown(run) for run in runs)
        tiers: list[list[Run]] = [[], [], []]
        for run in runs:
            if logs.intersection(run.facts["logs"]):
                tiers[0].append(run)
            elif here and self.nearness(run) == here:
                tiers[1].append(run)
            # A log that states less than others of the same case is not what a table speaks of.
            elif _unknown(run) == unknown or self.nearness(run):
                tiers[2].append(run)
        return tuple(map(tuple, tiers))

    def nearness(self, run: Run) -> int:
        """Returns how many folders above the page are folders of the run's logs, too: its commit, its campaign."""
        return max(len(self._tops.intersection(place.parts)) for place in run.places)

    def _follow(self, link: Link) -> LinkedLog | None:
        target = re.split(r"[?#]", link.target)[0]
        parts = _target_parts(target)
        if not parts or target.endswith(("/", ".md", ".sh", ".py", ".yml", ".yaml")):
            return None
        stated = {**_first_stated(link.headings), **facts_of(_spaced(parts[-1])), **facts_of(link.label)}
        named, is_repaired = self._by_name.get(parts[-1].lower(), []), False
        if not named:
            if not _LOG_LIKE.search(target) or target.startswith("http"):
                return None
            named, is_repaired = self._by_name.get(self._repair(parts[-1]) or "", []), True
        if not named:
            return LinkedLog(link, stated, stated, ())
        wanted = (*self._page_parts, *parts) if not target.startswith("http") else parts
        depth = max(_common_end(wanted, place.parts) for place in named)
        places = tuple(place for place in named if _common_end(wanted, place.parts) == depth)
        # A link with another folder in it than the log's leads nowhere on the page's own site.
        is_repaired = is_repaired or (depth < len(parts) and not target.startswith("http"))
        return LinkedLog(link, stated, {**self._logged(places), **stated}, places, is_repaired)

    def _logged(self, places: Sequence[Place]) -> Facts:
        """Returns what all runs of some logs agree on, of the facts that links are chosen by."""
        runs = [run for place in places for run in self._runs_of.get(place.log_id, ())]
        agreed: Facts = {}
        for name in _LINKED:
            values = {run.facts[name] for run in runs}
            if len(values) == 1 and None not in values:
                agreed |= {name: values.pop()}
        return agreed

    def _repair(self, name: str) -> str | None:
        """Returns the name of the one log that a broken link can mean: its spelling differs, its facts do not."""
        stem, facts = _squeezed(name), facts_of(_spaced(name))
        same = [known for known in self._by_name if _squeezed(known) == stem]
        if not same:
            same = [
                known for known in difflib.get_close_matches(name.lower(), list(self._by_name), n=5, cutoff=0.85)
                if facts_of(_spaced(known)) == facts and re.findall(r"\d+", known) == re.findall(r"\d+", name)
            ]  # fmt: skip
        return same[0] if len(same) == 1 else None


def _named(run: Run, name: str) -> set[object]:
    """Returns what the names of a run's logs and their folders state of a fact."""
    return {_facts_of_name(part).get(name) for place in run.places for part in place.parts[-2:]} - {None}


@cache
def _facts_of_name(name: str) -> Facts:
    return facts_of(_spaced(name))


def numbers_of(claim: Claim, run: Run) -> list[Number]:
    """Returns the numbers of a run that count what the claim counts."""
    unit = claim.unit
    return [
        number for number in run.numbers
        if number.quantity == unit.quantity
        and (number.unit == unit.unit if unit.unit else number.unit not in ("s", "TFLOP/s"))
    ]  # fmt: skip


def _unknown(run: Run) -> int:
    return sum(run.facts[name] is None for name in NAMING)


def _of_system(runs: list[Run], system: str) -> list[Run]:
    """Returns the runs of the system that a row names: the same name, or all words of it."""
    whole = _squeezed(system)
    exact = [run for run in runs if _squeezed(run.facts["system"] or "") == whole]
    if exact:
        return exact
    words = [word for word in re.split(r"[\W_]+", system.lower()) if len(word) > 1] or [whole]
    having = [run for run in runs if all(word in run.words for word in words)]
    if having:
        shortest = min(len(run.facts["system"] or "") for run in having)
        return [run for run in having if len(run.facts["system"] or "") == shortest]
    # What only names the GPU is a fact already.
    return runs if facts_of(system).keys() & {"gpu_family"} and not any(run.facts["system"] for run in runs) else []


def words_of(claim: Claim) -> Iterable[str]:
    for word in re.findall(r"[A-Za-z][A-Za-z0-9]{2,}", f"{claim.column} {claim.row}"):
        if word.lower() not in _COMMON and not facts_of(word):
            yield word.lower()
    if family := claim.facts.get("gpu_family"):
        yield str(family).lower()


def _speaks_of(link: Facts, claim: Facts) -> bool:
    shared = [name for name in _LINKED if name in link and name in claim]
    return len(shared) >= 2 and all(link[name] == claim[name] or "some" in (link[name], claim[name]) for name in shared)


def _first_stated(headings: Sequence[str]) -> Facts:
    merged: Facts = {}
    for heading in headings:
        merged = {**facts_of(heading), **merged}
    return {name: value for name, value in merged.items() if name in ("gpu_family", "framework")}


def _target_parts(target: str) -> tuple[str, ...]:
    bare = re.sub(r"^https?://[^/]+/", "", target)
    return tuple(part for part in bare.split("/") if part not in ("", ".", ".."))


def _common_end(one: Sequence[str], other: Sequence[str]) -> int:
    pairs = zip(reversed(one), reversed(other), strict=False)
    return next((n for n, (a, b) in enumerate(pairs) if a.lower() != b.lower()), min(len(one), len(other)))


@cache
def _squeezed(name: str) -> str:
    return re.sub(r"[\W_]+", "", re.sub(r"\.(?:log|txt|out|gz)$", "", name, flags=re.IGNORECASE)).lower()


def _spaced(name: str) -> str:
    """`tf_gpu8_amp_bs256.txt` as words, so that each says its fact."""
    return re.sub(r"(?<=\d)(?=[A-Za-z]{2,})|[_.-]+", " ", name)
