"""Errors that a user can correct: each message says place, fact and cure."""

from __future__ import annotations

import os
import sys
from collections.abc import Container, Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

SHOWN = 12
# If the names together are longer than a few lines, only the nearest are shown.
SHOWN_LONG, LONG = 3, 400
# A shorter word is part of too many names to be meant.
LEAST_PART = 4


class BenchledgerError(Exception):
    """An error with a message for the user and the exit code that a command ends with."""

    exit_code = 1


class DefinitionError(BenchledgerError):
    """A definition file (format, names, rule, vocabulary, query) is wrong; the message begins with file:line."""

    exit_code = 2


class UsageError(BenchledgerError):
    """A command or call got an argument that it cannot use."""

    exit_code = 2


class DatabaseError(BenchledgerError):
    """The database cannot be used: a newer version, another kind of file, a full disk."""


class DatabaseHeldError(DatabaseError):
    """Another process has locked the database."""

    exit_code = 3


class NothingFoundError(BenchledgerError):
    """The request was valid, but the ledger has no answer; the message lists what it has."""


def cure_of_writing(error: Exception) -> str:
    """Returns the cure of a failed write: the permission to write, a limit on the size of files, or disk space."""
    if any(sign in str(error).lower() for sign in ("file too large", "disk i/o")):
        return "Free some disk space, or raise the limit on the size of files (ulimit -f)"
    denied = any(sign in str(error).lower() for sign in ("permission denied", "read-only", "readonly"))
    return "Give yourself the right to write there, or name another folder" if denied else "Free some disk space"


def missing_extra(what: str, error: ImportError, extra: str) -> UsageError:
    """Returns the error for a library that is not installed: what needs it, and the line that installs its extra."""
    why = "not installed" if isinstance(error, ModuleNotFoundError) else f"not usable ({error})"
    return UsageError(f"{what}, which is {why}. Install it with:\n  {install_line(extra)}")


def install_line(extra: str) -> str:
    """Returns the shell line that adds an extra to this installation, for the program that made it."""
    tool = _owner()
    if tool is None:
        return f"{_pip_install()} 'benchledger[{extra}]'"
    # Both rebuild the whole environment from this line: it repeats the extras that are there, and the source.
    extras, source = _installed()
    return f"{tool} install --force 'benchledger[{','.join(sorted({*extras, extra}))}]{source}'"


def upgrade_line() -> str:
    """Returns the shell line that upgrades this installation."""
    tool = _owner()
    return f"{_pip_install()} --upgrade benchledger" if tool is None else f"{tool} upgrade benchledger"


def _owner() -> str | None:
    """Returns the program that owns the whole environment, by the file that it keeps there; None for pip."""
    from pathlib import Path

    files = {"uv-receipt.toml": "uv tool", "pipx_metadata.json": "pipx"}
    return next((tool for file, tool in files.items() if Path(sys.prefix, file).exists()), None)


def _pip_install() -> str:
    from importlib.util import find_spec
    from shlex import quote

    python = quote(sys.executable)
    # Environments of uv have no pip.
    return f"{python} -m pip install" if find_spec("pip") else f"uv pip install --python {python}"


def _installed() -> tuple[set[str], str]:
    """Returns the extras whose packages are all installed, and ` @ URL` if benchledger is not from an index."""
    import json
    import re
    from importlib.metadata import distribution, distributions

    names = {re.sub(r"[-_.]+", "-", each.name).lower() for each in distributions()}
    own = distribution("benchledger")
    missing: dict[str, set[str]] = {}
    for requirement in own.requires or []:
        if (extra := re.search(r"""extra == ['"]([\w-]+)""", requirement)) is not None:
            name = re.sub(r"[-_.]+", "-", re.split(r"[^\w.-]", requirement, maxsplit=1)[0]).lower()
            missing.setdefault(extra[1], set()).update({name} - names)
    url = json.loads(own.read_text("direct_url.json") or "{}").get("url")
    return {extra for extra, packages in missing.items() if not packages}, f" @ {url}" if url else ""


def refuse_existing(*places: Path, cure: str, taken: Container[Path] = ()) -> None:
    """Raises UsageError, with the cure, if one of the places exists already or is in `taken`."""
    for place in places:
        if place in taken or os.path.lexists(place):
            raise UsageError(f"{place}: exists already and is not overwritten. {cure}")


def need_utf8(text: str) -> None:
    """Raises UsageError for a text of the user that contains bytes which are not UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        # Python keeps such a byte as a lone surrogate.
        shown = text.encode("utf-8", "backslashreplace").decode().replace("\\udc", "\\x")
        raise UsageError(f"{shown}: not UTF-8 text: give it in UTF-8") from error


def need_campaign_name(name: str | None) -> None:
    """Raises UsageError for a name of a campaign that is empty."""
    if name is not None and not name.strip():
        raise UsageError("the name of a campaign is empty: give one, or omit --campaign-name")


def counted(number: int, what: str) -> str:
    """Returns a count with its noun: 1 line, 2 lines."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _in_order(name: str) -> tuple[bool, int, str]:
    # Numbers first, by size.
    return (False, int(name), "") if name.isdecimal() else (True, 0, name)


def _nearest(wanted: str, names: Iterable[str], most: int, least: float) -> list[str]:
    import difflib

    # Shared digits do not make two numbers similar.
    return [] if wanted.isdecimal() else difflib.get_close_matches(wanted, list(names), n=most, cutoff=least)


def suggestion(wanted: str, names: Iterable[object]) -> str:
    """Returns `; did you mean 'NAME'?` for a name that is nearly one of the known ones, else nothing.

    Of a path, such as a campaign, the last part counts, too, and so does any part of at least four letters.
    """
    if wanted.isdecimal():
        return ""
    wanted = wanted.lower().strip("*")
    lower = {str(name).lower(): str(name) for name in names if name is not None}
    ends = {name.rsplit("/", 1)[-1]: shown for name, shown in lower.items()} | lower
    near = _nearest(wanted, ends, 1, 0.6)
    if not near and len(wanted) >= LEAST_PART:
        near = [name for name in lower if wanted in name][:1]
    return f"; did you mean {ends[near[0]]!r}?" if near else ""


def some_of(names: Sequence[str], most: int) -> str:
    """Returns the first names as one phrase, and how many more there are."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")


def unknown_name(what: str, name: str, names: Iterable[object], all_by: str = "") -> UsageError:
    """Returns the error for a name that is none of the known ones, with the nearest of these."""
    names = list(names)
    return UsageError(f"no {what} {name!r}{suggestion(name, names)}; known: {known(names, name, all_by)}")


def known(names: Iterable[object], wanted: str = "", all_by: str = "") -> str:
    """Returns the known names as one phrase, the nearest to `wanted` first, cut after twelve, long ones after three.

    `all_by` is the command that lists all names; a cut phrase mentions it.
    """
    listed = sorted({"unknown" if name is None else str(name).replace("\n", r"\n") for name in names}, key=_in_order)
    near = _nearest(wanted, listed, SHOWN, 0.5)
    ordered = near + [name for name in listed if name not in near]
    if not ordered:
        return "none"
    shown = ordered[:SHOWN]
    if sum(map(len, shown)) > LONG:
        shown = shown[:SHOWN_LONG]
    more = len(ordered) - len(shown)
    cut = f" and {more} more" + (f" ({all_by} lists them)" if all_by else "")
    return ", ".join(shown) + (cut if more > 0 else "")
