"""Definitions of one's own for a part of a test: what was read from definitions is read again before and after."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchledger.definitions import folders
from benchledger.definitions.names import load_names
from benchledger.definitions.template import leads
from benchledger.redaction.samples import known_redaction, load_redaction
from benchledger.scanning.samples import known_formats, load_formats

_CACHES = (known_redaction, load_redaction, known_formats, load_formats, load_names, leads)


@contextmanager
def with_rules(folder: Path, rules: str) -> Iterator[None]:
    """Uses a folder of definitions that holds one redact.toml."""
    (folder / "ingest").mkdir(parents=True)
    (folder / "ingest" / "redact.toml").write_text(rules)
    folders.use_definitions(folder)
    _forget()
    try:
        yield
    finally:
        folders.use_definitions()
        _forget()


def _forget() -> None:
    for cached in _CACHES:
        if hasattr(cached, "cache_clear"):
            cached.cache_clear()
