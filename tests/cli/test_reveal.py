"""--reveal: real names on the owner's terminal; in an export only when it is said once more, and its head says so."""

from __future__ import annotations

import json
import os
import pty
import shutil
import sqlite3
import subprocess
import sys
import zipfile
from contextlib import closing
from pathlib import Path

import polars as pl
import pytest

from benchledger import ingest
from benchledger.exports.real_names import NOTE
from tests.cli.bench import run_bench
from tests.ingestion.logs import ask, put, run_text

MACHINE, OTHER, WITHIN = "r6i4n5", "r6i4n6", "r7i2n3"


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two machines with folders of their own; a third stands only in a line of a log."""
    home = tmp_path_factory.mktemp("reveal")
    for seed, machine in enumerate([MACHINE, OTHER]):
        broken = f"DLL 2026-01-02 03:00:09.123456 - Training Epoch: zero on hostname={WITHIN}\n" if seed else ""
        put(home / "archive" / "machines" / machine / "train.log", run_text(seed=seed, speed=200 + seed).log + broken)
    ingest(home / "archive", db=home / "bench.duckdb", jobs=1)
    return home / "bench.duckdb"


@pytest.fixture(scope="module")
def key(db: Path) -> str:
    ((key,),) = ask(db, "select run_key from kept.run_campaign join run using (run_id) order by campaign limit 1")
    return str(key)


def on_terminal(db: Path, *words: str) -> str:
    """What a command prints on a terminal."""
    parent, child = pty.openpty()
    command = [sys.executable, "-m", "benchledger.cli.main", "--db", str(db), *words]
    with subprocess.Popen(
        command, stdout=child, stderr=subprocess.STDOUT, env={**os.environ, "COLUMNS": "300"}
    ) as done:
        os.close(child)
        printed = b""
        try:
            while part := os.read(parent, 65536):
                printed += part
        except OSError:
            # The other end is closed.
            pass
    os.close(parent)
    assert done.returncode == 0, printed
    return printed.decode()


def test_a_terminal_shows_pseudonyms_and_with_reveal_real_names(db: Path) -> None:
    pivot = ("report", "pivot", "--rows", "system")

    plain, revealed = on_terminal(db, *pivot), on_terminal(db, *pivot, "--reveal")

    assert MACHINE not in plain
    assert "host-" in plain
    assert MACHINE in revealed
    assert OTHER in revealed
    assert "host-" not in revealed
    assert NOTE not in revealed


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("runs",),
        ("report",),
        ("report", "overview"),
        ("report", "speed"),
        ("report", "pivot", "--columns", "system", "--rows", "model"),
        ("report", "logs"),
        ("report", "environment"),
        ("export", "leaderboard"),
        ("export", "tables", "logs"),
        ("query", "trials"),
        ("query", "rejects"),
        ("sql", "select path, campaign from sighting"),
        ("show", "KEY"),
        ("explain", "KEY"),
    ],
)
def test_every_reading_command_shows_real_names(db: Path, key: str, words: tuple[str, ...]) -> None:
    asked = [key if word == "KEY" else word for word in words]

    plain = run_bench(*asked, db=db)
    once = run_bench(*asked, "--reveal", db=db)
    twice = run_bench(*asked, "--reveal", "--reveal", db=db)

    assert not any(name in plain.output for name in (MACHINE, OTHER, WITHIN))
    assert (once.exit_code, once.stdout) == (2, "")
    assert "an export with real names needs --reveal once more: --reveal --reveal" in once.stderr
    assert twice.stdout.startswith(NOTE)
    assert any(name in twice.stdout for name in (MACHINE, OTHER))
    assert "host-" not in twice.stdout


def test_a_name_that_stands_only_in_a_log_is_revealed(db: Path) -> None:
    (text,) = (row[0] for row in ask(db, "select text from reject"))

    assert WITHIN not in text
    assert WITHIN in run_bench("query", "rejects", "--reveal", "--reveal", db=db).stdout


@pytest.mark.parametrize("suffix", ["md", "csv", "json", "tex", "parquet", "xlsx"])
def test_the_head_of_an_exported_file_says_that_it_holds_real_names(db: Path, tmp_path: Path, suffix: str) -> None:
    file = tmp_path / f"speed.{suffix}"

    refused = run_bench("export", "tables", "speed", "--output", file, "--reveal", db=db)
    was_written = file.exists()
    written = run_bench("export", "tables", "speed", "--output", file, "--reveal", "--reveal", db=db)

    assert (refused.exit_code, was_written) == (2, False)
    assert f"{file}: an export with real names needs --reveal once more" in refused.stderr
    assert written.exit_code == 0, written.output
    if suffix == "parquet":
        assert pl.read_parquet_metadata(file)["real_names"] == NOTE
        assert any(MACHINE in str(row) for row in pl.read_parquet(file).rows())
        return
    if suffix == "xlsx":
        with zipfile.ZipFile(file) as packed:
            text = packed.read("xl/sharedStrings.xml").decode()
    else:
        text = file.read_text()
        assert NOTE in "".join(text.splitlines()[:2])
    assert NOTE in text
    assert MACHINE in text


def test_with_reveal_filters_take_real_names(db: Path) -> None:
    twice, speed = ("--reveal", "--reveal"), ("report", "speed", "--format", "csv")

    by_system = run_bench(*speed, "--system", MACHINE, *twice, db=db)
    by_campaign = run_bench(*speed, *twice, "--campaign", f"archive/machines/{MACHINE}", db=db)
    without = run_bench(*speed, "--system", MACHINE, db=db)

    for found in (by_system, by_campaign):
        assert MACHINE in found.stdout
        assert OTHER not in found.stdout
    assert without.exit_code != 0


def test_json_stays_json_and_csv_is_read_without_its_comment(db: Path, tmp_path: Path) -> None:
    report = run_bench("report", "speed", "--format", "json", "--reveal", "--reveal", db=db)
    rows = run_bench("runs", "--format", "json", "--reveal", "--reveal", db=db)
    run_bench("runs", "--format", "csv", "--output", tmp_path / "runs.csv", "--reveal", "--reveal", db=db)

    assert (json.loads(report.stdout)["real_names"], json.loads(report.stdout)["report"]) == (NOTE, "speed")
    listed = json.loads(rows.stdout)
    assert (listed["real_names"], len(listed["rows"])) == (NOTE, 2)
    campaigns = pl.read_csv(tmp_path / "runs.csv", comment_prefix="#")["campaign"].to_list()
    assert sorted(campaigns) == [f"archive/machines/{MACHINE}", f"archive/machines/{OTHER}"]


def test_without_the_private_file_reveal_says_where_real_names_are(db: Path, tmp_path: Path) -> None:
    alone = shutil.copy(db, tmp_path / "bench.duckdb")

    refused = run_bench("runs", "--reveal", "--reveal", db=alone)

    assert (refused.exit_code, refused.stdout) == (2, "")
    assert f"{alone}.private or {alone}.key is missing" in refused.stderr
    assert "Copy both from where the logs were read" in refused.stderr
    assert not Path(f"{alone}.private").exists()


def test_a_private_file_of_an_older_ledger_knows_the_names_in_paths(db: Path, tmp_path: Path) -> None:
    copies = [shutil.copy(f"{db}{suffix}", f"{tmp_path}/bench.duckdb{suffix}") for suffix in ("", ".key", ".private")]
    with closing(sqlite3.connect(copies[2])) as con, con:
        con.execute("drop table name")

    shown = run_bench("runs", "--reveal", "--reveal", db=Path(copies[0]))

    assert MACHINE in shown.stdout
    assert "host-" not in shown.stdout


def test_no_file_that_may_be_shared_has_a_real_name(db: Path) -> None:
    names = [name.encode() for name in (MACHINE, OTHER, WITHIN)]

    assert not any(name in db.read_bytes() for name in names)
    assert os.stat(f"{db}.private").st_mode & 0o077 == 0
