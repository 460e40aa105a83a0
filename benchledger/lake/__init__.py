"""A lake: tables that many processes read and derive, in object storage or a folder, and the ledger made of them.

- `objects.py`: a lake as objects by key, and the markers and leases that are put only where there is none.
- `units.py`: what one worker reads and derives, by its digest.
- `parts.py`: tables of a unit as Parquet objects, and then their marker.
- `ingest.py`: the driver: lists, makes units, hands them to an executor, and writes the list of units at the end.
- `unit_tables.py`: fills a ledger with what units hold; `settle.py`: derives what spans units.
- `publish.py`: the tables of all units on the latest lists, as one ledger or in the lake.
- `delta.py`: a ledger as Delta tables, and snapshots, which list the versions that belong together; `facade.py`: the
  small ledger that reads a snapshot.
- `upkeep.py`: the contents of a lake, and its unneeded objects; it merges the tables of small units.

A marker is the commit of its unit. Objects never change; nothing in them tells the key or a real path.
"""
