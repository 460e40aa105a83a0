"""Logs made fit for publishing: the same redaction as on the way into a ledger, done to files."""
