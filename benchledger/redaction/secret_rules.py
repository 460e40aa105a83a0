"""Rules of the secrets that have a name: fields, options, pairs of name and value, lists, tables and XML."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from benchledger.definitions.redaction import Key
from benchledger.redaction.compiling import any_name, compile_marked_secrets, joined, key_hints
from benchledger.redaction.pseudonyms import PSEUDONYM
from benchledger.redaction.rule_set import Rule
from benchledger.redaction.secret_values import IS_NUMBER, ITEM, compile_secret_lists, compile_secrets, is_no_secret

Replace = Callable[[Key, str, str | None], str]


def secret_rules(keys: tuple[Key, ...], replace: Replace) -> Iterator[Rule]:
    known = {joined(name): key for key in keys for name in key.names}
    uncommon = tuple(key for key in keys if not key.common)

    def field(match: re.Match[str]) -> str:
        name, value, option = match["name"], match["value"], match.groupdict().get("option")
        before, key = match.group()[: match.start("value") - match.start()], known[joined(name)]
        if _is_name(value, name) or (not key.least and is_no_secret(name, value, before, option)):
            return match.group()
        return before + replace(key, value, option)

    def values(match: re.Match[str]) -> str:
        name, listed = match["name"], match["values"]

        def item(found: re.Match[str]) -> str:
            group = found.lastgroup or ""
            value = found[group]
            is_key = value[-1] == ":" or listed[found.end() : found.end() + 1] == ":"
            if is_key or (group == "bare" and (value.isalpha() or IS_NUMBER(value))) or _is_name(value, name):
                return found.group()
            return found.group().replace(value, replace(known[joined(name)], value, None))

        return match.group()[: match.start("values") - match.start()] + ITEM.sub(item, listed)

    yield Rule(_hints(keys, "=:.,;|\n\r\"'(] \t\\&<`"), lambda: compile_secrets(any_name(keys)), field)
    yield Rule(
        (*_hints(uncommon, ":=\"' &"), *_hints(uncommon, ":=\"' &", "s")),
        lambda: compile_secret_lists(any_name(uncommon)),
        values,
    )
    yield Rule(_hints(uncommon, "=>:|,\"' \t\xa0"), lambda: compile_marked_secrets(uncommon), field)


def _hints(keys: tuple[Key, ...], following: str, end: str = "") -> tuple[str, ...]:
    return tuple(hint for key in keys for name in key.names for hint in key_hints(name + end, following))


def _is_name(value: str, name: str) -> bool:
    # password=my_password (code in a traceback)
    return PSEUDONYM.fullmatch(value) is not None or joined(value).endswith(joined(name))
