"""What a ledger needs over the years: runs left out, copies, checks. It reads no logs."""
