"""The files that the benchmark reads: always the same, no two alike, of the size that was asked for."""

from __future__ import annotations

from pathlib import Path

from benchmarks.inputs import Sizes, make_inputs

SIZES = Sizes(small_files=9, small_kb=16, large_files=2, large_mb=1, peak_mb=0)


def made(folder: Path) -> dict[str, bytes]:
    make_inputs(folder, SIZES)
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*.log")}


def test_inputs_are_the_same_every_time(tmp_path: Path) -> None:
    assert made(tmp_path / "once") == made(tmp_path / "again")


def test_no_two_inputs_are_alike(tmp_path: Path) -> None:
    files = made(tmp_path)

    assert len(files) == 11
    assert len(set(files.values())) == 11


def test_inputs_have_the_size_asked_for(tmp_path: Path) -> None:
    sizes = {name: len(content) for name, content in made(tmp_path).items()}

    assert all(15_000 < size < 17_000 for name, size in sizes.items() if name.startswith("small/"))
    assert all(900_000 < size < 1_100_000 for name, size in sizes.items() if name.startswith(("dense/", "sparse/")))


def test_kept_inputs_of_another_size_are_made_anew(tmp_path: Path) -> None:
    make_inputs(tmp_path, Sizes(small_files=3, large_files=0, peak_mb=0))

    make_inputs(tmp_path, Sizes(small_files=2, large_files=0, peak_mb=0))

    assert len(list(tmp_path.rglob("*.log"))) == 2
