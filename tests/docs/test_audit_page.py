"""docs/audit.md lists every check, and every finding on the public logs, none of which is an error."""

from __future__ import annotations

from pathlib import Path

from docs.make_audit import PAGE, audit_of, checks_text, findings_text, replaced

TEXT = PAGE.read_text(encoding="utf-8")


def test_the_page_lists_the_checks_as_they_are() -> None:
    assert replaced(TEXT, "checks", checks_text()) == TEXT, "write it again: make audit-page"


def test_the_page_lists_every_finding_on_the_public_logs(shared: Path) -> None:
    logs = [*sorted((shared / "corpus").glob("*.tar.xz")), shared / "seeds"]
    done = audit_of(logs)

    assert done.count("error") == 0
    assert replaced(TEXT, "findings", findings_text(done)) == TEXT, (
        f"write it again: make audit-page LOGS='{' '.join(map(str, logs))}'"
    )
