"""Tells documents, which quote log lines, by the bytes that they begin with."""

from __future__ import annotations

import codecs
import re

from benchledger.scanning.detection import BLOCK

_NOTEBOOK = re.compile(rb'"(cell_type|nbformat)"\s*:')
_WEB = re.compile(rb"(?is)(<\?xml[^>]*>\s*)?(?:(?><!--.*?-->)\s*)*+<(!doctype\s+html|html|head|body)\b")
_SCRIPT = re.compile(rb"#!\s*/")
_FENCE = re.compile(rb"^[ \t>]*(```|~~~)", re.MULTILINE)
# The first line of a page: a heading, HTML, a picture, or a line that is underlined.
_PAGE = re.compile(rb"#{1,6}[ \t]+\S|<(!--|\w)|\[?!\[|[^\n]+\n(=+|-+)[ \t]*\r?\n")
# What bench itself prints: an explanation, a run, the summary of an ingest
_ANSWER = re.compile(
    rb"cell s[0-9a-f]{10}\s|run [0-9a-f]{12}-\d+: |files: \d+ = \d"
    rb"|\d+ (unrecognised:|rejects? in \d+ files?; list with)"
)
_DEFINITION = re.compile(rb"(?:#[^\n]*\n|\s)*+\w+[ \t]*=[ \t]*[\"'\d]")
_SAMPLE = re.compile(rb"(?m)^\[\[(?:record|sample)\]\]")


def document_content(first: bytes) -> str:
    """Returns what document a file is that begins so: its kind, empty for a log or data."""
    if _SCRIPT.match(first):
        return "script"
    head = first[:BLOCK].removeprefix(codecs.BOM_UTF8).lstrip()
    if head[:1] == b"{":
        return "notebook" if _NOTEBOOK.search(head) else ""
    if head[:1] == b"<" and _WEB.match(head):
        return "web page"
    if _ANSWER.match(head):
        return "saved output of bench"
    # Test the first line first: few logs begin like a page, and the others need no search.
    if _DEFINITION.match(head) and _SAMPLE.search(head):
        return "definition of a format"
    fenced = _PAGE.match(head) and (b"```" in head or b"~~~" in head) and len(_FENCE.findall(head)) > 1
    return "page of Markdown" if fenced else ""
