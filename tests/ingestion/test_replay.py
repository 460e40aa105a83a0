"""A log is known only while the definitions that read it are unchanged."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchledger import ingest
from benchledger.errors import DefinitionError
from tests.ingestion.logs import ask, one, put, run_text

TOY = """
format = "toy"
version = {version}
framework = "pytorch"
implementation = "toy"
anchors = ["speed="]
[detect]
proof = [["toy step ", "speed="]]
[[record]]
name = "step"
kind = "step"
templates = ["toy step {{step:int}} speed={{{hole}:float}}"]
[[field]]
name = "{hole}"
quantity = "throughput"
unit = "samples/s"
scope = "global"
[[sample]]
text = "toy step 1 speed=2.5"
expect = [{{ record = "step", step = 1, {hole} = 2.5, units = {{ {hole} = "samples/s" }} }}]
"""


@pytest.fixture
def definitions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "definitions"
    (folder / "ingest" / "formats").mkdir(parents=True)
    monkeypatch.setenv("BENCH_DEFINITIONS", str(folder))
    forget_definitions()
    yield folder
    monkeypatch.delenv("BENCH_DEFINITIONS")
    forget_definitions()


def forget_definitions() -> None:
    from benchledger.scanning.samples import known_formats, load_formats

    known_formats.cache_clear()
    load_formats.cache_clear()


def define(definitions: Path, version: int, hole: str) -> None:
    put(definitions / "ingest" / "formats" / "toy.toml", TOY.format(version=version, hole=hole))
    forget_definitions()


def test_a_new_format_recognises_what_was_unrecognised_without_refresh(
    db: Path, tmp_path: Path, definitions: Path
) -> None:
    put(tmp_path / "logs" / "a.log", "toy step 1 speed=2.5\ntoy step 2 speed=3.5\n")
    put(tmp_path / "logs" / "b.log", "toy step 1 speed=2.5\ntoy step 2 speed=3.5\n")
    ingest(tmp_path / "logs", db=db)
    assert ask(db, "select status from sighting order by path") == [("unrecognised",), ("duplicate",)]
    define(definitions, 1, "speed")

    result = ingest(tmp_path / "logs", db=db)

    assert result.records == 2
    assert ask(db, "select status from sighting order by path") == [("loaded",), ("duplicate",)]
    assert one(db, "select value from speed_table where rule = 'steps.median_skip0' limit 1") == 3.0


def test_a_changed_format_makes_its_logs_stale_and_refresh_reads_them_where_they_were(
    db: Path, tmp_path: Path, definitions: Path
) -> None:
    define(definitions, 1, "speed")
    put(tmp_path / "logs" / "deep" / "a.log", "toy step 1 speed=2.5\n")
    put(tmp_path / "other" / "run.log", run_text(steps=5).log)
    ingest(tmp_path / "logs", db=db)
    ingest(tmp_path / "other", db=db)
    before = ask(db, "select path, campaign from sighting order by all")
    define(definitions, 2, "rate")

    assert ingest(tmp_path / "other", db=db).stale == 1
    result = ingest(db=db, refresh=True)

    assert [outcome.status for outcome in result.outcomes] == ["loaded"]
    assert result.stale == 0
    assert one(db, "select name from measurement join log using (log_id) where format = 'toy'") == "rate"
    assert one(db, "select format_version from log where format = 'toy'") == 2
    assert ask(db, "select path, campaign from sighting order by all") == before


def test_a_second_ingest_reads_a_stale_log_again_by_itself(db: Path, tmp_path: Path, definitions: Path) -> None:
    define(definitions, 1, "speed")
    put(tmp_path / "logs" / "a.log", "toy step 1 speed=2.5\n")
    ingest(tmp_path / "logs", db=db)
    define(definitions, 2, "rate")

    assert ingest(tmp_path / "logs", db=db).files == {"loaded": 1}
    assert one(db, "select count(*) from log") == 1
    assert ingest(tmp_path / "logs", db=db).files == {"unchanged": 1}


def test_a_format_that_its_samples_do_not_prove_stops_the_ingest_before_anything_is_written(
    tmp_path: Path, definitions: Path
) -> None:
    put(
        definitions / "ingest" / "formats" / "toy.toml",
        TOY.format(version=1, hole="speed").replace("speed = 2.5, units", "speed = 9.5, units"),
    )
    forget_definitions()
    put(tmp_path / "logs" / "a.log", "toy step 1 speed=2.5\n")

    with pytest.raises(DefinitionError, match=r"toy\.toml:\d+: piece 1: speed is 2\.5, expected 9\.5"):
        ingest(tmp_path / "logs", db=tmp_path / "bench.duckdb")
    assert not (tmp_path / "bench.duckdb").exists()


def test_logs_of_a_format_that_is_not_given_today_are_kept_as_they_are(
    db: Path, tmp_path: Path, definitions: Path
) -> None:
    define(definitions, 1, "speed")
    log = put(tmp_path / "logs" / "a.log", "toy step 1 speed=2.5\n")
    ingest(tmp_path / "logs", db=db)
    (definitions / "ingest" / "formats" / "toy.toml").unlink()
    forget_definitions()
    log.touch()

    for refresh in (False, True):
        result = ingest(tmp_path / "logs", db=db, refresh=refresh)
        assert (result.files, result.foreign, result.stale) == ({"unchanged": 1}, ("toy",), 0)
    assert ingest(db=db, refresh=True).files == {}
    assert one(db, "select count(*) from run") == 1
