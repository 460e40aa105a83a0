"""Names of entries: text below the archive and nothing else, wherever they would lead."""

from __future__ import annotations

import os

from benchledger.archives.problem import Problem

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


def printable(name: str) -> str:
    """A name as text: bytes that are no UTF-8 as escapes."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")
