"""The environment table: only what is stated, one column an environment, with its differences marked."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchledger import ingest, report_environment
from benchledger.errors import NothingFoundError
from tests.ingestion.logs import put, run_text
from tests.ledger_rows import ledger_rows

MACHINE = """campaign = "ngc"
[environment]
os = "CentOS release 7.5"
gpu_model = "Tesla V100-SXM2-16GB"
gpus_per_node = 8
cpu_model = "Xeon Gold 6148"
cpu_count = 38
driver_version = "460.32.03"
image = "nvcr.io/nvidia/pytorch:20.06-py3"
"""


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Made once: the tests only ask it."""
    home = tmp_path_factory.mktemp("environment")
    put(home / "logs" / "one" / "x.log", run_text(gpus=1, seed=1).log)
    put(home / "logs" / "one" / "y.log", "+ torchrun --nproc_per_node=8 run.py\n" + run_text(gpus=8, seed=2).log)
    put(home / "logs" / "one" / "facts.toml", MACHINE)
    put(
        home / "logs" / "four" / "z.log",
        "+ torchrun --nproc_per_node=8 --nnodes=4 run.py\n" + run_text(gpus=32, seed=3).log,
    )
    put(home / "logs" / "four" / "facts.toml", MACHINE.replace("460.32.03", "450.80.02").replace("image", "# image"))
    ingest(home / "logs", db=home / "bench.duckdb")
    return home / "bench.duckdb"


def test_each_environment_is_a_column_and_what_differs_is_marked(db: Path) -> None:
    table = report_environment(db=db).tables[0]

    assert table.facts == {"campaign": "ngc"}
    assert table.frame.columns == ["fact", "environment 1", "environment 2", "note"]
    rows = {row[0]: row[1:] for row in table.frame.rows()}
    assert rows["runs"] == ("2", "1", "")
    assert rows["GPUs"] == ("1, 8", "32", "")
    assert rows["GPU"] == ("V100-SXM2-16GB x 8", "V100-SXM2-16GB x 8", "")
    assert rows["CPU"] == ("Xeon Gold 6148 x 38", "Xeon Gold 6148 x 38", "")
    assert rows["driver"] == ("460.32.03", "450.80.02", "differs")


def test_what_one_does_not_state_is_unknown_and_no_difference(db: Path) -> None:
    rows = {row[0]: row[1:] for row in report_environment(db=db).tables[0].frame.rows()}

    assert rows["image"] == ("nvcr.io/nvidia/pytorch:20.06-py3", "unknown", "")
    assert "NCCL" not in rows


def test_filters_leave_one_environment_and_no_mark(db: Path) -> None:
    table = report_environment(db=db, gpus=32).tables[0]

    assert table.frame.columns == ["fact", "environment 1"]
    assert any("facts.toml" in note for note in table.notes)
    with pytest.raises(NothingFoundError, match="no run with gpus '5'"):
        report_environment(db=db, gpus=5)


def test_an_environment_of_which_nothing_is_stated_says_so(tmp_path: Path) -> None:
    with ledger_rows(tmp_path / "bench.duckdb") as ledger:
        ledger.run(1.0, environment={"gpu_model": None})

    table = report_environment(db=tmp_path / "bench.duckdb").tables[0]

    assert table.frame.rows() == [("runs", "1"), ("GPUs", "1"), ("framework", "pytorch")]
    assert table.notes == ("environment 1: nothing stated",)
