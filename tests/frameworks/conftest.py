"""The environments of the frameworks, as `make test-frameworks` makes them, and runs of the toy cases in them."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

import benchledger
from tests.docs.pages import TOP

ENVIRONMENTS = TOP / ".bench" / "environments"


def python_of(environment: str) -> str:
    """The Python of a framework's environment; skips the test where it was not made."""
    python = ENVIRONMENTS / environment / "bin" / "python"
    if not python.exists():
        pytest.skip(f"no environment {environment} here: bench run --make-environment {environment}")
    return str(python)


@dataclass
class Toy:
    """Toy cases run, staged and read, each once."""

    folder: Path
    logs: dict[str, str] = field(default_factory=dict)

    @property
    def db(self) -> Path:
        return self.folder / "bench.duckdb"

    def data(self, kind: str, python: str) -> None:
        """Training data of the cases' sizes."""
        output = self.folder / "training" / f"{kind}_tiny"
        if not output.exists():
            masked = None if kind == "tokens" else 5
            benchledger.data_make(
                kind, output=output, rows=256, files=2, seq_len=32, masked=masked, vocab_size=512, python=python
            )

    def run(self, case: str, environment: str, kind: str, **options: Any) -> str:
        """The log of a case's run, and the run in the ledger."""
        python = python_of(environment)
        name = f"{case} {sorted(options.items())}"
        if name not in self.logs:
            self.data(kind, python)
            given = {"staging": self.folder / "staging", "data": self.folder / "training", "sample_ms": 500.0}
            frame = benchledger.run(case, python=python, campaign="toy", **(given | options))
            assert frame["status"].to_list() == ["ok"], frame["why"].to_list()
            folder = Path(frame["folder"][0])
            self.logs[name] = next(folder.glob("nlp_*.log")).read_text(encoding="utf-8")
            done = benchledger.ingest(self.folder / "staging", db=self.db)
            assert not [one for one in done.outcomes if one.status in ("unrecognised", "unreadable")]
        return self.logs[name]

    def sql(self, query: str) -> list[tuple[Any, ...]]:
        return benchledger.sql(query, db=self.db).rows()


@pytest.fixture(scope="session")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Toy:
    return Toy(tmp_path_factory.mktemp("frameworks"))
