"""What file names say of documents: pages, scripts and sources, which quote log lines (ingest/names/documents.toml)."""

from __future__ import annotations

import os
from dataclasses import dataclass

NAME_KEYS = ("document_endings", "document_names", "log_endings")
# No log begins so, whatever its name.
_NEVER_LOGS = ("web page", "notebook")


@dataclass(frozen=True)
class DocumentNames:
    endings: tuple[str, ...]
    names: tuple[str, ...]
    log_endings: tuple[str, ...]

    def kind(self, file_name: str, content: str) -> str | None:
        """Returns what document a file is, None for a log: by the last ending of its name, or by its `content`."""
        stem, ending = os.path.splitext(file_name.lower())  # noqa: PTH122 - once per file; Path is ten times slower
        if ending in self.endings:
            return f"a page or script by its ending {ending}"
        if ending in ("", ".txt") and stem in self.names:
            return "a page or script by its name"
        if content in _NEVER_LOGS or (content and ending not in self.log_endings):
            return f"a {content} by its content"
        return None
