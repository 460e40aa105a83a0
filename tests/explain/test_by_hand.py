"""Two hundred numbers of the corpus, each worked out by hand from the lines that explain names."""

from __future__ import annotations

import json
import math
import random
from contextlib import closing
from pathlib import Path

import duckdb
import pytest

from benchledger.answers.rows import reading, rows_of
from benchledger.explaining.explain import explained_cell
from benchledger.exports.values import json_text
from benchledger.redaction.redactor import Redactor
from benchledger.redaction.samples import known_redaction
from benchledger.store.private_file import PrivateFile
from tests.conftest import unpacked
from tests.explain.by_hand import by_hand

DRAWN = 200
# What each cell is asked about; as tables they are worked out once and not two hundred times.
HELD = ("run_speed", "speed_table", "conflict")


def files_of(ledger: Path, shared: Path, config: pytest.Config) -> dict[str, Path]:
    """The corpus' files by the place that a ledger tells people."""
    with closing(PrivateFile(ledger)) as private:
        redactor = Redactor(known_redaction(), private.key)
    found = {}
    for archive in sorted((shared / "corpus").glob("*.tar.xz")):
        folder = unpacked(archive, config)
        for path in folder.rglob("*"):
            found[f"{archive.name}!/{redactor.path(path.relative_to(folder).as_posix())}"] = path
    return found | {redactor.path(path.name): path for path in (shared / "seeds").iterdir()}


@pytest.mark.long
def test_two_hundred_cells_can_be_worked_out_by_hand(
    archives_ledger: Path, shared: Path, pytestconfig: pytest.Config
) -> None:
    files = files_of(archives_ledger, shared, pytestconfig)
    differing = []
    with reading(archives_ledger) as con:
        numbers = with_numbers(con)
        drawn = random.Random(5).sample(numbers, DRAWN)
        for name in HELD:
            con.execute(f"create temp table {name} as from main.{name}")
        for number in drawn:
            cell = json.loads(json_text(explained_cell(con, number).to_dict()))
            told, found = cell["check"]["value"], by_hand(cell, files)
            if not (math.isclose(told, found, rel_tol=1e-12) and cell["check"]["agrees"]):
                differing.append((cell["cell"], told, found))

    assert {number["cell"][0] for number in drawn} == {"s", "m", "u"}
    assert differing == []


def with_numbers(con: duckdb.DuckDBPyConnection) -> list[dict[str, object]]:
    views = {"speed_table": "value", "memory_table": "value_mib", "speedup_table": "speedup"}
    rows = [(view, row[value], row) for view, value in views.items() for row in rows_of(con.view(view))]
    # By all that a row says, so that the draw is the same in every ledger of these logs.
    found = [(view, value, json_text(row), row) for view, value, row in rows if value is not None]
    return [row for *_, row in sorted(found, key=lambda one: one[:3])]
