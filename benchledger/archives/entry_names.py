"""Cleans the names of entries: text below the archive, and nothing that leads out of it."""

from __future__ import annotations

import os

from benchledger.archives.problem import Problem

# The flag of a zip member whose name is UTF-8.
ZIP_UTF8 = 0x800
CLIMBS = Problem(
    "climbing", "its name climbs out of the archive", "nothing was written anywhere; repack it under a plain name"
)
# The longest path that Linux opens.
_LONGEST = 4096
_SHOWN = 60
_TOO_LONG = Problem(
    "special",
    f"its name is longer than {_LONGEST:,} characters",
    "no system can unpack it; repack it under a short name",
)


def clean_name(name: str) -> str | None:
    """Returns the name below the archive, without a leading / or ./; None if it leads out of it or is too long."""
    if len(name) > _LONGEST:
        return None
    if not (name.startswith(("/", "./", "../")) or "//" in name or "/." in name):
        return name if name != ".." else None
    parts: list[str] = []
    for part in name.split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def name_problem(name: str) -> Problem:
    return _TOO_LONG if len(name) > _LONGEST else CLIMBS


def zip_name(name: str, flags: int) -> str:
    """Returns a zip member's name, decoded by its flags: without ZIP_UTF8 as code page 437, by the standard.

    Packers without a locale (`zip` in a container) write UTF-8 without the flag. A name that decodes as UTF-8 counts as
    UTF-8, since hardly any other bytes do.
    """
    if flags & ZIP_UTF8 or name.isascii():
        return name
    try:
        return name.encode("cp437").decode()
    except UnicodeError:
        return name


def printable(name: str) -> str:
    """Returns a name as text; bytes that are not UTF-8 become escapes. Of a name that is too long, the beginning."""
    if len(name) > _LONGEST:
        name = f"{name[:_SHOWN].replace('/', ' ')}..."
    return os.fsencode(name).decode("utf-8", "backslashreplace")
