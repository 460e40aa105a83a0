"""Finds addresses of machines and tells them from versions, layer names, times and shapes.

The hard case is `10.148.0.1` against `1.6.0.1`: four numbers with dots are an address or a version, and only context
and size can tell. The rules, in this order:

1. Not an address: a number above 255, a leading zero (`460.32.03.01`), a fifth part; loopback, unspecified, masks and
   multicast, which name no machine.
2. An address: a port (`:29500`, `<0>`) behind it, `//` or `@` before it, an interface (`ib0:`), a network length, or a
   word such as `host` or `endpoint` just before it.
3. A version: a word such as `version`, `driver` or a library name just before it; `v`, `==`, or a letter directly
   before it; a build directly behind it (`8.0.4.30-10.2-linux`, `+cu111`). Private ranges overrule this rule:
   192.168, 172.16 to 172.31, 169.254, and 10 with a second number above 60.
4. Else by size. Versions count up from small numbers: a quad with its first three numbers at most 31, and not beginning
   with 10, is a version. Everything else counts as an address: hiding a version is better than showing a machine.
"""

from __future__ import annotations

import ipaddress
import re

from benchledger.definitions.redaction import RedactionRules
from benchledger.redaction.pseudonyms import Pseudonyms

# Also after a name that ends in a number, since keys of nested JSON are joined: `node1.10.77.66.55`.
_QUAD = re.compile(r"(?<!\d)(?:(?<!\d\.)|(?<=[A-Za-z]\d\.)|(?<=[A-Za-z-]\d\d\.))\d{1,3}+(?:\.\d{1,3}+){3}(?!\.?\d)")
_NUMBERED = re.compile(r"\d\.$")
_DASHED = re.compile(r"(?<!\d)(?<!\d-)\d{1,3}+(?:-\d{1,3}+){3}(?!-?\d)")
# The name in front of one, as in `box-10-21-226-170`.
_NAMED = re.compile(r"([A-Za-z][A-Za-z0-9._]{0,62})-$")
# With two colons together, or seven in all: JSON has many single ones.
_COLONS = re.compile(
    r"(?=[0-9A-Fa-f:])(?:(?<![\w:.])|(?<=[a-z]\d:))(?=[0-9A-Fa-f:]{0,37}?::|(?:[0-9A-Fa-f]{1,4}:){7})"
    r"[0-9A-Fa-f:]{2,39}+(?:%[\w.-]{1,15}+)?(?![\w:]|\.\d)"
)
_HARDWARE = re.compile(r"(?<![\w:-])[0-9A-Fa-f]{2}(?:([:-])[0-9A-Fa-f]{2})(?:\1[0-9A-Fa-f]{2}){4,18}(?![\w:-])")
_HARDWARE_DOTS = re.compile(r"(?<![\w.])[0-9A-Fa-f]{4}(?:\.[0-9A-Fa-f]{4}){2}(?![\w.])")
_PORT = re.compile(r":\d{2,5}(?![\d.])|<\d{1,5}>")
_NETWORK = re.compile(r"/(?:[89]|[12]\d|3[012])(?![\w.])")
_BUILD = re.compile(r"[A-Za-z_+]|\.[A-Za-z]|-(?!\d{1,3}\.\d{1,3}\.\d{1,3}\.\d)\w")
_WORD_BEFORE = re.compile(r"([A-Za-z][\w.+-]{0,63}?)([\s:=|/'\"(\[,>~<&-]{0,20})$")
_BEFORE = 96
_MOST_OF_A_DATE = 60


