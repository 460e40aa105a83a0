"""Reads run manifests: one record per key, so that every fact leads to its line."""

from __future__ import annotations

from codecs import BOM_UTF8
from dataclasses import replace

from benchledger.definitions.log_format import FactDefinition, LogFormat
from benchledger.definitions.manifest import facts_of_manifests, read_manifest
from benchledger.scanning.json_documents import JsonReader
from benchledger.scanning.layout import Layouts
from benchledger.scanning.rows import REJECT_TEXT_LIMIT, Pieces, RejectedPiece, make_row
from benchledger.scanning.values import decode


class ManifestReader(JsonReader):
    def __init__(self, log_format: LogFormat) -> None:
        super().__init__(log_format)
        facts = tuple(FactDefinition(fact, key) for key, fact in facts_of_manifests().items())
        self.layouts = Layouts(replace(log_format, facts=facts))

    def read(self, buffer: bytes, base: int, line: int, pieces: Pieces) -> int:
        start = len(BOM_UTF8) if buffer.startswith(BOM_UTF8) else 0
        text = decode(buffer[start:])
        manifest = read_manifest(text)
        pieces.pieces += len(manifest.problems) + len(manifest.stated)
        pieces.files += manifest.files
        record = self.format.records[0]
        for stated in manifest.stated:
            place = _place(text, stated.offset, line, base + start)
            pairs = [(stated.key, None, stated.value, None)]
            pieces.rows.append(make_row(self.layouts, record, pairs, {}, place))
        for offset, problem in manifest.problems:
            shown = text[offset:].partition("\n")[0][:REJECT_TEXT_LIMIT]
            place = _place(text, offset, line, base + start)
            pieces.rejects.append(RejectedPiece(*place, record.name, problem[:REJECT_TEXT_LIMIT], shown))
        return line + buffer.count(b"\n")


def _place(text: str, offset: int, line: int, base: int) -> tuple[int, int]:
    return line + text.count("\n", 0, offset), base + len(text[:offset].encode())
