"""Files to base tables to derived tables, by pure functions: what any machine reads in any order is what one ingest makes."""

from __future__ import annotations

import io
import pickle
import tarfile
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchledger import ingest, report_speed
from benchledger.errors import DatabaseError, DefinitionError
from benchledger.ingestion.base_tables import BASE_TABLES, BaseTables, DerivedTables, in_ledger
from benchledger.ingestion.load import sql_text
from benchledger.ingestion.seams import (
    Definitions,
    Input,
    closure,
    derive,
    inputs_of,
    load,
    load_definitions,
    read_unit,
)
from benchledger.store.private_file import key_of
from tests.ingestion.conftest import made
from tests.ingestion.logs import one, put, run_text
from tests.ingestion.tied_logs import tied_logs

KEY = bytes(range(32))
MEASURED = Path(__file__).parents[2] / "data" / "measured" / "h200.tar.xz"
RESNET = "clas_ResNet50_sp_bs256_fp16_1"
# What depends on arrival: load_number, and at which of its places a content was loaded and at which it is a duplicate.
ARRIVAL = {"log": {"load_number"}, "record": {"load_number"}, "sighting": {"status", "reason"}}
# Of a run alone, whatever else there is.
OF_RUNS = (
    "run",
    "run_log",
    "fact",
    "bench_case",
    "environment",
    "kept.speed",
    "run_memory",
    "kept.loss",
    "kept.stream_only",
)


def test_one_log_goes_from_bytes_to_the_speed_table(tmp_path: Path) -> None:
    with tarfile.open(MEASURED) as packed:
        member = next(one for one in packed.getmembers() if one.name.endswith(f"trial1/{RESNET}.log"))
        opened = packed.extractfile(member)
        assert opened is not None
        content = opened.read()
    # No disk has this place: only `open` leads to the bytes.
    place, root = f"store://logs/h200/{RESNET}.log", "store://logs"
    log = Input(place, f"h200/{RESNET}.log", root, len(content), 0, partial(io.BytesIO, content))
    definitions = load_definitions()

    base = read_unit([log], KEY, definitions, datetime(2026, 11, 23, tzinfo=UTC))
    (closed,) = closure(base)
    derived = derive(base.of_logs(closed), definitions)
    load(base, derived, definitions, tmp_path / "bench.duckdb", KEY)

    assert base.tables["log"].column("bytes").to_pylist() == [len(content)]
    assert derived.tables["run"].column("status").to_pylist() == ["ok"]
    cells = report_speed(db=tmp_path / "bench.duckdb").cells
    # As the program itself says in its last line: median_samples_per_s : 5819.910736442776
    assert cells.select("value", "gpus", "precision", "batch_size_per_gpu").rows() == [(5819.91, 1, "fp16", 256)]
    assert key_of(tmp_path / "bench.duckdb") == KEY
    with pytest.raises(DatabaseError, match="holds logs already"):
        load(base, derived, definitions, tmp_path / "bench.duckdb", KEY)


@dataclass(frozen=True)
class Tree:
    """Folders of logs, and what an ingest made of them."""

    folders: tuple[Path, ...]
    db: Path
    key: bytes
    now: datetime
    definitions: Definitions

    def read(self, inputs: Iterable[Input]) -> BaseTables:
        return read_unit(inputs, self.key, self.definitions, self.now)

    def inputs(self) -> list[Input]:
        return list(inputs_of(*self.folders))

    def units(self) -> list[list[Input]]:
        """The inputs of each folder and of each archive, with every facts.toml."""
        inputs = self.inputs()
        facts = [one for one in inputs if one.place.endswith("facts.toml")]
        groups: dict[str, list[Input]] = {}
        for found in inputs:
            if found not in facts:
                is_packed = found.place.endswith(".tar")
                groups.setdefault(found.place if is_packed else str(Path(found.place).parent), []).append(found)
        return [[*group, *facts] for group in groups.values()]


@pytest.fixture(scope="module")
def tree(defined_ledger: Path, tmp_path_factory: pytest.TempPathFactory) -> Tree:
    top = tmp_path_factory.mktemp("seams")
    folder, *again = tied_logs(top)
    ledger = made(defined_ledger, top / "ledger")
    ingest(folder, *again, db=ledger)
    key = key_of(ledger)
    assert key is not None
    now = one(ledger, "select distinct ingested_at from sighting").replace(tzinfo=UTC)
    return Tree((folder, *again), ledger, key, now, load_definitions())


@pytest.fixture(scope="module")
def processes() -> Iterator[Executor]:
    # Started anew, as on another machine: they share nothing with this one.
    with ProcessPoolExecutor(2, get_context("spawn")) as executor:
        yield executor


def rows_of(table: Any, leave_out: set[str] = frozenset()) -> Counter[tuple[str, ...]]:  # type: ignore[assignment]
    names = sorted(set(table.column_names) - leave_out)
    columns = [map(repr, table.column(name).to_pylist()) for name in names]
    return Counter(zip(*columns, strict=True))


