"""Documents: pages and scripts that quote log lines. No run comes of them."""

from __future__ import annotations

from benchledger.definitions.document_names import DocumentNames
from benchledger.definitions.log_format import LogFormat
from benchledger.ingestion.plan import KnownLog
from benchledger.ingestion.read import WasRead


class Documents:
    """Tells documents from logs, by name and beginning. What `documents = true` says of its format reads both."""

    def __init__(self, names: DocumentNames, formats: dict[str, LogFormat]) -> None:
        self._names = names
        self._quoted = {name for name, known in formats.items() if not known.documents}

    def why(self, path: str, beginning: str, content: WasRead | KnownLog) -> str | None:
        """Why a file with this content is a document; None for a log."""
        if content.format not in self._quoted:
            return None
        kind = self._names.kind(path.rpartition("/")[2], beginning)
        return f"{kind}, which quotes {content.format}: {content.evidence}" if kind is not None else None
