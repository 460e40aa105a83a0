"""Turns the rules of redact.toml into regexes; every part is bounded, so that time is proportional to the text."""

from __future__ import annotations

import re
from functools import cache
from itertools import groupby

from benchledger.definitions.redaction import HOLES, LISTS, SHAPE_HOLES, Context, Key, Shape
from benchledger.definitions.template import Hole, Literal
from benchledger.redaction.forms import HOST, HOST_LIST, PERSON, SECRET, USER
from benchledger.redaction.secret_values import VALUE

_NAMES = {"host": HOST, "node": HOST, "address": r"[\w.:]{1,64}+", "hardware": r"[\w:.-]{1,64}+",
          "device": r"[\w:.-]{1,64}+", "secret": SECRET, "repo": r"[\w.-]{1,64}/[\w-]{1,100}"}  # fmt: skip
_OTHER = {"int": r"-?\d{1,18}+", "word": r"[^\s,]{0,128}?", "text": r"[^\n]{0,200}?"}
_SKIP = r"[^\n]{0,200}?"
# A file suffix after a dot is not a domain.
_ENDINGS = r"(?:log|txt|out|err|csv|jsonl?|ya?ml|toml|para|md|py|gz|bz2|xz|zst|zip|tar|tgz|html?|sqlite|nvvp|ncu-rep)\b"
_HOLE = re.compile(r"\{([a-z]+)\}")
# The value of a name that is no secret.
_VALUE = (
    rf"(?:(?-i:{PERSON})(?![\w.:=(\\])"
    rf"|{USER}(?:\.[\w-]{{1,63}}+){{0,8}}+(?:,\w[\w.-]{{0,253}}+(?![\w=:'\"]))*+(?!\(|\.\d))"
)


def joined(name: str) -> str:
    """Returns the name of a field without signs between its words, in lower case: `hostName` is `host_name`."""
    return canonical(name).replace("_", "")


def canonical(name: str) -> str:
    """Returns the name of a field with `_` between its words, in lower case."""
    return name.lower().replace("-", "_").replace(" ", "_")


@cache
def key_hints(name: str, following: str = "=:.,;|\n\r\"'(] \t\\") -> tuple[str, ...]:
    """Returns the literals of which the regex of a key's name needs one.

    They are the name, and each character that may follow, unless it has several words.
    """
    parts = canonical(name).split("_")
    glued = tuple("".join(parts) + end for end in following)
    return glued if len(parts) == 1 else (*glued, *(between.join(parts) for between in " _-"))


def compile_keys(keys: tuple[Key, ...]) -> re.Pattern[str]:
    blanks = r"[ \t]{0,64}+"
    return re.compile(
        rf"(?i)(?:(?P<option>(?<![\w-])--?(?:[a-z]{{1,20}}[_-]){{0,4}})|(?<![A-Za-z0-9])|(?-i:(?<=[a-z])(?=[A-Z])))"
        rf"(?P<name>{any_name(keys)})"
        rf"(?:(?:\\?[\"']\]?)?{blanks}(?:[=:]|\.{{3,80}}+){blanks}|(?(option)(?:[ \t]{{1,8}}+|\\?[\"'], {{0,4}})|(?!)))"
        rf"(?:b?\\?[\"'])?(?P<value>{_VALUE})"
    )


def compile_marked_secrets(keys: tuple[Key, ...]) -> re.Pattern[str]:
    """Returns a regex of secrets in tables, XML and lists: other signs than `name=` stand between name and value.

    Without a `=` or an element of XML the value must be made by chance, since the next column's name may follow.
    """
    signs = r"[^\w\n\\<(\[{$%/~.]"
    by_chance = rf"{signs}{{1,64}}+(?=[^\s'\"|]{{0,64}}\d)(?=[^\s'\"|]{{0,64}}[a-z])(?=[^\s'\"|]{{8}})"
    element = r">\s{0,16}+(?=[^<\n]{4,1024}</)"
    between = rf"(?:{signs}{{0,16}}={signs}{{0,64}}+|{element}|{signs}{{1,64}}+value=[\"']?|{by_chance})"
    start = rf"(?i)(?<![A-Za-z0-9])(?P<name>{any_name(keys)})(?!\s{{0,8}}==)"
    return re.compile(rf"{start}{between}(?P<value>{VALUE})")