def differences(tree: Tree, base: BaseTables, derived: DerivedTables) -> dict[str, tuple[int, int]]:
    """Of each table: how many rows the seams alone have, and how many the ledger alone."""
    found = {}
    tables = {**base.tables, **derived.tables}
    with duckdb.connect(str(tree.db), read_only=True) as con:
        for name, table in tables.items():
            ledger = con.execute(f"from {in_ledger(name) if name in BASE_TABLES else name}").to_arrow_table()
            leave_out = ARRIVAL.get(name, set())
            assert set(ledger.column_names) - leave_out == set(table.column_names) - leave_out, name
            ours, theirs = rows_of(table, leave_out), rows_of(ledger, leave_out)
            if ours != theirs:
                found[name] = ((ours - theirs).total(), (theirs - ours).total())
    return found


def test_the_tree_has_all_that_ties_logs_together(tree: Tree) -> None:
    with duckdb.connect(str(tree.db), read_only=True) as con:
        paired = {row[0] for row in con.execute("select paired_by from run_log").fetchall()}
        campaigns = con.execute("select distinct campaign from sighting where campaign like 'night@%'").fetchall()
    assert paired == {
        "its own log", "same folder and stem", "it lists its logs", "listed in its manifest", "overlap in time",
        "alone in a folder above", "same records, up to its end", "same records in a nearby folder",
        "another rank of its job",
    }  # fmt: skip
    assert len(campaigns) > 1


def test_read_and_derived_at_once_are_the_tables_of_an_ingest(tree: Tree) -> None:
    base = tree.read(tree.inputs())
    assert differences(tree, base, derive(base, tree.definitions)) == {}
    seen = {log_id for log_id in base.tables["sighting"].column("log_id").to_pylist() if log_id is not None}
    assert seen == set(base.tables["log"].column("log_id").to_pylist())


@settings(max_examples=3, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(chance=st.randoms(use_true_random=False), count=st.integers(2, 6))
def test_read_by_other_processes_in_any_order_they_are_the_same(
    tree: Tree, processes: Executor, chance: Any, count: int
) -> None:
    folders = tree.units()
    chance.shuffle(folders)
    units = [[one for folder in folders[first::count] for one in folder] for first in range(count)]
    for unit in units:
        chance.shuffle(unit)
    read = [processes.submit(tree.read, unit) for unit in units if unit]
    # Each was pickled on its way; here once more, so that nothing hangs on the process that read.
    parts = [pickle.loads(pickle.dumps(part.result())) for part in read]
    chance.shuffle(parts)

    base = BaseTables.union(parts)

    assert differences(tree, base, derive(base, tree.definitions)) == {}
    # Which place has a content first says nothing either.
    assert rows_of(base.tables["sighting"]) == rows_of(tree.read(tree.inputs()).tables["sighting"])


def test_each_closed_set_by_itself_gives_its_runs(tree: Tree) -> None:
    base = tree.read(tree.inputs())
    whole = derive(base, tree.definitions)

    sets = closure(base)

    assert sorted(log_id for closed in sets for log_id in closed) == sorted(
        base.tables["log"].column("log_id").to_pylist()
    )
    assert len(sets) > 3
    parts = [derive(base.of_logs(closed), tree.definitions) for closed in sets]
    for name in OF_RUNS:
        # Two sets may have a case or an environment in common.
        rows = set().union(*(rows_of(part.tables[name]) for part in parts))
        assert rows == set(rows_of(whole.tables[name])), name
    # Campaigns, too: of the sightings in no set nothing was read.
    seen = [row for part in parts for row in part.tables["sighting"].to_pylist()]
    assert {row["sighting_id"]: row for row in seen} == {
        row["sighting_id"]: row for row in whole.tables["sighting"].to_pylist() if row["log_id"] is not None
    }


def test_an_ingest_derives_no_more_than_the_closed_set_of_what_it_changed(tree: Tree) -> None:
    sets = closure(tree.read(tree.inputs()))
    reached = set()
    with duckdb.connect(str(tree.db), read_only=True) as con:
        for closed in sets:
            for log_id in closed:
                con.execute(f"create or replace temp table touched as select {log_id} as log_id")
                con.execute(sql_text("derive_scope"))
                con.execute(sql_text("derive_tied"))
                scope = {row[0] for row in con.execute("select log_id from scope").fetchall()}
                assert scope <= closed
                reached.add(len(scope))
    assert max(reached) > 2


def test_other_rules_than_those_that_were_given_are_refused(tree: Tree) -> None:
    other = Definitions(tree.definitions.formats, tree.definitions.names, tree.definitions.redaction, "other")
    with pytest.raises(DefinitionError, match="the same --definitions"):
        read_unit([], KEY, other, tree.now)


def test_what_cannot_be_opened_is_accounted_for(tmp_path: Path, tree: Tree) -> None:
    (found,) = inputs_of(put(tmp_path / "gone.log", run_text().log))
    (tmp_path / "gone.log").unlink()

    base = tree.read([found])

    assert base.tables["sighting"].select(["path", "status", "reason"]).to_pylist() == [
        {"path": "gone.log", "status": "unreadable", "reason": "cannot be read: No such file or directory"}
    ]
    assert closure(base) == []
    assert derive(base, tree.definitions).tables["run"].num_rows == 0
