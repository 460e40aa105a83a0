"""107 published READMEs beside their logs: every proved cell is equal, known contradictions are found. Needs the real logs."""

from __future__ import annotations

import csv
import random
import re
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from benchledger.reproducing.claims import claims_of
from benchledger.reproducing.evidence import Evidence, read_evidence
from benchledger.reproducing.findings import Finding, findings_of
from benchledger.reproducing.matching import Matcher
from benchledger.reproducing.page import read_page
from benchledger.reproducing.verdicts import Cell, judge
from benchledger.store.database import open_for_reading
from docs.make_published import PAGE, replaced, reproduced, text_of, unpacked_tables

TOLERANCE = 0.005
Judged = Callable[[str], tuple[list[Cell], list[Finding]]]


@pytest.fixture(scope="module")
def tables(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tables")
    unpacked_tables(shared / "corpus", folder)
    return folder


@pytest.fixture(scope="module")
def evidence(corpus_ledger: Path) -> Iterator[Evidence]:
    with closing(open_for_reading(corpus_ledger)) as con:
        yield read_evidence(con, corpus_ledger)


@pytest.fixture(scope="module")
def judged(tables: Path, evidence: Evidence) -> Judged:
    """The cells of a page with their verdicts, and its findings; each page is judged once."""

    @cache
    def judged(name: str) -> tuple[list[Cell], list[Finding]]:
        read = read_page(tables / name)
        matcher = Matcher(read, tables / name, evidence)
        cells = [Cell(claim, matcher.candidates(claim)) for claim in claims_of(read).claims]
        judge(cells, evidence, TOLERANCE)
        return cells, findings_of(name.rpartition("/")[2], cells, matcher, evidence)

    return judged


def proved(tables: Path) -> dict[str, set[str]]:
    """By page the published values that its collector computed again."""
    found: dict[str, set[str]] = {}
    with (tables / "index.csv").open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["verified"] == "yes":
                values = row["published_value"]
                told = re.findall(r"README median ([\d.]+)", values) or values.split("; ")
                found.setdefault(row["table"], set()).update(told)
    return found


def equal_cells(page: str, values: set[str], cells: list[Cell]) -> int:
    told = [cell for cell in cells if any(float(value) == cell.claim.value for value in values)]
    wrong = [(page, cell.claim.line, cell.claim.printed, cell.verdict) for cell in told if cell.verdict != "equal"]

    assert wrong == []
    assert {float(value) for value in values} == {cell.claim.value for cell in told}
    return len(told)


def test_proved_cells_of_some_pages_are_equal(tables: Path, judged: Judged) -> None:
    wanted = proved(tables)
    some = [page for page in sorted(wanted) if re.search(r"@(454a0608|c1ad14b3|e36df2ea|0815d423)", page)]
    counts = [equal_cells(page, wanted[page], judged(page)[0]) for page in some]

    assert len(some) >= 6
    assert sum(counts) >= 30


@pytest.mark.long
def test_every_proved_cell_of_every_page_is_equal(tables: Path, judged: Judged) -> None:
    counts = [equal_cells(page, values, judged(page)[0]) for page, values in sorted(proved(tables).items())]

    # Some print the value of two logs: counted once per log they are 195.
    assert sum(counts) == 183


# What the corpus' own README says is wrong: page, kind, and words of the finding.
KNOWN = (
    ("454a0608/Bert/README.md", "tables_disagree", "1187.01 here and 1105.19"),
    ("103d3268/Transformer/README.md", "tables_disagree", "183830.0 here and 194040.4"),
    ("103d3268/Transformer/README.md", "tables_disagree", "682820.5 here and 678315.9"),
    (
        "103d3268/Transformer/README.md",
        "head_contradicts_log",
        "stands under batch_size_per_gpu 5120; PaddlePaddle+Perf@",
    ),
    ("57d05570/Bert/OtherReports/PyTorch/README.md", "digit", "112061.6 differs by one digit from 12061.622 of Padd"),
    ("454a0608/Bert/OtherReports/PyTorch/README.md", "value_of_another_case", "4245.93 is paddle.bert of another case"),
    ("7f02e558/Transformer/OtherReports/PyTorch/README.md", "link_contradicts_log", "gpus 1; ./logs/pytorch_gpu1"),
    ("a16b134f/Bert/OtherReports/PyTorch/README.md", "log_without_result", "is empty"),
    ("aafdce17/WideDeep/readme.md", "same_log", "WideDeep_DataLoader_16Thread_32Node has the same bytes"),
    ("69daa0ef/ResNet50V1.5/README.md", "value_of_another_case", "27528.0"),
)


def test_known_contradictions_are_found(judged: Judged) -> None:
    pages = sorted({page for page, _, _ in KNOWN})
    found = {page: judged(f"PaddlePaddle+Perf@{page}")[1] for page in pages}
    missing = [
        known for known in KNOWN if not any(one.kind == known[1] and known[2] in one.text for one in found[known[0]])
    ]  # fmt: skip

    assert missing == []


@pytest.mark.long
def test_fabricated_tables_are_accepted_no_more_often_than_stated(
    tables: Path, evidence: Evidence, judged: Judged
) -> None:
    rng = random.Random(27)
    known = []
    for page in sorted(proved(tables)):
        cells = [cell for cell in judged(page)[0] if cell.verdict == "equal"]
        known += [cells] if cells else []
    accepted = stated = 0.0
    for _ in range(1000):
        made = []
        for cell in rng.choice(known):
            value = cell.claim.value * (1 + rng.choice((-1, 1)) * rng.uniform(0.0005, 0.004))
            step = cell.claim.step
            made.append(Cell(replace(cell.claim, value=round(value / step) * step), cell.candidates))
        judge(made, evidence, TOLERANCE)
        accepted += sum(cell.verdict in ("equal", "other_rule") for cell in made)
        stated += sum(cell.chance or 0.0 for cell in made)

    assert 0 < accepted <= stated


@pytest.mark.long
def test_the_page_has_the_verdicts_of_today(shared: Path, tmp_path: Path) -> None:
    text = PAGE.read_text(encoding="utf-8")

    assert replaced(text, text_of(reproduced(shared / "corpus", tmp_path))) == text, (
        "write it again: python -m docs.make_published ../shared/corpus"
    )
