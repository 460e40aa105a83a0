"""Maintains a ledger (`bench db`, `bench exclude`); reads no logs.

`backup.py` copies, compacts and migrates, `check.py` checks the invariants (view `kept.invariant`), `exclude.py` leaves
runs out of tables, `info.py` describes a ledger.
"""
