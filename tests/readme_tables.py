"""The tables of a Markdown page as their readers see them: heads and cells, without padding."""

from __future__ import annotations

from pathlib import Path


def readme(shared: Path, number: str) -> str:
    """A reference README, by its number."""
    (page,) = (shared / "seeds").glob(f"{number}_*.txt")
    return page.read_text(encoding="utf-8")


def tables_below(text: str, words: str) -> list[list[tuple[str, ...]]]:
    """The tables after the first line that holds some words: their heads, then their rows."""
    return tables(text[text.index(words) :])


def tables(text: str) -> list[list[tuple[str, ...]]]:
    """Every table of a page: its heads, then its rows."""
    found: list[list[tuple[str, ...]]] = []
    above = ""
    for line in text.splitlines():
        if not line.startswith("|"):
            above = ""
            continue
        cells = tuple(cell.strip() for cell in line.strip().strip("|").split("|"))
        if above == "head" and not set("".join(cells)) - set(":-"):
            above = "body"
            continue
        if above == "":
            found.append([])
            above = "head"
        found[-1].append(cells)
    return found
