"""A facade answers as the ledger does: its tables are the files of one snapshot of a lake, which other programs read."""

from __future__ import annotations

import contextlib
import shutil
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import click
import duckdb
import polars as pl
import pytest

from benchledger import lake_check, lake_gc, lake_ingest, lake_publish, lake_status, queries
from benchledger.cli.main import bench
from benchledger.errors import UsageError
from benchledger.lake import delta, publish
from benchledger.lake import ingest as driver
from benchledger.lake.delta import latest_snapshot
from benchledger.lake.facade import write_facade
from benchledger.lake.objects import open_lake
from benchledger.store.database import open_for_reading
from tests.cli.bench import run_bench
from tests.ingestion.bucket import BUCKET, bucket
from tests.ingestion.logs import one, put, run_text
from tests.lake.conftest import here

pytest.importorskip("obstore")
pytest.importorskip("deltalake")

KEY = "0123456789abcdef" * 4


def published(ledger: Path, home: Path) -> Path:
    """The facade of a lake with the tables of a ledger."""
    lake = open_lake(str(home / "lake"), make=True)
    with closing(open_for_reading(ledger, files=True)) as con:
        snapshot = delta.write_snapshot(con, lake, "of a ledger")
    write_facade(lake, snapshot, home / "lake" / "facade.duckdb")
    return home / "lake" / "facade.duckdb"


