"""Pages and scripts that quote log lines are documents: no run comes of them, and nothing is lost."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from benchledger import ingest, query
from benchledger.definitions.names import load_names
from benchledger.ingestion.base_tables import BaseTables
from benchledger.ingestion.ingest import IngestResult
from benchledger.ingestion.seams import derive, inputs_of, load_definitions, read_unit
from tests.cli.bench import run_bench
from tests.ingestion.conftest import made
from tests.ingestion.logs import ask, one, put, run_text, stable_tables
from tests.ingestion.packing import COMPRESS, tar, zipped
from tests.ingestion.test_replay import forget_definitions

LOG = run_text().log
PAGE = f"# Results\n\n```\n{LOG}```\n"
SCRIPT = f"#!/bin/bash\n# It prints:\n{LOG}"
WEB = f"<!-- saved -->\n<!DOCTYPE html>\n<html><body><pre>\n{LOG}</pre></body></html>\n"
NOTEBOOK = json.dumps({"cells": [{"cell_type": "code", "outputs": [{"text": "\n"}]}]}) + "\n" + LOG
DEFINITION = f'# recognised by a line with \'DLL 20\'\n\nformat = "a"\n[[record]]\n[[sample]]\nline = """\n{LOG}"""'
TRIALS = "./logs/mxnet/bert/bz32/4n8g/bert_base_b32_fp32_3.log {3: 1881.88}\n"
STATUSES = "select path, status from sighting order by path"


def statuses(result: IngestResult) -> dict[str, str]:
    return {outcome.path: outcome.status for outcome in result.outcomes}


def test_a_page_or_script_that_quotes_log_lines_is_a_document(db: Path, tmp_path: Path) -> None:
    names = ("README.md", "readme", "train.log.md", "Report.HTML", "run_bert.sh", "train.py", "paper.tex", "kernel.c")
    pages = {
        **dict.fromkeys((*names, "bert.ipynb"), LOG),
        "README.txt": LOG,
        "results.txt": PAGE,
        "run": SCRIPT,
        "run.txt": SCRIPT,
        "why.txt": f"cell s4fb9e78c15\n208.57 samples/s\n  | {LOG}",
        "show.txt": f"run 6912f916a0d9-2: ok\n{LOG}",
        "ingest.txt": f"3 rejects in 1 file; list with: bench query rejects\n  a.log:2: no head: {LOG}",
        "draft.toml": DEFINITION,
        "saved.log": WEB,
        "cells.log": NOTEBOOK,
    }
    for name, text in pages.items():
        put(tmp_path / "logs" / name, text)

    assert statuses(ingest(tmp_path / "logs", db=db)) == dict.fromkeys(pages, "document")
    assert ask(db, "select count(*) from run") == [(0,)]


def test_a_log_that_is_named_after_a_script_or_holds_one_is_a_log(db: Path, tmp_path: Path) -> None:
    logs = {
        "run.sh.log": LOG,
        "run.sh.o1234": run_text(seed=2).log,
        "stdout": run_text(seed=3).log,
        "train.txt": run_text(seed=4).log,
        # A job script that is printed before the run, and what a model writes.
        "slurm.out": SCRIPT,
        "train.log": PAGE,
        "samples.txt": f"{LOG}\n```python\nprint()\n```\n",
    }
    for name, text in logs.items():
        put(tmp_path / "logs" / name, text)

    assert statuses(ingest(tmp_path / "logs", db=db)) == dict.fromkeys(logs, "loaded")


def test_a_page_without_log_lines_is_unrecognised_and_one_whose_format_reads_documents_is_loaded(
    db: Path, tmp_path: Path
) -> None:
    put(tmp_path / "logs" / "README.md", "# How to run\n\nCall run.sh.\n")
    put(tmp_path / "logs" / "result.md", f"# Trials\n```\n{TRIALS}```\n")

    assert statuses(ingest(tmp_path / "logs", db=db)) == {"README.md": "unrecognised", "result.md": "loaded"}


def test_documents_are_listed_with_their_reason_and_read_as_logs_on_demand_and_from_then_on(tmp_path: Path) -> None:
    db, logs = tmp_path / "bench.duckdb", tmp_path / "logs"
    page = put(logs / "bert" / "README.md", PAGE)
    put(logs / "bert" / "train.log", run_text(seed=2).log)

    first = run_bench("ingest", "--jobs", "1", logs, db=db)
    listed = run_bench("query", "documents", "--format", "json", db=db)
    explained = run_bench("explain", "bert/README.md", db=db)
    asked = run_bench("ingest", "--jobs", "1", "--documents", logs, db=db)
    runs = one(db, "select count(*) from run")
    put(page, PAGE + run_text(seed=3).log)
    grown = run_bench("ingest", "--jobs", "1", logs, db=db)
    again = run_bench("ingest", "--jobs", "1", "--refresh", logs, db=db)

    assert first.stdout.startswith("files: 2 = 1 loaded + 1 document\n")
    assert (
        "1 document quotes log lines; list with: bench query documents. Read as logs with: --documents" in first.stderr
    )
    (row,) = json.loads(listed.stdout)
    assert (row["path"], row["format"], row["records"]) == ("bert/README.md", "ngc-pytorch-bert", 127)
    assert row["reason"].startswith("a page or script by its ending .md, which quotes ngc-pytorch-bert: line 11 holds")
    assert "bert/README.md is a page or script by its ending .md" in explained.stdout
    assert asked.stdout.startswith("files: 2 = 1 loaded + 1 unchanged\npieces: 127 = 127 records")
    assert runs == 2
    assert grown.stdout.startswith("files: 2 = 1 loaded + 1 unchanged\n")
    assert again.stdout.startswith("files: 2 = 2 loaded\n")
    assert ask(db, "select status, count(*) from sighting group by all order by all") == [
        ("loaded", 2), ("superseded", 1)
    ]  # fmt: skip


def test_a_second_ingest_finds_documents_unchanged_also_where_their_time_has_changed(db: Path, tmp_path: Path) -> None:
    page = put(tmp_path / "logs" / "README.md", PAGE)
    ingest(tmp_path / "logs", db=db)
    page.touch()

    for _ in range(2):
        (outcome,) = ingest(tmp_path / "logs", db=db).outcomes
        assert (outcome.status, outcome.kept) == ("unchanged", "document")
        assert ask(db, STATUSES) == [("README.md", "document")]


def test_a_document_that_grows_supersedes_its_older_self_and_stays_a_document(db: Path, tmp_path: Path) -> None:
    page = put(tmp_path / "logs" / "README.md", LOG)
    ingest(tmp_path / "logs", db=db)
    put(page, LOG + run_text(seed=2).log)

    assert statuses(ingest(tmp_path / "logs", db=db)) == {"README.md": "document"}
    assert ask(db, "select status from sighting order by 1") == [("document",), ("superseded",)]
    assert ask(db, "select count(*) from run") == [(0,)]


@pytest.fixture(scope="module")
def alone(defined_ledger: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ledger of the log without its page."""
    home = tmp_path_factory.mktemp("alone")
    db = made(defined_ledger, home / "ledger")
    ingest(put(home / "alone" / "m.log", LOG), db=db)
    return db


