"""What pairs logs, and what compares series, is not even planned where there is nothing to pair or to compare."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchledger.ingestion import derive
from benchledger.ingestion.ingest import ingest
from benchledger.kept import fill, runs
from tests.ingestion.logs import put, run_text

PAIRING = {"derive_tied", "derive_pairs", "derive_covering", "derive_companions", "derive_monitors", "derive_sidecars"}

# What was kept of runs that were there, and what follows from several runs.
KEPT_BEFORE = {"gone", "gone_series"}
OF_SEVERAL = {"manifest_formats", "merge_vague_series", "alike_logs", "copies", "differences", "speedups"}
# What only some rules, or long runs, ask for.
RARE = {"rounds", "pieces", "counted_middles"}


def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Which files of SQL are executed."""
    names: list[str] = []
    for module, name in ((derive, "sql_text"), (fill, "sql_of"), (runs, "sql_of")):
        real = getattr(module, name)
        monkeypatch.setattr(module, name, lambda file, real=real, **given: names.append(file) or real(file, **given))
    return names


def test_a_log_that_stands_alone_is_not_paired(db: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path / "logs" / "run.log", run_text().log)
    names = asked(monkeypatch)
    result = ingest(tmp_path / "logs", db=db)

    assert result.runs == 1
    assert PAIRING.isdisjoint(names)
    assert KEPT_BEFORE.isdisjoint(names)
    assert OF_SEVERAL.isdisjoint(names)
    assert RARE.isdisjoint(names)
    assert names.count("definitions") == 1


def test_what_was_kept_of_a_log_that_has_grown_goes(db: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = run_text().log
    put(tmp_path / "logs" / "run.log", text[: len(text) // 2])
    ingest(tmp_path / "logs", db=db)
    put(tmp_path / "logs" / "run.log", text)
    names = asked(monkeypatch)
    ingest(tmp_path / "logs", db=db)

    assert {"gone", "gone_series"} <= set(names)


def test_a_twin_is_paired_and_what_comes_to_it_later_too(
    db: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = run_text()
    put(tmp_path / "logs" / "run.log", run.log)
    put(tmp_path / "logs" / "run.json", run.twin)
    names = asked(monkeypatch)
    ingest(tmp_path / "logs", db=db)

    assert {"derive_pairs", "derive_covering", "derive_companions", "derive_monitors"} <= set(names)
    names.clear()
    put(tmp_path / "logs" / "gpu.csv", run.telemetry)
    result = ingest(tmp_path / "logs", db=db)

    assert result.runs == 1
    assert "derive_tied" in names


def test_series_of_one_campaign_are_compared(db: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for gpus in (1, 8):
        put(tmp_path / "logs" / f"r{gpus}" / "run.log", run_text(gpus=gpus, seed=gpus, at=4000 * gpus).log)
    names = asked(monkeypatch)
    ingest(tmp_path / "logs", db=db, campaign_name="c")

    assert "speedups" in names
