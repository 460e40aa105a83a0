"""Writes an audit as text: Markdown, CSV or JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchledger.exports.markdown import markdown_of_frame
from benchledger.exports.markdown_text import markdown_line
from benchledger.exports.output_forms import frame_text
from benchledger.exports.values import json_text

if TYPE_CHECKING:
    import polars as pl

    from benchledger.auditing.audit import Audit

# The columns of numbers, which are shown as text.
NUMBERS = ("value", "expected")


def audit_text(audit: Audit, form: str) -> str:
    if form == "json":
        return json_text(
            {
                "checks": audit.checks.to_dicts(),
                "causes": audit.causes.to_dicts(),
                "findings": audit.findings.to_dicts(),
                "remarks": audit.remarks,
            }
        )
    if form == "markdown":
        blocks = [markdown_of_frame(audit.checks)]
        for check, severity, sentence, found in by_check(audit):
            blocks += [f"## {check}", markdown_line(f"{severity}: {sentence}"), markdown_of_frame(found)]
        blocks += map(markdown_line, audit.remarks)
        return "\n\n".join(blocks)
    return frame_text(audit.findings, form)


def by_check(audit: Audit) -> list[tuple[str, str, str, pl.DataFrame]]:
    """Returns one tuple per check with findings: its name, severity, sentence, and findings without empty columns."""
    import polars as pl

    shown = _shown(audit.findings)
    parts = []
    for check, severity, count, sentence in audit.checks.iter_rows():
        if count:
            found = shown.filter(pl.col("check") == check).drop("check", "severity", "cause")
            filled = [column for column in found.columns if found[column].null_count() < found.height]
            parts.append((check, severity, sentence, found.select(filled)))
    return parts


def _shown(findings: pl.DataFrame) -> pl.DataFrame:
    import polars as pl

    line = pl.when(pl.col("line").is_null()).then(pl.lit("")).otherwise(pl.format(":{}", "line"))
    numbers = [
        # Six digits are enough to see that two numbers differ; JSON, CSV and Parquet hold them unrounded.
        pl.Series(name, [None if value is None else f"{value:.6g}" for value in findings[name]], pl.String)
        for name in NUMBERS
    ]
    return findings.with_columns(*numbers, place=pl.col("place") + line).drop("line")
