"""docs/rejects.md counts every reason why pieces and files of the public logs are in no table."""

from __future__ import annotations

from pathlib import Path

import pytest

from docs.make_rejects import PAGE, written

TEXT = PAGE.read_text(encoding="utf-8")


@pytest.mark.long
def test_the_page_counts_every_reason_as_it_is(archives_ledger: Path, shared: Path) -> None:
    logs = [*sorted((shared / "corpus").glob("*.tar.xz")), shared / "seeds"]

    assert written(TEXT, archives_ledger) == TEXT, (
        f"write it again: make rejects-page LOGS='{' '.join(map(str, logs))}'"
    )
