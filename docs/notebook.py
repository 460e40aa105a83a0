"""From logs to a ledger to the three plots that people make first: a marimo notebook.

`marimo edit docs/notebook.py` opens it in a browser, `python docs/notebook.py` runs it. It reads the logs of the folder
`data/made`; name your own in the second cell.
"""

import marimo

app = marimo.App()


@app.cell
def _():
    import marimo as mo

    import benchledger as bl

    return bl, mo


@app.cell
def _(bl):
    logs, db = "data/made", "bench.duckdb"
    # Reads what is new; an unchanged folder is skipped.
    ingested = bl.ingest(logs, db=db)
    return db, ingested


@app.cell
def _(ingested, mo):
    mo.md(f"# Training benchmarks\n\n{ingested.records} new records in {len(ingested.files)} kinds of files.")
    return


@app.cell
def _(bl, db):
    speed = bl.report_speed(db=db)
    speed
    return (speed,)


@app.cell
def _(bl, db):
    # How fast is each case?
    speeds = bl.plot_speed(db=db)
    speeds
    return (speeds,)


@app.cell
def _(bl, db):
    # What do more GPUs bring?
    scaling = bl.plot_scaling(db=db)
    scaling
    return (scaling,)


@app.cell
def _(bl, db):
    # What do larger batches bring, and which do not fit?
    batch = bl.plot_batch(db=db)
    batch
    return (batch,)


@app.cell
def _(bl, db, speed):
    # Where does the fastest number come from?
    fastest = speed.pl().sort("value", descending=True, nulls_last=True)
    bl.explain(fastest["cell"][0], db=db)
    return (fastest,)


if __name__ == "__main__":
    app.run()
