"""A lake: tables that many processes read and derive, in object storage or a folder, and the ledger made of them.

- `objects.py`: a lake as objects by key, and the markers and leases that are put only where there is none.
- `units.py`: what one worker reads and derives, by its digest.
- `parts.py`: tables of a unit as Parquet objects, and then their marker.
- `ingest.py`: the driver: lists, makes units, hands them to an executor, and writes the list of units at the end.
- `unit_tables.py`: fills a ledger with what units hold; `settle.py`: derives what spans units.
- `publish.py`: the tables of all units on the latest lists, as one ledger or in the lake.
- `delta.py`, `facade.py`: a ledger as Delta tables, which of their versions belong together, and the small ledger that
  reads these.
- `upkeep.py`: what a lake holds, which objects nobody needs; and puts the tables of small units together.

A marker is the commit of its unit. Objects never change; nothing in them tells the key or a real path.
"""
