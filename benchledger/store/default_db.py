"""The default ledger: a file in the current folder."""

from __future__ import annotations

DEFAULT_DB = "bench.duckdb"
