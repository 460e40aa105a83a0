"""Values below their names: `hosts:` and its list in YAML or JSON, a block of YAML, an answer to a prompt."""

from __future__ import annotations

import re
from dataclasses import dataclass

from benchledger.redaction.redactor import Redactor

_ENDS = (":", "|", ">", "-", "[", "=")
_LAST = (*_ENDS, " ", "\t", "\r")
_VALUE = re.compile(
    r"(?P<indent>[ \t]*)(?P<dash>- +)?[\"']?(?P<value>[^\s\"',:=\[\]{}][^\s\"',=\[\]{}]*)[\"']?,?[ \t]*\r?"
)


@dataclass
class OpenField:
    """A name whose value is to follow. A list has many values, each in a line of its own."""

    name: str
    indent: int
    is_list: bool

    def redact(self, line: str, redactor: Redactor) -> str | None:
        """Returns the line with its value redacted; None if the line holds no value of the field."""
        match = _VALUE.fullmatch(line)
        if match is None or match["value"].endswith(":"):
            return None
        is_item = match["dash"] is not None or self.is_list
        indent = len(match["indent"])
        if indent < self.indent or (indent == self.indent and not is_item and not redactor.is_secret(self.name)):
            return None
        self.is_list = is_item
        start, end = match.span("value")
        return line[:start] + redactor.cell(self.name, match["value"]) + line[end:]


def open_field(line: str, redactor: Redactor) -> OpenField | None:
    """Returns the field that a line leaves open, if its value is private."""
    if line[-1:] not in _LAST:
        return None
    stripped = line.rstrip()
    if not stripped.endswith(_ENDS):
        return None
    name = redactor.open_name(stripped)
    return None if name is None else OpenField(name, len(line) - len(line.lstrip()), stripped.endswith("["))
