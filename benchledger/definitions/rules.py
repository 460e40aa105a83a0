"""Reads the rules of queries/rules/ and checks their keys, values and combinations."""

from __future__ import annotations

from typing import Any

from benchledger.definitions.definition_cache import cached, files_in
from benchledger.definitions.rounding import ROUNDINGS
from benchledger.definitions.rule import COLUMNS, Rule
from benchledger.definitions.toml_file import read_toml
from benchledger.definitions.toml_table import LARGEST, Table
from benchledger.definitions.vocabulary import vocabulary

__all__ = ["COLUMNS", "SPEED_UNITS", "Rule", "load_rules"]

# Units of a rule's speed. Minutes are included, although no log is read in minutes.
SPEED_UNITS = ("samples/s", "tokens/s", "items/s", "steps/s", "s", "min", "TFLOP/s")
_TIMES = ("s", "min")
_WORD = "(letters, digits and _; no hyphen)"
_KEYS = {*COLUMNS, "method"} - {"window", "rule"}
_NEEDED = ("method", "source", "description", "kind", "statistic", "trial_statistic")
_TEXTS = ("method", "source", "description", "name", "fallback", "trial_factor")
_FLAGS = ("positive_only", "complete", "zero_fails")
_ROUNDED = ("rounding", "reading_rounding", "trial_rounding", "speedup_rounding")
_CHOICES = {
    "kind": ("step", "summary"),
    "statistic": ("last", "mean", "median", "trimmed"),
    "quantity": ("throughput", "step_time", "interval", "round", "epoch_time", "span"),
    "unit": SPEED_UNITS,
    "average_of": ("rates", "times"),
    "batch": ("global", "pass"),
    "volume": ("step", "window"),
    "per": ("gpu",),
    "ranks": ("all", "first", "median", "each", "mean"),
    "trial_statistic": ("mean", "median", "olympic"),
    **dict.fromkeys(_ROUNDED, ROUNDINGS),
}
_LEAST = {
    **dict.fromkeys(("skip", "skip_last", "after_step"), 0),
    **dict.fromkeys(("take", "trial_drop", "trim", "to_step"), 1),
    "trim_from": 3,
    **{f"{name}_digits": 0 for name in _ROUNDED},
}
# DuckDB's functions for the first or last values of a group fail at a million.
_MOST = dict.fromkeys(("skip", "skip_last", "take"), 400_000)


def load_rules() -> list[Rule]:
    return cached("rules", files_in("queries/rules", "schema/vocabulary"), _read)


def _read() -> list[Rule]:
    rules: dict[str, Rule] = {}
    tables: dict[str, Table] = {}
    for path in files_in("queries/rules"):
        file = read_toml(path)
        top = Table(file, "", file.data, ("family", "rule"))
        family = top.data.get("family")
        if not isinstance(family, str) or not family.isidentifier():
            top.fail("family", f"family must be one word {_WORD}, such as 'ngc', not {family!r}")
        entries = top.tables("rule", _KEYS)
        if not entries:
            top.fail("rule", "a family has at least one [[rule]]")
        for table in entries:
            rule = _rule(table, family)
            if rule.rule in rules:
                other = tables[rule.rule].file.path
                table.fail("", f"rule {rule.rule!r} exists already, in {other}; rename this one")
            rules[rule.rule], tables[rule.rule] = rule, table
    for name, table in tables.items():
        _check_fallback(table, rules[name], rules)
    return [rules[name] for name in sorted(rules)]


def _rule(table: Table, family: str) -> Rule:
    for key in _NEEDED:
        if key not in table:
            table.fail("", f"the rule has no {key}; it needs {', '.join(_NEEDED)}")
    for key, value in table.data.items():
        _check_value(table, key, value)
    _check_combinations(table)
    values: dict[str, Any] = dict(table.data)
    if "formats" in values:
        values["formats"] = tuple(values["formats"])
    return Rule(rule=f"{family}.{values.pop('method')}", **values)


def _check_value(table: Table, key: str, value: Any) -> None:
    if key in _CHOICES:
        table.choice(key, _CHOICES[key])
    elif key in _LEAST:
        table.whole_number(key, _LEAST[key], _MOST.get(key, LARGEST))
    elif key in _FLAGS:
        table.flag(key)
    elif key in _TEXTS:
        if not isinstance(value, str) or not value.strip():
            table.fail(key, f"{key} must be text, not {value!r}")
        if key == "method" and not value.isidentifier():
            table.fail(key, f"method must be one word {_WORD}, such as 'summary', not {value!r}")
    elif key == "trial_count_offset":
        if not isinstance(value, float) or not 0 < value < 1:
            table.fail(key, f"trial_count_offset must be a number between 0 and 1, such as 1e-9, not {value!r}")
    elif not isinstance(value, list) or not value or not all(isinstance(item, str) for item in value):
        table.fail(key, f"formats must be a list of format names, not {value!r}; leave it out for all formats")


