"""The benchmark of many formats: its copies, and the whole of it on the logs of a small archive."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import tarfile
from pathlib import Path

from benchmarks.format_inputs import changed, make_families, only

TOP = Path(__file__).resolve().parent.parent.parent
LOG = b"GPU 12\nDLL 2021-05-23 10:58:40.494617 -  training_sequences_per_second : 1.5  raw_train_time : 2 \n"


def packed(archive: Path, logs: dict[str, bytes]) -> Path:
    with tarfile.open(archive, "w") as writing:
        for name, text in logs.items():
            member = tarfile.TarInfo(name)
            member.size = len(text)
            writing.addfile(member, io.BytesIO(text))
    return archive


def test_a_copy_differs_in_the_last_digit_of_a_number_with_a_fraction() -> None:
    assert changed(LOG, 1) == LOG.replace(b"494617", b"494618")
    assert changed(LOG, 10) == LOG.replace(b": 1.5", b": 1.6")


def test_no_two_copies_are_alike() -> None:
    copies = [changed(LOG, number) for number in range(28)]

    assert None not in copies
    assert len(set(copies)) == 28
    assert all(sum(a != b for a, b in zip(LOG, copy, strict=True)) == 1 for copy in copies[1:])


def test_a_log_with_no_number_left_has_no_further_copy() -> None:
    assert changed(b"loss 12\n", 9) == b"loss 11\n"
    assert changed(b"loss 12\n", 10) is None


def test_logs_of_which_copies_meet_are_made_once(tmp_path: Path) -> None:
    corpus = packed(tmp_path / "logs.tar", {"a.log": LOG, "b.log": LOG.replace(b"494617", b"494618")})

    make_families(tmp_path / "families", 1, corpus)

    made = [path.read_bytes() for path in (tmp_path / "families").rglob("*.log")]
    assert len(made) > 19
    assert len(set(made)) == len(made)


def test_the_definitions_of_one_format_hold_it_and_its_bases(tmp_path: Path) -> None:
    root = only("mlperf-unet3d", tmp_path / "root")

    assert sorted(path.stem for path in (root / "ingest" / "formats").iterdir()) == [
        "early-stop",
        "events",
        "keras",
        "launcher",
        "mlperf-mllog",
        "mlperf-unet3d",
    ]
    assert (root / "ingest" / "names").is_dir()


def test_a_small_benchmark_measures_each_family_and_writes_its_page(tmp_path: Path) -> None:
    para = b"GLOBAL_BATCH 512\nGPU 8\n"
    corpus = packed(tmp_path / "logs.tar", {"a/1.log": LOG, "a/2.log": LOG, "b/other.txt": b"no log\n", "c/x": para})
    page, results = tmp_path / "performance.md", tmp_path / "results"
    page.write_text(
        "# Performance\n\n<!-- measured: begin (written by make bench) -->\n<!-- measured: end -->\nBelow.\n"
    )
    places = ["--folder", tmp_path / "work", "--page", page, "--results", results, "--corpus", corpus]

    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.formats", "--mb", "0", "--rounds", "1", *map(str, places)],
        cwd=TOP,
        capture_output=True,
        text=True,
    )

    assert done.returncode == 0, done.stderr
    assert "| **all** | 2 |" in page.read_text()
    assert page.read_text().startswith("# Performance\n\n<!-- measured: begin (written by make bench) -->\n<!--")
    kept = json.loads(next(results.iterdir()).read_text())["families"]
    assert {name: one["files"] for name, one in kept.items()} == {
        "start": 0,
        "lambda-benchmark-para": 1,
        "ngc-pytorch-bert": 1,
    }
    assert not (tmp_path / "work" / "families").exists()
