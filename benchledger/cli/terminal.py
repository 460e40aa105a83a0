"""The terminal: whether there is one, its size, wrapped lines, and the pager for what is longer than the screen."""

from __future__ import annotations

import os
import sys

import click


def is_terminal() -> bool:
    return sys.stdout.isatty()


def screen_width() -> int:
    return _size()[0]


def wrapped(line: str) -> str:
    """Returns a line as several that fit the terminal, broken between words; unchanged for a pipe or file."""
    import textwrap

    if not is_terminal() or len(line) <= screen_width():
        return line
    indent = " " * (len(line) - len(line.lstrip()) + 2)
    parts = textwrap.wrap(
        line, max(screen_width(), 20), subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
    return "\n".join(parts)


def wrapped_lines(text: str) -> str:
    """Returns a text whose lines fit the terminal. Lines in colours are those of a table, which fits already."""
    return "\n".join(line if "\x1b" in line else wrapped(line) for line in text.split("\n"))


def print_text(text: str, *, paged: bool = False) -> None:
    """Prints text; a terminal shows it in a pager if it is `paged` or longer than the screen."""
    is_long = paged or text.count("\n") >= _size()[1] - 1
    if is_long and is_terminal() and sys.stdin.isatty():
        # less: colours as colours, and no pager for what fits the screen after all.
        os.environ.setdefault("LESS", "FRX")
        click.echo_via_pager(text, color=True)
    else:
        # color=True: click would strip escape codes from the output to a pipe.
        click.echo(text, color=True)


def _size() -> tuple[int, int]:
    # Imported here: it imports the archive packers.
    import shutil

    return shutil.get_terminal_size()
