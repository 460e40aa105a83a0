"""Files to ledger: discover, read, load, and derive runs, facts and cases from what was read."""
