"""`bench formats new`: drafts a format from logs that no format reads."""

from __future__ import annotations

import hashlib
import io
import re
from pathlib import Path

from benchledger.archives.opening import open_log
from benchledger.definitions.redaction import read_redaction
from benchledger.drafting.draft import Draft, Drafter
from benchledger.drafting.excerpt import Excerpt, read_excerpt
from benchledger.errors import UsageError
from benchledger.redaction.redactor import Redactor
from benchledger.scanning.columns import RecordColumns
from benchledger.scanning.log_reader import LogReader
from benchledger.scanning.samples import known_formats

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]*\Z")


def draft_format(*logs: Path | str, name: str = "draft", force: bool = False) -> Draft:
    """Returns a definition with samples, drafted from logs of one program, with a question at each guess.

    Of a long log only the first MB and the end are used. Raises UsageError if no format can be drafted, for a name that
    exists, and, without `force`, for a log that a known format already reads.
    """
    if not logs:
        raise UsageError("give at least one log of the program")
    known = known_formats()
    if not _NAME.match(name):
        raise UsageError(f"{name!r} is not a valid format name: use lower-case letters, digits, '-', '_' and '.'")
    if name in known:
        raise UsageError(f"format {name!r} exists already ({known[name].path}): choose another --name")
    excerpts: list[Excerpt] = []
    others = dict(known)
    for log in logs:
        with open_log(Path(log)) as stream:
            excerpts.append(read_excerpt(stream, str(log)))
        found = LogReader(known).read(io.BytesIO(excerpts[-1].data), RecordColumns(), lambda _: False).format
        # A reader of last resort reads what has no format of its own yet.
        if found is not None and known[found].kind != "self_describing" and not force:
            raise UsageError(
                f"{log}: format {found} already reads it. `bench explain {log}` shows why; --force drafts another"
            )
        others.pop(found or "", None)
    # The key comes from the logs: without them, nobody can tell whose names the pseudonyms replace.
    key = hashlib.blake2b(b"".join(excerpt.data for excerpt in excerpts), digest_size=32).digest()
    return Drafter(name, excerpts, others, Redactor(read_redaction(), key)).draft()
