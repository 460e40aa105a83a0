"""Ledgers that are merged give the tables of one ledger that read all."""

from __future__ import annotations

import os
import random
import shutil
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import duckdb
import pytest

from benchledger import exclude, ingest, merge
from benchledger.errors import UsageError
from benchledger.store.private_file import PrivateFile, key_of
from benchledger.store.tables import tables_of
from tests.cli.bench import run_bench
from tests.ingestion.conftest import made
from tests.ingestion.logs import accept_runs, ask, one, put, run_text
from tests.ingestion.tied_logs import tied_logs

# What depends on arrival.
ARRIVAL = {
    "log": {"load_number"},
    "kept.record": {"load_number"},
    "sighting": {"ingested_at", "status", "reason"},
    # Keys that a run had between two ingests.
    "kept.run_alias": {"old_key", "run_key"},
    "kept.schema_version": {"version", "applied_at", "benchledger_version", "digest"},
}
LONG_AGO = 1_700_000_000


# Without a repr: a failure would print all logs.
@dataclass(frozen=True, repr=False)
class Home:
    """Folders to fill, the content of each of their files, and a key."""

    top: Path
    roots: list[Path]
    files: dict[str, bytes]
    key_file: Path
    empty: Path

    def fill(self, files: dict[str, bytes]) -> None:
        """Leaves these files alone in the folders."""
        for root in self.roots:
            shutil.rmtree(root, ignore_errors=True)
            root.mkdir(parents=True)
        for name, content in files.items():
            os.utime(put(self.top / name, content), (LONG_AGO, LONG_AGO + len(content)))

    def ledger(self, name: str) -> Path:
        shutil.rmtree(self.top / name, ignore_errors=True)
        return made(self.empty, self.top / name)

    def ingest(self, db: Path, *roots: Path) -> None:
        ingest(*(roots or self.roots), db=db, key_file=self.key_file)


@pytest.fixture(scope="module")
def home(defined_ledger: Path, tmp_path_factory: pytest.TempPathFactory) -> Home:
    top = tmp_path_factory.mktemp("merge")
    roots = tied_logs(top)
    files = {str(path.relative_to(top)): path.read_bytes() for path in top.rglob("*") if path.is_file()}
    key_file = put(top / "key", "0123456789abcdef" * 4)
    key_file.chmod(0o600)
    return Home(top, roots, files, key_file, defined_ledger)


def rows_of(db: Path) -> dict[str, Counter[str]]:
    with duckdb.connect(str(db), read_only=True) as con:
        found = {}
        for table in tables_of(con):
            names = {row[0] for row in con.execute(f"select name from pragma_table_info('{table}')").fetchall()}
            left = sorted(names - ARRIVAL.get(str(table), set()))
            columns = ", ".join(f'"{name}"' for name in left)
            found[str(table)] = Counter(
                map(repr, con.execute(f"select {columns} from {table}").fetchall() if left else [])
            )
        statuses = "select log_id, status, count(*) from sighting group by all"
        return {**found, "statuses": Counter(map(repr, con.execute(statuses).fetchall()))}


def differences(db: Path, other: Path) -> dict[str, tuple[list[str], list[str]]]:
    """Of each table some rows that one ledger has alone, and that the other has alone."""
    ours, theirs = rows_of(db), rows_of(other)
    assert ours.keys() == theirs.keys()
    return {
        name: (sorted(ours[name] - theirs[name])[:3], sorted(theirs[name] - ours[name])[:3])
        for name in ours
        if ours[name] != theirs[name]
    }


