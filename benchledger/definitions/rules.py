"""Rules: named, sourced ways to turn a run's records, or a series' trials, into one number."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchledger.definitions.folders import definition_files
from benchledger.definitions.toml_file import TomlFile, read_toml
from benchledger.definitions.vocabulary import vocabulary

ROUNDINGS = ("round_even", "round_exact", "truncate", "round2_truncate", "significant")
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
    "quantity",
    "unit",
    "average_of",
    "batch",
    "after_step",
    "to_step",
    "complete",
    "reading_rounding",
    "reading_rounding_digits",
    "zero_fails",
    "fallback",
    "speedup_rounding",
    "speedup_rounding_digits",
    "trial_count_offset",
    "trial_drop",
    "trial_factor",
)
_FILE_KEYS = {"family", "rule"}
_KEYS = set(COLUMNS) - {"window", "rule"} | {"method"}
_NEEDED = ("method", "source", "description", "kind", "statistic", "trial_statistic")
_CHOICES = {
    "kind": ("step", "summary"),
    "statistic": ("last", "mean", "median"),
    "quantity": ("throughput", "step_time", "interval", "span"),
    "unit": ("samples/s", "tokens/s", "steps/s", "s", "min", "TFLOP/s"),
    "average_of": ("rates", "times"),
    "batch": ("global", "pass"),
    "ranks": ("all", "first", "median"),
    "trial_statistic": ("mean", "median", "olympic"),
}
_ROUNDED = ("rounding", "reading_rounding", "trial_rounding", "speedup_rounding")
_CHOICES |= dict.fromkeys(_ROUNDED, ROUNDINGS)
_TEXTS = ("method", "source", "description", "name", "fallback", "trial_factor")
_COUNTS = {"skip": 0, "take": 1, "trial_drop": 1, "after_step": 0, "to_step": 1}
_COUNTS |= {f"{name}_digits": 0 for name in _ROUNDED}
_FLAGS = ("positive_only", "complete", "zero_fails")


@dataclass(frozen=True)
class Rule:
    """One rule; docs/rules.md says what each of its words means.

    Of the records of `kind`, with steps above `after_step` and up to `to_step`, `skip` are left out and `take` are used
    (all, if None).
    """

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
    quantity: str | None = None
    unit: str | None = None
    average_of: str = "rates"
    batch: str = "global"
    after_step: int | None = None
    to_step: int | None = None
    complete: bool = False
    reading_rounding: str | None = None
    reading_rounding_digits: int | None = None
    zero_fails: bool = False
    fallback: str | None = None
    speedup_rounding: str | None = None
    speedup_rounding_digits: int | None = None
    trial_count_offset: float | None = None
    trial_drop: int | None = None
    trial_factor: str | None = None

    @property
    def window(self) -> str:
        """Which records are used, in words: of the steps within, those that are counted from the first."""
        first = "from" if self.quantity == "interval" else "above"
        within = [f"{first} {self.after_step}"] * (self.after_step is not None)
        ends = " ".join([*within, *[f"up to {self.to_step}"] * (self.to_step is not None)])
        return f"{self._records}, of the steps {ends}" if ends else self._records

    @property
    def _records(self) -> str:
        whole = ", whole or nothing" if self.complete else ""
        if self.take is not None:
            return f"numbers {self.skip + 1} to {self.skip + self.take}{whole}"
        if self.statistic == "last":
            return "the last" + whole
        return (f"all after the first {self.skip}" if self.skip else "all") + whole

    def row(self) -> tuple[Any, ...]:
        """The rule as a row of table rule."""
        values = {column: getattr(self, column) for column in COLUMNS}
        return tuple(list(value) if isinstance(value, tuple) else value for value in values.values())


def load_rules() -> list[Rule]:
    """Every rule of queries/rules/, sorted by its id. Raises DefinitionError with file and line."""
    rules: dict[str, tuple[Rule, Path]] = {}
    places: dict[str, tuple[TomlFile, str]] = {}
    for path in definition_files("queries/rules", ".toml"):
        file = read_toml(path)
        for number, rule in enumerate(_rules_of(file)):
            if rule.rule in rules:
                file.fail(
                    f"rule.{number}", f"rule {rule.rule!r} exists already, in {rules[rule.rule][1]}; rename this one"
                )
            rules[rule.rule] = (rule, path)
            places[rule.rule] = (file, f"rule.{number}")
    known = {name: rule for name, (rule, _) in rules.items()}
    for name, (file, place) in places.items():
        _check_fallback(file, place, known[name], known)
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
    for kind in _ROUNDED:
        if (kind in table) != (f"{kind}_digits" in table):
            file.fail(place, f"{kind} and {kind}_digits are given together or not at all")
    if table.get("ranks") == "median" and table.get("quantity") not in ("throughput", "step_time"):
        file.fail(place, "a median over ranks reads printed values: it needs quantity = 'throughput' or 'step_time'")
    if table.get("complete") and not {"take", "to_step"} & set(table):
        file.fail(place, "complete asks for the whole of a window: give the window an end with take or to_step")
    if (table["trial_statistic"] == "olympic") != ("trial_drop" in table):
        file.fail(place, "trial_drop says how many of the lowest and of the highest trials an olympic mean leaves out")
    if "trial_factor" in table:
        _check_factor(file, f"{place}.trial_factor", table["trial_factor"])
    if table.get("quantity") == "span":
        _check_span(file, place, table)
    values = {key: value for key, value in table.items() if key != "method"}
    if "formats" in values:
        values["formats"] = tuple(values["formats"])
    return Rule(rule=f"{family}.{table['method']}", **values)


def _check_factor(file: TomlFile, place: str, name: str) -> None:
    factors = [fact.name for fact in vocabulary().facts.values() if fact.type == "factor"]
    if name not in factors:
        file.fail(place, f"no fact {name!r} that is a factor; known: {', '.join(factors)}")


def _check_span(file: TomlFile, place: str, table: dict[str, Any]) -> None:
    ends = table.get("name", "").split(" to ")
    if len(ends) != 2 or not all(ends):
        file.fail(place, "a span is named by the labels of its two records, as in name = 'run_start to run_stop'")
    if table["kind"] != "summary" or table.get("unit") not in ("s", "min"):
        file.fail(place, "a span is told once a run, in time: it needs kind = 'summary' and unit = 's' or 'min'")


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
    elif key == "trial_count_offset":
        _check_offset(file, place, value)
    elif key in _FLAGS:
        if not isinstance(value, bool):
            file.fail(place, f"{key} must be true or false, not {value!r}")
    elif not isinstance(value, list) or not value or not all(isinstance(item, str) for item in value):
        file.fail(place, f"formats must be a list of format names, not {value!r}; leave it out for all formats")


def _check_offset(file: TomlFile, place: str, value: Any) -> None:
    if not isinstance(value, float) or not 0 < value < 1:
        file.fail(place, f"trial_count_offset must be a number between 0 and 1, such as 1e-9, not {value!r}")


def _check_fallback(file: TomlFile, place: str, rule: Rule, known: dict[str, Rule]) -> None:
    """A chain of fallbacks ends, and each of its links is a rule."""
    passed = [rule.rule]
    while (name := known[passed[-1]].fallback) is not None:
        if name not in known:
            if len(passed) == 1:
                file.fail(f"{place}.fallback", f"no rule {name!r}; known: {', '.join(sorted(known))}")
            return
        if name in passed:
            file.fail(f"{place}.fallback", f"the fallbacks turn in a circle: {' -> '.join([*passed, name])}")
        passed.append(name)