def compile_fields(keys: tuple[Key, ...]) -> re.Pattern[str]:
    """Returns a regex of fields without `=`: alone in a line or row, in XML, or `name="..." value="..."`."""
    begin = r"(?:^(?:[ \t]{0,32}\|)?[ \t]{0,32}+|<|(?:name|key)[\"']?[=:] ?[\"'])"
    between = r"(?:[ \t]{2,64}+|\t[ \t]{0,64}+|[ \t]{0,64}+\|[ \t]{0,64}+|>|[\"'],? [\"']?value[\"']?[=:] ?[\"'])"
    value = r"(?P<value>[^\s|<>\"']{2,128}+)(?=[ \t|]{0,64}\r?$|</|[\"'])"
    return re.compile(rf"(?im){begin}(?P<name>{any_name(keys)}){between}{value}")


def compile_lists(keys: tuple[Key, ...]) -> re.Pattern[str]:
    """Returns a regex of lists in JSON and Python, after a name or its plural."""
    between = r"s?[\"']?[ \t]{0,8}[:=][ \t]{0,8}[\[(]"
    return re.compile(rf"(?i)(?<![A-Za-z0-9])(?P<name>{any_name(keys)}){between}(?P<values>[^\[\]()\n]{{3,8192}}+)")


def compile_open(keys: tuple[Key, ...]) -> re.Pattern[str]:
    """Returns a regex of a name at the end of a line, whose value is below it."""
    end = r"[\"']?(?: \([^()\n]{0,40}\))?[ \t]{0,8}[:=][ \t]{0,8}(?:[|>][+-]?|[\[(])?$"
    several = any_name(tuple(key for key in keys if key.kind == "secret" and not key.common))
    return re.compile(rf"(?i)(?<![A-Za-z0-9])(?:(?P<name>{any_name(keys)})|(?P<plural>{several})s){end}")


def any_name(keys: tuple[Key, ...]) -> str:
    # By their first letter, so that few are tried at each place. The longest name of a place wins.
    known = sorted({canonical(name) for key in keys for name in key.names}, key=lambda one: (one[0], -len(one), one))
    return "|".join(
        rf"{first}(?:{'|'.join(re.escape(name[1:]).replace('_', '[ _-]?') for name in group)})"
        for first, group in groupby(known, key=lambda name: name[0])
    )


def compile_context(context: Context) -> re.Pattern[str]:
    pattern = ""
    seen: dict[str, int] = {}
    for part in context.template.parts:
        if isinstance(part, Literal):
            pattern += "".join(
                rf"[ \t]{{{len(piece)},64}}+" if piece.isspace() else re.escape(piece)
                for piece in re.split(r"( +)", part.text)
                if piece
            )
        elif isinstance(part, Hole) and (part.name in HOLES):
            seen[part.name] = seen.get(part.name, 0) + 1
            name = HOST_LIST if part.name in LISTS else _NAMES.get(part.name, USER)
            pattern += f"(?P<{part.name}{seen[part.name]}>{name})"
        else:
            pattern += _OTHER.get(part.type, _OTHER["word"]) if isinstance(part, Hole) else _SKIP
    first = context.template.parts[0]
    begins_in_word = not isinstance(first, Literal) or first.text[0].isalnum()
    return re.compile((r"(?<![A-Za-z0-9])" if begins_in_word else "") + pattern)


def loose(shape: Shape) -> re.Pattern[str] | None:
    """Returns a regex that searches fast for a shape whose literal is too common to search for, else None."""
    return None if len(shape.literal) > 1 else re.compile(_of_shape(shape))


def _of_shape(shape: Shape) -> str:
    parts = _HOLE.split(shape.source)
    return "".join(SHAPE_HOLES[part] if index % 2 else re.escape(part) for index, part in enumerate(parts))


def compile_shape(shape: Shape) -> re.Pattern[str]:
    name = _of_shape(shape)
    domain = rf"(?:\.(?!{_ENDINGS})[A-Za-z0-9][\w-]{{1,62}}+(?![\w(])){{0,6}}" if shape.kind == "host" else ""
    # A dash may follow a secret: `run-ghp_...-gpu8`. A host that goes on after a dash is another name.
    end = "" if shape.kind == "secret" else r"|-\w"
    return re.compile(rf"(?<![A-Za-z0-9]){name}(?![A-Za-z0-9]{end}){domain}")


def domain_ending(endings: frozenset[str]) -> re.Pattern[str]:
    """Returns the regex of the endings of machine names that are recognised by their domain, in lower case."""
    return re.compile(rf"\.(?:{'|'.join(map(re.escape, sorted(endings)))})(?![\w-])")
