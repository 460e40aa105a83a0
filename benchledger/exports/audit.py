"""An audit as text, and as a page that looks right offline."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import polars as pl

from benchledger.errors import counted
from benchledger.exports.markdown import markdown_line, markdown_of_frame
from benchledger.exports.output_forms import frame_text
from benchledger.exports.values import escaped, json_text, text_rows

if TYPE_CHECKING:
    from benchledger.auditing.audit import Audit


# The columns of numbers, which are shown as text.
NUMBERS = ("value", "expected")
_STYLE = """
:root { color-scheme: light dark; --ink: #1c2330; --dim: #5b6577; --paper: #fff; --line: #d9dee7; --soft: #f4f6f9;
  --error: #b3261e; --warning: #8a5a00; --note: #2a5db0; --clean: #24703d; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e8f0; --dim: #9aa5b8; --paper: #14181f; --line: #313947;
  --soft: #1c222c; --error: #ff8a80; --warning: #f0b849; --note: #8ab4f8; --clean: #7fd49a; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 84rem; padding: 2rem 1.25rem 4rem; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", sans-serif; }
h1 { font-size: 1.6rem; margin: 0 0 .25rem; } h2 { font-size: 1.1rem; margin: 2.5rem 0 .25rem; }
p { margin: .25rem 0 1rem; color: var(--dim); }
.counts { display: flex; gap: .75rem; flex-wrap: wrap; margin: 1.25rem 0; padding: 0; list-style: none; }
.counts li { border: 1px solid var(--line); border-radius: .5rem; padding: .6rem 1rem; min-width: 7.5rem; }
.counts b { display: block; font-size: 1.6rem; line-height: 1.2; }
.scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: .5rem; }
table { border-collapse: collapse; width: 100%; font-size: .875rem; }
th, td { text-align: left; vertical-align: top; padding: .45rem .7rem; border-top: 1px solid var(--line); }
thead th { border-top: 0; background: var(--soft); color: var(--dim); font-weight: 600; white-space: nowrap; }
td.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td.name, td.place { font-family: ui-monospace, "SFMono-Regular", Menlo, Consolas, monospace; font-size: .8rem; }
td.name { white-space: nowrap; } td:not([class]) { min-width: 13rem; }
td.place { overflow-wrap: anywhere; min-width: 13rem; }
.error { color: var(--error); } .warning { color: var(--warning); } .note { color: var(--note); }
.clean { color: var(--clean); } .dim { color: var(--dim); } a { color: inherit; }
"""
_CLASSES = {
    **dict.fromkeys(NUMBERS, ' class="number"'),
    **dict.fromkeys(("run_key", "cell"), ' class="name"'),
    "place": ' class="place"',
}


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
    shown = _shown(audit.findings)
    parts = []
    for check, severity, count, sentence in audit.checks.iter_rows():
        if count:
            found = shown.filter(pl.col("check") == check).drop("check", "severity", "cause")
            filled = [column for column in found.columns if found[column].null_count() < found.height]
            parts.append((check, severity, sentence, found.select(filled)))
    return parts


def _shown(findings: pl.DataFrame) -> pl.DataFrame:
    line = pl.when(pl.col("line").is_null()).then(pl.lit("")).otherwise(pl.format(":{}", "line"))
    numbers = [
        # Six digits are enough to see that two numbers differ; JSON, CSV and Parquet hold them unrounded.
        pl.Series(name, [None if value is None else f"{value:.6g}" for value in findings[name]], pl.String)
        for name in NUMBERS
    ]
    return findings.with_columns(*numbers, place=pl.col("place") + line).drop("line")


def audit_page(audit: Audit, ledger: str) -> str:
    """Returns the page: the number of findings per severity, every check, and every finding with its place."""
    found = by_check(audit)
    sections = "".join(_section(check, severity, sentence, frame) for check, severity, sentence, frame in found)
    title = f"Audit of {_text(ledger)}"
    checks = counted(audit.checks.height, "check")
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{title}</title>
<style>{_STYLE}</style>
</head>
<body>
<h1>{title}</h1>
<p>{checks} of what the ledger holds. A finding changes nothing: its row stays as it is.</p>
<ul class="counts">{"".join(_count(audit, severity) for severity in ("error", "warning", "note"))}</ul>
{_checks(audit)}
{sections}
{"".join(f"<p>{_text(remark)}</p>" for remark in audit.remarks)}
</body>
</html>
"""


def _count(audit: Audit, severity: str) -> str:
    count = audit.count(severity)
    number, _, word = counted(count, severity).partition(" ")
    return f'<li class="{severity if count else "clean"}"><b>{number}</b>{word}</li>'


def _checks(audit: Audit) -> str:
    rows = []
    for check, severity, count, sentence in audit.checks.iter_rows():
        name = f'<a href="#{_text(check)}">{_text(check)}</a>' if count else _text(check)
        grade = severity if count else "dim"
        rows.append(
            f'<tr><td class="name">{name}</td><td class="{grade}">{severity}</td>'
            f'<td class="number {grade if count else "clean"}">{count}</td><td>{_text(sentence)}</td></tr>'
        )
    return _table(["check", "severity", "findings", "a finding is"], rows)


def _section(check: str, severity: str, sentence: str, found: pl.DataFrame) -> str:
    kinds = [_CLASSES.get(name, "") for name in found.columns]
    rows = [
        "<tr>" + "".join(f"<td{kind}>{_text(cell)}</td>" for kind, cell in zip(kinds, row, strict=True)) + "</tr>"
        for row in text_rows(found)
    ]
    head = f'<h2 id="{_text(check)}">{_text(check)} <span class="{severity}">{severity}</span></h2>'
    return f"{head}\n<p>{_text(sentence)}</p>\n{_table(found.columns, rows)}\n"


def _table(columns: list[str], rows: list[str]) -> str:
    head = "".join(f'<th scope="col">{_text(column)}</th>' for column in columns)
    body = "\n".join(rows)
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>\n{body}\n</tbody></table></div>'


def _text(text: str) -> str:
    # Escaped twice: control and bidirectional characters as on a terminal, then for HTML.
    return escape(escaped(text))
