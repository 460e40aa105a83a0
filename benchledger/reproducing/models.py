"""The models that a text names, in the spellings of the vocabulary and those of published tables."""

from __future__ import annotations

import re
from functools import cache

from benchledger.definitions.vocabulary import vocabulary

# Families of which tables name no member, and models that hold the name of another one.
_FAMILIES = ("bert", "hrnet", "transformer", "transformer_xl", "ssd", "gpt2", "whisper", "llama3")
_OTHERS = ("swin_transformer", "vision_transformer", "transformer_engine")
# Shorter spellings stand in other words.
_LEAST_LETTERS = 3


def models_in(text: str) -> set[str]:
    """Returns the models that a text names, or their families: `bert` for Bert, `bert_base` for Bert Base."""
    # ResNet50 V1.5 is the ledger's resnet50.
    bare = re.sub(r"v\d\.\d", " ", text.lower())
    found: dict[str, list[tuple[int, int]]] = {}
    for pattern, model in _patterns():
        for match in pattern.finditer(bare):
            found.setdefault(model, []).append(match.span())
    places = [span for spans in found.values() for span in spans]
    # transformer_xl_base is no transformer_base: the longest spelling counts.
    return {
        model
        for model, spans in found.items()
        if model not in _OTHERS and not all(any(_holds(other, span) for other in places) for span in spans)
    }


def _holds(other: tuple[int, int], span: tuple[int, int]) -> bool:
    return other != span and other[0] <= span[0] and span[1] <= other[1]


@cache
def family_of(model: str) -> str:
    """Returns the family of a model, such as bert of bert_base; the model itself if it is of none."""
    return max((name for name in _FAMILIES if model.startswith(name)), key=len, default=model)


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], str], ...]:
    fact = vocabulary().facts["model"]
    # What README 002 alone calls gpt is some GPT elsewhere.
    names = {spelling: model for spelling, model in fact.aliases.items() if spelling != "gpt"}
    names |= {name: name for name in (*fact.known, *_FAMILIES, *_OTHERS)}
    found = []
    for spelling, model in sorted(names.items()):
        parts = re.findall(r"[a-z]+|\d+", spelling.lower())
        if sum(map(len, parts)) >= _LEAST_LETTERS:
            # A word of its own, or the beginning of a longer name that ends in digits: BERT-large2.
            body = r"[\W_]*".join(map(re.escape, parts))
            found.append((re.compile(rf"(?<![a-z]){body}(?![a-z]|\d)"), model))
    return tuple(found)
