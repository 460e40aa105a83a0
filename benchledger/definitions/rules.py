"""Reads the rules of queries/rules/."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchledger.definitions.definition_cache import cached, files_in
from benchledger.definitions.rule import COLUMNS, Rule
from benchledger.definitions.rule_checks import check_rule
from benchledger.definitions.toml_file import TomlFile, read_toml

__all__ = ["COLUMNS", "Rule", "load_rules"]

_FILE_KEYS = {"family", "rule"}


def load_rules() -> list[Rule]:
    """Returns every rule of queries/rules/, sorted by its id. Raises DefinitionError with file and line."""
    return cached("rules", files_in("queries/rules", "schema/vocabulary"), _read)


def _read() -> list[Rule]:
    rules: dict[str, tuple[Rule, Path]] = {}
    places: dict[str, tuple[TomlFile, str]] = {}
    for path in files_in("queries/rules"):
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
    check_rule(file, place, table)
    values = {key: value for key, value in table.items() if key != "method"}
    if "formats" in values:
        values["formats"] = tuple(values["formats"])
    return Rule(rule=f"{family}.{table['method']}", **values)


def _check_fallback(file: TomlFile, place: str, rule: Rule, known: dict[str, Rule]) -> None:
    """Raises DefinitionError if a chain of fallbacks is a circle or names an unknown rule."""
    passed = [rule.rule]
    while (name := known[passed[-1]].fallback) is not None:
        if name not in known:
            if len(passed) == 1:
                file.fail(f"{place}.fallback", f"no rule {name!r}; known: {', '.join(sorted(known))}")
            return
        if name in passed:
            file.fail(f"{place}.fallback", f"the fallbacks turn in a circle: {' -> '.join([*passed, name])}")
        passed.append(name)
