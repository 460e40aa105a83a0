"""The shipped formats as read last, kept until a file that they were read from changes: a third of the time."""

from __future__ import annotations

import hashlib
import pickle

from benchledger.definitions import folders
from benchledger.definitions.cache import hash_of, keep, kept
from benchledger.definitions.log_format import LogFormat

# Where formats are, and what they name.
_READ_FROM = ("ingest", "ingest/formats", "ingest/names", "queries/rules", "schema/vocabulary")


def read_or_kept() -> dict[str, LogFormat]:
    """Every format by name, as read_formats gives them; somebody's own are read each time. Raises as it does."""
    if not folders.only_shipped():
        return read_formats()
    files = [path for folder in _READ_FROM for path in folders.definition_files(folder, ".toml")]
    now = hash_of(files).encode()
    content = kept(_name())
    if content is not None and content.startswith(now):
        formats: dict[str, LogFormat] = pickle.loads(content[len(now) :])  # noqa: S301 - this user's, see `kept`
        return formats
    formats = read_formats()
    keep(_name(), now + pickle.dumps(formats, pickle.HIGHEST_PROTOCOL))
    return formats


def read_formats() -> dict[str, LogFormat]:
    """Every format as its file says."""
    # What reads them is half of what an ingest of a few logs imports.
    from benchledger.definitions import format_file

    return format_file.read_formats()


def _name() -> str:
    # Errors name the files, so that each checkout has its own; what it said before is not kept.
    return f"formats-{hashlib.blake2b(str(folders.shipped_root()).encode(), digest_size=8).hexdigest()}"
