"""What people ask of the ledger: reports, runs, one run, shipped queries and read-only SQL, as polars frames."""