@pytest.mark.parametrize("at_once", [True, False])
@pytest.mark.parametrize("page", ["a.md", "z.md"])
def test_the_same_bytes_as_page_and_as_log_are_one_run_whichever_comes_first(
    db: Path, alone: Path, tmp_path: Path, page: str, at_once: bool
) -> None:
    logs = tmp_path / "logs"
    for name in sorted([page, "m.log"]):
        put(logs / name, LOG)
        if not at_once:
            ingest(logs, db=db)
    ingest(logs, db=db)

    assert dict(ask(db, STATUSES)) == {page: "document", "m.log": "loaded"}
    campaigns = "select campaign from kept.run_campaign"
    assert (ask(db, campaigns), ask(alone, campaigns)) == ([("logs",)], [("alone",)])
    assert {**stable_tables(db), "speed_table": []} == {**stable_tables(alone), "speed_table": []}


def test_documents_in_archives_are_documents_and_are_read_on_demand(db: Path, tmp_path: Path) -> None:
    inner = tar({"deep/notes.md": run_text(seed=5).log})
    put(tmp_path / "logs" / "all.zip", zipped({"a/README.md": PAGE, "a/run.log": LOG, "b.tar": inner}))
    put(tmp_path / "logs" / "page.md.gz", COMPRESS["gz"](run_text(seed=6).log.encode()))

    first = ingest(tmp_path / "logs", db=db)
    unchanged = ingest(tmp_path / "logs", db=db)
    asked = ingest(tmp_path / "logs", db=db, documents=True)
    again = ingest(tmp_path / "logs", db=db)

    assert first.files == {"document": 3, "loaded": 1}
    assert unchanged.files == {"unchanged": 4}
    assert [outcome.kept for outcome in unchanged.outcomes].count("document") == 3
    assert asked.files == {"loaded": 3, "unchanged": 1}
    assert again.files == {"unchanged": 4}
    # The page quotes the log: read as a log, it is a copy of it.
    assert one(db, "select count(*) from run") == 3
    assert query("documents", db=db).height == 0


