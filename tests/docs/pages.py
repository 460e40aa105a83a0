"""The pages as a reader uses them: fenced blocks in order, each a file to write, commands to run, or text to load."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent.parent
PAGES = [TOP / "README.md", *sorted((TOP / "docs").glob("*.md"))]

# What DLPerf's extract script prints, with made-up numbers.
_PRINTED = """./logs/mxnet/bert/bz32/1n1g/bert_base_b32_fp32_1.log {1: 201.5}
./logs/mxnet/bert/bz32/1n8g/bert_base_b32_fp32_1.log {1: 1490.5}
"""
_EXIT_CODE = re.compile(r"#.*\bexit code (\d+)")


@dataclass(frozen=True)
class Block:
    """A fenced block: the first word of its info string, and the file that the second names."""

    page: Path
    line: int
    language: str
    file: str | None
    text: str

    def __str__(self) -> str:
        return f"{self.page.name}:{self.line}"


@dataclass(frozen=True)
class Command:
    """One command line of a page, and the exit code that its comment promises, 0 if it promises none."""

    words: tuple[str, ...]
    exit_code: int


def blocks(page: Path, language: str | None = None) -> list[Block]:
    """The fenced blocks of a page in order, of one language if it is given."""
    found = list(_blocks(page))
    return [block for block in found if language in (None, block.language)]


def _blocks(page: Path) -> Iterator[Block]:
    start, info, text = 0, "", list[str]()
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), start=1):
        if line.startswith("```"):
            if start:
                language, _, file = info.partition(" ")
                yield Block(page, start, language, file.strip() or None, "\n".join([*text, ""]))
                start = 0
            else:
                start, info, text = number, line.removeprefix("```"), []
        elif start:
            text.append(line)
    assert not start, f"{page.name}:{start}: this block has no end"


def commands(block: Block) -> list[Command]:
    """The `bench ...` lines of a block; others (make, export) are not this test's."""
    found = []
    for line in block.text.splitlines():
        if line.startswith("bench "):
            promised = _EXIT_CODE.search(line)
            found.append(Command(tuple(shlex.split(line, comments=True)), int(promised[1]) if promised else 0))
    return found


def write_file(block: Block, folder: Path) -> Path:
    """Writes a block that names a file into a folder."""
    path = folder / (block.file or f"{block.page.stem}-{block.line}.{block.language}")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(block.text, encoding="utf-8")
    return path


def known_environment() -> dict[str, str]:
    """The environment without the settings of whoever runs the tests; compiled definitions are kept for all of them."""
    return {name: text for name, text in os.environ.items() if not name.startswith("BENCH_") or name == "BENCH_CACHE"}


def run(words: tuple[str, ...], folder: Path) -> subprocess.CompletedProcess[str]:
    """Runs a `bench` command line in a folder, in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "benchledger.cli.main", *words[1:]],
        cwd=folder,
        env={**known_environment(), "PYTHONPATH": str(TOP)},
        capture_output=True,
        text=True,
        timeout=120,
    )


def reader_s_folder(folder: Path) -> Path:
    """What a reader of the README has at hand: demo logs, an archive of mixed ones, logs and a format of their own."""
    shutil.copytree(TOP / "data" / "made", folder / "data" / "made")
    # Of the real logs only what a page of results reads: where they lie, a ledger that has read them knows them.
    (folder / "data" / "measured").symlink_to(TOP / "data" / "measured")
    lesson = {block.file: block.text for block in blocks(TOP / "docs" / "formats.md") if block.file}
    toytrain = lesson["my-bench/ingest/formats/toytrain.toml"]
    for file, text in (
        ("my-format.toml", toytrain),
        ("my-folder/ingest/formats/toytrain.toml", toytrain),
        ("logs/train.log", lesson["logs/train.log"]),
    ):
        path = folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    mixed = folder / "mixed"
    shutil.copytree(folder / "data" / "made", mixed / "made")
    shutil.copytree(folder / "logs", mixed / "toytrain")
    (mixed / "extract.txt").write_text(_PRINTED, encoding="utf-8")
    shutil.make_archive(str(folder / "results"), "zip", mixed)
    shutil.rmtree(mixed)
    return folder
