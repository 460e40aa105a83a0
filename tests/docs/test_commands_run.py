"""A page is a session: its files are written and its commands run, in order, in a folder with the demo's logs."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import click
import pytest

from benchledger.cli.main import bench
from benchledger.definitions.folders import use_definitions
from tests.cli.bench import run_bench
from tests.docs.pages import (
    PAGES,
    Block,
    Command,
    blocks,
    commands,
    known_environment,
    reader_s_folder,
    run,
    write_file,
)

SESSIONS = [page for page in PAGES if any(map(commands, blocks(page, "sh")))]
# In processes of their own, as a reader runs them: each command of this page once, by `make test-long`, and on all pages
# those that change what a process knows.
FIRST = "README.md"
CHANGES = "--definitions"


@pytest.mark.parametrize(
    ("page", "apart"),
    [
        *(pytest.param(page, False, id=page.name) for page in SESSIONS),
        *(
            pytest.param(page, True, id=f"{FIRST}-apart", marks=pytest.mark.long)
            for page in SESSIONS
            if page.name == FIRST
        ),
    ],
)
def test_every_command_of_a_page_ends_as_the_page_says(
    page: Path, apart: bool, demo_ledger: Path, measured_ledger: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if page.name == "scale.md":
        pytest.importorskip("deltalake")
    folder = reader_s_folder(tmp_path)
    monkeypatch.chdir(folder)
    for name in os.environ.keys() - known_environment():
        monkeypatch.delenv(name)
    first = _all_commands(page)[0].words
    known = measured_ledger if "data/measured" in first else demo_ledger
    if known is measured_ledger or "ingest" not in first:
        for ledger in known.parent.iterdir():
            shutil.copy(ledger, folder)
    seen = {("audit",)}  # imports for seconds; tests/auditing/test_engine.py runs it in a process of its own
    for block in blocks(page):
        if block.file is not None:
            write_file(block, folder)
        for command in commands(block) if block.language == "sh" else []:
            code, said = _ended(command, folder, apart=apart and _named(command) not in seen)
            seen.add(_named(command))

            assert code == command.exit_code, f"{block}: {command.words}\n{said}"


def _named(command: Command) -> tuple[str, ...]:
    return tuple(word for word in command.words if word in WORDS)


def _ended(command: Command, folder: Path, *, apart: bool) -> tuple[int, str]:
    """The exit code of a command, and what it said; in this process unless `apart`, which saves its start."""
    changes = CHANGES in command.words and "audit" not in command.words
    if apart or changes or (folder / "bench.toml").exists():
        process = run(command.words, folder)
        return process.returncode, process.stdout + process.stderr
    try:
        result = run_bench(*command.words[1:])
        return result.exit_code, result.output
    finally:
        # An audit imports for seconds, and keeps nothing of the definitions that it was given but these folders.
        use_definitions()


def test_every_command_stands_in_some_page() -> None:
    spoken = [" ".join(command.words) for page in PAGES for command in _all_commands(page)]
    for name in _names(bench, ()):
        words = " ".join(name)

        assert any(f" {words} " in f" {line} " for line in spoken), f"no page runs `bench {words}`"


def _all_commands(page: Path) -> list[Command]:
    return [command for block in blocks(page, "sh") for command in commands(block)]


def _names(group: click.Group, above: tuple[str, ...]) -> list[tuple[str, ...]]:
    found: list[tuple[str, ...]] = []
    with click.Context(group) as ctx:
        for name in group.list_commands(ctx):
            command = group.get_command(ctx, name)
            found += _names(command, (*above, name)) if isinstance(command, click.Group) else [(*above, name)]
    return found


def test_a_command_that_fails_fails_the_page(tmp_path: Path) -> None:
    block = Block(Path("x.md"), 1, "sh", None, "bench runs   # exit code 1: there is nothing\nmake demo\n")

    assert commands(block) == [Command(("bench", "runs"), 1)]
    assert run(("bench", "runs"), tmp_path).returncode == 1


# Of which the commands' names consist.
WORDS = {word for name in _names(bench, ()) for word in name}