def _check_combinations(table: Table) -> None:
    def refuse(wrong: bool, problem: str) -> None:
        if wrong:
            table.fail("", problem)

    def get(key: str, default: Any = None) -> Any:
        return table.data.get(key, default)

    keys = set(table.data)
    for kind in _ROUNDED:
        pair = {kind, f"{kind}_digits"}
        refuse(len(pair & keys) == 1, f"{kind} and {kind}_digits are given together or not at all")
    refuse(
        get("ranks") == "median" and get("quantity") not in ("throughput", "step_time"),
        "a median over ranks reads printed values: it needs quantity = 'throughput' or 'step_time'",
    )
    refuse(
        get("ranks") == "mean" and (get("statistic") != "mean" or get("positive_only", False)),
        "a mean over ranks is one of means: it needs statistic = 'mean', without positive_only",
    )
    refuse(
        get("complete", False) and not {"take", "to_step"} & keys,
        "complete asks for the whole of a window: give the window an end with take or to_step",
    )
    refuse(
        (get("trial_statistic") == "olympic") != ("trial_drop" in keys),
        "trial_drop says how many of the lowest and of the highest trials an olympic mean leaves out",
    )
    if get("statistic") == "trimmed" or {"trim", "trim_from"} & keys:
        from_ = get("trim_from", 0)
        refuse(
            get("statistic") != "trimmed" or from_ <= 2 * get("trim", from_),
            "a trimmed mean leaves trim at each end of trim_from and more records: give both, trim_from above 2 trim",
        )
        refuse(
            get("average_of") == "times" or get("positive_only", False),
            "a trimmed mean is one of all speeds: without average_of = 'times' and positive_only",
        )
    ends = get("name", "").split(" to ")
    refuse(
        get("quantity") == "span" and (len(ends) != 2 or not all(ends)),
        "a span is named by the labels of its two records, as in name = 'run_start to run_stop'",
    )
    refuse(
        get("quantity") == "span" and (get("kind") != "summary" or get("unit") not in _TIMES),
        "a span is stated once per run, as a time: it needs kind = 'summary' and unit = 's' or 'min'",
    )
    is_time = get("kind") == "summary" and get("unit") in _TIMES and get("average_of") == "times"
    needs = "kind = 'summary', average_of = 'times' and unit = 's' or 'min'"
    refuse(get("quantity") == "epoch_time" and not is_time, f"the time of an epoch is not a speed: it needs {needs}")
    _check_shares(table)


def _check_shares(table: Table) -> None:
    shares = {key: table.data[key] for key in ("per", "volume") if table.data.get(key, "step") != "step"}
    for key, value in shares.items():
        if table.data.get("unit") in _TIMES:
            table.fail(key, f"{key} = {value!r} is of a speed; in {table.data['unit']} leave it out")
    if "volume" in shares and "take" not in table:
        table.fail("volume", "the volume of a window needs its number of steps: give take")
    for key, value in shares.items():
        # Not the speed of the run, but the number that one program prints as its speed: wrong for other programs.
        if "formats" not in table:
            table.fail(key, f"{key} = {value!r} is one program's way to count: name its formats")
    factors = [fact.name for fact in vocabulary().facts.values() if fact.type == "factor"]
    if (factor := table.data.get("trial_factor")) is not None and factor not in factors:
        table.fail("trial_factor", f"no fact {factor!r} that is a factor; known: {', '.join(factors)}")


def _check_fallback(table: Table, rule: Rule, known: dict[str, Rule]) -> None:
    # A chain of fallbacks must not be a circle or name an unknown rule.
    passed = [rule.rule]
    while (name := known[passed[-1]].fallback) is not None:
        if name not in known:
            if len(passed) == 1:
                table.fail("fallback", f"no rule {name!r}; known: {', '.join(sorted(known))}")
            return
        if name in passed:
            table.fail("fallback", f"the fallbacks turn in a circle: {' -> '.join([*passed, name])}")
        passed.append(name)
