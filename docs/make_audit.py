"""Writes into docs/audit.md which checks there are, and all that they find in the logs that are given."""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path

import benchledger
from benchledger.auditing.audit import Audit
from benchledger.definitions.checks import load_checks
from benchledger.exports.audit import by_check
from benchledger.exports.markdown import markdown_table
from benchledger.exports.values import text_rows
from benchledger.redaction.samples import shown as masked

PAGE = Path(__file__).resolve().parent / "audit.md"


def checks_text() -> str:
    """A table of all checks."""
    rows = [(check.check, check.severity, check.sentence) for check in load_checks().values()]
    return markdown_table(["check", "severity", "a finding is"], rows, [False, False, False])


def findings_text(audit: Audit) -> str:
    """How many findings there are of each severity, and every one of them by its check."""
    counts = ", ".join(f"{audit.count(severity)} {severity}s" for severity in ("error", "warning", "note"))
    blocks = [f"{audit.findings.height} findings: {counts}."]
    for check, severity, _, found in by_check(audit):
        shown = found.select([name for name in ("about", "run_key", "place") if name in found.columns])
        # A ledger has a key of its own, and with it pseudonyms of its own.
        rows = sorted([masked(cell) for cell in row] for row in text_rows(shown))
        blocks += [
            f"**{check}** ({severity}, {found.height})",
            markdown_table(shown.columns, rows, [False] * shown.width),
        ]
    return "\n\n".join(blocks)


def audit_of(logs: list[Path]) -> Audit:
    """The audit of a new ledger of these logs."""
    with tempfile.TemporaryDirectory() as folder:
        db = Path(folder) / "bench.duckdb"
        benchledger.ingest(*logs, db=db)
        return benchledger.audit(db=db)


def replaced(page: str, name: str, text: str) -> str:
    """The page with a text between its two marks."""
    marks = re.compile(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.DOTALL)
    done, count = marks.subn(lambda found: f"{found[1]}\n{text}\n\n{found[2]}", page)
    if count != 1:
        raise ValueError(f"one <!-- {name} --> ... <!-- /{name} --> is wanted, there are {count}")
    return done


def main(logs: list[str]) -> None:
    """Writes the page anew; without logs its checks only."""
    page = replaced(PAGE.read_text(encoding="utf-8"), "checks", checks_text())
    if logs:
        page = replaced(page, "findings", findings_text(audit_of([Path(log) for log in logs])))
    PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
