"""Each sentence that explain prints is true of a run with several logs, with dropped and excluded trials, in conflict."""

from __future__ import annotations

import re
from pathlib import Path
from statistics import median, stdev

import polars as pl
import pytest

from benchledger import exclude, explain, ingest, report_speed, runs
from benchledger.errors import NothingFoundError, UsageError
from benchledger.explaining.explained import ExplainedCell, ExplainedFile, ExplainedRun
from tests.ingestion.logs import put, run_text
from tests.ingestion.packing import COMPRESS, tar

STEM = "nlp_bert_base_sp_bs32_fp32_1.log"
EIGHT = "nlp_bert_base_mp_bs32_fp32_8.log"  # states what its 8 ranks only count
ODD = "nlp_bert_base_mp_bs48_fp32_8.log"  # contradicts what its log says


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Five trials: one with a twin and telemetry, one under a wrong name, one cut off, one excluded, and one on 8 GPUs."""
    top = tmp_path_factory.mktemp("sentences")
    whole = run_text(speed=200.0, seed=1)
    put(top / "logs/one" / STEM, whole.log)
    put(top / "logs/one/dllogger.json", whole.twin)
    put(top / "logs/one" / STEM.replace(".log", ".csv"), whole.telemetry)
    put(top / "logs/two" / ODD, run_text(speed=207.0, seed=2, at=1000).log)
    put(top / "logs/cut" / STEM, run_text(speed=150.0, seed=3, at=2000, ends="killed", steps=53).log)
    put(top / "logs/out" / STEM, run_text(speed=999.0, seed=4, at=3000).log)
    eight = run_text(speed=1500.0, seed=5, at=4000, gpus=8)
    put(top / "logs/eight" / EIGHT, eight.log)
    put(top / "logs/eight" / EIGHT.replace(".log", ".csv"), eight.telemetry)
    db = top / "bench.duckdb"
    ingest(top / "logs", db=db, campaign_name="c")
    exclude(key_of(db, "out"), reason="wrong driver", db=db)
    return top


def key_of(db: Path, name: str) -> str:
    """The key of the run whose log lies in a folder."""
    found = explain(f"{name}/{ODD if name == 'two' else STEM}", db=db)
    assert isinstance(found, ExplainedFile)
    return str(found.runs["run_key"][0])


def printed(folder: Path, name: str) -> float:
    """The closing speed as it stands in the log."""
    (log,) = (folder / "logs" / name).glob("*.log")
    return float(re.findall(r"training_sequences_per_second : (\S+)", log.read_text())[-1])


def cell_of(folder: Path, **asked: object) -> ExplainedCell:
    found = explain(db=folder / "bench.duckdb", campaign="c", **{"gpus": 1, **asked})
    assert isinstance(found, ExplainedCell)
    return found


def test_a_cell_says_what_its_number_is_made_of(folder: Path) -> None:
    db = folder / "bench.duckdb"
    one, two, cell = printed(folder, "one"), printed(folder, "two"), cell_of(folder)
    chain = "the first of its format that gives a number (ngc-pytorch-bert: ngc.summary)"
    rule, unit = "training_sequences_per_second in samples/s, of all GPUs; 1 used, 0 left out; last", "samples/s"
    extremes = f"Lowest {min(one, two):.10g}, highest {max(one, two):.10g}"

    assert cell.sentences[0].startswith(f"{median([one, two]):.10g} samples/s: the speed of ")
    assert cell.sentences[0].endswith("in campaign c, GPU model MADE-40GB (gpu memory mib 40960), by rule ngc.summary.")
    assert cell.number["stdev"] == pytest.approx(stdev([one, two]))
    assert cell.sentences[1:] == (
        f"ngc.summary is the default rule: {chain}.",
        "The series has 3 runs: 2 count, 1 is dropped.",
        f"Run {key_of(db, 'one')}: {rule}: {one:.10g} {unit}.",
        f"Run {key_of(db, 'two')}: {rule}: {two:.10g} {unit}.",
        f"The median of {one:.10g}, {two:.10g} is {median([one, two]):.10g}.",
        f"{extremes}, sample standard deviation {cell.number['stdev']:.10g}.",
        "Records of these runs: 2 used, 0 left out.",
        f"Excluded runs of the same case and campaign: {key_of(db, 'out')} (wrong driver).",
        f"Contradiction in run {key_of(db, 'two')}: batch_size_per_gpu is 32 (log), but name says 48.",
        f"Contradiction in run {key_of(db, 'two')}: gpus is 1 (log), but name says 8.",
        "The runs of this series differ in: names (bs48, mp, sp).",
        f"Recomputed from the stored records: {median([one, two]):.10g} samples/s (matches the table).",
    )


def test_a_dropped_trial_keeps_its_reason_and_its_number(folder: Path) -> None:
    trials = cell_of(folder, rule="steps.mean_skip1").trials

    (dropped,) = trials.filter(~pl.col("counts")).to_dicts()
    assert dropped["run_key"] == key_of(folder / "bench.duckdb", "cut")
    assert dropped["dropped_because"].startswith("truncated: ")
    assert dropped["value"] == pytest.approx(150, rel=0.05)
    assert dropped["agrees"]


def test_every_record_is_kept_or_has_a_reason_and_the_log_has_it_there(folder: Path) -> None:
    cell = cell_of(folder, rule="steps.mean_skip5")
    lines = {
        path.relative_to(folder / "logs").as_posix(): path.read_bytes().decode().split("\n")
        for path in (folder / "logs").glob("*/*.log")
    }

    uses = cell.readings.group_by("run_key", "use").len().sort("use", "len").rows()
    of_one = {use: count for key, use, count in uses if key == key_of(folder / "bench.duckdb", "one")}
    assert of_one == {
        "kept": 114,
        "dropped: before the window, one of the first 5": 5,
        "not read: no step record before it": 1,
        "not read: of a summary record": 1,
    }
    for row in cell.readings.filter(quantity="interval").iter_rows(named=True):
        assert f"Training Iteration: {row['step']} " in lines[row["log"]][row["line"] - 1]
    for row in cell.readings.filter(pl.col("from_line").is_not_null()).iter_rows(named=True):
        assert f"Training Iteration: {row['step'] - 1} " in lines[row["log"]][row["from_line"] - 1]


def test_the_logs_of_a_run_and_how_they_were_paired_are_listed(folder: Path) -> None:
    logs = cell_of(folder).logs.filter(run_key=key_of(folder / "bench.duckdb", "one"))

    assert dict(logs.select("role", "paired_by").rows()) == {
        "train": "its own log",
        "duplicate_stream": "same folder and records",
        "telemetry": "same folder and stem",
    }


def test_a_memory_cell_leads_to_the_lines_of_the_maximum(folder: Path) -> None:
    cell = cell_of(folder, table="memory")
    lines = (folder / "logs/one" / STEM.replace(".log", ".csv")).read_bytes().decode().split("\n")

    kept = cell.readings.filter(use="kept")
    assert set(kept["value"]) == {cell.number["value_mib"]}
    assert all(f" {row['value']:.0f} MiB" in lines[row["line"] - 1] for row in kept.iter_rows(named=True))
    assert "The series has 3 runs: 1 counts, 2 are dropped." in cell.sentences
    assert cell.check.agrees


def test_a_speed_up_names_its_base_and_both_speeds(folder: Path) -> None:
    cell = cell_of(folder, table="speedup", scaling="weak", gpus=8)
    base, own = median([printed(folder, "one"), printed(folder, "two")]), printed(folder, "eight")

    assert f"{own:.10g} / {base:.10g} samples/s." in cell.sentences
    assert cell.sentences[-1].endswith(f" {own / base:.10g} (matches the table).")
    assert [side.number["value"] for side in cell.sides] == [own, base]
    assert cell.bases is not None
    assert cell.bases.select("gpus", "value", "chosen").rows() == [(1, base, True)]


def test_a_number_that_differs_from_the_table_is_shouted() -> None:
    from benchledger.explaining.explained import Check
    from benchledger.explaining.speed_words import check_sentence

    assert "IT DIFFERS" in check_sentence(Check(1.0, 1.1), "s", parts_agree=True)
    assert "IT DIFFERS" in check_sentence(Check(1.0, None), "s", parts_agree=True)
    assert "IT DIFFERS" in check_sentence(Check(1.0, 1.0), "s", parts_agree=False)


def test_a_run_says_where_it_stands_and_why_not(folder: Path) -> None:
    db = folder / "bench.duckdb"
    said = {name: explain(key_of(db, name), db=db) for name in ("one", "cut", "out")}
    assert all(isinstance(one, ExplainedRun) for one in said.values())
    value = printed(folder, "one")

    assert "Its 3 logs: train (its own log), duplicate_stream (same folder and records), telemetry (same folder and stem)." in (
        said["one"].sentences
    )  # fmt: skip
    assert (
        "Default rules of its format, in order: "
        f"ngc.summary gives {value:.10g} samples/s, so ngc.summary is the default."
    ) in said["one"].sentences
    assert "It counts in no table, because its status is truncated." in said["cut"].sentences
    assert "It is in no table: it was excluded, wrong driver." in said["out"].sentences
    assert cell_of(folder).cell in [row["cell"] for row in said["one"].to_dict()["cells"]]


def test_a_file_is_told_by_its_bytes_wherever_it_lies(folder: Path, tmp_path: Path) -> None:
    db, log = folder / "bench.duckdb", folder / "logs/one" / STEM
    copied = explain(put(tmp_path / "copy.txt", log.read_bytes()), db=db)

    assert isinstance(copied, ExplainedFile)
    assert copied.log is not None
    assert f"The ledger knows this content, {log.stat().st_size} bytes in " in copied.sentences[0]
    assert f"from one/{STEM} (loaded)." in copied.sentences[0]
    assert f"It belongs to {key_of(db, 'one')} as its train log (its own log)." in copied.sentences
    assert copied.sentences[-1] == "Read now, by today's definitions, it gives the same format and counts."


@pytest.mark.parametrize("suffix", COMPRESS)
def test_a_log_that_is_compressed_alone_is_told_by_what_comes_out_of_it(
    folder: Path, tmp_path: Path, suffix: str
) -> None:
    log = folder / "logs/one" / STEM
    packed = explain(put(tmp_path / f"any.{suffix}", COMPRESS[suffix](log.read_bytes())), db=folder / "bench.duckdb")

    assert isinstance(packed, ExplainedFile)
    assert packed.sentences == explain(log, db=folder / "bench.duckdb").sentences


def test_an_archive_is_no_log_also_where_it_is_compressed(folder: Path, tmp_path: Path) -> None:
    packed = tar({"a.log": (folder / "logs/one" / STEM).read_bytes()})

    for archive in (put(tmp_path / "a.tar", packed), put(tmp_path / "a.tar.gz", COMPRESS["gz"](packed))):
        assert "its members are files of their own" in explain(archive, db=folder / "bench.duckdb").sentences[0]


def test_a_compressed_stranger_is_told_what_it_almost_is(folder: Path, tmp_path: Path) -> None:
    log = put(tmp_path / "x.log.gz", COMPRESS["gz"](b"hello\nDLL 2026-01-02 03:00:00.000000 - PARAMETER Loaded\n"))
    found = explain(log, db=folder / "bench.duckdb")

    assert isinstance(found, ExplainedFile)
    assert "ngc-pytorch-bert" in found.nearest["format"].to_list()


def test_a_stranger_is_told_what_it_almost_is(folder: Path, tmp_path: Path) -> None:
    log = put(tmp_path / "x.log", "hello\nDLL 2026-01-02 03:00:00.000000 - PARAMETER Loaded\n")
    found = explain(log, db=folder / "bench.duckdb")

    assert isinstance(found, ExplainedFile)
    assert found.sentences[0] == "The ledger does not know this content."
    assert found.sentences[1].startswith("By today's definitions no format claims it: nearest is ")
    assert "ngc-pytorch-bert" in found.nearest["format"].to_list()
    assert all("line 2 holds 'DLL 20" in lacks for lacks in found.nearest["lacks"])


def test_the_name_of_a_cell_is_the_same_in_capitals(folder: Path) -> None:
    db = folder / "bench.duckdb"
    cell = report_speed(campaign="c", gpus=8, db=db).cells["cell"][0]
    found = explain(cell.upper(), db=db)

    assert isinstance(found, ExplainedCell)
    assert found.cell == cell


def test_a_folder_is_said_to_be_one(folder: Path) -> None:
    with pytest.raises(NothingFoundError, match="is a folder: name one of its files"):
        explain(folder, db=folder / "bench.duckdb")


def test_an_archive_that_is_not_here_is_told_by_what_came_from_it(tmp_path: Path) -> None:
    archive = put(tmp_path / "logs/old.tar", tar({STEM: run_text(speed=9.0).log.encode(), "x": b"x"}))
    ingest(archive, db=tmp_path / "bench.duckdb")

    said = explain("old.tar", db=tmp_path / "bench.duckdb").sentences

    assert said[0].startswith("old.tar is not here. From an archive of this name the ledger has 1 loaded (such as ")


def test_a_run_without_a_number_has_the_first_rule_of_its_chain_for_its_default(tmp_path: Path) -> None:
    put(tmp_path / "logs" / STEM, run_text(speed=9.0, ends="killed", steps=1).log)
    db = tmp_path / "bench.duckdb"
    ingest(tmp_path / "logs", db=db)

    said = explain(runs(db=db)["run_key"][0], db=db).sentences

    assert any("; none gives a number, so the first, ngc.summary, is the default." in one for one in said)


def test_what_nothing_goes_by_lists_what_was_tried(folder: Path) -> None:
    db = folder / "bench.duckdb"
    with pytest.raises(NothingFoundError, match=r"no cell of this name .*; no file on disk; no place in the ledger"):
        explain("s0123456789", db=db)
    with pytest.raises(NothingFoundError, match=r"tried: no run whose key begins so .*; no file on disk"):
        explain("0123", db=db)
    with pytest.raises(UsageError, match="matches the end of 3 places"):
        explain(STEM, db=db)
    with pytest.raises(UsageError, match=r"2 cells match these filters; .*\n  s[0-9a-f]{10}  c, "):
        explain(campaign="c", db=db)
    with pytest.raises(UsageError, match="say what to explain"):
        explain(db=db)
    assert runs(db=db).height == 5
