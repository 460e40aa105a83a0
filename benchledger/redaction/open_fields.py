"""Values below their names: `hosts:` and its list in YAML or JSON, a block of YAML, an answer to a prompt."""

from __future__ import annotations

import re
from dataclasses import dataclass

from benchledger.redaction.redactor import Redactor

_ENDS = (":", "|", ">", "-", "[", "(", "=")
_LAST = (*_ENDS, " ", "\t", "\r")
_LONGEST_NAME = 100
_NAME_OF_PAIR = ("name", "Name", "key", "Key")
_VALUE = re.compile(
    r"(?P<indent>[ \t]*)(?P<dash>- +)?[\"']?(?P<value>[^\s\"',:=\[\](){}][^\s\"',=\[\]{}]*={0,2})[\"']?,?[ \t]*\r?"
)
_PAIR = re.compile(
    r"(?i)(?P<indent>[ \t]*)(?P<dash>(?!))?[\"']?value[\"']?[ \t]?[:=][ \t]{0,4}"
    r"(?P<sign>[\"']?)(?P<value>[^\s\"'{}]{4,}|(?<=[\"'])[^\"']{4,})(?P=sign),?[ \t]*\r?"
)


@dataclass
class OpenField:
    """A name whose value is to follow. A list has many values, each in a line of its own."""

    name: str
    indent: int
    is_list: bool
    is_pair: bool = False

    @property
    def stays(self) -> bool:
        # If several processes print pairs of a name and a value, all names may come before the values.
        return self.is_list or self.is_pair

    def redact(self, line: str, redactor: Redactor) -> str | None:
        """Returns the line with its value redacted; None if the line holds no value of the field."""
        match = (_PAIR if self.is_pair else _VALUE).fullmatch(line)
        if match is None or match["value"].endswith(":"):
            return None
        is_item = match["dash"] is not None or self.is_list
        indent = len(match["indent"])
        if indent < self.indent or (indent == self.indent and not is_item and not redactor.is_secret(self.name)):
            return None
        self.is_list = is_item
        start, end = match.span("value")
        redact = redactor.value if self.is_pair else redactor.cell
        return line[:start] + redact(self.name, match["value"]) + line[end:]


def open_field(line: str, redactor: Redactor) -> OpenField | None:
    """Returns the field that a line leaves open, if its value is private."""
    if line[-1:] in _LAST and (stripped := line.rstrip()).endswith(_ENDS):
        name, is_list, is_pair = redactor.open_name(stripped), stripped.endswith(("[", "(")), False
    else:
        # A name and its value as two fields: `- name: API_KEY`, and `value: ...` in the next line
        sign = line.rfind(":", -_LONGEST_NAME)
        if (
            sign < 0
            or line[sign - 1] not in "ey\"'"
            or not line[max(0, sign - 6) : sign].rstrip(" \t\"'").endswith(_NAME_OF_PAIR)
        ):
            return None
        word = line[sign + 1 :]
        name, is_list, is_pair = redactor.title(word.strip(" \t\r\"',")), False, True
    if name is None or (is_pair and not redactor.is_secret(name)):
        return None
    return OpenField(name, len(line) - len(line.lstrip()), is_list, is_pair)
