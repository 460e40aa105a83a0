"""The audit: checks of what the ledger holds, by Great Expectations."""
