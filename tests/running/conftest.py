"""A case of the tests' own, whose program trains nothing, and the folders that a run needs."""

from __future__ import annotations

import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import benchledger
from benchledger.definitions import folders

CASE = """
about = "A program that prints the lines of NGC's BERT"
program = "toy.py"
framework = "pytorch"
implementation = "toy"

[settings]
model = "bert_base"
task = "pretraining"
device = "cpu"
max_iterations = 20
precision = "fp32"
batch_size = 4
"""


@dataclass
class Bench:
    """`bench run` and `bench ingest` in a folder of the test's own."""

    folder: Path
    python: str = sys.executable

    @property
    def staging(self) -> Path:
        return self.folder / "staging"

    def run(self, *cases: str, **options: Any) -> pl.DataFrame:
        """The runs, in the campaign `c`, without a sampler unless the test asks for one."""
        given = {
            "campaign": "c",
            "staging": self.staging,
            "data": self.folder / "training",
            "sample_ms": 0.0,
            "python": self.python,
        }
        return benchledger.run(*(cases or ("toy",)), **(given | options))

    def ledger(self) -> list[tuple[Any, ...]]:
        """The ledger's runs after an ingest of all that is staged: name of the run, status, reason."""
        db = self.folder / "bench.duckdb"
        done = benchledger.ingest(self.staging, db=db)
        assert not [outcome for outcome in done.outcomes if outcome.status in ("unrecognised", "unreadable")]
        return benchledger.sql(
            "select fact.value, run.status, run.reason from run join fact using (run_id) "
            "where fact.name = 'run_name' and fact.used order by run.started_at",
            db=db,
        ).rows()

    def staged(self) -> list[str]:
        """The names of the runs' folders."""
        return sorted(path.name for path in self.staging.glob("*/*/*/*/logs/train_log/*"))


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    own = tmp_path / "own" / "runners"
    (own / "cases").mkdir(parents=True)
    (own / "cases" / "toy.toml").write_text(CASE)
    shutil.copy(Path(__file__).with_name("toy.py"), own / "toy.py")
    monkeypatch.setenv(folders.ENVIRONMENT_VARIABLE, str(tmp_path / "own"))
    return Bench(tmp_path)
