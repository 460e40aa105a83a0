"""Where a line stands is told in one way everywhere: from the outermost archive inwards, then the line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.bench import run_bench
from tests.ingestion.logs import one, put, run_text
from tests.ingestion.packing import COMPRESS, tar, zipped

LOG = run_text(gpus=4).log
NAME = "bert_base_lamb_pretraining.pyt_bert_pretraining_phase1_fp32_bs32_gpu8.log"


def nested(files: dict[str, str]) -> bytes:
    return zipped({"2026-h200.tar.gz": COMPRESS["gz"](tar(files))})


PLACES = {
    "plain": (f"h200/{NAME}", lambda log: log.encode(), f"h200/{NAME}"),
    "lone": (f"h200/{NAME}.gz", lambda log: COMPRESS["gz"](log.encode()), f"h200/{NAME}.gz"),
    "zip": ("years.zip", lambda log: zipped({NAME: log}), f"years.zip!/{NAME}"),
    "nested": (
        "old/years.zip", lambda log: nested({f"h200/{NAME}": log}), f"old/years.zip!/2026-h200.tar.gz!/h200/{NAME}"
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log of each kind, under a root of its own."""
    home = tmp_path_factory.mktemp("places")
    for seed, (kind, (name, pack, _)) in enumerate(PLACES.items()):
        put(home / "roots" / kind / name, pack(run_text(gpus=4, ends="oom", seed=seed, at=5000.0 * seed).log))
    assert run_bench("ingest", *(home / "roots").iterdir(), db=home / "n.duckdb").exit_code == 0
    return home / "n.duckdb"


@pytest.mark.parametrize("kind", PLACES)
def test_every_answer_tells_the_place_from_the_outermost_archive_inwards(ledger: Path, kind: str) -> None:
    place = PLACES[kind][-1]
    lies = "select campaign, run_key from kept.run_source join sighting using (log_id) join run using (run_id)"
    campaign, run = one(ledger, f"{lies} where split_part(folder_path, '/', 1) = ?", kind)

    for command in (
        ("show", run),
        ("query", "conflicts", "-p", f"campaign={campaign}", "--format", "csv"),
        ("report", "failures", "--campaign", campaign),
    ):
        text = run_bench(*command, db=ledger).output
        assert f"{place}:" in text, (command, text)
        assert text.count(place) == text.count(NAME), (command, text)


def test_what_was_not_understood_is_told_with_its_archive_and_found_by_either_path(tmp_path: Path) -> None:
    db = tmp_path / "n.duckdb"
    put(tmp_path / "years.zip", nested({"h200/notes.txt": "hello\n", "h200/run.log": LOG}))
    place = "years.zip!/2026-h200.tar.gz!/h200/notes.txt"

    result = run_bench("ingest", tmp_path / "years.zip", db=db)

    assert f"  {place}: " in result.stderr
    for path in ("*", "h200/*", "years.zip!/*", place):
        rows = json.loads(run_bench("query", "unrecognised", "-p", f"path={path}", "--format", "json", db=db).stdout)
        assert [row["path"] for row in rows] == [place]


def test_archives_within_archives_are_counted_and_what_stays_unrecognised_is_said_again(tmp_path: Path) -> None:
    db = tmp_path / "n.duckdb"
    inner = tar({"a.log": LOG, "deep.zip": zipped({"b.log": run_text(seed=2, at=5000).log}), "c.txt": "hello\n"})
    put(
        tmp_path / "years.zip",
        zipped({"x/h200.tar": inner, "notes.txt": "hello\n", "d.log.gz": COMPRESS["gz"](b"x\n")}),
    )

    first = run_bench("ingest", tmp_path / "years.zip", db=db)
    again = run_bench("ingest", tmp_path / "years.zip", db=db)

    for result in (first, again):
        assert "archives: 1 and 2 nested contained 5 of these files" in result.stdout
        assert "runs of these logs: 2" in result.stdout
    assert "1 unrecognised among unchanged and duplicate files; list with: bench query unrecognised" in first.stderr
    assert "3 unrecognised among unchanged and duplicate files; list with: bench query unrecognised" in again.stderr
