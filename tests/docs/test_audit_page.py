"""docs/audit.md lists every check, and every finding on the public logs, none of which is an error."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchledger import audit
from docs.make_audit import PAGE, checks_text, findings_text, replaced

TEXT = PAGE.read_text(encoding="utf-8")


def test_the_page_lists_the_checks_as_they_are() -> None:
    assert replaced(TEXT, "checks", checks_text()) == TEXT, "write it again: make audit-page"


@pytest.mark.long
def test_the_page_lists_every_finding_on_the_public_logs(archives_ledger: Path, shared: Path) -> None:
    logs = [*sorted((shared / "corpus").glob("*.tar.xz")), shared / "seeds"]
    done = audit(db=archives_ledger)

    assert done.count("error") == 0
    assert replaced(TEXT, "findings", findings_text(done)) == TEXT, (
        f"write it again: make audit-page LOGS='{' '.join(map(str, logs))}'"
    )
