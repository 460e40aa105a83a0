"""JSON files in another project's form, written to a folder or returned one by one."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchledger.exports.atomic_write import write_whole
from benchledger.exports.overwrite_guard import refuse_overwrite
from benchledger.exports.values import json_text


@dataclass(frozen=True)
class JsonFiles:
    files: dict[str, dict[str, Any]]
    notes: tuple[str, ...] = ()

    def write(self, folder: Path | str, db: Path | str | None = None) -> None:
        """Writes every file below `folder` and replaces earlier answers.

        Raises UsageError, before it writes any file, if a file exists that is not an earlier answer, or is a log of the
        ledger `db`.
        """
        refuse_overwrite(*(Path(folder) / name for name in self.files), db=db)
        for name, content in self.files.items():
            path = Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, f"{json_text(content)}\n".encode())