def test_ledgers_of_any_parts_of_the_files_are_merged_to_the_ledger_of_all(home: Home) -> None:
    # Other parts each time: two or three ledgers of them are merged, and one reads all.
    seed = random.randrange(2**32)
    chance = random.Random(seed)
    count = chance.choice([2, 3])
    parts: list[dict[str, bytes]] = [{} for _ in range(count)]
    for name, content in home.files.items():
        everywhere = name.endswith("facts.toml")
        holders = range(count) if everywhere else sorted(chance.sample(range(count), chance.choice([1, 1, 2])))
        grows = name.endswith(".log") and len(content) > 2000 and chance.random() < 0.3
        for number in holders:
            # In all ledgers but the last it had not ended.
            whole = everywhere or not grows or number == holders[-1]
            parts[number][name] = content if whole else content[: len(content) * 2 // 3]
    together, ledgers = home.ledger("together"), []
    for number, part in enumerate(parts):
        home.fill(part)
        ledgers.append(home.ledger(f"part{number}"))
        home.ingest(ledgers[-1])
        home.ingest(together)
    chance.shuffle(ledgers)
    into = home.ledger("into").with_name("merged.duckdb")

    merged = merge(*ledgers, into=into)

    assert differences(into, together) == {}, seed
    assert merged.logs == one(into, "select count(*) from log"), seed
    # The key, and which files were read, too: nothing is new to an ingest.
    assert key_of(into) == key_of(together), seed
    home.fill({name: content for part in parts for name, content in part.items()})
    # One facts.toml is refused each time.
    assert {**ingest(*home.roots, db=into).files, "unchanged": 0} == {"unchanged": 0, "unreadable": 1}
    assert differences(into, together) == {}, seed


def test_what_lies_below_a_root_of_another_ledger_is_of_that_root(home: Home) -> None:
    inner = {name: content for name, content in home.files.items() if name.startswith("logs/timed/")}
    outer = {name: content for name, content in home.files.items() if name.startswith(("logs/a", "logs/facts"))}
    home.fill({**inner, "logs/facts.toml": home.files["logs/facts.toml"]})
    below, above, together = (home.ledger(name) for name in ("below", "above", "together"))
    home.ingest(below, home.top / "logs" / "timed")
    home.ingest(together, home.top / "logs" / "timed")
    home.fill(outer)
    home.ingest(above, home.top / "logs")
    # The files of the inner root are gone by now: what was told of them is all that is known.
    into = home.ledger("into").with_name("merged.duckdb")

    merge(below, above, into=into)

    home.fill({**inner, **outer})
    home.ingest(together, home.top / "logs")
    assert one(into, "select count(*) from kept.root") == 1
    assert differences(into, together) == {}


@pytest.fixture(scope="module")
def two(home: Home) -> tuple[Path, Path]:
    """A ledger with half of a log and a whole one, and a later one with all of the first; each has an exclusion."""
    text = run_text().log
    home.fill({"logs/a/run.log": text[: len(text) // 2].encode(), "logs/b/run.log": run_text(seed=2).log.encode()})
    first, second = home.ledger("first"), home.ledger("second")
    home.ingest(first)
    exclude(one(first, "select run_key from run where status = 'truncated'"), reason="it has not ended", db=first)
    accept_runs(first, "first")
    home.fill({"logs/a/run.log": text.encode(), "logs/b/run.log": run_text(seed=3, steps=150).log.encode()})
    home.ingest(second)
    exclude(one(second, "select run_key from run where steps_done = 150"), reason="another program ran", db=second)
    accept_runs(second, "second")
    return first, second


def test_former_keys_and_exclusions_hold_in_the_merged_ledger(home: Home, two: tuple[Path, Path]) -> None:
    into = home.ledger("into").with_name("merged.duckdb")

    done = run_bench("merge", *two, "--into", into)

    assert (done.exit_code, done.stdout.splitlines()) == (
        0,
        [f"{into}: 4 logs, 3 runs", "in several ledgers: 0 logs", "grown or changed between two ledgers: 1 log"],
    )
    again = run_bench("merge", *two, "--out", into)
    assert (again.exit_code, "exists already and is not overwritten" in again.stderr) == (2, True)
    # What has other lines than what lay there before is no longer self of it.
    assert ask(into, "select path, status from sighting order by all") == [
        ("a/run.log", "loaded"), ("a/run.log", "superseded"), ("b/run.log", "loaded"), ("b/run.log", "loaded"),
    ]  # fmt: skip
    accepted = sorted(row for db in two for row in ask(db, "select run_key, reason from kept.accepted_change"))
    assert ask(into, "select run_key, reason from kept.accepted_change order by all") == accepted
    before = one(two[0], "select run_key from run where status = 'truncated'")
    after = one(into, "select run_key from kept.run_alias where old_key = ?", before)
    assert one(into, "select status from run where run_key = ?", after) == "ok"
    excluded = "select reason from kept.exclusion order by all"
    assert ask(into, excluded) == [("another program ran",), ("it has not ended",)]
    assert one(into, "select count(*) from kept.excluded_run") == 2
    assert one(into, "select count(*) from kept.series_run") == 1


def test_another_key_is_refused_with_the_cure_that_works(home: Home, two: tuple[Path, Path]) -> None:
    other = home.ledger("other")
    ingest(*home.roots, db=other)
    into = home.ledger("into").with_name("merged.duckdb")
    with pytest.raises(UsageError, match=r"made with another key than .* --key-file \S+first/bench\.duckdb\.key$"):
        merge(two[0], other, into=into)

    again = home.ledger("again")
    ingest(*home.roots, db=again, key_file=f"{two[0]}.key")

    assert merge(two[0], again, into=into).runs == 3
    assert PrivateFile(into).key == key_of(two[0])
    into.unlink()
    with pytest.raises(UsageError, match=r"\.private: exists already .* If a killed command left it"):
        merge(two[0], again, into=into)
    into.touch()
    with pytest.raises(UsageError, match=r"merged\.duckdb: exists already"):
        merge(two[0], again, into=into)
    Path(f"{again}.key").unlink()
    with pytest.raises(UsageError, match=r"bench\.duckdb\.key: is missing"):
        merge(two[0], again, into=into.with_name("next.duckdb"))
    assert sorted(path.name for path in into.parent.glob("*")) == [
        "bench.duckdb", "merged.duckdb", "merged.duckdb.key", "merged.duckdb.private",
    ]  # fmt: skip


def test_a_log_read_by_older_definitions_gives_way_to_one_read_by_those_of_today(
    home: Home, two: tuple[Path, Path]
) -> None:
    old = home.ledger("old")
    shutil.copy(two[1], old)
    for name in ("key", "private"):
        shutil.copy(f"{two[1]}.{name}", f"{old}.{name}")
    with duckdb.connect(str(old)) as con:
        con.execute("update log set definitions_hash = 'old'; update kept.record set step = step + 1")
    into = home.ledger("into").with_name("merged.duckdb")

    merged = merge(old, two[1], into=into)

    assert (merged.shared_logs, merged.stale) == (2, 0)
    assert differences(into, two[1]) == {}
    assert merge(old, two[0], into=into.with_name("stale.duckdb")).stale == 2
