"""How fast an ingest is, against what a search of the files and DuckDB's insert need anyway. Run by `make bench`."""
