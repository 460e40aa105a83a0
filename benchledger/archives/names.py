"""Names of entries: text below the archive and nothing else, wherever they would lead."""

from __future__ import annotations

import os

from benchledger.archives.problem import Problem

# The flag of a member of a zip whose name is UTF-8.
ZIP_UTF8 = 0x800
CLIMBS = Problem(
    "climbing", "its name climbs out of the archive", "nothing was written anywhere; repack it under a plain name"
)


def clean_name(name: str) -> str | None:
    """The name below the archive, without a leading / or ./; None if it climbs out."""
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


def zip_name(name: str, flags: int) -> str:
    """A member's name in a zip, decoded as its flags say: without ZIP_UTF8 as code page 437, by the standard.

    Packers that know no locale (`zip` in a container) write UTF-8 and do not say so: hardly any other bytes are UTF-8.
    """
    if flags & ZIP_UTF8 or name.isascii():
        return name
    try:
        return name.encode("cp437").decode()
    except UnicodeError:
        return name


def printable(name: str) -> str:
    """A name as text: bytes that are no UTF-8 as escapes."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")
