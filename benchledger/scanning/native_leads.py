"""Encodes the shape of a lead as native/leads.c reads it."""

from __future__ import annotations

from benchledger.scanning.leads import LeadShape
from benchledger.scanning.native_blob import STEPS, TARGETS, target_of, u32

_MOST_PARTS = 64


def packed_shape(shape: LeadShape | None) -> tuple[bytes, int, int, bool]:
    """Returns its encoded values, the place of the rest, and whether only Python can read such leads."""
    parts: list[bytes] = []
    for part in shape.parts if shape is not None else ():
        names = [hole.name for hole, _, _ in part]
        targets = [target_of(hole) for hole, _, _ in part]
        if None in targets or len(set(names)) < len(names):
            return b"", 0, 0, True
        for (hole, start, end), target in zip(part, targets, strict=True):
            assert target is not None
            parts.append(u32(STEPS.index(hole.type)) + u32(TARGETS.index(target)) + u32(start) + u32(end))
    if shape is None or len(parts) > _MOST_PARTS:
        return b"", 0, 0, True
    return b"".join(parts), *shape.rest, False
