"""Finds names of hosts, users, groups and jobs by their context and by their form."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cached_property, partial

from benchledger.definitions.redaction import KINDS, LISTS, SHAPE_HOLES, Context, RedactionRules, Shape
from benchledger.definitions.template import Hole, Literal
from benchledger.redaction.line_filter import domain_ending, shortest
from benchledger.redaction.pseudonyms import PSEUDONYM, Pseudonyms

# Host names follow DNS. User names may be in any script, and end where a path or a list continues.
_HOST = r"\w[\w-]{0,62}+(?:\.[\w-]{1,63}+){0,8}+"
_USER = r"[^\s/\\:;,'\"<>|()\[\]{}*?$&=@%#`]{1,64}+"
_NAMES = {"host": _HOST, "address": r"[\w.:]{1,64}+", "hardware": r"[\w:-]{1,64}+"}
_OTHER = {"int": r"-?\d{1,18}+", "word": r"[^\s,]{0,128}?", "text": r"[^\n]{0,200}?"}
_SKIP = r"[^\n]{0,200}?"
_CONTAINER = re.compile(r"[0-9a-f]{12}(?:[0-9a-f]{52})?")
# A file suffix after a dot is not a domain.
_ENDINGS = r"(?:log|txt|out|err|csv|jsonl?|ya?ml|toml|para|md|py|gz|bz2|xz|zst|zip|tar|tgz|html?|sqlite|nvvp|ncu-rep)\b"
_SIGNS = "[ ,('=\\/."
_HOLE = re.compile(r"\{([a-z]+)\}")

_AT = re.compile(r"(?<![\w.+@-])([\w.+-]{1,64}+)@(?!@)(" + _HOST + r")")
# Limit of the cache of field names.
_KEPT = 10_000
_COMMIT = re.compile(r"[0-9a-f]{7,11}|[0-9a-f]{40}|[0-9a-f]{64}")
_VERSION = re.compile(r"v?\d[\d.]*(?:[-+_.][\w.+-]*)?")
_SCHEMES = "https?|s?ftps?|ssh|git|tcp|udp|grpc|rsync|hdfs|nfs|smb|redis|etcd|wss?"
_URL = re.compile(rf"(?<![A-Za-z])((?:{_SCHEMES})://(?:[^\s/@:]{{1,64}}@)?)({_HOST})(:\d{{1,5}})?")
_ENDPOINT = re.compile(r"(?<![\w./:@-])(" + _HOST + r")(?=:\d{2,5}/[A-Za-z])")
_DOMAIN = re.compile(r"(?<![\w./@-])(?:\w[\w-]{0,62}+\.){1,8}[A-Za-z]{2,24}+(?![\w-]|\.\w)")


class _Regex:
    """A regex that is compiled at its first search: an ingest needs only few of them."""

    def __init__(self, compiled: Callable[[], re.Pattern[str]]) -> None:
        self._compiled = compiled

    @cached_property
    def sub(self) -> Callable[[Callable[[re.Match[str]], str], str], str]:
        """Returns the `sub` method of the compiled regex."""
        return self._compiled().sub


class Names:
    """Replaces names of hosts, users, groups and jobs."""

    def __init__(self, rules: RedactionRules, pseudonyms: Pseudonyms) -> None:
        self._rules = rules
        self._pseudonyms = pseudonyms
        # Templates by a character that they need: most texts lack most of these, and are done after a few searches.
        self.contexts: dict[str, list[tuple[str, _Regex]]] = {}
        for context in rules.contexts:
            sign = next((sign for sign in _SIGNS if sign in context.literals), "")
            self.contexts.setdefault(sign, []).append((context.literal, _Regex(partial(compile_context, context))))
        self.shapes = [
            (shape.literal, shape.kind, _Regex(partial(compile_shape, shape)), _loose(shape)) for shape in rules.shapes
        ]
        self._asked: dict[str, str | None] = {}
        self._kinds = {_canonical(name): key.kind for key in rules.keys for name in key.names}
        self._keys = _compile_keys(self._kinds)
        self.key_hints = shortest(max(re.split(r"[ _-]", name), key=len) for name in self._kinds)
        self._domain_ending = domain_ending(rules)

    @property
    def literals(self) -> set[str]:
        """Returns literals of which every context or shape needs at least one; the shapes of `patterns` need none."""
        shapes = {literal for literal, _, _, loose in self.shapes if loose is None}
        return shapes | {literal for contexts in self.contexts.values() for literal, _ in contexts}

    @property
    def patterns(self) -> list[re.Pattern[str]]:
        """Returns the regexes of shapes whose literal is too common to search for."""
        return [loose for _, _, _, loose in self.shapes if loose is not None]

    def redact(self, text: str) -> str:
        """Returns the text with names replaced; a text without names costs only some substring searches."""
        return self._by_signs(self._by_rules(text))

    def _by_rules(self, text: str) -> str:
        for sign, contexts in self.contexts.items():
            if sign in text:
                for literal, regex in contexts:
                    if literal in text:
                        text = regex.sub(self._in_context, text)
        for literal, kind, regex, loose in self.shapes:
            if literal in text and (loose is None or loose.search(text)):
                text = regex.sub(self._naming(kind), text)
        if ":" in text or "=" in text:
            lower = text.lower()
            if any(hint in lower for hint in self.key_hints):
                text = self._keys.sub(self._keyed, text)
        return text

    def _by_signs(self, text: str) -> str:
        if "://" in text:
            text = _URL.sub(self._url, text)
        if "@" in text:
            text = _AT.sub(self._at, text)
        if ":" in text and "/" in text:
            text = _ENDPOINT.sub(self._endpoint, text)
        if (("." in text and "-" in text) or ":" in text) and self._domain_ending.search(text.lower()):
            text = _DOMAIN.sub(self._domain, text)
        return text

    def kind_of(self, name: str) -> str | None:
        """Returns the kind of the value of a field with this name, or None."""
        # Cached: a log states the same few fields again and again.
        if name not in self._asked:
            if len(self._asked) >= _KEPT:
                self._asked.clear()
            self._asked[name] = self._kinds.get(_canonical(name))
        return self._asked[name]

    def value(self, name: str, text: str) -> str | None:
        """Redacts a text as the value of a field with this name; None if the name tells no kind."""
        kind = self.kind_of(name)
        return None if kind is None else self._replaced(kind, text)

    def _replaced(self, kind: str, names: str) -> str:
        # A list is divided at commas outside brackets, as in `node[01,03],login1`.
        kind = LISTS.get(kind, kind)
        return ",".join(self._one(kind, name) for name in re.split(r",(?![^\[\]]{0,200}\])", names))

    def _one(self, kind: str, name: str) -> str:
        name, colon, port = name.partition(":") if kind == "host" else (name, "", "")
        stripped = name.rstrip(".-")
        if not self._private(kind, stripped):
            return name + colon + port
        return self._pseudonyms.of(kind, stripped) + name[len(stripped) :] + colon + port

    def _private(self, kind: str, name: str) -> bool:
        lower = name.lower()
        if not name or lower in self._rules.public_names or PSEUDONYM.match(name):
            return False
        if kind == "host":
            if lower.endswith(self._rules.public_domains):
                return False
            # A number, a size, a version or an address (see addresses.py) is not a host; the id of a container is.
            return bool(name[0].isalpha() or _CONTAINER.fullmatch(name) or ("-" in name and name[0] != "-"))
        return True

    def _in_context(self, match: re.Match[str]) -> str:
        text, out, last = match.string, "", match.start()
        for hole, name in match.groupdict().items():
            start, end = match.span(hole)
            out += text[last:start] + self._replaced(hole.rstrip("0123456789"), name)
            last = end
        return out + text[last : match.end()]

    def _naming(self, kind: str) -> Callable[[re.Match[str]], str]:
        return lambda match: self._pseudonyms.of(kind, match.group())

    def _keyed(self, match: re.Match[str]) -> str:
        kind = self._kinds[_canonical(match.group(1))]
        before, value = match.group()[: match.start(2) - match.start()], match.group(2)
        if kind == "host" and match.string[match.end() : match.end() + 1] == "@":
            return match.group()  # host: root@gpu7 (the rule for @ redacts this)
        if kind == "user" and value[0].isdigit():
            return match.group()  # user: 1.25 s (a time)
        return before + self._replaced(kind, value)

    def _at(self, match: re.Match[str]) -> str:
        user, host = match.groups()
        if _VERSION.fullmatch(host) and not _CONTAINER.fullmatch(host):
            return match.group()  # hr@10, gcc@8.3.1
        if "+" in user and "." not in host:
            return match.group()  # owner+repository@commit
        if _COMMIT.fullmatch(host) or host.startswith("sha256") or user.startswith("group-"):
            return match.group()
        if host.lower().endswith(self._rules.public_domains) and user.lower() in self._rules.public_names:
            return match.group()
        shown = self._pseudonyms.of("user", user) if self._private("user", user) and not user[0].isdigit() else user
        return f"{shown}@{self._replaced('host', host)}"

    def _url(self, match: re.Match[str]) -> str:
        before, host, port = match.groups()
        if "." in host and not port and not self._internal(host):
            return match.group()
        return before + self._replaced("host", host) + (port or "")

    def _endpoint(self, match: re.Match[str]) -> str:
        # registry.example.com:5000/team/image
        return self._replaced("host", match.group(1))

    def _domain(self, match: re.Match[str]) -> str:
        name = match.group()
        port = re.match(r":\d{2,5}(?![\d.])", match.string[match.end() : match.end() + 8])
        last = name.rpartition(".")[2].lower()
        is_machine = self._internal(name) or (
            last in self._rules.top_level
            and (port is not None or (name.count(".") >= 2 and any(c.isdigit() for c in name.partition(".")[0])))
        )
        return self._replaced("host", name) if is_machine else name

    def _internal(self, name: str) -> bool:
        # `threading.local` is Python; `Johns-MacBook.local` is a machine.
        first, _, rest = name.partition(".")
        return rest.rpartition(".")[2].lower() in self._rules.internal and ("-" in first or "." in rest)


def _canonical(name: str) -> str:
    return name.lower().replace("-", "_").replace(" ", "_")


def _compile_keys(kinds: dict[str, str]) -> re.Pattern[str]:
    names = "|".join(re.escape(name).replace("_", "[ _-]") for name in sorted(kinds, key=len, reverse=True))
    user = r"[^\s/\\:;,'\"<>|()\[\]{}*?$&=@%#`]"
    value = rf"({user}{{1,64}}+(?:\.[\w-]{{1,63}}+){{0,8}}+(?:,\w[\w.-]{{0,253}}+(?![\w=:'\"]))*+)(?!\(|\.\d)"
    return re.compile(rf"(?i)(?<![A-Za-z0-9])({names})[\"']?[ \t]{{0,64}}+[=:][ \t]{{0,64}}+[\"']?{value}")


def compile_context(context: Context) -> re.Pattern[str]:
    """Returns the regex of a template; every part is bounded, so that its time is proportional to the text."""
    pattern = ""
    seen: dict[str, int] = {}
    for part in context.template.parts:
        if isinstance(part, Literal):
            pattern += "".join(
                rf"[ \t]{{{len(piece)},64}}+" if piece.isspace() else re.escape(piece)
                for piece in re.split(r"( +)", part.text)
                if piece
            )
        elif isinstance(part, Hole) and (part.name in KINDS or part.name in LISTS):
            seen[part.name] = seen.get(part.name, 0) + 1
            pattern += f"(?P<{part.name}{seen[part.name]}>{_of_list() if part.name in LISTS else _of_kind(part.name)})"
        else:
            pattern += _OTHER.get(part.type, _OTHER["word"]) if isinstance(part, Hole) else _SKIP
    first = context.template.parts[0]
    begins_in_word = not isinstance(first, Literal) or first.text[0].isalnum()
    return re.compile((r"(?<![A-Za-z0-9])" if begins_in_word else "") + pattern)


def _of_kind(kind: str) -> str:
    return _NAMES.get(kind, _USER)


def _of_list() -> str:
    # mpirun's `a:8,b:8`, srun's `node[01-04],login1`
    one = rf"{_HOST}(?:\[[\d,-]{{1,200}}+\])?(?::\d{{1,3}}+)?+"
    return rf"{one}(?:,{one}){{0,4095}}+"


def _loose(shape: Shape) -> re.Pattern[str] | None:
    # Every text contains a single-letter literal. Without its lookbehind, the regex of such a shape searches fast.
    return None if len(shape.literal) > 1 else re.compile(_of_shape(shape))


def _of_shape(shape: Shape) -> str:
    parts = _HOLE.split(shape.source)
    return "".join(SHAPE_HOLES[part] if index % 2 else re.escape(part) for index, part in enumerate(parts))


def compile_shape(shape: Shape) -> re.Pattern[str]:
    """Returns the regex of one shape; the domain of a host belongs to its name."""
    name = _of_shape(shape)
    domain = rf"(?:\.(?!{_ENDINGS})[A-Za-z0-9][\w-]{{1,62}}+(?![\w(])){{0,6}}" if shape.kind == "host" else ""
    return re.compile(rf"(?<![A-Za-z0-9]){name}(?![A-Za-z0-9]|-\w){domain}")
