"""Contradictions are kept, and listed with both statements, their sources and places."""

from __future__ import annotations

import json
from pathlib import Path

from benchledger import ingest, query
from tests.ingestion.conftest import Given, given
from tests.ingestion.logs import put, run_text

SHOWN = (
    "name", "used_value", "used_source", "used_place", "other_value", "other_source", "other_place",
)  # fmt: skip


def listed(own: Given, **asked: str) -> list[tuple[str | None, ...]]:
    return query("conflicts", db=own.db, campaign=own.root, **asked).select(*SHOWN).rows()


def said(driver: str) -> str:
    return json.dumps({"benchledger_manifest": 1, "files": ["train.log"], "environment": {"driver_version": driver}})


@given({"nlp_bert_base_mp_bs48_fp32_8.log": run_text(batch=32, gpus=1, seed=1).log})
def test_both_statements_stand_with_their_source_and_place(own: Given) -> None:
    found = {row[0]: row for row in listed(own)}
    assert found["gpus"][1:3] == ("1", "log")
    assert str(found["gpus"][3]).startswith("nlp_bert_base_mp_bs48_fp32_8.log:")
    assert found["gpus"][4:6] == ("8", "name")
    assert str(found["gpus"][6]).startswith("readme-002.toml:")
    assert found["batch_size_per_gpu"][4:6] == ("48", "name")


@given({"train.log": run_text(seed=2).log, "one.json": said("535.54"), "two.json": said("580.159")})
def test_a_conflict_within_one_source_is_listed_and_nothing_counts(own: Given) -> None:
    assert listed(own, name="driver_version") == [
        ("driver_version", None, None, None, "535.54", "manifest", "one.json:1"),
        ("driver_version", None, None, None, "580.159", "manifest", "two.json:1"),
    ]


@given(
    {
        "train.log": run_text(batch=32, seed=3).log,
        "facts.toml": '[correct]\nreason = "printed for all"\nbatch_size_per_gpu = 4\n',
    }
)
def test_a_correction_and_its_reason_are_listed(own: Given) -> None:
    (row,) = listed(own, name="batch_size_per_gpu")
    assert row[1:4] == ("4", "correct", "facts.toml:3 (printed for all)")
    assert row[4:6] == ("32", "log")


def test_conflicts_are_asked_for_by_campaign_and_run(db: Path, tmp_path: Path) -> None:
    for number, campaign in enumerate(("a", "b")):
        put(tmp_path / "logs" / campaign / "nlp_bert_base_mp_bs48_fp32_8.log", run_text(gpus=1, seed=number + 1).log)
    ingest(tmp_path / "logs", db=db)

    every = query("conflicts", db=db, name="gpus")
    one = query("conflicts", db=db, name="gpus", campaign="b")

    assert every["campaign"].to_list() == ["logs/a", "logs/b"]
    assert one["campaign"].to_list() == ["logs/b"]
    assert query("conflicts", db=db, name="gpus", run=every["run_key"][0]).height == 1
