"""The speed-up table, as README 001 prints it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import benchledger
from benchledger import report_speedup
from benchledger.errors import NothingFoundError
from tests.answers.conftest import Own
from tests.ledger_rows import STEP_RULE, LedgerRows
from tests.views.conftest import given

# README 001, section "Performance", batch size 32: nodes, GPUs, samples/s.
README_001 = [(1, 1, 127.05), (1, 8, 928.03), (2, 16, 1136.44), (4, 32, 1895.50)]


@given(
    lambda ledger: [
        ledger.run(speed, nodes=nodes, gpus=gpus, global_batch_size=32 * gpus) for nodes, gpus, speed in README_001
    ]
)
def test_readme_001_is_nodes_gpus_speed_and_speedup(own: Own) -> None:
    table = report_speedup(**own).tables[0]

    assert table.frame.columns == ["node_num", "gpu_num", "samples/s", "speedup", "efficiency"]
    assert table.frame.drop("efficiency").rows() == [
        ("1", "1", "127.05", "1.00"),
        ("1", "8", "928.03", "7.30"),
        ("2", "16", "1136.44", "8.94"),
        ("4", "32", "1895.50", "14.92"),
    ]
    assert table.frame["efficiency"].to_list() == ["1.000", "0.913", "0.559", "0.466"]
    assert (table.facts["scaling"], table.facts["batch_size_per_gpu"]) == ("weak", "32")
    assert table.notes == ("base: 1 GPU, 127.05 samples/s",)


@given(lambda ledger: ledger.readme_000())
def test_each_precision_and_batch_size_is_a_table_of_its_own(own: Own) -> None:
    report = report_speedup(**own)

    weak = [table for table in report.tables if table.facts["scaling"] == "weak"]
    assert [(table.facts["precision"], table.facts["batch_size_per_gpu"]) for table in weak] == [
        ("fp16", "64"),
        ("fp16", "96"),
        ("fp32", "32"),
        ("fp32", "48"),
    ]
    assert [table.frame["speedup"].to_list() for table in weak] == [
        ["1.00", "7.95"],
        ["1.00", "7.91"],
        ["1.00", "8.01"],
        ["1.00", "8.01"],
    ]


@given(lambda ledger: [ledger.run(1e-300), ledger.run(1e300, gpus=8)])
def test_a_speedup_that_no_float_holds_is_no_number(own: Own) -> None:
    assert report_speedup(**own).tables[0].frame["speedup"].to_list() == ["1.00", "-"]


@given(lambda ledger: [ledger.run(100.0), ledger.run(gpus=8, status="oom")])
def test_a_failed_case_has_its_status_and_no_speedup(own: Own) -> None:
    table = report_speedup(**own).tables[0]

    assert table.frame.rows() == [("1", "1", "100.00", "1.00", "1.000"), ("1", "8", "OOM", "-", "-")]
    assert str(table.coverage) == "1 of 2 cells filled; missing: 1 x 8: oom"


@given(
    lambda ledger: [
        ledger.run(100.0, seq_len=128, global_batch_size=32),
        ledger.run(700.0, gpus=8, seq_len=128, global_batch_size=256),
        ledger.run(50.0, seq_len=512, global_batch_size=32),
        ledger.run(seq_len=1024, status="oom", global_batch_size=32),
    ]
)
def test_cases_without_another_number_of_gpus_are_counted_instead_of_shown(own: Own) -> None:
    report = report_speedup(**own)

    assert [table.frame["speedup"].to_list() for table in report.tables] == [["1.00", "7.00"]]
    (note,) = report.notes
    assert re.fullmatch(r"tables left out: \d+; their cases ran on one number of GPUs only", note)
    # As data each number is there.
    assert set(report.cells["seq_len"].to_list()) == {128, 512, 1024}


@given(lambda ledger: ledger.run(100.0))
def test_where_nothing_can_be_compared_the_speeds_are_shown(own: Own) -> None:
    report = report_speedup(**own)

    assert {tuple(table.frame["speedup"]) for table in report.tables} == {("1.00",)}
    assert report.notes == ()


@given(lambda ledger: [ledger.run(100.0), ledger.run(700.0, gpus=8)])
def test_a_filter_does_not_hide_the_base(own: Own) -> None:
    assert report_speedup(**own, gpus=8).tables[0].frame["speedup"].to_list() == ["7.00"]


@given(
    lambda ledger: [
        ledger.run(100.0, gradient_accumulation=1, global_batch_size=32),
        ledger.run(700.0, gpus=8, gradient_accumulation=1, global_batch_size=256),
        ledger.run(780.0, gpus=8, gradient_accumulation=4, global_batch_size=1024),
    ]
)
def test_cases_of_one_cell_split_by_accumulation(own: Own) -> None:
    table = report_speedup(**own).tables[0]

    assert table.rows_split_by == ("global_batch_size", "gradient_accumulation")
    assert table.frame.select("gpu_num", "gradient_accumulation", "speedup").rows() == [
        ("1", "1", "1.00"),
        ("8", "1", "7.00"),
        ("8", "4", "7.80"),
    ]


@given(lambda ledger: ledger.run(100.0))
def test_a_rule_without_numbers_gives_no_speedups(own: Own) -> None:
    with pytest.raises(NothingFoundError, match="gives no number"):
        report_speedup(**own, rule=STEP_RULE)


IMPOSSIBLE = [
    ({}, {}, 6400.0, "a speed of all GPUs that was multiplied by their number again, or a wrong number of GPUs"),
    ({"gradient_accumulation": 1}, {"gradient_accumulation": 4}, 900.0, "the base has another number of passes"),
    ({}, {}, 900.0, "a base that was slowed down, or measured on other software"),
]


def impossible_speedups(ledger: LedgerRows) -> None:
    for number, (base, other, speed, _) in enumerate(IMPOSSIBLE):
        ledger.run(100.0, campaign=f"impossible{number}", **base)
        ledger.run(speed, campaign=f"impossible{number}", gpus=8, **other)


@given(impossible_speedups)
@pytest.mark.parametrize("number", range(len(IMPOSSIBLE)))
def test_a_speedup_that_cannot_be_is_marked_with_its_likely_cause(given_all: Path, number: int) -> None:
    _, _, speed, cause = IMPOSSIBLE[number]
    own = {"db": given_all, "campaign": f"impossible{number}"}
    table = report_speedup(**own).tables[0]
    pivot = benchledger.report_pivot(**own, rows="model", columns="gpus", value="speedup")

    assert table.frame["speedup"].to_list() == ["1.00", f"{speed / 100:.2f}!"]
    assert table.frame["efficiency"].to_list() == ["1.000", f"{speed / 800:.3f}!"]
    (note,) = [note for note in table.notes if note.startswith("!")]
    assert note.startswith(f"! efficiency above 1.05, which more GPUs cannot give: 8 GPUs ({speed / 800:.3f}); likely")
    assert cause in note
    assert pivot.tables[0].frame["gpus 8"].to_list() == [f"{speed / 100:.2f}!"]
    assert pivot.tables[0].notes[0].startswith("! efficiency above 1.05")


@given(lambda ledger: [*(ledger.run(speed) for speed in (60.0, 100.0, 101.0)), ledger.run(900.0, gpus=8)])
def test_trials_of_the_base_that_lie_far_apart_are_the_likely_cause(own: Own) -> None:
    assert "trials of the base that lie far apart" in report_speedup(**own).tables[0].notes[1]
