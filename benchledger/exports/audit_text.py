"""An audit as text: Markdown, CSV or JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchledger.exports.forms import frame_text
from benchledger.exports.markdown import markdown_line, markdown_of_frame
from benchledger.exports.values import json_text

if TYPE_CHECKING:
    import polars as pl

    from benchledger.auditing.audit import Audit


def audit_text(audit: Audit, form: str) -> str:
    """The checks and their findings in Markdown and JSON, the findings in CSV."""
    if form == "json":
        return json_text({"checks": audit.checks.to_dicts(), "findings": audit.findings.to_dicts()})
    if form == "markdown":
        blocks = [markdown_of_frame(audit.checks)]
        for check, severity, sentence, found in by_check(audit):
            blocks += [f"## {check}", markdown_line(f"{severity}: {sentence}"), markdown_of_frame(found)]
        return "\n\n".join(blocks)
    return frame_text(audit.findings, form)


def by_check(audit: Audit) -> list[tuple[str, str, str, pl.DataFrame]]:
    """Of each check that found something its name, severity and sentence, and the findings without empty columns."""
    import polars as pl

    parts = []
    for check, severity, count, sentence in audit.checks.iter_rows():
        if count:
            found = audit.findings.filter(pl.col("check") == check).drop("check", "severity")
            filled = [column for column in found.columns if found[column].null_count() < found.height]
            parts.append((check, severity, sentence, found.select(filled)))
    return parts
