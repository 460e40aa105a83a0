"""The largest real logs, plain and packed in every way, in any order, twice: one and the same ledger."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchledger.ingestion.ingest import ingest
from tests.ingestion.logs import STABLE, StableTables, ask, put, run_text, stable_tables
from tests.ingestion.packing import COMPRESS, tar, zipped

LARGEST = 60


def pack_each(kind: str) -> Callable[[Path, dict[str, bytes]], Path]:
    def pack(place: Path, logs: dict[str, bytes]) -> Path:
        for name, text in logs.items():
            put(place / kind / f"{name}.{kind}", COMPRESS[kind](text))
        return place / kind

    return pack


def plain(place: Path, logs: dict[str, bytes]) -> Path:
    for name, text in logs.items():
        put(place / "plain" / name, text)
    return place / "plain"


WRAPPINGS: dict[str, Callable[[Path, dict[str, bytes]], Path]] = {
    "plain": plain,
    "gz": pack_each("gz"),
    "zst": pack_each("zst"),
    "zip": lambda place, logs: put(place / "logs.zip", zipped(logs)),
    "tar.xz": lambda place, logs: put(place / "logs.tar.xz", COMPRESS["xz"](tar(logs))),
    "zip in tar": lambda place, logs: put(place / "outer.tar", tar({"deep/logs.zip": zipped(logs)})),
}


def differences(one: Path, other: Path) -> dict[str, list[tuple[object, ...]]]:
    """Rows that only one of two ledgers has. Compared by DuckDB, to which one NaN equals another."""
    con = duckdb.connect()
    con.execute(f"attach '{one}' as one (read_only)")
    con.execute(f"attach '{other}' as other (read_only)")
    found = {}
    for name in STABLE:
        # When what was read was written depends on the clock.
        one_side, other_side = (
            f"select columns(name -> name <> 'load_number') from {side}.{name}" for side in ("one", "other")
        )
        sides = [f"({one_side} except all {other_side})", f"({other_side} except all {one_side})"]
        found[name] = con.execute(" union all ".join(sides)).fetchall()
    con.close()
    return {name: rows for name, rows in found.items() if rows}


@pytest.mark.long
def test_the_largest_real_logs_load_once_in_six_wrappings_in_any_order_twice(
    db: Path, db2: Path, tmp_path: Path, corpus: Path
) -> None:
    files = sorted((path for path in corpus.rglob("*") if path.is_file()), key=lambda path: -path.stat().st_size)
    logs = {path.relative_to(corpus).as_posix(): path.read_bytes() for path in files[:LARGEST]}
    places = {name: pack(tmp_path, logs) for name, pack in WRAPPINGS.items()}
    contents = len(set(logs.values()))
    # Pseudonyms are the same where the key is.
    key = put(tmp_path / "key", "0123456789abcdef" * 4 + "\n")
    key.chmod(0o600)

    # Each wrapping is a root of its own: what the campaign is must be stated for them to share it.
    asked = {"jobs": 2, "key_file": key, "campaign_name": "one"}
    ingest(places["plain"], db=db, **asked)
    order = list(places)
    random.Random(4).shuffle(order)
    for name in order[:-1]:
        ingest(places[name], db=db2, **asked)
    ingest(*places.values(), db=db2, **asked)
    again = ingest(*places.values(), db=db2, **asked)

    assert ask(db2, "select count(*) from log") == [(contents,)]
    assert ask(db2, "select count(*) from sighting") == [(LARGEST * len(WRAPPINGS),)]
    assert again.files == {"unchanged": LARGEST * len(WRAPPINGS)}
    assert differences(db, db2) == {}
    assert ask(db2, "select count(*) > 30_000 from measurement") == [(True,)]


TEXTS = [run_text(seed=seed, precision=precision, gpus=gpus, steps=12).log.encode()
         for seed, precision, gpus in ((1, "fp32", 1), (2, "fp32", 1), (3, "fp16", 8), (4, "fp16", 8))]  # fmt: skip
MADE = {
    **{f"bert/gpu_{number}/run.log": text for number, text in enumerate(TEXTS)},
    "bert/notes.txt": b"hello\n",
    "bert/none": b"",
}


@pytest.fixture(scope="session")
def made_ledger(tmp_path_factory: pytest.TempPathFactory) -> StableTables:
    place = tmp_path_factory.mktemp("made")
    db = place / "bench.duckdb"
    ingest(plain(place, MADE), db=db, campaign_name="one")
    return stable_tables(db)


@pytest.mark.long
@settings(max_examples=4, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(order=st.lists(st.sampled_from(sorted(WRAPPINGS)), min_size=2, max_size=4))
def test_made_logs_in_any_wrappings_in_any_order_give_the_same_ledger(
    order: list[str],
    tmp_path_factory: pytest.TempPathFactory,
    made_ledger: StableTables,
) -> None:
    place = tmp_path_factory.mktemp("any")
    db = place / "bench.duckdb"

    for name in order:
        ingest(WRAPPINGS[name](place, MADE), db=db, campaign_name="one")

    assert stable_tables(db) == made_ledger
    assert ask(db, "select count(*) from sighting") == [(len(set(order)) * len(MADE),)]
