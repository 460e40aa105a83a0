"""Reads scores: an owner's combination of the speeds of many runs. A TOML file names function, rule and numbers."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

from benchledger.definitions.folders import definition_files
from benchledger.definitions.rounding import ROUNDING_KEYS, Rounding, read_rounding
from benchledger.definitions.rules import load_rules
from benchledger.definitions.toml_file import read_toml
from benchledger.definitions.toml_table import Table, is_number
from benchledger.errors import UsageError, suggestion

_KEYS = ("method", "source", "description", "function", "rule", "among", "numbers", "weights", *ROUNDING_KEYS)
# What a score compares: the cases of a campaign, or the runs of a case in all campaigns.
AMONG = ("cases", "runs")


@dataclass(frozen=True)
class Score:
    """One score: `function` is the name of a pure function, `numbers` are its keyword arguments.

    `rounding` is that of all numbers that it gives.
    """

    score: str
    source: str
    description: str
    function: str
    rule: str
    among: str
    numbers: dict[str, float] = field(default_factory=dict)
    weights: dict[str, float] = field(default_factory=dict)
    rounding: Rounding = field(default_factory=Rounding)


def load_scores(functions: Collection[str]) -> dict[str, Score]:
    rules = {rule.rule for rule in load_rules()}
    found: dict[str, Score] = {}
    for path in definition_files("queries/scores", ".toml"):
        file = read_toml(path)
        table = Table(file, "", file.data, ("family", "score"))
        family = table.text("family")
        for entry in table.tables("score", _KEYS):
            score = _score(family, entry, functions, rules)
            if score.score in found:
                entry.fail("method", f"score {score.score!r} exists already; rename this one")
            found[score.score] = score
    return dict(sorted(found.items()))


def find_score(name: str, functions: Collection[str]) -> Score:
    scores = load_scores(functions)
    if name not in scores:
        raise UsageError(f"no score {name!r}{suggestion(name, scores)}; known: {', '.join(scores)}")
    return scores[name]


def _score(family: str, entry: Table, functions: Collection[str], rules: Collection[str]) -> Score:
    return Score(
        score=f"{family}.{entry.text('method')}",
        source=entry.text("source"),
        description=entry.text("description"),
        function=entry.known("function", "function", entry.text("function"), functions),
        rule=entry.known("rule", "rule", entry.text("rule"), rules),
        among=entry.choice("among", AMONG),
        numbers=_numbers(entry, "numbers"),
        weights=_numbers(entry, "weights"),
        rounding=read_rounding(entry),
    )


def _numbers(entry: Table, key: str) -> dict[str, float]:
    values: dict[str, Any] = entry.any_values(key)
    for name, value in values.items():
        if not is_number(value):
            entry.fail(key, f"{key} are numbers by name, not {name} = {value!r}")
    return {name: float(value) for name, value in values.items()}