@pytest.fixture(scope="module")
def facade(demo_ledger: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    with pytest.MonkeyPatch.context() as patch:
        # The records are then in several files.
        patch.setattr(delta, "CHUNK_ROWS", 500)
        return published(demo_ledger, tmp_path_factory.mktemp("published"))


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with logs, a key, and the lake into which they were read. Read only."""
    home = tmp_path_factory.mktemp("filled")
    for number in range(3):
        put(home / "logs" / str(number) / "run.log", run_text(seed=number, at=1000.0 * number).log)
    put(home / "key", KEY).chmod(0o600)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(driver, "executor_of", here)
        lake_ingest(home / "logs", lake=home / "lake", key_file=home / "key")
    return home


@pytest.fixture
def lake(filled: Path, tmp_path: Path, near: None) -> Path:
    """A copy of it, to be written to."""
    return shutil.copytree(filled / "lake", tmp_path / "lake")


def read_one_more(lake: Path, key_file: Path) -> None:
    log = put(lake.parent / "more" / "run.log", run_text(seed=3, at=9000.0).log)
    lake_ingest(log.parent, lake=lake, key_file=key_file)


def leaves(group: click.Group, *above: str) -> list[tuple[str, ...]]:
    """All commands of a group, by their words."""
    found: list[tuple[str, ...]] = []
    with click.Context(group) as ctx:
        for name in group.list_commands(ctx):
            command = group.get_command(ctx, name)
            inner = isinstance(command, click.Group)
            found += leaves(command, *above, name) if inner else [(*above, name)]  # type: ignore[arg-type]
    return found


def said(ledger: Path, *commands: tuple[str, ...]) -> dict[tuple[str, ...], tuple[int, str]]:
    """The exit code and all words of some commands, without the name of the ledger."""
    with contextlib.chdir(ledger.parent):
        results = {words: run_bench(*words, db=Path(ledger.name)) for words in commands}
    return {
        words: (one.exit_code, (one.stdout + one.stderr).replace(ledger.name, "")) for words, one in results.items()
    }


@pytest.fixture
def bare_ledger(demo_ledger: Path, tmp_path: Path) -> Path:
    """The ledger without its private files, of which a facade has none."""
    return Path(shutil.copy(demo_ledger, tmp_path / "ledger.duckdb"))


def test_every_report_and_query_says_what_it_says_of_the_ledger(bare_ledger: Path, facade: Path) -> None:
    reports = [words for words in leaves(bench) if words[0] == "report"]
    run, log = one(
        bare_ledger, "select (select min(run_key) from run), (select min(path) from sighting where log_id is not null)"
    )
    asked = [
        *((*words, "--format", "csv") for words in reports),
        *(("query", name, "--format", "csv") for name in queries()["name"]),
        ("runs", "--format", "csv"), ("show", run), ("explain", run), ("explain", log), ("db", "check"), (),
        ("sql", "from speed_table order by all", "--format", "csv"),
        ("sql", "from measurement order by all", "--format", "csv"),
    ]  # fmt: skip
    assert len(reports) > 12
    assert len(asked) > 50

    theirs = said(bare_ledger, *asked)

    assert said(facade, *asked) == theirs
    assert sum(code == 0 for code, _ in theirs.values()) > 45


@pytest.mark.long
def test_every_export_plot_and_page_says_what_it_says_of_the_ledger(
    bare_ledger: Path, facade: Path, tmp_path: Path
) -> None:
    commands = leaves(bench)
    run = one(bare_ledger, "select min(run_key) from run")
    asked = [
        *(words for words in commands if words[0] == "report"),
        *((*words, "--run", run) if words[1] == "steps" else words for words in commands if words[0] == "plot"),
        ("audit",), ("history",), ("score",),
    ]  # fmt: skip
    assert said(facade, *asked) == said(bare_ledger, *asked)
    written = []
    for db, folder in ((facade, tmp_path / "a"), (bare_ledger, tmp_path / "b")):
        for words in commands:
            if words[0] == "export":
                target = str(folder / words[1])
                folder.mkdir(exist_ok=True)
                named = {"site": [target], "tables": ["speed", "pivot", "--format", "csv", "--output", target]}
                run_bench(*words, *named.get(words[1], ["--output", target]), db=db)
        files = sorted(path for path in folder.rglob("*") if path.is_file())
        written.append({str(path.relative_to(folder)): path.read_bytes() for path in files})
    assert len(written[0]) > 10
    assert written[0] == written[1]


def test_real_logs_have_the_same_answers(corpus_ledger: Path, tmp_path: Path) -> None:
    facade = published(corpus_ledger, tmp_path)

    for words in [
        ("report", "speed"),
        ("report", "memory"),
        ("report", "environment"),
        ("query", "conflicts"),
        ("runs",),
    ]:
        asked = (*words, "--format", "csv")
        assert run_bench(*asked, db=facade).stdout == run_bench(*asked, db=corpus_ledger).stdout
    for name in ("record", "log_fact", "cell"):
        with closing(open_for_reading(facade, files=True)) as con:
            con.execute(f"attach '{corpus_ledger}' as ledger (read_only)")
            assert con.execute(f"from kept.{name} except all from ledger.kept.{name}").fetchall() == []
            assert con.execute(f"from ledger.kept.{name} except all from kept.{name}").fetchall() == []


def test_other_programs_read_the_tables(demo_ledger: Path, facade: Path) -> None:
    tables = facade.parent / "tables"

    for name in (
        "main/run",
        "kept/record",
        "main/bench_case",
        "kept/run_clock",
        "kept/definition_hash",
        "views/speed_table",
    ):
        read = pl.read_delta(str(tables / name))
        with closing(open_for_reading(demo_ledger)) as con:
            ledger = con.sql(f"from {name.removeprefix('views/').replace('/', '.')}").pl()
        assert read.height == ledger.height
        assert read.columns == ledger.columns
        if name != "kept/definition_hash":
            assert read.cast(dict(ledger.schema)).sort(pl.all(), maintain_order=True).equals(ledger.sort(pl.all()))  # type: ignore[arg-type]


def test_a_reader_needs_no_right_to_write_and_reads_the_files_of_the_snapshot_alone(
    facade: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = shutil.copytree(facade.parent, tmp_path / "moved [1] *")
    db = home / "facade.duckdb"
    own = next(home.glob("tables/main/run/*.parquet"))
    other = Path(shutil.copy(own, own.with_name("other.parquet")))
    before = {path: path.stat().st_mtime_ns for path in home.rglob("*")}
    for path in (home, *home.rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)
    monkeypatch.chdir(tmp_path)

    assert run_bench("report", "speed", db=db).exit_code == 0
    assert run_bench("sql", f"select count(*) from '{own}'", db=db).exit_code == 0
    for statement in (
        f"from '{other}'", "from 'key'", f"from read_text('{home}/snapshots/00000001')",
        f"copy (select 1) to '{tmp_path}/x'", f"copy (select 1) to '{own}'",
        f"from '{tmp_path}/*.csv'",
    ):  # fmt: skip
        assert run_bench("sql", statement, db=db).exit_code == 2
    assert {path: path.stat().st_mtime_ns for path in before} == before
    for path in (home, *home.rglob("*")):
        path.chmod(0o755)
    own.unlink()
    told = run_bench("report", "speed", db=db)
    assert (told.exit_code, "1 of the" in told.stderr, "bench lake publish" in told.stderr) == (1, True, True)


@pytest.mark.parametrize(
    "words",
    [
        ("ingest", "."), ("exclude", "x", "--reason", "y"), ("forget", "x"), ("db", "migrate"), ("db", "compact"),
        ("db", "backup", "b.duckdb"), ("merge", "facade.duckdb", "other.duckdb", "--into", "c.duckdb"),
    ],
    ids=" ".join,
)  # fmt: skip
def test_what_writes_is_refused_with_its_cure(
    facade: Path, empty_ledger: Path, tmp_path: Path, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(facade.parent, tmp_path / "lake")
    (tmp_path / "facade.duckdb").symlink_to("lake/facade.duckdb")
    shutil.copy(empty_ledger, tmp_path / "other.duckdb")
    there = sorted(tmp_path.iterdir())

    told = run_bench(*words, db=Path("facade.duckdb"))

    assert (told.exit_code, "is the facade of a lake" in told.stderr, "--into FILE" in told.stderr) == (1, True, True)
    assert sorted(tmp_path.iterdir()) == there


def secrets_in(lake: Path, *secrets: bytes) -> list[bytes]:
    """Which of some secrets stand in an object of a lake, in a value that it compresses, or in its name."""
    content = b""
    for path in lake.rglob("*"):
        content += str(path.relative_to(lake)).encode()
        if path.suffix == ".parquet":
            content += str(pl.read_parquet(path).to_dict(as_series=False)).encode()
        if path.is_file():
            content += path.read_bytes()
    with duckdb.connect(str(lake / "facade.duckdb"), read_only=True) as con:
        content += str([con.execute(f"from {name}").fetchall() for name in ("kept.facade", "duckdb_views()")]).encode()
    return [secret for secret in secrets if secret in content]


def test_publish_writes_what_is_new_and_no_key_or_real_path(filled: Path, lake: Path, tmp_path: Path) -> None:
    team, facade = tmp_path / "team.duckdb", lake / "facade.duckdb"
    assert run_bench("lake", "publish", lake).stdout == f"{facade}: 3 logs, 3 runs of 1 unit\n"
    assert secrets_in(lake, KEY.encode(), bytes.fromhex(KEY), str(filled).encode(), str(tmp_path).encode()) == []
    before = {path: path.stat().st_mtime_ns for path in lake.rglob("*")}

    assert lake_publish(lake=lake).runs == 3
    assert {path: path.stat().st_mtime_ns for path in lake.rglob("*")} == before
    # Elsewhere, too: it finds the lake from its own place.
    elsewhere = put(tmp_path / "deep" / "er" / "x", "").parent / "own.duckdb"
    lake_publish(lake=lake, facade=elsewhere)
    assert (
        run_bench("runs", "--format", "csv", db=elsewhere).stdout
        == run_bench("runs", "--format", "csv", db=facade).stdout
    )

    read_one_more(lake, filled / "key")
    assert lake_publish(lake=lake).runs == 4

    lake_publish(lake=lake, into=team)
    assert (
        run_bench("runs", "--format", "csv", db=facade).stdout == run_bench("runs", "--format", "csv", db=team).stdout
    )
    # What is the same is not written again.
    assert len(list(lake.glob("tables/kept/rule/*.parquet"))) == 1
    with pytest.raises(UsageError, match="is no facade"):
        lake_publish(lake=lake, facade=team)
    with pytest.raises(UsageError, match="give one of them"):
        lake_publish(lake=lake, into=tmp_path / "x.duckdb", facade=tmp_path / "y.duckdb")


@pytest.mark.long
def test_a_lake_in_a_bucket_is_read_without_the_right_to_write(
    demo_ledger: Path, filled: Path, near: None, tmp_path: Path
) -> None:
    pytest.importorskip("moto")
    pytest.importorskip("fsspec")
    place = f"s3://{BUCKET}/lake"
    with bucket() as store:
        lake_ingest(filled / "logs", lake=place, key_file=filled / "key")
        assert run_bench("lake", "publish", place).stdout == f"{place}/facade.duckdb: 3 logs, 3 runs of 1 unit\n"
        held = store.contents("lake/")
        lake_publish(lake=place, facade=tmp_path / "facade.duckdb")
        lake_publish(lake=place, into=tmp_path / "ledger.duckdb")
        assert lake_publish(lake=place).path == f"{place}/facade.duckdb"
        assert store.contents("lake/") == held
        fetched = put(tmp_path / "fetched" / "facade.duckdb", held["lake/facade.duckdb"])
        asked = [
            ("report", "speed", "--format", "csv"),
            ("runs", "--format", "csv"),
            ("query", "rejects"),
            ("db", "check"),
        ]
        ours = said(tmp_path / "ledger.duckdb", *asked)
        assert said(fetched, *asked) == said(tmp_path / "facade.duckdb", *asked) == ours
        assert ours[asked[0]][0] == 0
        own = next(f"s3://{BUCKET}/{key}" for key in held if "/main/run/" in key and key.endswith(".parquet"))
        other = next(f"s3://{BUCKET}/{key}" for key in held if key.startswith("lake/units/"))
        codes = [run_bench("sql", f"select count(*) from '{one}'", db=fetched).exit_code for one in (own, other)]
        assert codes == [0, 2]
        content = b"".join(held.values())
        for secret in (KEY.encode(), bytes.fromhex(KEY), str(filled).encode(), b"127.0.0.1", b"a-secret"):
            assert secret not in content
        store.delete("lake/snapshots/00000001")
        told = run_bench("runs", db=fetched)
        assert (told.exit_code, "are missing in s3://" in told.stderr) == (1, True)


def test_a_crash_before_the_snapshot_leaves_the_one_before(
    filled: Path, lake: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    facade = lake / "facade.duckdb"
    lake_publish(lake=lake)
    before = run_bench("runs", db=facade).stdout
    read_one_more(lake, filled / "key")

    def killed(*_: object) -> None:
        raise MemoryError

    with monkeypatch.context() as patch:
        patch.setattr(delta, "put_snapshot", killed)
        with pytest.raises(MemoryError):
            lake_publish(lake=lake)
    with monkeypatch.context() as patch:
        patch.setattr(publish, "write_facade", killed)
        # Tables were written, and those who read the latest of each need them as well.
        tables = set(lake.glob("tables/*/*/*.parquet"))
        lake_gc(lake=lake, older_than_hours=0)
        assert set(lake.glob("tables/*/*/*.parquet")) == tables
        assert run_bench("runs", db=facade).stdout == before
        assert pl.read_delta(str(lake / "tables/main/run")).height == 4
        with pytest.raises(MemoryError):
            lake_publish(lake=lake)
    assert run_bench("runs", db=facade).stdout == before

    assert lake_publish(lake=lake).runs == 4
    assert one(facade, "select snapshot from kept.facade") == 2
    assert len(run_bench("runs", db=facade).stdout.splitlines()) > len(before.splitlines())
    assert lake_check(lake=lake).problems == ()


def test_changed_columns_make_another_version_of_a_table(empty_ledger: Path, tmp_path: Path) -> None:
    lake = open_lake(str(tmp_path / "lake"), make=True)
    db = shutil.copy(empty_ledger, tmp_path / "bench.duckdb")
    kept = str(tmp_path / "lake" / "tables" / "kept")
    with duckdb.connect(str(db)) as con:
        con.execute("insert into kept.root values ('a', 'b')")
        delta.write_snapshot(con, lake, "before")
        con.execute("alter table kept.root alter name type varchar[] using [name]")
        con.execute("alter table kept.exclusion add column more double")
        snapshot = delta.write_snapshot(con, lake, "after")

    assert pl.read_delta(f"{kept}/root").rows() == [("a", ["b"])]
    assert pl.read_delta(f"{kept}/root", version=snapshot.tables["kept/root"].version - 1).rows() == [("a", "b")]
    assert "more" in pl.read_delta(f"{kept}/exclusion").columns
    assert snapshot.tables["kept/rule"].version == 1


def test_of_two_who_publish_at_once_the_second_finds_it_done(lake: Path) -> None:
    with ThreadPoolExecutor(2) as threads:
        made = [one.result() for one in [threads.submit(lake_publish, lake=lake) for _ in range(2)]]

    assert [one.runs for one in made] == [3, 3]
    assert [path.name for path in (lake / "snapshots").iterdir()] == ["00000001"]
    assert pl.read_delta(str(lake / "tables" / "main" / "run")).height == 3


def test_gc_keeps_the_snapshot_and_the_one_before(
    demo_ledger: Path, one_run_ledger: Path, empty_ledger: Path, tmp_path: Path
) -> None:
    lake = tmp_path / "lake"
    put(lake / "key", "of nobody")
    facades = [
        Path(shutil.copy(published(ledger, tmp_path), lake / f"{ledger.parent.name}.duckdb"))
        for ledger in (demo_ledger, one_run_ledger, empty_ledger)
    ]
    assert lake_gc(lake=lake, older_than_hours=1).objects == 0
    unneeded = lake_status(lake=lake).unneeded

    assert lake_gc(lake=lake, older_than_hours=0).objects == unneeded > 20

    counts = [run_bench("sql", "select count(*) from run", db=one) for one in facades]
    assert [count.exit_code for count in counts] == [1, 0, 0]
    assert "files that it needs are missing" in counts[0].stderr
    # What was removed is written again.
    assert said(published(demo_ledger, tmp_path), ("runs",))[("runs",)][0] == 0
    assert lake_check(lake=lake).problems == ()
    snapshot = latest_snapshot(open_lake(str(lake)))
    assert snapshot is not None
    broken, missing = (
        lake / next(file for file in snapshot.files if f"main/{name}/" in file) for name in ("fact", "run")
    )
    broken.write_bytes(broken.read_bytes()[:-9])
    missing.unlink()
    assert [problem.split(":")[0] for problem in lake_check(lake=lake).problems] == [
        str(path.relative_to(lake)) for path in (broken, missing)
    ]
