"""Finds private names by their context and by their form: hosts, users, groups, jobs, devices, buckets, secrets."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cached_property, partial

from benchledger.definitions.redaction import LISTS, Key, RedactionRules
from benchledger.redaction.compiling import (
    canonical,
    compile_context,
    compile_fields,
    compile_keys,
    compile_lists,
    compile_open,
    compile_shape,
    joined,
    key_hints,
    loose,
)
from benchledger.redaction.domains import Domains
from benchledger.redaction.forms import HOST
from benchledger.redaction.patterns import PATTERNS, SLOW_PATTERNS
from benchledger.redaction.private import PrivateNames
from benchledger.redaction.pseudonyms import PSEUDONYM, Pseudonyms
from benchledger.redaction.rule_set import Rule, RuleSet
from benchledger.redaction.secret_rules import secret_rules
from benchledger.redaction.secret_values import is_random
from benchledger.redaction.world_info import WORLD_INFO, with_hosts

_AT = re.compile(r"(?<![\w.+@-])([\w.+-]{1,64}+)@(?!@)(" + HOST + r")")
_QUOTED = re.compile(r"(?<=[\"'])[^\"',\s]{2,253}(?=[\"'])")
_BARE = re.compile(r"[^\s,=]{2,253}(?=,|\s*$)")
_AFTER_COUNT = re.compile(r"(?<=\d\*)[^:*\s]{2,253}")
_NUMBER = re.compile(r"[-+$]?\d[\d.,:]*(?:[eE][-+]?\d+)?[ ]?[A-Za-z%/]{0,9}")
_LEAST_SERIAL = 9
_LONGEST_END = 80
# Limit of the cache of field names.
_KEPT = 10_000
_SCHEMES = (
    "https?|s?ftps?|ssh|git|tcp|udp|grpcs?|rsync|hdfs|nfs|smb|cifs|file|rediss?|etcd|wss?|tls|ucx|ray|spark|ldaps?|amqps?"
    r"|postgres(?:ql)?|mysql|mongodb(?:\+srv)?|kafka|nats|mqtt|zmq"
)
_LETTERS_AFTER_DOT = re.compile(r"\.[A-Za-z]{2}")
_PORT = re.compile(r":\d{2,5}(?![\d.])")
_PORT_AND_PATH = re.compile(r":\d{2,5}/[A-Za-z]")
_ALIASES = {
    "owner": "user", "node": "host", "machine": "host", "hexip": "address", "hexsocket": "address",
    "project": "group", "id": "user", "person": "user",
}  # fmt: skip
_URL = re.compile(
    rf"(?<![A-Za-z])((?:{_SCHEMES})://(?:[^\s/@:]{{0,128}}(?::[^\s/@:]{{1,128}})?@)?)({HOST})(?!://)(:\d{{1,5}})?"
)
_ENDPOINT = re.compile(r"(?<![\w./:@-])(" + HOST + r")(?=:\d{2,5}/[A-Za-z])")
_DOMAIN = re.compile(r"(?<![\w./@-])(?:\w[\w-]{0,62}+\.){1,8}[A-Za-z]{2,24}+(?![\w-]|\.\w)")


class Names:
    """Replaces what a text names: hosts, users, groups, jobs, devices, buckets and secrets."""

    def __init__(self, rules: RedactionRules, pseudonyms: Pseudonyms) -> None:
        self._rules = rules
        self._pseudonyms = pseudonyms
        self.private = PrivateNames(rules)
        self._asked: dict[str, str | None] = {}
        self._keys = {joined(name): key for key in rules.keys for name in key.names}
        secret = tuple(key for key in rules.keys if key.kind == "secret")
        others = tuple(key for key in rules.keys if key.kind != "secret")
        shapes = [(shape, loose(shape)) for shape in rules.shapes]
        # Shapes without a literal that is rare enough, each with the regex that a text must match.
        self._loose = [
            (quick, Rule((), partial(compile_shape, shape), self._naming(shape.kind)))
            for shape, quick in shapes
            if quick is not None
        ]
        self._loose += [
            (re.compile(quick), Rule((), partial(re.compile, slow), self._in_context)) for quick, slow in SLOW_PATTERNS
        ]
        self.domains = Domains(rules)
        self.rule_set = RuleSet(
            [
                Rule(("world_info",), lambda: WORLD_INFO, partial(with_hosts, partial(self._replaced, "host"))),
                *self._patterns(),
                *secret_rules(secret, self._of_key),
                *(Rule((one.literal,), partial(compile_context, one), self._in_context) for one in rules.contexts),
                *(Rule((one.literal,), partial(compile_shape, one), self._naming(one.kind)) for one, quick in shapes
                  if quick is None),
                *self._key_rules(others),
                *self._fields(others),
                *self._lists(tuple(key for key in others if key.kind not in ("group", "project"))),
                Rule(("://",), lambda: _URL, self._url),
                Rule(("@",), lambda: _AT, self._at),
            ]
        )  # fmt: skip

    def _patterns(self) -> Iterator[Rule]:
        for hints, pattern in PATTERNS:
            yield Rule(hints, partial(re.compile, pattern), self._in_context)

    def _key_rules(self, keys: tuple[Key, ...]) -> Iterator[Rule]:
        if keys:
            hints = tuple(hint for key in keys for name in key.names for hint in key_hints(name))
            yield Rule(hints, partial(compile_keys, keys), self._keyed)

    def _fields(self, keys: tuple[Key, ...]) -> Iterator[Rule]:
        hints = tuple(hint for key in keys for name in key.names for hint in key_hints(name, " \t|>\"'"))
        yield Rule(hints, partial(compile_fields, keys), self._field)

    def _lists(self, keys: tuple[Key, ...]) -> Iterator[Rule]:
        hints = tuple(hint for key in keys for name in key.names for hint in key_hints(f"{name}s", ":=\"' "))
        yield Rule(hints, partial(compile_lists, keys), self._listed)

    @property
    def patterns(self) -> list[re.Pattern[str]]:
        """Returns the regexes of which a text without any hint must match one if something in it is replaced."""
        return [_PORT_AND_PATH, *(quick for quick, _ in self._loose)]

    def redact(self, text: str) -> str:
        text = self.rule_set.redact(text)
        for quick, rule in self._loose:
            if quick.search(text):
                text = rule.regex.sub(rule.replace, text)
        if _PORT_AND_PATH.search(text):
            text = _ENDPOINT.sub(self._endpoint, text)
        if _LETTERS_AFTER_DOT.search(text) and self.domains.ending.search(text.lower()):
            text = _DOMAIN.sub(self._domain, text)
        return text

    def kind_of(self, name: str) -> str | None:
        # Cached: a log states the same few fields again and again.
        if name not in self._asked:
            if len(self._asked) >= _KEPT:
                self._asked.clear()
            self._asked[name] = key.kind if (key := self._keys.get(joined(name))) else None
        return self._asked[name]

    def value(self, name: str, text: str) -> str | None:
        """Redacts a text as the value of a field with this name; None if the name tells no kind."""
        key = self._keys.get(joined(name))
        return None if key is None else self._of_key(key, text)

    def title(self, title: str) -> str | None:
        words = re.split(r"[_.]", canonical(re.split(r"[(\[]", title)[0].strip(" #%.")))
        for start in range(len(words)):
            name = "_".join(words[start:])
            kind = self.kind_of(name)
            if name in ("host", "hosts"):
                return "node"  # Host and Device: where an operation ran
            if kind is not None and kind != "project" and (kind != "group" or start == 0):
                return name
        return None

    def cell(self, name: str, text: str) -> str:
        key = self._keys[joined(name)]
        is_person = key.kind in ("user", "owner") and text[:1].isupper()
        if key.kind in ("user", "owner") and text[:1].isdigit():
            return text
        if key.kind not in ("device", "secret") and not any(map(str.isalpha, text)):
            return text  # .5, ±2, ~3, 2024-01-01
        if _NUMBER.fullmatch(text) and (key.kind != "device" or not text.isdigit() or len(text) < _LEAST_SERIAL):
            return text
        return text if " " in text and not is_person else self._of_key(key, text)

    @cached_property
    def _open(self) -> re.Pattern[str]:
        return compile_open(self._rules.keys)

    def open_name(self, line: str) -> str | None:
        # Only the end of the line is searched: a name, then blanks, signs and a word in brackets.
        most = _LONGEST_END + 2 * max(map(len, self._keys), default=0)
        match = self._open.search(line, max(0, len(line) - most))
        return None if match is None else match["name"] or match["plural"]

    def _of_key(self, key: Key, text: str, option: str | None = None) -> str:
        if key.least and not is_random(text, key, option):
            head, blank, rest = text.partition(" ")
            return self._of_key(key, head, option) + blank + rest if blank else text
        return self._replaced(key.kind, text)

    def _replaced(self, kind: str, names: str) -> str:
        kind = LISTS.get(kind, kind)
        if kind == "repo":
            org, _, name = names.partition("/")
            return (
                f"{self._one('group', org)}/{self._one('group', name)}" if self.private.is_private_org(org) else names
            )
        if kind in ("tree", "pair"):
            return self._group_and_user(kind, names)
        if kind in ("secret", "path"):
            return self._one(kind, names)
        if "*" in names and kind in ("host", "node", "machine"):
            # LSF's `36*gpua1:2*gpua2`
            return _AFTER_COUNT.sub(lambda name: self._one(kind, name.group()), names)
        # A list is divided at commas outside brackets, as in `node[01,03],login1`.
        listed = re.split(r",(?![^\[\]]{0,200}\])", names) if "," in names else [names]
        return ",".join(self._one(kind, name) for name in listed)

    def _one(self, kind: str, name: str) -> str:
        name, colon, port = name.partition(":") if kind in ("host", "node", "machine") else (name, "", "")
        stripped = name.rstrip(".-")
        if not self.private.holds(kind, stripped):
            return name + colon + port
        kind = _ALIASES.get(kind, kind)
        return self._pseudonyms.of(kind, stripped) + name[len(stripped) :] + colon + port

    def _group_and_user(self, kind: str, names: str) -> str:
        group, slash, user = names.partition("/")
        is_user = slash != "" and self.private.holds("owner", user)
        if not self.private.holds("owner", group) or (kind == "pair" and not is_user):
            return names
        return self._one("group", group) + slash + (self._one("user", user) if is_user else user)

    def _in_context(self, match: re.Match[str]) -> str:
        text, out, last = match.string, "", match.start()
        for hole, name in match.groupdict().items():
            if (
                name is None
                or hole == "both"
                or PSEUDONYM.fullmatch(name)
                or (hole == "path1" and self._is_public_bucket(match))
            ):
                continue
            start, end = match.span(hole)
            out += text[last:start] + self._replaced(hole.rstrip("0123456789"), name)
            last = end
        return out + text[last : match.end()]

    def _is_public_bucket(self, match: re.Match[str]) -> bool:
        return (match.groupdict().get("bucket1") or "").lower() in self._rules.public_buckets

    def _naming(self, kind: str) -> Callable[[re.Match[str]], str]:
        return lambda match: self._pseudonyms.of(kind, match.group())

    def _keyed(self, match: re.Match[str]) -> str:
        key = self._keys[joined(match["name"])]
        before, value = match.group()[: match.start("value") - match.start()], match["value"]
        if PSEUDONYM.fullmatch(value) or joined(value).endswith(joined(match["name"])):
            return match.group()  # host=my_host (code in a traceback)
        if " " in value and key.kind not in ("user", "owner"):
            value, blank, rest = value.partition(" ")
            return before + self._of_key(key, value) + blank + rest
        behind = match.string[match.end() : match.end() + 2]
        if key.kind in ("host", "node") and (behind[:1] == "@" or (behind[:1] == "/" and behind[1:].isalpha())):
            return match.group()  # host: root@gpu7 (the rule for @ redacts this), node name: bert/dense (an operation)
        if key.kind == "user" and value[0].isdigit():
            return match.group()  # user: 1.25 s (a time)
        return before + self._of_key(key, value)

    def _field(self, match: re.Match[str]) -> str:
        value = match["value"].lower()
        if "/" in value or joined(value) in self._keys or value in self._rules.operations | self._rules.folders:
            return match.group()  # titles of a table: `| user | owner |`, `Host  Samples/s`, `Host | Step`
        before = match.group()[: match.start("value") - match.start()]
        return before + self.cell(match["name"], match["value"])

    def _listed(self, match: re.Match[str]) -> str:
        name = self.title(match["name"]) or match["name"]
        values = _QUOTED.sub(lambda value: self.cell(name, value.group()), match["values"])
        if self.kind_of(name) in ("host", "node") and not {"'", '"'} & set(values):
            # YAML: `nodes: [gpua1, gpua2]`
            values = _BARE.sub(lambda value: self._one("node", value.group()), values)
        return match.group()[: match.start("values") - match.start()] + values

    def _at(self, match: re.Match[str]) -> str:
        user, host = match.groups()
        if not self.private.is_login(user, host, match.string[match.end() : match.end() + 2]):
            return match.group()
        is_user = self.private.holds("user", user) and ("." in host or not user[0].isdigit())
        shown = self._pseudonyms.of("user", user) if is_user else user
        return f"{shown}@{self._replaced('host', host)}"

    def _url(self, match: re.Match[str]) -> str:
        before, host, port = match.groups()
        if not self.domains.is_private_url(host, port is not None):
            return match.group()
        return before + self._replaced("host", host) + (port or "")

    def _endpoint(self, match: re.Match[str]) -> str:
        # registry.example.com:5000/team/image
        return self._replaced("host", match.group(1))

    def _domain(self, match: re.Match[str]) -> str:
        name, behind = match.group(), match.string[match.end() : match.end() + 8]
        is_machine = self.domains.is_machine(name, _PORT.match(behind) is not None)
        return self._replaced("host", name) if is_machine else name
