"""Writes LaTeX: a table environment with booktabs rules, in which no text from a log acts as a command."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from benchledger.exports.captions import words_above, words_at_end, words_below, words_below_trials
from benchledger.exports.markdown import number_columns
from benchledger.exports.values import escaped, text_rows

if TYPE_CHECKING:
    import polars as pl

    from benchledger.answers.tables.table import Report

_HEAD = "% \\usepackage[T1]{fontenc}, \\usepackage{booktabs}"
# A row that begins with [ or * would be read as an option of the line break before it, and -- as a dash.
_SIGNS = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "{": r"\{",
        "}": r"\}",
        "$": r"\$",
        "&": r"\&",
        "#": r"\#",
        "_": r"\_",
        "%": r"\%",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        '"': r"\textquotedbl{}",
        "`": r"\textasciigrave{}",
        "[": "{[}",
        "]": "{]}",
        "*": "{*}",
    }
)


def latex_of_frame(frame: pl.DataFrame) -> str:
    return "\n".join([_HEAD, *_tabular(frame, [kind.is_numeric() for kind in frame.schema.values()])])


def latex_of_report(report: Report) -> str:
    """Returns every table of a report, with the lines above it as its caption and its notes below it."""
    lines = [_HEAD]
    for table in report.tables:
        caption = "; ".join(words_above(report, table))
        lines += ["", r"\begin{table}", rf"\caption{{{latex_text(caption)}}}", *_tabular_of_text(table.frame)]
        lines += _notes(words_below(report, table))
        if table.trials is not None:
            lines += ["", *_tabular_of_text(table.trials), *_notes(words_below_trials(table))]
        lines.append(r"\end{table}")
    return "\n".join([*lines, *_notes(words_at_end(report))])


def latex_text(text: str) -> str:
    """Returns text as LaTeX that prints exactly this text, on one line."""
    return re.sub("(?<=-)-", "{}-", escaped(text).translate(_SIGNS))


def _tabular_of_text(frame: pl.DataFrame) -> list[str]:
    return _tabular(frame, number_columns(frame))


def _tabular(frame: pl.DataFrame, right: Sequence[bool]) -> list[str]:
    columns = "".join("r" if to_the_right else "l" for to_the_right in right)
    rows = [_row(row) for row in text_rows(frame)]
    return [
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        _row(frame.columns),
        r"\midrule",
        *rows,
        r"\bottomrule",
        r"\end{tabular}",
    ]


def _row(cells: Sequence[str]) -> str:
    return " & ".join(map(latex_text, cells)) + r" \\"


def _notes(notes: Sequence[str]) -> list[str]:
    return [rf"\par{{\footnotesize {latex_text(note)}}}" for note in notes]
