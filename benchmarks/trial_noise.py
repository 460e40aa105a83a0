"""Writes benchmarks/trial_noise.json: the trials of real series, each over its mean, as noise for simulations.

    python -m benchmarks.trial_noise LEDGER [DLPERF_TRIALS_JSON]

LEDGER holds data/measured; the JSON holds the per-trial speeds that DLPerf publishes (corpus/oracle).
"""

from __future__ import annotations

import json
import statistics
import sys
from pathlib import Path

FILE = Path(__file__).with_suffix(".json")
_SERIES = """
select list(value order by started_at)
from kept.trial_table
join run using (run_id)
where trial_table.is_default and counts and value > 0
group by series_id
having count(*) >= 3
order by series_id
"""


def main(ledger: str, published: str | None = None) -> None:
    """Writes the file."""
    import duckdb

    with duckdb.connect(ledger, read_only=True) as con:
        series = [row[0] for row in con.execute(_SERIES).fetchall()]
    if published is not None:
        series += [list(one["trials"].values()) for one in json.loads(Path(published).read_text(encoding="utf-8"))]
    relative = [[round(value / statistics.fmean(trials), 6) for value in trials] for trials in series]
    FILE.write_text("[\n" + ",\n".join(map(json.dumps, relative)) + "\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
