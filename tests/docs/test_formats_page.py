"""docs/formats.md: every example is a sound definition, and no key, hole or reject is left untaught."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from benchledger.definitions import format_file, log_format, template
from benchledger.scanning import rows
from benchledger.scanning.samples import check_files
from tests.docs.pages import TOP, Block, blocks, run, write_file

PAGE = TOP / "docs" / "formats.md"
TEXT = PAGE.read_text(encoding="utf-8")
EXAMPLES = blocks(PAGE, "toml")


@pytest.mark.parametrize("block", [block for block in EXAMPLES if "/names/" not in (block.file or "")], ids=str)
def test_a_format_on_the_page_is_sound(block: Block, tmp_path: Path) -> None:
    problems = check_files([write_file(block, tmp_path)])

    assert problems == []


@pytest.mark.parametrize("block", [block for block in EXAMPLES if "/names/" in (block.file or "")], ids=str)
def test_a_names_file_on_the_page_proves_itself(block: Block, tmp_path: Path) -> None:
    write_file(block, tmp_path)
    load = "from benchledger.definitions.names import load_names; print(load_names().stem('x_gpus.csv'))"
    done = subprocess.run(
        [sys.executable, "-c", load], env={"BENCH_DEFINITIONS": str(tmp_path / "my-bench"), "PYTHONPATH": str(TOP)},
        capture_output=True, text=True,
    )  # fmt: skip

    assert (done.stdout.strip(), done.stderr) == ("x", "")


def test_the_first_format_reads_the_first_log_without_a_reject(tmp_path: Path) -> None:
    for block in blocks(PAGE):
        if block.file is not None:
            write_file(block, tmp_path)

    done = run(("bench", "--definitions", "my-bench", "ingest", "logs"), tmp_path)
    speed = "select name, value, status from speed_table where is_default"
    asked = run(("bench", "sql", speed, "--format", "csv"), tmp_path)

    assert "pieces: 5 = 4 records + 1 ignored + 0 rejects" in done.stdout
    # 52.2 sequences per second and GPU, on eight GPUs
    assert asked.stdout.splitlines()[1:] == ["toy_12m_mp_bs32_fp16_8,417.6,ok"]


@pytest.mark.parametrize(
    "word",
    sorted(
        {*format_file._TOP - {"record", "ignore", "field", "fact", "sample"}, *format_file._RECORD, *format_file._FIELD}
        | {*format_file._FACT, *log_format.KINDS, *log_format.ROLES, *log_format.STATUSES, *log_format.COLUMNS}
        | {*log_format.SCOPES, *log_format.PHASES, "assign", "between", "end", "after", "headers", "headerless"}
        - {"json"}
    ),
)
def test_every_word_of_the_language_is_taught(word: str) -> None:
    assert f"`{word}`" in TEXT or f"{{{word}}}" in TEXT or f"`{word} =" in TEXT or f" {word}," in TEXT


@pytest.mark.parametrize("kind", [*template.HOLE_TYPES, *template.TAILS])
def test_every_hole_is_taught(kind: str) -> None:
    assert f"`{{x:{kind}}}`" in TEXT or f"`{{{kind}}}`" in TEXT


def test_every_reject_reason_is_explained() -> None:
    reasons = {
        value.partition(":")[0]
        for name, value in vars(rows).items()
        if name.isupper() and isinstance(value, str)
    }
    explained = {line.split("`")[1] for line in TEXT.splitlines() if line.startswith("| `") and line.count("|") == 4}

    assert reasons <= explained
    assert len(reasons) == 8
