"""What is kept of a run does not depend on the runs that are filled together with it, nor on how long a run counts as long."""

import random
import re
from pathlib import Path

import pytest

from benchledger import audit, db_check, ingest
from benchledger.kept import fill, runs
from benchledger.scanning.samples import load_formats
from tests.ingestion.logs import ask, put

pytestmark = pytest.mark.long

# Ways in which one log is printed, joined or copied.
WAYS = (
    lambda lines: lines,
    lambda lines: [f"{number}:{line}" for number, line in enumerate(lines, 1)],
    lambda lines: [line for line in lines for _ in range(2)],
    lambda lines: [f"[default{rank}]:{line}" for line in lines for rank in range(2)],
    lambda lines: [re.sub(r"(\d\.\d+)", rf"\g<1>{rank}", line) for line in lines for rank in range(3)],
    lambda lines: [f"2026-01-05 10:{n // 60 % 60:02}:{n % 60:02},123 INFO {line}" for n, line in enumerate(lines)],
)
SPEEDS = """
select run_key, rule, phase, unit, value, records_used, records_skipped, run_speed.status
from run_speed
join run using (run_id)
order by all
"""


def put_logs(folder: Path, rng: random.Random) -> None:
    samples = {name: "\n".join(one.text for one in log_format.samples) for name, log_format in load_formats().items()}
    for number in range(8):
        name = rng.choice(list(samples))
        lines = []
        for _ in range(rng.choice((1, 1, 2, 20))):
            more = rng.choice((0, rng.randrange(1, 50)))
            lines += re.sub(
                r"(?<![\w.])\d{1,4}(?![\w.])", lambda found, more=more: str(int(found[0]) + more), samples[name]
            ).split("\n")
        text = "\n".join(rng.choice(WAYS)(lines))
        put(folder / rng.choice("ab") / f"{name}{number}.{rng.choice(('log', 'json', 'csv'))}", f"{text}\n")


@pytest.mark.parametrize("seed", range(6))
def test_speeds_are_the_same_whatever_is_filled_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    rng = random.Random(seed)
    db, db2 = tmp_path / "bench.duckdb", tmp_path / "bench2.duckdb"
    put_logs(tmp_path / "logs", rng)
    ingest(tmp_path / "logs", db=db)

    few = rng.choice((20, 50, 300))
    monkeypatch.setattr(fill, "LONG_RUN", few)
    monkeypatch.setattr(fill, "CHUNK_RECORDS", few)
    monkeypatch.setattr(runs, "ONE_BY_ONE", rng.choice((1, 20)))
    ingest(tmp_path / "logs", db=db2)

    assert ask(db2, SPEEDS) == ask(db, SPEEDS) != []
    assert all(db_check(db=db2)["ok"])
    assert audit(db=db2).checks.height > 30
