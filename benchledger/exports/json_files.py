"""JSON files in the shape that another project reads, as a folder or one by one."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchledger.exports.places import need_free
from benchledger.exports.values import json_text
from benchledger.exports.whole_files import write_whole


@dataclass(frozen=True)
class JsonFiles:
    """Contents by relative path, and what is said of series that no file could be made of."""

    files: dict[str, dict[str, Any]]
    notes: tuple[str, ...] = ()

    def write(self, folder: Path | str, db: Path | str | None = None) -> None:
        """Writes every file below a folder; earlier answers that are there are replaced.

        Raises UsageError if one of them is something else, or a log of the ledger `db`: then none is written.
        """
        need_free(*(Path(folder) / name for name in self.files), db=db)
        for name, content in self.files.items():
            path = Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, f"{json_text(content)}\n".encode())
