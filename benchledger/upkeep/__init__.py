"""Maintains a ledger (`bench db`, `bench exclude`); reads no logs.

`backup.py` copies and compacts, `check.py` checks the invariants (with `checks.sql`), `exclude.py` leaves runs out of
tables, `info.py` describes a ledger, `migrate.py` brings it to this version.
"""
