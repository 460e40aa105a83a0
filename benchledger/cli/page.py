"""Writes the answers of commands into a Markdown page, between the markers that name them."""

from __future__ import annotations

import difflib
import io
import shlex
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING

import click

from benchledger.cli.commands import REVEAL
from benchledger.cli.options import ALL_TABLES
from benchledger.cli.settings import Settings
from benchledger.definitions.regular_file import need_regular
from benchledger.errors import BenchledgerError, NothingFoundError, UsageError, counted
from benchledger.store.default_db import DEFAULT_DB

if TYPE_CHECKING:
    from benchledger.answers.page_blocks import Block, Page

# The commands that a page may run: they read the ledger and print one answer.
_ALLOWED = "bench report ..., bench export leaderboard ... or bench query NAME ..."
_FORM = "markdown"
_HEAD_LINES = 2


class PageError(BenchledgerError):
    """Raised if a block of a page has no answer; the message begins with file:line."""

    def __init__(self, message: str, exit_code: int) -> None:
        super().__init__(message)
        self.exit_code = exit_code


def write_page(path: Path | str, *, db: Path | str = DEFAULT_DB, check: bool = False) -> Page:
    """Runs the command of each block of a Markdown page, and puts its answer between the block's markers.

    With `check` nothing is written; the page's `diff` shows what would change. Raises BenchledgerError, with file and
    line, for a page without blocks, a marker without its counterpart, and a command that is refused or finds nothing;
    nothing is written then.
    """
    from benchledger.answers.page_blocks import Page, find_blocks, lines_of, with_answers
    from benchledger.exports.answer_files import write_whole

    page = Path(path)
    before = _read(page)
    lines = lines_of(before.decode())
    blocks = find_blocks(lines, str(page))
    if not blocks:
        raise UsageError(f"{page}: no block to write. Put these two lines where a table belongs: "
                         "<!-- bench report speed --> and <!-- /bench -->")  # fmt: skip
    settings = Settings(Path(db))
    after = with_answers(lines, blocks, [_answer(block, page, settings) for block in blocks])
    written = _found_again(after, blocks, page)
    changed = tuple(
        old.line
        for old, new in zip(blocks, written, strict=True)
        if lines[old.start : old.end] != lines_of(after)[new.start : new.end]
    )
    if changed and not check:
        if page.read_bytes() != before:
            raise UsageError(
                f"{page}: another program changed the file meanwhile; nothing was written. Run the command again"
            )
        write_whole(page, after.encode())
    return Page(page, len(blocks), changed, _difference(before.decode(), after, page))


def _found_again(after: str, blocks: list[Block], page: Path) -> list[Block]:
    """Returns the blocks of the new page. Raises UsageError if they differ because an answer hides a marker."""
    from benchledger.answers.page_blocks import find_blocks, lines_of

    try:
        written = find_blocks(lines_of(after), str(page))
    except UsageError:
        written = []
    if [block.command for block in written] != [block.command for block in blocks]:
        raise UsageError(f"{page}: an answer would hide a marker of the page; nothing was written. Remove one block "
                         "after the other to find it, and please report it as a fault of bench")  # fmt: skip
    return written


def print_page(page: Page, settings: Settings, check: bool) -> None:
    """Says what was written, or prints the differences that a check found and ends with exit code 1."""
    blocks = counted(page.blocks, "block")
    if not page.changed:
        settings.say(f"{page.path}: {blocks}, all equal to the ledger")
    elif check:
        from benchledger.exports.values import escaped_lines

        click.echo(escaped_lines(page.diff), color=True)
        settings.say(f"{page.path}: {len(page.changed)} of {blocks} differ from the ledger. Update the page: "
                     f"bench report --write {shlex.quote(str(page.path))}")  # fmt: skip
        raise click.exceptions.Exit(1)
    else:
        settings.say(f"{page.path}: {blocks}, {len(page.changed)} changed")


def _read(page: Path) -> bytes:
    need_regular(page)
    try:
        found = page.read_bytes()
        found.decode()
    except FileNotFoundError:
        raise UsageError(f"{page}: no such file. Create the page first, with markers where tables belong") from None
    except UnicodeDecodeError as error:
        raise UsageError(f"{page}: is not UTF-8 (byte {error.start}). Save it as UTF-8") from None
    return found


def _answer(block: Block, page: Path, settings: Settings) -> str:
    place = f"{page}:{block.line}: {block.command}"
    try:
        # Help that an option prints must not reach the terminal either.
        with redirect_stdout(io.StringIO()) as said, _parsed(block.command, settings) as ctx:
            ctx.command.invoke(ctx)
        answer = said.getvalue().strip("\n")
        # A table without rows is only a heading. On a page it would look as if nobody had measured anything.
        if ctx.command.name == "query" and len(answer.splitlines()) <= _HEAD_LINES:
            raise NothingFoundError("returns no rows. Check its parameters, or remove the block")
    except click.ClickException as error:
        raise PageError(f"{place}: {error.format_message()}", error.exit_code) from error
    except click.exceptions.Exit:
        raise PageError(f"{place}: prints help or a list, not an answer. Remove that option", 2) from None
    except BenchledgerError as error:
        raise PageError(f"{place}: {error}", error.exit_code) from error
    return answer


def _parsed(command: str, settings: Settings) -> click.Context:
    """Returns the context of a command that a page may run, as click parses it, with Markdown as its form."""
    from benchledger.cli.main import bench

    try:
        words = shlex.split(command)[1:]
    except ValueError as error:
        raise UsageError(f"cannot be split into words ({error}). Close the quotes") from None
    if not words or not _allowed(words):
        raise UsageError(f"a page may only run {_ALLOWED}, with all options after these words")
    ctx = click.Context(bench, info_name="bench", obj=settings)
    found: click.Command | None = bench
    while isinstance(found, click.Group):
        name, found, words = found.resolve_command(ctx, words)
        if isinstance(found, click.Group):
            ctx = click.Context(found, info_name=name, parent=ctx)
    if found is None:
        raise UsageError(f"no such command. A page may run {_ALLOWED}")
    parsed = found.make_context(name, words, parent=ctx)
    _fit_for_a_page(parsed)
    return parsed


def _allowed(words: list[str]) -> bool:
    following = words[1] if len(words) > 1 else "-"
    if words[0] == "export":
        return following == "leaderboard"
    return words[0] in ("report", "query") and not following.startswith("-")


def _fit_for_a_page(ctx: click.Context) -> None:
    if ctx.meta.get(REVEAL):
        # Who writes the page need not be who runs its commands.
        raise UsageError("a page shows no real names: remove --reveal. To write real names into a file, use --reveal "
                         "--reveal --output FILE on the command line")  # fmt: skip
    if ctx.params.get("output") is not None or ctx.params.get("list_all") or ctx.params.get("show_sql"):
        raise UsageError("a block contains the answer: remove --output, --list and --sql")
    if ctx.get_parameter_source("form") is click.core.ParameterSource.COMMANDLINE and ctx.params["form"] != _FORM:
        raise UsageError("a page is always Markdown: remove --format")
    ctx.params["form"] = _FORM
    ctx.meta[ALL_TABLES] = True


def _difference(before: str, after: str, page: Path) -> str:
    from benchledger.answers.page_blocks import lines_of

    told = difflib.unified_diff(lines_of(before), lines_of(after), f"{page}", f"{page} as the ledger says", n=1)
    return "\n".join(line.rstrip("\r\n") for line in told)
