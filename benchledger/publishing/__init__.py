"""Makes logs fit for publishing (`bench redact`): the redaction of an ingest, applied to files.

`redact.py` is the command, `log_text.py` redacts the lines of one log, `archive.py` rewrites compressed logs and
archives.
"""
