"""Which folders name a campaign: those that say more than a case, a date with a time, or nothing.

The words are those of schema/vocabulary/folders.toml and facts.toml. A campaign's name depends on the path alone: no
runs, no neighbours, no order in which files came.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache

from benchledger.definitions.toml_file import TomlFile
from benchledger.definitions.toml_table import Table
from benchledger.definitions.vocabulary import FactName, vocabulary

_LISTS = (
    "nothing", "frameworks", "tasks", "datasets", "models", "sizes", "counted", "paired", "beside", "kept", "volatile"
)  # fmt: skip
# Of a commit, a container or a job: letters and digits.
_HASH = re.compile(r"(?=.*\d)(?=.*[a-f])[0-9a-f]{7,64}")
_MOST_JOINED = 4
_MOST_PARTS = 64
_CACHED = 50_000
_BETWEEN = re.compile(r"[\s_.\-=+,@&()\[\]]+")
_OTHER = re.compile(r"[\W_]+")
_CAPITALS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^A-Z]+")
_YEAR, _MONTH, _DAY = r"(?:19|20)\d\d", r"(?:0?[1-9]|1[0-2])", r"(?:0?[1-9]|[12]\d|3[01])"
_HOUR, _SIXTY = r"(?:[01]\d|2[0-3])", r"[0-5]\d"
_MONTH_NAME = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
_DATE = "|".join(
    [
        rf"{_YEAR}(?P<a>[-_.]?)(?:0[1-9]|1[0-2])(?P=a)(?:0[1-9]|[12]\d|3[01])",
        rf"{_DAY}[-_.]{_MONTH}[-_.]{_YEAR}",
        rf"{_MONTH}[-_.]{_DAY}[-_.]{_YEAR}",
        r"[1-3]\d(?P<b>[-_.]?)(?:0[1-9]|1[0-2])(?P=b)(?:0[1-9]|[12]\d|3[01])",
        rf"{_MONTH_NAME}[-_.]?{_DAY}(?:[-_.]?{_YEAR})?",
        rf"{_DAY}[-_.]?{_MONTH_NAME}(?:[-_.]?{_YEAR})?",
    ]
)
_CLOCK = rf"{_HOUR}(?P<c>[-_.:h]?){_SIXTY}(?:(?:(?P=c)|[-_.:m]){_SIXTY}(?:[.,]\d+|s)?)?Z?"
# A date with a time, a time with its colons, seconds since 1970 (or milliseconds).
_MOMENTS = re.compile(
    rf"(?<![0-9A-Za-z])(?:(?:{_DATE})[-_.T ]{{0,2}}{_CLOCK}|{_HOUR}:{_SIXTY}(?::{_SIXTY}(?:[.,]\d+)?)?"
    r"|1\d{9}(?:\d{3}|\.\d+)?)(?![0-9A-Za-z])",
    re.IGNORECASE,
)
_DATE_ALONE = re.compile(rf"(?<![0-9A-Za-z])(?:{_DATE})(?![0-9A-Za-z])", re.IGNORECASE)
_TIME_ALONE = re.compile(rf"{_HOUR}(?P<d>[-_.h]){_SIXTY}(?:(?P=d)|[-_.m]){_SIXTY}s?")


@dataclass(frozen=True, eq=False)
class CampaignFolders:
    """The words of folders that are no part of a campaign's name. All are letters and digits, in lower case."""

    whole: frozenset[str]
    nothing: tuple[str, ...]
    models: tuple[str, ...]
    sizes: tuple[str, ...]
    counted: tuple[str, ...]
    paired: tuple[str, ...]
    beside: frozenset[str]
    kept: frozenset[str]
    volatile: frozenset[str]
    aliases: dict[str, str]

    def kept_of(self, folders: Sequence[str]) -> list[int]:
        found = []
        for place, folder in enumerate(folders):
            is_time = place > 0 and _TIME_ALONE.fullmatch(folder) and _DATE_ALONE.fullmatch(folders[place - 1])
            if not is_time and not self.names_nothing(folder):
                found.append(place)
        return found

    @lru_cache(_CACHED)  # noqa: B019 - there is one for all
    def names_nothing(self, folder: str) -> bool:
        """Tells whether a folder's name says only a case, a date with a time, or nothing."""
        text = without_moments(folder)
        if _DATE_ALONE.search(text):
            return False
        parts = [part for part in _BETWEEN.split(text) if part]
        if len(parts) > _MOST_PARTS or any(self._tells_apart(_plain(part)) for part in parts):
            return False
        explained = self._explained(parts)
        return explained is not None and (not parts or explained)

    def words_of(self, names: Iterable[str]) -> list[str]:
        """Returns the words of names that may tell runs of one case apart, each once, in their order.

        Without what names nothing or changes from trial to trial: numbers, dates, times, `run3`, hashes. In the
        spelling of the vocabulary: `amp` is `fp16`.
        """
        return list(dict.fromkeys(word for name in names for word in self._words_of(name)))

    @lru_cache(_CACHED)  # noqa: B019 - as above
    def _words_of(self, name: str) -> list[str]:
        words = []
        parts = [self._plain_word(part) for part in _BETWEEN.split(_DATE_ALONE.sub(" ", without_moments(name)))]
        for place, part in enumerate(parts):
            number = parts[place + 1] if place + 1 < len(parts) and parts[place + 1].isdecimal() else ""
            word = part + number if part in self.counted else part
            if word and not self._is_volatile(word):
                words.append(self.aliases.get(word, word))
        return words

    def _plain_word(self, part: str) -> str:
        # OtherReports names as little as other_reports.
        pieces = [piece for piece in map(_plain, _CAPITALS.findall(part)) if piece]
        return "" if all(piece in self.nothing_words for piece in pieces) else _plain(part)

    def _is_volatile(self, word: str) -> bool:
        letters = word.rstrip("0123456789")
        return (
            not letters or word in self.nothing_words or letters in self.volatile or _HASH.fullmatch(word) is not None
        )

    @cached_property
    def nothing_words(self) -> frozenset[str]:
        return frozenset((*self.nothing, *(f"{word}s" for word in self.nothing)))

    def _tells_apart(self, part: str) -> bool:
        return part in self.kept or self._year.fullmatch(part) is not None

    def _explained(self, parts: list[str]) -> bool | None:
        """Whether some parts say something by themselves; None where one says something else."""
        # From each place to the end, the last place first.
        found: list[bool | None] = [False]
        for place in range(len(parts) - 1, -1, -1):
            best: bool | None = None
            for joined in range(1, min(_MOST_JOINED, len(parts) - place) + 1):
                behind = found[-joined]
                if behind is None:
                    continue
                word = self._word("".join(map(_plain, parts[place : place + joined])))
                if word is None and joined == 1:
                    word = self._split(parts[place])
                if word is not None:
                    best = bool(best) or word or behind
            found.append(best)
        return found[-1]

    def _split(self, part: str) -> bool | None:
        pieces = _CAPITALS.findall(part)
        if len(pieces) < 2 or any(self._tells_apart(_plain(piece)) for piece in pieces):
            return None
        return self._explained(pieces)

    def _word(self, word: str) -> bool | None:
        """Whether a word says something by itself, or only beside another (False); None where it is not known."""
        if word in self.whole or self._pattern.fullmatch(word):
            return True
        return False if word in self.beside or word.removesuffix("s") in self.beside else None

    @cached_property
    def _year(self) -> re.Pattern[str]:
        return re.compile(rf"(?:(?:{_one_of(tuple(self.whole))})s?)?20[1-3]\d")

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        counted, nothing = _one_of(self.counted), _one_of(self.nothing)
        before = _one_of([word for word in self.counted if word != "node"])
        # Atomic: a long number would be tried in all its parts.
        size = (
            rf"(?>{_one_of(self.sizes)}|v\d{{1,3}}|[bhlswx]\d{{1,3}}|\d{{1,2}}x\d{{1,3}}[bd]?|\d{{1,3}}[bm]?|[lmnsx])"
        )
        paired = f"[{''.join(self.paired)}]"
        return re.compile(
            rf"\d{{1,3}}|(?:{_one_of(self.models)}){size}{{0,6}}+|(?:(?:{before})\d{{1,6}}(?:e\d{{1,2}})?)+"
            rf"|\d{{1,6}}(?:{counted})s?|(?:{nothing})\d{{1,3}}|\d{{1,3}}(?:st|nd|rd|th|x)?(?:{nothing})s?"
            rf"|(?:\d{{1,4}}{paired}){{2,}}|(?:{paired}\d{{1,4}}){{2,}}"
        )