class Addresses:
    """Replaces IPv4 addresses (also with dashes, as in folder names), IPv6 and hardware addresses."""

    def __init__(self, rules: RedactionRules, pseudonyms: Pseudonyms) -> None:
        self._rules = rules
        self._pseudonyms = pseudonyms
        nics = "|".join(re.escape(name) for name in rules.interfaces) or r"(?!)"
        self._interface = re.compile(rf"(?<![A-Za-z])(?:{nics})[\w.-]{{0,16}}:$")

    def redact(self, text: str) -> str:
        if text.count(".") >= 3:
            text = _QUAD.sub(self._dotted, text)
        if text.count(".") >= 2:
            text = _HARDWARE_DOTS.sub(self._hardware, text)
        dashes = text.count("-")
        if dashes >= 3:
            text = _DASHED.sub(self._dashed, text)
        colons = text.count(":")
        if colons >= 7 or "::" in text:
            text = _COLONS.sub(self._with_colons, text)
        if colons >= 5 or dashes >= 5:
            text = _HARDWARE.sub(self._hardware, text)
        return text

    def _dotted(self, match: re.Match[str]) -> str:
        quad = match.group()
        text = match.string
        if is_machine(quad) and self._meant(quad, text[max(0, match.start() - _BEFORE) : match.start()], match):
            return self._pseudonyms.of("address", quad)
        return quad

    def _meant(self, quad: str, before: str, match: re.Match[str]) -> bool:
        text, end = match.string, match.end()
        if _NUMBERED.search(before):
            return _sizes(quad)[0]
        if _PORT.match(text, end) or before.endswith(("//", "@")) or self._interface.search(before):
            return True
        word_match = _WORD_BEFORE.search(before)
        word = word_match.group(1).lower() if word_match else ""
        glue = word_match.group(2) if word_match else ""
        tokens = set(re.split(r"[^a-z]+", word))
        if tokens & self._rules.address_words:
            return True
        never_routed, plain = _sizes(quad)
        if never_routed:
            return True
        if _NETWORK.match(text, end) and "version" not in tokens:
            return True
        if tokens & self._rules.version_words or word.startswith(self._rules.version_beginnings):
            return False
        glued = before[-1:].isalpha() or (word_match is not None and glue == "-") or before.endswith(("==", ">=", "<="))
        if glued or before.endswith("~=") or _BUILD.match(text, end):
            return False
        return not plain

    def _dashed(self, match: re.Match[str]) -> str:
        quad = match.group().replace("-", ".")
        numbers = [int(number) for number in quad.split(".")]
        if not is_machine(quad) or numbers[0] < 10:
            return match.group()
        never_routed, _ = _sizes(quad)
        before, behind = match.string[max(0, match.start() - _BEFORE) : match.start()], match.string[match.end() :][:1]
        if before.endswith("-") or behind == "-":
            # Part of a name: a machine's if the range is private, or the name says so; else a version, sizes, a date.
            named = _NAMED.search(before)
            words = set(re.split(r"[^a-z]+", named[1].lower())) if named else set()
            if words & self._rules.version_words or not (never_routed or numbers[0] == 10):
                return match.group()
            if words & self._rules.address_words:
                return self._pseudonyms.of("address", quad)
        if max(numbers) <= _MOST_OF_A_DATE:
            return match.group()
        # `16-3-224-224` and `128-64-32-16` are sizes of layers, not addresses.
        if not never_routed and (numbers[2] == numbers[3] or all(number % 4 == 0 for number in numbers)):
            return match.group()
        return self._pseudonyms.of("address", quad)

    def _with_colons(self, match: re.Match[str]) -> str:
        text = match.group()
        if "::" not in text and text.count(":") != 7:
            return text
        try:
            address = ipaddress.IPv6Address(text)
        except ValueError:
            return text
        groups = [group for group in text.split(":") if group]
        # C++ writes `add::bad` in the same form. An address has a digit, and more than two groups or a known prefix.
        spelt = any(letter.isdigit() for letter in text) and (len(groups) > 2 or text[:2].lower() in _BEGINNINGS)
        if address.is_loopback or address.is_unspecified or not spelt:
            return text
        return self._pseudonyms.of("address", text)

    def _hardware(self, match: re.Match[str]) -> str:
        digits = set(match.group().lower()) - {":", "-", "."}
        # Six equal pairs name no device; six numbers with dashes and no letter are a date and time.
        if len(digits) == 1 or (":" not in match.group() and not digits & set("abcdef")):
            return match.group()
        return self._pseudonyms.of("hardware", match.group().replace("-", ":"))


_BEGINNINGS = ("fe", "fd", "fc", "20", "24", "26", "28", "2a", "2c")


def is_machine(quad: str) -> bool:
    """Tells whether four numbers can be the address of one machine other than this one."""
    numbers = quad.split(".")
    if any(int(number) > 255 or (len(number) > 1 and number[0] == "0") for number in numbers):
        return False
    return int(numbers[0]) not in (0, 127) and int(numbers[0]) < 224


def is_hex_machine(text: str, in_any_range: bool) -> bool:
    """Tells whether 8 hex digits can be an address of a machine, in either order of its bytes."""
    numbers = [int(text[place : place + 2], 16) for place in range(len(text) - 8, len(text), 2)]
    if 127 in (numbers[0], numbers[-1]) or 0 in (numbers[0], numbers[-1]):
        return False
    quads = [".".join(map(str, numbers)), ".".join(map(str, reversed(numbers)))]
    return any(is_machine(quad) and (in_any_range or quad.startswith("10.") or _sizes(quad)[0]) for quad in quads)


def _sizes(quad: str) -> tuple[bool, bool]:
    first, second, third, _ = (int(number) for number in quad.split("."))
    never_routed = (
        (first, second) in ((192, 168), (169, 254))
        or (first == 172 and 16 <= second <= 31)
        or (first == 10 and second > _MOST_OF_A_DATE)
    )
    return never_routed, first != 10 and max(first, second, third) <= 31
