"""Checks the contents of a ledger with Great Expectations (`bench audit`).

`audit.py` runs the checks and returns the findings. `suite.py` holds their temporary table, runs checks written in SQL
or as expectations, and confirms every count; `engine.py` makes Great Expectations work on an open DuckDB connection.
`private_text.py` lists stored texts that the redactor would still change.
"""