def test_the_ledger_of_documents_read_later_is_that_of_documents_read_at_once(
    db: Path, db2: Path, tmp_path: Path
) -> None:
    for name, text in {"README.md": PAGE, "run.log": LOG, "run.py": run_text(seed=2).log}.items():
        put(tmp_path / "logs" / name, text)
    ingest(tmp_path / "logs", db=db)
    ingest(tmp_path / "logs", db=db, documents=True)
    ingest(tmp_path / "logs", db=db2, documents=True)

    assert stable_tables(db) == stable_tables(db2)
    assert ask(db, STATUSES) == ask(db2, STATUSES)


TOY = """
format = "toy"
version = 1
documents = DOCUMENTS
anchors = ["toy step "]
[detect]
proof = [["toy step ", "speed="]]
[[record]]
name = "step"
kind = "step"
templates = ["toy step {step:int} speed={speed:float}"]
[[sample]]
text = "toy step 1 speed=2.5"
expect = [{ record = "step", step = 1, speed = 2.5 }]
"""


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The user's own definitions."""
    monkeypatch.setenv("BENCH_DEFINITIONS", str(tmp_path / "definitions"))
    (tmp_path / "definitions").mkdir()
    forget()
    yield tmp_path / "definitions" / "ingest"
    monkeypatch.delenv("BENCH_DEFINITIONS")
    forget()


def forget() -> None:
    forget_definitions()
    load_names.cache_clear()


def test_changed_endings_and_a_format_that_reads_documents_are_taken_up(db: Path, tmp_path: Path, own: Path) -> None:
    logs = tmp_path / "logs"
    for name in ("a/page.md", "b/page.md", "c/page.pod"):
        put(logs / name, "toy step 1 speed=2.5\n" + ("toy step 2 speed=2.5\n" if "pod" in name else ""))
    found, runs = [], []
    for documents, endings in [("false", "[]"), ("false", '[".pod"]'), ("true", '[".pod"]'), ("false", '[".pod"]')]:
        put(own / "formats" / "toy.toml", TOY.replace("DOCUMENTS", documents))
        put(own / "names" / "own.toml", f"document_endings = {endings}\n")
        forget()
        ingest(logs, db=db)
        found.append([row[1] for row in ask(db, STATUSES)])
        runs.append(one(db, "select count(*) from run"))

    only_documents = ["document", "document", "document"]
    assert found == [
        ["document", "document", "loaded"],
        only_documents,
        ["loaded", "duplicate", "loaded"],
        only_documents,
    ]
    assert runs == [1, 0, 2, 0]


def test_pages_that_were_unrecognised_are_documents_when_a_format_fits_though_only_a_copy_is_read_again(
    db: Path, tmp_path: Path, own: Path
) -> None:
    logs = tmp_path / "logs"
    for name in ("a/page.md", "b/page.md", "c/run.log"):
        put(logs / name, "toy step 1 speed=2.5\n")
    ingest(logs, db=db)
    put(own / "formats" / "toy.toml", TOY.replace("DOCUMENTS", "false"))
    forget()

    ingest(logs / "c", db=db)

    assert [row[1] for row in ask(db, STATUSES)] == ["document", "document", "duplicate"]
    assert one(db, "select count(*) from run") == 1


def test_units_of_one_content_as_page_and_as_log_make_one_ledger_in_any_order(tmp_path: Path) -> None:
    put(tmp_path / "logs" / "a" / "README.md", LOG)
    put(tmp_path / "logs" / "b" / "run.log", LOG)
    definitions, now = load_definitions(), datetime(2026, 11, 23, tzinfo=UTC)
    units = [read_unit([file], bytes(range(32)), definitions, now) for file in inputs_of(tmp_path / "logs")]

    for parts in (units, units[::-1]):
        base = BaseTables.union(parts)
        seen = dict(
            zip(*(base.tables["sighting"].column(name).to_pylist() for name in ("path", "status")), strict=True)
        )
        assert seen == {"a/README.md": "document", "b/run.log": "loaded"}
        assert derive(base, definitions).tables["run"].num_rows == 1


def test_rejects_and_findings_of_documents_are_not_told(db: Path, tmp_path: Path) -> None:
    put(tmp_path / "logs" / "README.md", LOG + "DLL 2026-01-02 03:00:09.123456 - Training Epoch: zero\n")

    result = ingest(tmp_path / "logs", db=db)

    assert (result.pieces, result.rejects) == (0, 0)
    assert query("rejects", db=db).height == query("reject-reasons", db=db).height == 0
    assert query("programs", db=db).height == 0
