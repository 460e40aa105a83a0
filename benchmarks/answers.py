"""Measures how long answers take over ledgers of many step records, and what commands take to start.

    python -m benchmarks.answers [--millions 20] [--rounds 7] [--keep]

`--millions 20,200` adds a ledger of 200 million records, which takes 8 GB of disk and most of the time.
Makes its ledgers under .bench/answers/ (git-ignored), prints the tables and writes them into docs/performance.md.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import time
from datetime import datetime
from pathlib import Path
from statistics import median

from benchledger.answers.rows import reading
from benchmarks import page
from benchmarks.limit import TOP
from benchmarks.made_runs import a_cell, make_runs
from benchmarks.measure import run

BEGIN = "<!-- answers: begin (written by make bench-answers) -->"
END = "<!-- answers: end -->"
TABLES = ("speed_table", "memory_table", "speedup_table", "leaderboard", "run_speed", "convergence_table")
EXPLAIN = "`bench explain CELL`"
RECORDS_OF_A_RUN = 10_000
COST_RUNS = 100
BENCH = Path(sys.executable).with_name("bench")
STARTS: dict[str, list[str | Path]] = {
    "`python -c pass`": [sys.executable, "-c", "pass"],
    "`python -c 'import duckdb, polars'`": [sys.executable, "-c", "import duckdb, polars"],
    "`bench --help`": [BENCH, "--help"],
    **{
        f"`bench {words}`": [BENCH, *words.split()]
        for words in ("report speed", "report memory", "report speedup", "report convergence", "runs", "query speed")
    },
}
PYTHON, IMPORTS = list(STARTS)[:2]


def main() -> None:
    given = arguments()
    folder: Path = given.folder / "answers"
    folder.mkdir(parents=True, exist_ok=True)
    now = datetime.now().astimezone()
    lines = [
        f"Measured on {now.date()} by `make bench-answers`: {page.machine()}",
        f"Medians of {given.rounds} rounds; processor ms for all rows, planned too, in a ledger opened as answers",
        f"open it; of {EXPLAIN} for a process, and what it takes more than one that imports duckdb and polars.",
        "",
        f"| step records | runs | {' | '.join(f'`{table}`' for table in TABLES)} | {EXPLAIN} | beyond its imports |",
        f"|---|---|{'---|' * len(TABLES)}---|---|",
    ]
    for millions in given.millions.split(","):
        records = int(float(millions) * 1_000_000)
        database = folder / f"{millions}.duckdb"
        runs = max(1, records // RECORDS_OF_A_RUN)
        if not database.exists():
            print(f"making {database} of {records:,} records", file=sys.stderr, flush=True)
            make_runs(database, runs, RECORDS_OF_A_RUN)
        asked = ask(database, given.rounds)
        whole, beyond = explained(database, given.rounds)
        cells = " | ".join(f"{median(asked[table]) * 1000:.1f}" for table in TABLES)
        lines.append(f"| {records:,} | {runs:,} | {cells} | {whole * 1000:,.0f} | {beyond * 1000:,.0f} |")
    lines += ["", cost_line(folder), "", *start_lines(folder / "made.duckdb", given.rounds)]
    text = "\n".join(lines) + "\n"
    print(text)
    page.write(given.page, text, BEGIN, END)
    if not given.keep:
        shutil.rmtree(folder)


def cost_line(folder: Path) -> str:
    """What an ingest pays for all this."""
    folder.joinpath("cost.duckdb").unlink(missing_ok=True)
    inserted, kept = make_runs(folder / "cost.duckdb", COST_RUNS, RECORDS_OF_A_RUN)
    records = f"{COST_RUNS * RECORDS_OF_A_RUN:,} records"
    return f"To keep what {records} say took {kept:.1f} processor seconds, to make and insert them {inserted:.1f}."


def ask(database: Path, rounds: int) -> dict[str, list[float]]:
    """Processor seconds of each table in each round, all rows as Arrow; without the first, which reads the file."""
    seconds: dict[str, list[float]] = {table: [] for table in TABLES}
    with reading(database) as con:
        for _ in range(rounds + 1):
            for table, found in seconds.items():
                began = time.process_time()
                con.table(table).to_arrow_table()
                found.append(time.process_time() - began)
    return {table: found[1:] for table, found in seconds.items()}


def explained(database: Path, rounds: int) -> tuple[float, float]:
    """Processor seconds of a process that explains a cell, and how many more than one that only imports: medians."""
    seconds, cell = [], a_cell(database)
    for _ in range(rounds):
        whole = run([BENCH, "--db", database, "explain", cell]).cpu
        seconds.append((whole, whole - run(STARTS[IMPORTS]).cpu))
    return median(whole for whole, _ in seconds), median(beyond for _, beyond in seconds)


def start_lines(small: Path, rounds: int) -> list[str]:
    """Whole processes on the ledger of data/made, in processor seconds: other work changes those little."""
    run([BENCH, "--db", small, "ingest", TOP / "data" / "made"])
    seconds: dict[str, list[float]] = {name: [] for name in STARTS}
    for _ in range(rounds):
        for name, command in STARTS.items():
            seconds[name].append(run(command, {"BENCH_DB": str(small)}).cpu)
    least, imports = median(seconds[PYTHON]), median(seconds[IMPORTS])
    return [
        "| a process, the ledger of `make demo` | processor ms | / `python -c pass` | / importing duckdb and polars |",
        "|---|---|---|---|",
        *(
            f"| {name} | {median(found) * 1000:.0f} | {median(found) / least:.1f} | {median(found) / imports:.2f} |"
            for name, found in seconds.items()
        ),
    ]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--millions", default="20", help="millions of records, of several ledgers: 20,200")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--keep", action="store_true", help="keep the ledgers for the next time")
    parser.add_argument("--folder", type=Path, default=TOP / ".bench", help="where ledgers are made")
    parser.add_argument("--page", type=Path, default=TOP / "docs" / "performance.md")
    return parser.parse_args()


if __name__ == "__main__":
    main()
