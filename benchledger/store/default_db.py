"""The ledger that is meant where none is named: a file of the folder that one works in."""

from __future__ import annotations

DEFAULT_DB = "bench.duckdb"
