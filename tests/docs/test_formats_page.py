"""docs/formats.md and docs/formats-reference.md: every example is a sound definition, and no key, hole or reject is left untaught."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from benchledger.definitions import log_format, template
from benchledger.definitions.format_file import read_formats
from benchledger.definitions.vocabulary import PHASES
from benchledger.errors import DefinitionError
from benchledger.scanning import rows
from benchledger.scanning.samples import check_files
from tests.docs.pages import TOP, Block, blocks, run, write_file

PAGE = TOP / "docs" / "formats.md"
REFERENCE = TOP / "docs" / "formats-reference.md"
TEXT = PAGE.read_text(encoding="utf-8") + REFERENCE.read_text(encoding="utf-8")
EXAMPLES = blocks(PAGE, "toml") + blocks(REFERENCE, "toml")


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


def test_no_line_is_long_and_the_lesson_is_one_sitting() -> None:
    long = [line for line in TEXT.splitlines() if len(line) > 120 and not line.startswith(("| ", "text = "))]

    assert long == []
    assert len(PAGE.read_text(encoding="utf-8").splitlines()) <= 350


def test_the_first_format_reads_the_first_log_without_a_reject(tmp_path: Path) -> None:
    for block in blocks(PAGE):
        if block.file is not None:
            write_file(block, tmp_path)

    done = run(("bench", "--definitions", "my-bench", "ingest", "logs"), tmp_path)
    speed = "select name, value, status from speed_table where is_default"
    asked = run(("bench", "sql", speed, "--format", "csv"), tmp_path)

    assert "pieces: 5 = 4 records + 1 ignored + 0 rejects + 0 unread" in done.stdout
    # 52.2 sequences per second and GPU, on eight GPUs
    assert asked.stdout.splitlines()[1:] == ["toy_12m_mp_bs32_fp16_8,417.6,ok"]


HEAD = 'format = "x"\nversion = 1\n'
RECORD = '[[record]]\nname = "r"\nkind = "step"\ntemplates = ["aa {json}"]\n'
TABLES = {
    "top": HEAD,
    "pairs": f"{HEAD}[pairs]\n",
    "detect": f"{HEAD}[detect]\n",
    "record": f"{HEAD}[[record]]\n",
    "json": f"{HEAD}{RECORD}[record.json]\n",
    "json detect": f'{HEAD}kind = "json"\n[detect]\n',
    "json document": f'{HEAD}kind = "json"\n[detect]\nkeys = [["a"]]\n[[record]]\nname = "r"\nkind = "step"\n[record.json]\n',
    "columns": f'{HEAD}kind = "columns"\n[[record]]\nname = "r"\nkind = "sample"\n[columns]\n',
    "table": f'{HEAD}kind = "table"\n[[record]]\nname = "r"\nkind = "sample"\n[table]\n',
    "long": f'{HEAD}kind = "csv"\n[[record]]\nname = "r"\nkind = "sample"\n[csv]\nsearch = [["a"]]\n[csv.long]\n',
    "sqlite": f'{HEAD}kind = "sqlite"\n[[record]]\nname = "r"\nkind = "kernel"\n[record.sqlite]\n',
    "sqlite sample": f'{HEAD}kind = "sqlite"\n[[sample]]\n',
    "self describing": f'{HEAD}kind = "self_describing"\n[[record]]\nname = "r"\nkind = "step"\n[self_describing]\n',
    "ignore": f"{HEAD}[[ignore]]\n",
    "field": f"{HEAD}[[field]]\n",
    "expand": f'{HEAD}[[field]]\nname = "f"\n[field.expand]\n',
    "fact": f"{HEAD}[[fact]]\n",
    "csv": f'{HEAD}kind = "csv"\n[[record]]\nname = "r"\nkind = "sample"\n[csv]\n',
    "sample": f"{HEAD}[[sample]]\n",
}


@pytest.mark.parametrize("table", TABLES)
def test_every_key_of_a_table_is_taught(table: str, tmp_path: Path) -> None:
    path = tmp_path / "x.toml"
    path.write_text(f"{TABLES[table]}nonsense = 1\n", encoding="utf-8")
    with pytest.raises(DefinitionError, match="unknown key 'nonsense'; known here: ") as refused:
        read_formats([path])
    known = str(refused.value).partition("known here: ")[2].split(", ")

    assert [key for key in known if not _is_taught(key)] == []


CLOSED_LISTS = (
    *log_format.FORMAT_KINDS,
    *log_format.KINDS,
    *log_format.ROLES,
    *log_format.STATUSES,
    *log_format.COLUMNS,
)


@pytest.mark.parametrize("word", [*CLOSED_LISTS, *log_format.SCOPES, *PHASES])
def test_every_word_of_the_closed_lists_is_taught(word: str) -> None:
    assert _is_taught(word)


def _is_taught(word: str) -> bool:
    return re.search(rf"`(?:\[\[|\{{ [a-z, ]*)?{re.escape(word)}(?:\]\]|[a-z, ]* \}}| = [^`]*)?`", TEXT) is not None


@pytest.mark.parametrize("kind", [*template.HOLE_TYPES, *template.TAILS])
def test_every_hole_is_taught(kind: str) -> None:
    assert f"`{{x:{kind}}}`" in TEXT or f"`{{{kind}}}`" in TEXT


def test_every_reject_reason_is_explained() -> None:
    reasons = {
        value.partition(":")[0] for name, value in vars(rows).items() if name.isupper() and isinstance(value, str)
    } - {rows.UNFINISHED}
    explained = {line.split("`")[1] for line in TEXT.splitlines() if line.startswith("| `") and line.count("|") == 4}

    assert reasons <= explained
    assert len(reasons) == 14
