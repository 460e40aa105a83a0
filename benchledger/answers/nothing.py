"""Answers to a question that finds nothing or names something unknown: what exists instead."""

from __future__ import annotations

from benchledger.errors import SHOWN, NothingFoundError, known

__all__ = ["SHOWN", "NothingFoundError", "known"]
