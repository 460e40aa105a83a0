"""The names of GPU models: one for each, however programs spell it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

_FORM = re.compile(r"sxm\d?|pcie|nvl|oam|dgxs|fhhl")
_MEMORY = re.compile(r"(\d{1,4})(?:gb?|gib)")
_MEMORY_TYPE = re.compile(r"hbm\d?e?|gddr\d[x]?")
_CACHED = 1000
_UNITS = ("g", "gb", "gib")
# Words that are printed together: rtx3090, 1080ti, a100sxm4.
_GLUED = (re.compile(r"(rtx|gtx|gt|rx|titan|quadro|tesla)(\d\w*|[a-z]\d{4})"), re.compile(r"(\d{3,4})(ti|super)"))
_POWER = re.compile(r"\(\s*\d+ ?w[^)]*\)|\b\d+w\b(?: tdp)?")
_PCIE = re.compile(r"pci-?e(?:x|press)?(?:[\s-]*(?:gen)? ?[345](?:\.0)?)?(?!\w)")


@dataclass(frozen=True, eq=False)
class GpuNames:
    """The words of schema/vocabulary/gpus.toml: how cards are called."""

    makers: frozenset[str]
    behind: frozenset[str]
    before: dict[str, frozenset[str]]
    cards: dict[str, frozenset[str]]
    sxm: dict[str, int]
    aliases: dict[str, str]
    first: frozenset[str]
    words: dict[str, str]

    # Cached: telemetry states the card in each line.
    @lru_cache(_CACHED)  # noqa: B019 - there is one for all
    def name(self, text: str) -> str:
        """Returns the one name of the card that a text calls; an unknown one in lower case."""
        return self._name(self._tokens(text)) or text.lower()

    def _name(self, tokens: list[str]) -> str:
        if "mig" in tokens[1:]:
            # A part of a card: MIG 1g.5gb.
            place = tokens.index("mig")
            return " ".join([self._whole(tokens[:place]), "MIG", *tokens[place + 1 :]])
        return self._whole(tokens)

    @property
    def known(self) -> list[str]:
        """Globs of the names that are known, in lower case."""
        cards = [glob for card in self.cards for glob in (card.lower(), f"{card.lower()}[- ]*")]
        return [*cards, *(f"{word} *" for word in sorted(self.first))]

    def _tokens(self, text: str) -> list[str]:
        text = re.sub(r"\((?:r|tm)\)|[®™]", " ", text.lower())
        text = _PCIE.sub("pcie", _POWER.sub(" ", text.replace("_", " ")))
        tokens = [token for token in re.split(r"[\s\-()\[\],]+", text) if token]
        for glued in _GLUED:
            tokens = [part for token in tokens for part in _parts(glued, token)]
        cards = "|".join(sorted(map(str.lower, self.cards), key=len, reverse=True))
        tokens = [part for token in tokens for part in _parts(re.compile(rf"({cards})({_FORM.pattern})"), token)]
        for place in range(len(tokens) - 1, 0, -1):
            if tokens[place] in _UNITS and tokens[place - 1].isdigit():
                tokens[place - 1 : place + 1] = [f"{tokens[place - 1]}gb"]
        while len(tokens) > 1 and (tokens[0] in self.makers or tokens[1] in self.before.get(tokens[0], ())):
            tokens = tokens[1:]
        while len(tokens) > 1 and tokens[-1] in self.behind:
            tokens = tokens[:-1]
        return tokens

    def _whole(self, tokens: list[str]) -> str:
        if not tokens:
            return ""
        card, rest = tokens[0].upper(), tokens[1:]
        memory = [f"{size[1]}GB" for token in rest if (size := _MEMORY.fullmatch(token))]
        form = [token.upper() for token in rest if _FORM.fullmatch(token)]
        kind = [token.upper() for token in rest if _MEMORY_TYPE.fullmatch(token)]
        is_plain = len(memory) <= 1 and len(form) <= 1 and len(memory) + len(form) + len(kind) == len(rest)
        if is_plain and (card in self.cards or (rest and tokens[0] not in self.first and not card.isdigit())):
            return self._of_center(card, form, memory, kind)
        name = " ".join(self._spelt(token) for token in tokens).replace("Max Q", "Max-Q")
        name = self.aliases.get(name.lower(), name)
        return name if name.lower().partition(" ")[0] in self.first else "-".join(tokens)

    def _of_center(self, card: str, form: list[str], memory: list[str], kind: list[str]) -> str:
        if form == ["SXM"] and card in self.sxm:
            form = [f"SXM{self.sxm[card]}"]
        silent = self.cards.get(card, frozenset())
        parts = [card, *(part for part in (*form, *memory) if part not in silent)]
        with_kind = "-".join([*parts, *kind]).lower()
        name = self.aliases.get(with_kind) or self.aliases.get("-".join(parts).lower())
        return name or "-".join(parts)

    def _spelt(self, token: str) -> str:
        if _MEMORY.fullmatch(token):
            return token.upper().replace("GIB", "GB")
        return self.words.get(token, token.upper())


def read_gpu_names(data: dict[str, Any]) -> GpuNames:
    return GpuNames(
        makers=frozenset(data["makers"]),
        behind=frozenset(data["behind"]),
        before={word: frozenset(next_words) for word, next_words in data["before"].items()},
        cards={card: frozenset(silent) for card, silent in data["cards"].items()},
        sxm=dict(data["sxm"]),
        aliases={logged.lower(): name for logged, name in data["aliases"].items()},
        first=frozenset(word.lower() for word in data["series"]["first"]),
        words={word.lower(): word for word in data["series"]["words"]},
    )


def _parts(glued: re.Pattern[str], token: str) -> tuple[str, ...]:
    match = glued.fullmatch(token)
    return match.groups() if match else (token,)
