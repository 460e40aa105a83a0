"""Makes logs fit for publishing (`bench redact`): the redaction of an ingest, applied to files.

`redact.py` is the command, `archive.py` redacts the lines of one log, and rewrites archives and compressed logs.
"""
