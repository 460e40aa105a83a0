"""Walks through one JSON document and reports the members of its lists of records with their places."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from benchledger.scanning.json_values import DECODER
from benchledger.scanning.rows import Place, Refused

_BLANKS = re.compile(r"[ \t\r\n]*")
_NEXT = re.compile(r"[ \t\r\n]*([,\]])[ \t\r\n]*")

LENIENT = json.JSONDecoder(strict=False)


class BrokenJson(Exception):
    """Raised for text that is not JSON; `position` is its place in the document."""

    def __init__(self, why: str, position: int) -> None:
        super().__init__(why if why.startswith("bad ") else f"bad json: {why}")
        self.position = position


class JsonWalk:
    """One document: descends to the lists of records, and parses everything else at once.

    `kind_of` tells what the value at a path is (see `JsonReader.kind_of`); `on_member` gets each member of a list or
    object of records, with its path, place and span, and why it cannot be stored, if so. `places` has the place of
    each key on the way.
    """

    def __init__(
        self,
        document: bytes,
        place: Place,
        kind_of: Callable[[str], str | None],
        on_member: Callable[[str, Any, Place, slice, str | None], None],
    ) -> None:
        # Bytes that are not UTF-8 are kept, since places are counted in bytes.
        self.text = document.decode("utf-8", "surrogateescape")
        self._ascii = document.isascii()
        self._kind_of, self._on_member = kind_of, on_member
        self.places: dict[str, Place] = {}
        self._known = (0, *place)

    def place(self, position: int) -> Place:
        """Returns line and byte offset of a position; positions must ascend."""
        last, line, offset = self._known
        line += self.text.count("\n", last, position)
        between = self.text[last:position]
        offset += position - last if self._ascii else len(between.encode("utf-8", "surrogateescape"))
        self._known = (position, line, offset)
        return line, offset

    def read(self, embedded: bool) -> Any:
        """Returns the document's data without its lists of records. Raises BrokenJson.

        `embedded`: program output may follow the document.
        """
        start = self._past_blanks(0)
        self.places["."] = self.place(start)
        data, end = self._value(start, ".")
        rest = self._past_blanks(end)
        if embedded and self.text[rest : rest + 1] != "{" and "\n{" not in self.text[rest:]:
            rest = len(self.text)
        if rest < len(self.text):
            raise BrokenJson("something follows the document", rest)
        return data

    def _past_blanks(self, position: int) -> int:
        match = _BLANKS.match(self.text, position)
        return match.end() if match else position

    def _value(self, start: int, path: str) -> tuple[Any, int]:
        kind, first = self._kind_of(path), self.text[start : start + 1]
        if kind == "list" and first == "[":
            return self._list(start, path)
        if kind in ("object", "members") and first == "{":
            return self._object(start, path, kind == "members")
        return self._plain(start)

    def _plain(self, start: int, decoder: json.JSONDecoder = DECODER) -> tuple[Any, int]:
        try:
            return decoder.raw_decode(self.text, start)
        except Refused as error:
            raise BrokenJson(str(error), start) from None
        except json.JSONDecodeError as error:
            raise BrokenJson(error.msg, error.pos) from None
        except (ValueError, RecursionError):
            # An integer of more digits, or deeper nesting, than Python reads.
            raise BrokenJson("a number too long, or nested too deep", start) from None

    def _object(self, start: int, path: str, of_records: bool) -> tuple[dict[str, Any], int]:
        found: dict[str, Any] = {}
        position = self._past_blanks(start + 1)
        if self.text[position : position + 1] == "}":
            return found, position + 1
        while True:
            if self.text[position : position + 1] != '"':
                raise BrokenJson("a key in double quotes should stand here", position)
            key, end = self._plain(position)
            below = key if path == "." else f"{path}.{key}"
            if key in found:
                raise BrokenJson("the key occurs twice", position)
            self.places[below] = self.place(position)
            position = self._expect(":", end)
            if of_records:
                found[key], end = self._member(position, members_of(path), self.places[below])
            else:
                found[key], end = self._value(position, below)
            position = self._past_blanks(end)
            if self.text[position : position + 1] == "}":
                return found, position + 1
            position = self._expect(",", position)

    def _list(self, start: int, path: str) -> tuple[list[Any], int]:
        position = self._past_blanks(start + 1)
        if self.text[position : position + 1] == "]":
            return [], position + 1
        while True:
            _, end = self._member(position, path, self.place(position))
            mark = _NEXT.match(self.text, end)
            if mark is None:
                raise BrokenJson("',' should stand here", self._past_blanks(end))
            if mark.group(1) == "]":
                return [], mark.end(1)
            position = mark.end()

    def _member(self, position: int, path: str, place: Place) -> tuple[Any, int]:
        # A value that cannot be stored refuses its member only.
        refused = None
        try:
            data, end = DECODER.raw_decode(self.text, position)
        except Refused as error:
            refused = str(error)
            data, end = self._plain(position, LENIENT)
        except (ValueError, RecursionError):
            data, end = self._plain(position)
        self._on_member(path, data, place, slice(position, end), refused)
        return data, end

    def _expect(self, mark: str, position: int) -> int:
        position = self._past_blanks(position)
        if self.text[position : position + 1] != mark:
            raise BrokenJson(f"{mark!r} should stand here", position)
        return self._past_blanks(position + 1)


def members_of(path: str) -> str:
    """Returns how `each` names the members of the object at a path."""
    return "*" if path == "." else f"{path}.*"
