"""Where a number comes from: a cell, a run or a file explained by what the ledger keeps of it."""
