"""Bytes of a log to records: templates compiled, a reference reader, a fast scanner equal to it, and detection."""
