"""What a facts.toml says for some files, where these lie in archives beside it; and what it says for none."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchledger import ingest
from tests.ingestion.logs import ask, put, run_text
from tests.ingestion.packing import COMPRESS, tar, zipped

LOG = run_text().log
GPU_MODEL = "select value from fact where name = 'gpu_model' and used"


def facts(match: str) -> str:
    return f"note = 'all'\n\n[[for]]\nmatch = '{match}'\n[for.environment]\ngpu_model = 'H200'\n"


def test_a_match_means_the_path_within_an_archive_as_if_it_were_unpacked(db: Path, tmp_path: Path) -> None:
    matches = ["2021/bert/*", "years.zip!/2021/bert/*", "run.log", "2021/*/run.log", "old/2021/bert/*"]
    for number, match in enumerate(matches):
        top = tmp_path / str(number)
        packed = zipped({"2021/bert/run.log": run_text(seed=number).log})
        put(top / ("old/years.zip" if "years" not in match else "years.zip"), packed)
        put(top / "facts.toml", facts(match))

    assert ingest(*(tmp_path / str(number) for number in range(len(matches))), db=db).unfitting == ()

    assert ask(db, GPU_MODEL) == [("H200",)] * len(matches)


def test_a_match_means_the_path_within_an_archive_in_an_archive_too(db: Path, tmp_path: Path) -> None:
    matches = ["2021/run.log", "h200.tar.gz!/2021/*", "years.zip!/h200.tar.gz!/2021/*"]
    for number, match in enumerate(matches):
        inner = COMPRESS["gz"](tar({"2021/run.log": run_text(seed=number).log}))
        put(tmp_path / str(number) / "years.zip", zipped({"h200.tar.gz": inner}))
        put(tmp_path / str(number) / "facts.toml", facts(match))

    ingest(*(tmp_path / str(number) / "years.zip" for number in range(len(matches))), db=db)

    assert ask(db, GPU_MODEL) == [("H200",)] * len(matches)


@pytest.mark.parametrize("packed", [True, False])
def test_a_match_that_fits_no_log_is_named_with_its_line_again_and_again(
    db: Path, tmp_path: Path, packed: bool
) -> None:
    if packed:
        given = put(tmp_path / "logs/years.zip", zipped({"2021/bert/run.log": LOG}))
    else:
        given = put(tmp_path / "logs/2021/bert/run.log", LOG).parents[2]
    put(tmp_path / "logs/facts.toml", facts("typo/*"))

    said = ("facts.toml:4: match 'typo/*' fits none of the logs below it",)
    assert ingest(given, db=db).unfitting == said
    assert ingest(given, db=db).unfitting == said
    assert ask(db, GPU_MODEL) == []


def test_a_match_that_fits_what_is_unchanged_or_was_not_asked_for_is_not_named(db: Path, tmp_path: Path) -> None:
    put(tmp_path / "logs/2021/bert/run.log", LOG)
    put(tmp_path / "logs/facts.toml", facts("2021/bert/*"))
    ingest(tmp_path / "logs", db=db)
    other = put(tmp_path / "logs/2022/run.log", run_text(seed=7).log)

    assert ingest(tmp_path / "logs", db=db).unfitting == ()
    put(tmp_path / "logs/facts.toml", facts("2023/*"))
    assert ingest(other.parent, db=db).unfitting == ()