@lru_cache(_CACHED)
def without_moments(name: str) -> str:
    """Returns a name without its dates with a time, its times and its seconds since 1970. A date alone stays."""
    if not _MOMENTS.search(name):
        return name
    return re.sub(r"^[\s_.\-]+|[\s_.\-]+$", "", _MOMENTS.sub("", name))


def read_campaign_folders(file: TomlFile) -> CampaignFolders:
    """Reads schema/vocabulary/folders.toml. Raises DefinitionError where a sample is not as it says."""
    top = Table(file, "", file.data, (*_LISTS, "sample"))
    lists = {}
    for name in _LISTS:
        lists[name] = top.strings(name)
        for word in lists[name]:
            if word != _plain(word):
                top.fail(name, f"{word!r} must be letters and digits in lower case: {_plain(word)!r}")
    once = [*lists["nothing"], *lists["frameworks"], *lists["tasks"], *lists["datasets"]]
    facts = vocabulary().facts
    models = {*lists["models"], *_words_of(facts["model"])}
    words = {*once, *(f"{word}s" for word in lists["nothing"])}
    aliases: dict[str, str] = {}
    for name in ("framework", "precision", "task", "model"):
        aliases |= {_plain(logged): _plain(value) for logged, value in facts[name].aliases.items()}
        words |= _words_of(facts[name]) if name != "model" else set()
    found = CampaignFolders(
        whole=frozenset(words),
        nothing=tuple(sorted(lists["nothing"])),
        models=tuple(sorted(models)),
        sizes=tuple(sorted(lists["sizes"])),
        counted=tuple(sorted(lists["counted"])),
        paired=tuple(sorted(lists["paired"])),
        beside=frozenset(lists["beside"]),
        kept=frozenset(lists["kept"]),
        volatile=frozenset(lists["volatile"]),
        aliases=aliases,
    )
    for sample in top.tables("sample", ("dropped", "kept")):
        for key, is_dropped in (("dropped", True), ("kept", False)):
            for folder in sample.strings(key):
                if found.names_nothing(folder) != is_dropped:
                    sample.fail(key, f"{folder!r} is not {key} by these words")
    return found


def _words_of(fact: FactName) -> set[str]:
    return {_plain(word) for word in (*fact.values, *fact.aliases, *fact.aliases.values())}


@cache
def _plain(part: str) -> str:
    return _OTHER.sub("", part).lower()


def _one_of(words: Sequence[str]) -> str:
    return "|".join(map(re.escape, sorted(words, key=len, reverse=True)))
