"""A short share of `make torture`, and that its checks can fail. The counts are printed: pytest -s."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from benchledger.archives import walk
from benchledger.definitions.log_format import FORMAT_KINDS
from tests.ingestion.logs import run_text, stable_tables
from tests.torture import fuzz, kills, readers
from tests.torture.materials import logs
from tests.torture.readers import Counts, Reader
from tests.torture.run import torture

KILLS, STEPS = 100, 14
pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are looked up in /proc")


@pytest.fixture
def reader() -> Reader:
    return Reader()


@pytest.fixture(scope="module")
def endings(tmp_path_factory: pytest.TempPathFactory) -> kills.Endings:
    return kills.Endings(tmp_path_factory.mktemp("endings"), seed=28)


@pytest.mark.long
def test_nothing_is_lost_invented_or_left_behind(tmp_path: Path, endings: kills.Endings) -> None:
    goals = {"kills": KILLS, "faults": STEPS, "logs": 30 * STEPS, "archives": 15 * STEPS}
    counts = torture(tmp_path, seconds=0, seed=14, most=KILLS, endings=endings, goals=goals)

    print(dict(sorted(counts.of.items())))
    assert counts.wrong == []
    assert counts.of["kills"] >= KILLS
    assert counts.of["logs"] == 30 * STEPS
    assert counts.of["faults"] == STEPS or not endings.has_faults
    assert counts.of["numbers"] > 1_000
    assert [kind for kind in FORMAT_KINDS if not counts.of[f"logs by reader: {kind}"]] == []
    assert counts.of["model examples"] >= 5


def test_the_oracle_explains_every_number_of_samples_and_no_other_number(reader: Reader) -> None:
    rng = random.Random(1)
    every = logs()
    files = {name: every[name] for name in rng.sample(sorted(every), 60)}
    base = reader.read("samples", files)
    assert reader.counts.wrong == []

    # Other numbers in their place are noticed.
    record = base.tables["record"]
    invented = [[value and value * (1 + rng.random()) for value in row] for row in record.column("values").to_pylist()]
    place = record.schema.get_field_index("values")
    other = record.set_column(place, "values", pa.array(invented, record.schema.field("values").type))
    reader._numbers("invented", {**base.tables, "record": other}, files)

    with_numbers = sum(any(row) for row in invented)
    assert len(reader.counts.wrong) > 0.9 * with_numbers > 500


def test_a_crash_a_slow_file_and_a_lost_record_are_wrong(reader: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    data = {"a.log": run_text(steps=5).log.encode()}

    def crash(*_: Any, **__: Any) -> None:
        raise RecursionError("too deep")

    with monkeypatch.context() as patch:
        patch.setattr(readers, "read_unit", crash)
        reader.read("crash", data)
    with monkeypatch.context() as patch:
        patch.setattr(readers, "SECONDS_AT_LEAST", -1.0)
        patch.setattr(readers, "SECONDS_PER_MB", -1.0)
        reader.read("slow", data)
    base = reader.read("whole", data)
    reader._sums("lost", {**base.tables, "record": base.tables["record"].slice(1)}, 1)

    told = [wrong.partition(":")[0] for wrong in reader.counts.wrong]
    assert told == ["crash", "slow", "lost"]


def test_a_row_that_is_missing_after_a_kill_is_wrong(endings: kills.Endings, monkeypatch: pytest.MonkeyPatch) -> None:
    def without_a_row(db: Path) -> Any:
        found = stable_tables(db)
        return {**found, "measurement": found["measurement"][1:]}

    monkeypatch.setattr(kills, "stable_tables", without_a_row)
    endings.counts = Counts()
    endings.killed(1_000)

    assert endings.counts.of["rows_lost"] == 1
    assert ": measurement: 1 rows lost" in endings.counts.wrong[0]


@pytest.mark.long
@pytest.mark.parametrize("reader", fuzz.READERS)
def test_each_reader_of_bytes_bears_random_changes(reader: str, tmp_path: Path) -> None:
    assert fuzz.by_chance(reader, 0.5, tmp_path, seed=28) > 0


def _broken(*_: object) -> None:
    raise IndexError("string index out of range")


def test_a_fuzzer_notices_an_error_that_hides_as_the_reason_of_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    fuzz.read("zip", fuzz.seeds("zip")[0])
    monkeypatch.setattr(walk, "zip_entries", _broken)

    with pytest.raises(AssertionError, match="IndexError"):
        fuzz.read("zip", fuzz.seeds("zip")[0])
