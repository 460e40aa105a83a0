"""Tables as plain text: Markdown pipes, wide characters counted right, folded to a terminal and never elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from benchledger.exports.safe_text import escaped

_UNBOUNDED = 1_000_000


def table_text(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table as text; what a terminal would act on is shown escaped."""
    # Rich costs 60 ms to import: only a command that prints a table pays it.
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.MARKDOWN, header_style=None, pad_edge=True)
    for number, column in enumerate(columns):
        # What a row is asked for by, its key, stays whole in a narrow terminal.
        table.add_column(Text(escaped(column)), overflow="fold", no_wrap=number == 0)
    for row in rows:
        table.add_row(*(Text(escaped(cell)) for cell in row))
    width = None if sys.stdout.isatty() else _UNBOUNDED
    console = Console(file=sys.stdout, width=width, color_system=None, markup=False, highlight=False)
    with console.capture() as captured:
        console.print(table)
    return "\n".join(line.rstrip() for line in captured.get().splitlines() if line.strip())
