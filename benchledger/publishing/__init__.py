"""Makes logs fit for publishing (`bench redact`): the redaction of an ingest, applied to files.

`redact.py` is the command, `archive.py` rewrites archives and compressed logs, `text.py` redacts the lines of one log.
"""
