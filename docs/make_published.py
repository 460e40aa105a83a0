"""Writes into docs/published-values.md what `bench reproduce` says of public READMEs.

    python -m docs.make_published CORPUS

CORPUS holds logs.tar.xz and tables.tar.xz.
"""

from __future__ import annotations

import re
import sys
import tarfile
import tempfile
from collections import Counter
from pathlib import Path

import benchledger
from benchledger.reproducing.reproduce import PageResult, Reproduction
from benchledger.reproducing.verdicts import VERDICTS

PAGE = Path(__file__).resolve().parent / "published-values.md"
MARKS = re.compile(r"(<!-- reproduced -->\n).*?(<!-- /reproduced -->)", re.DOTALL)


def unpacked_tables(corpus: Path, folder: Path) -> list[Path]:
    """The READMEs of a corpus, unpacked."""
    with tarfile.open(corpus / "tables.tar.xz") as archive:
        archive.extractall(folder, filter="data")
    return sorted(path for path in folder.rglob("*") if path.suffix.lower() == ".md")


def reproduced(corpus: Path, folder: Path) -> Reproduction:
    """All READMEs beside all logs."""
    return benchledger.reproduce(*unpacked_tables(corpus, folder), logs=corpus / "logs.tar.xz")


def text_of(done: Reproduction) -> str:
    """A row per README over its commits: pages, cells by verdict, findings."""
    by_name: dict[str, list[PageResult]] = {}
    for page in done.pages:
        owner, _, path = page.page.rpartition("@")
        name = f"{owner.rpartition('/')[2].partition('+')[2]} {path.partition('/')[2]}"
        by_name.setdefault(name, []).append(page)
    lines = [
        f"| README | commits | {' | '.join(VERDICTS)} | findings |",
        f"|---|{'--:|' * (len(VERDICTS) + 2)}",
        *(_row(name, pages) for name, pages in sorted(by_name.items())),
        _row("all", [page for pages in by_name.values() for page in pages]),
    ]
    return "\n".join(lines)


def _row(name: str, pages: list[PageResult]) -> str:
    verdicts = Counter(cell.verdict for page in pages for cell in page.cells)
    found = sum(len(page.findings) for page in pages)
    numbers = [len(pages), *(verdicts[verdict] for verdict in VERDICTS), found]
    return f"| {name} | {' | '.join(map(str, numbers))} |"


def replaced(page: str, text: str) -> str:
    """The page with the table between its marks."""
    done, count = MARKS.subn(lambda found: f"{found[1]}\n{text}\n\n{found[2]}", page)
    if count != 1:
        raise ValueError("one <!-- reproduced --> ... <!-- /reproduced --> is wanted")
    return done


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as unpacked:
        done = reproduced(Path(sys.argv[1]), Path(unpacked))
    PAGE.write_text(replaced(PAGE.read_text(encoding="utf-8"), text_of(done)), encoding="utf-8")
