"""A specification as the bytes of a file: SVG, PNG or Vega-Lite JSON, made without a network."""

from __future__ import annotations

from pathlib import Path

from benchledger.errors import UsageError
from benchledger.exports.values import json_text
from benchledger.plots.extra import need
from benchledger.plots.marks import Spec

ENDINGS = (".svg", ".png", ".json")
_VERSION = "6.1"
_PIXELS = 2


def need_ending(file: Path) -> str:
    """Returns the ending of a picture's file. Raises UsageError for another one."""
    ending = file.suffix.lower()
    if ending not in ENDINGS:
        raise UsageError(f"{file}: a picture ends with {', '.join(ENDINGS)}; name such a file")
    return ending


def file_bytes(spec: Spec, file: Path) -> bytes:
    """Returns the picture in the form that the file's ending names. Raises UsageError for another ending."""
    ending = need_ending(file)
    if ending == ".json":
        return (json_text(spec) + "\n").encode()
    convert = need("vl_convert")
    if ending == ".svg":
        return str(convert.vegalite_to_svg(spec, vl_version=_VERSION)).encode()
    return bytes(convert.vegalite_to_png(spec, vl_version=_VERSION, scale=_PIXELS))
