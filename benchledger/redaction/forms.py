"""Regexes of single names: hosts, users, secrets, and lists of them. Every repetition is bounded."""

from __future__ import annotations

import re

# Host names follow DNS. User names may be in any script, and end where a path or a list continues.
HOST = r"\w[\w-]{0,62}+(?:\.[\w-]{1,63}+){0,8}+"
USER = r"[^\s/\\:;,'\"<>|()\[\]{}*?$&=@%#`]{1,64}+"
# A full name: `Dr. Ann B. Lee`, `Wim de Vries`
_WORD = r"[^\W\d_a-z][^\W\d_]{1,24}(?:-[^\W\d_]{1,24})?"
_PARTICLE = "(?:(?:de|van|der|den|von|di|da|del|la|le|el|al|bin|ben|zu|ten|ter) ){0,2}"
PERSON = rf"(?:(?:Dr|Prof)\. )?{_WORD}(?: {_PARTICLE}(?:{_WORD}|[^\W\d_a-z]\.?)){{1,3}}(?<=[^\W\d_]{{3}})"
_LETTER = r"[^\s'\"`,;&<>(){}\[\]|*$\\]"
SECRET = rf"{_LETTER}{{4,4096}}+"
# mpirun's `a:8,b:8`, srun's `node[01-04],login1`
_LISTED = rf"{HOST}(?:\[[\d,-]{{1,200}}+\][\w-]{{0,16}})?+(?::\d{{1,3}}+)?+"
HOST_LIST = rf"{_LISTED}(?:,{_LISTED}){{0,4095}}+"

MONTH = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
# What may stand around the name of a machine in a sentence.
SIGN = r"[\"'`<(\[]?"
UUID = r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
# `/`, `@` and other printable characters as JSON and URLs may write them: `\/home`, `\u002fhome`, `%2Fhome`.
ESCAPED = re.compile(
    r"(?i)\\{1,2}u00(?P<json>2[013-9a-f]|[346][0-9a-f]|5[0-9abdef]|7[0-9a-e])|\\{1,2}/|%(?P<url>26|2F|3A|3D|40)"
)
# Colours of a terminal, which may stand before a name and amid it
STYLE = re.compile(r"\x1b(?:\[[0-?]{0,32}[ -/]{0,2}[@-~]|[()][0-9A-B])")
_EMPTY_PARTS = re.compile(r"(?<=\w/)(?:\.?/)+")


def plain_text(text: str) -> str:
    """Returns the text as a person or a file system reads it: without colours, escapes, and `//` and `/./` in paths."""
    if "\x1b" in text:
        text = STYLE.sub("", text)
    if "\\" in text or "%" in text:
        text = ESCAPED.sub(_unescaped, text)
    return _EMPTY_PARTS.sub("", text) if "//" in text or "/./" in text else text


def _unescaped(match: re.Match[str]) -> str:
    digits = match["json"] or match["url"]
    return chr(int(digits, 16)) if digits else "/"
