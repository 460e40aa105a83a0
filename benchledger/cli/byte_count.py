"""Sizes on the command line: 500, 10MB, 256GiB."""

from __future__ import annotations

import re

import click

_UNITS: dict[str, int] = {"": 1, "B": 1, **{f"{letter}B": 1000**power for power, letter in enumerate("KMGT", start=1)},
          **{f"{letter}IB": 1024**power for power, letter in enumerate("KMGT", start=1)}}  # fmt: skip


class ByteCount(click.ParamType[int]):
    """A number of bytes, with an optional unit."""

    name = "size"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        found = re.fullmatch(r"(\d+)\s*([A-Za-z]*)", str(value))
        if found is None or found[2].upper() not in _UNITS or not int(found[1]):
            self.fail(f"{value!r} is not a size; write for example 500MB or 256GiB", param, ctx)
        unit: int = _UNITS[found[2].upper()]
        return int(found[1]) * unit
