"""A page is a session: its files are written and its commands run, in order, in a folder with the demo's logs."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from benchledger.cli.main import bench
from tests.docs.pages import PAGES, Block, Command, blocks, commands, reader_s_folder, run, write_file

SESSIONS = [page for page in PAGES if any(map(commands, blocks(page, "sh")))]


@pytest.mark.parametrize("page", SESSIONS, ids=lambda page: page.name)
def test_every_command_of_a_page_ends_as_the_page_says(page: Path, tmp_path: Path) -> None:
    folder = reader_s_folder(tmp_path)
    if "ingest" not in _all_commands(page)[0].words:
        run(("bench", "ingest", "data/made"), folder)
    for block in blocks(page):
        if block.file is not None:
            write_file(block, folder)
        for command in commands(block) if block.language == "sh" else []:
            done = run(command.words, folder)

            assert done.returncode == command.exit_code, f"{block}: {command.words}\n{done.stdout}\n{done.stderr}"


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
