"""What a terminal of 80 and of 140 columns shows, kept as text; BENCH_WRITE_GOLDEN=1 writes it anew."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import click.testing
import pytest

from tests.cli.bench import run_bench

HERE = Path(__file__).parent
SCREENS = {
    "overview": (),
    "runs": ("runs",),
    "speed": ("report", "speed"),
    "pivot": ("report", "pivot", "--rows", "gpus", "--columns", "precision,batch_size_per_gpu"),
    "ranking": ("report", "ranking"),
    "explain": ("explain", "--gpus", "8", "--precision", "fp32", "--batch-size-per-gpu", "32"),
    "failures": ("report", "failures"),
    "query": ("query", "speed"),
    "show": ("show", "4b33"),
    "plot": ("plot", "scaling"),
}


@pytest.mark.parametrize("width", [80, 140])
@pytest.mark.parametrize("name", SCREENS)
def test_a_screen_is_as_kept_and_no_wider_than_the_terminal(
    name: str, width: int, demo_ledger: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for file in demo_ledger.parent.iterdir():
        shutil.copy(file, tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(click.testing._NamedTextIOWrapper, "isatty", lambda _: True)
    size = {"COLUMNS": str(width), "LINES": "1000", "NO_COLOR": "1"}

    said = run_bench(*SCREENS[name], env=size).stdout

    # The day of the ingest, which the caption of a plot names.
    shown = re.sub(r"ledger of \d{4}-\d\d-\d\d", "ledger of DATE", click.unstyle(said))
    lines = [line.rstrip() for line in shown.rstrip("\n").split("\n")]
    kept = HERE / f"{name}-{width}.txt"
    if os.environ.get("BENCH_WRITE_GOLDEN"):
        kept.write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert "\n".join(lines) + "\n" == kept.read_text(encoding="utf-8")
    # A path is never cut.
    assert [line for line in lines if len(line) > width and " " in line.strip()] == []
