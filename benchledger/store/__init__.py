"""The ledger's file: opened, migrated, and the private file beside it."""
