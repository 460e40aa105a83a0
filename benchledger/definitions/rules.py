"""Rules: named, sourced ways to turn a run's records, or a series' trials, into one number."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchledger.definitions.folders import definition_files
from benchledger.definitions.toml_file import TomlFile, read_toml

ROUNDINGS = ("round_even", "truncate", "round2_truncate")
# In the order of table rule.
COLUMNS = (
    "rule",
    "source",
    "window",
    "statistic",
    "ranks",
    "rounding",
    "trial_statistic",
    "description",
    "formats",
    "kind",
    "name",
    "skip",
    "take",
    "positive_only",
    "rounding_digits",
    "trial_rounding",
    "trial_rounding_digits",
)
_FILE_KEYS = {"family", "rule"}
_KEYS = set(COLUMNS) - {"window", "rule"} | {"method"}
_NEEDED = ("method", "source", "description", "kind", "statistic", "trial_statistic")
_CHOICES = {
    "kind": ("step", "summary"),
    "statistic": ("last", "mean", "median"),
    "ranks": ("all", "first"),
    "rounding": ROUNDINGS,
    "trial_statistic": ("mean", "median"),
    "trial_rounding": ROUNDINGS,
}
_TEXTS = ("method", "source", "description", "name")
_COUNTS = {"skip": 0, "take": 1, "rounding_digits": 0, "trial_rounding_digits": 0}


@dataclass(frozen=True)
class Rule:
    """One rule: `skip` records are left out, then `take` are used (all, if None), of the records of `kind`."""

    rule: str
    source: str
    description: str
    kind: str
    statistic: str
    trial_statistic: str
    formats: tuple[str, ...] | None = None
    name: str | None = None
    skip: int = 0
    take: int | None = None
    positive_only: bool = False
    ranks: str = "all"
    rounding: str | None = None
    rounding_digits: int | None = None
    trial_rounding: str | None = None
    trial_rounding_digits: int | None = None

    @property
    def window(self) -> str:
        """Which records are used, in words."""
        if self.take is not None:
            return f"{self.skip + 1} to {self.skip + self.take}"
        if self.statistic == "last":
            return "last"
        return f"after {self.skip}" if self.skip else "all"

    def row(self) -> tuple[Any, ...]:
        """The rule as a row of table rule."""
        values = {column: getattr(self, column) for column in COLUMNS}
        return tuple(list(value) if isinstance(value, tuple) else value for value in values.values())


def load_rules() -> list[Rule]:
    """Every rule of queries/rules/, sorted by its id. Raises DefinitionError with file and line."""
    rules: dict[str, tuple[Rule, Path]] = {}
    for path in definition_files("queries/rules", ".toml"):
        file = read_toml(path)
        for number, rule in enumerate(_rules_of(file)):
            if rule.rule in rules:
                file.fail(
                    f"rule.{number}", f"rule {rule.rule!r} exists already, in {rules[rule.rule][1]}; rename this one"
                )
            rules[rule.rule] = (rule, path)
    return [rules[name][0] for name in sorted(rules)]


def _rules_of(file: TomlFile) -> list[Rule]:
    file.refuse_unknown("", file.data, _FILE_KEYS)
    family = file.data.get("family")
    if not isinstance(family, str) or not family.isidentifier():
        file.fail("family", f"family must be one word, such as 'ngc', not {family!r}")
    tables = file.data.get("rule")
    if not isinstance(tables, list) or not tables:
        file.fail("rule", "a family has at least one [[rule]]")
    return [_rule(file, f"rule.{number}", family, table) for number, table in enumerate(tables)]


def _rule(file: TomlFile, place: str, family: str, table: dict[str, Any]) -> Rule:
    file.refuse_unknown(place, table, _KEYS)
    for key in _NEEDED:
        if key not in table:
            file.fail(place, f"the rule has no {key}; it needs {', '.join(_NEEDED)}")
    for key, value in table.items():
        _check(file, f"{place}.{key}", key, value)
    for kind in ("rounding", "trial_rounding"):
        if (kind in table) != (f"{kind}_digits" in table):
            file.fail(place, f"{kind} and {kind}_digits are given together or not at all")
    values = {key: value for key, value in table.items() if key != "method"}
    if "formats" in values:
        values["formats"] = tuple(values["formats"])
    return Rule(rule=f"{family}.{table['method']}", **values)


def _check(file: TomlFile, place: str, key: str, value: Any) -> None:
    if key in _CHOICES:
        if value not in _CHOICES[key]:
            file.fail(place, f"{key} must be one of {', '.join(_CHOICES[key])}, not {value!r}")
    elif key in _COUNTS:
        if not isinstance(value, int) or isinstance(value, bool) or value < _COUNTS[key]:
            file.fail(place, f"{key} must be a whole number of at least {_COUNTS[key]}, not {value!r}")
    elif key in _TEXTS:
        if not isinstance(value, str) or not value.strip():
            file.fail(place, f"{key} must be text, not {value!r}")
        if key == "method" and not value.isidentifier():
            file.fail(place, f"method must be one word, such as 'summary', not {value!r}")
    elif key == "positive_only":
        if not isinstance(value, bool):
            file.fail(place, f"positive_only must be true or false, not {value!r}")
    elif not isinstance(value, list) or not value or not all(isinstance(item, str) for item in value):
        file.fail(place, f"formats must be a list of format names, not {value!r}; leave it out for all formats")
