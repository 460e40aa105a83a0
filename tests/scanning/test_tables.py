"""Tables as torch.profiler prints them: columns by the rule, whichever there are."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.scanning.found import find

RULE = "--------  ------------  ----------\n"
HEAD = f"{RULE}    Name     CPU total  # of Calls\n{RULE}"
ROW = "aten::mm       2.500ms         152\n"


def test_a_row_is_read_by_its_columns() -> None:
    found = find(HEAD + ROW + RULE + "Self CPU time total: 1.500s\n")

    assert found.log.format == "torch-profiler-table"
    assert [(row["record"], row["label"], row["stated"]) for row in found.rows] == [
        ("operator", "aten::mm", {"CPU total": 0.0025, "# of Calls": 152}),
        ("total", None, {"Self CPU time total": 1.5}),
    ]


def test_a_name_with_blanks_is_one_name() -> None:
    found = find(HEAD + " Opt mm        2.500ms           1\n" + RULE)

    assert found.rows[0]["label"] == "Opt mm"


@pytest.mark.parametrize(("cell", "seconds"), [("2.500us", 2.5e-6), ("2.500ms", 0.0025), ("1.250s", 1.25)])
def test_times_are_seconds(cell: str, seconds: float) -> None:
    found = find(HEAD + f"aten::mm  {cell:>12}         152\n" + RULE)

    assert found.rows[0]["stated"]["CPU total"] == seconds
    assert found.rows[0]["units"]["CPU total"] == "s"


def test_a_cell_wider_than_its_column_moves_the_others() -> None:
    found = find(HEAD + "aten::convolution_backward       2.500ms         152\n" + RULE)

    assert [(row["label"], row["stated"]["# of Calls"]) for row in found.rows] == [("aten::convolution_backward", 152)]


def test_each_table_of_a_file_is_read() -> None:
    table = HEAD + ROW + RULE
    found = find(f"warning: x\n{table}Self CPU time total: 1.500s\n\n{table}")

    assert [row["record"] for row in found.rows] == ["operator", "total", "operator"]


def test_the_stack_under_a_row_is_no_row() -> None:
    found = find(HEAD + ROW + "          train.py(12)\n" + RULE)

    assert (len(found.rows), found.rejects) == (1, [])


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("aten::mm       2.500ms\n", "cut row"),
        ("x  " * 30_000 + "\n", "too long"),
        ("aten::mm  aten::mm  2.500ms  1  2  3\n", "bad cell"),
    ],
)
def test_what_is_no_row_is_refused(row: str, reason: str) -> None:
    found = find(HEAD + row + RULE)

    assert (found.rows, found.rejects) == ([], [reason])


def test_a_table_that_is_cut_keeps_its_whole_rows() -> None:
    found = find(HEAD + ROW + ROW[:12] + "\n")

    assert (len(found.rows), found.rejects) == (1, ["cut row"])


@pytest.mark.parametrize(
    "text",
    [
        RULE + "    Name     Other     # of things\n" + RULE + ROW,
        "Name  CPU total  # of Calls\n" + ROW,
        RULE * 5,
        f"{RULE}    Name      Name  # of Calls\n{RULE}",
    ],
)
def test_other_tables_are_none_of_ours(text: str) -> None:
    assert find(text).log.status == "unrecognised"


def test_a_log_that_prints_a_table_stays_what_it_is() -> None:
    line = "DLL 2021-05-23 15:09:22.031459 - Training Epoch: 0 Training Iteration: 10  average_loss : 10.25  step_loss : 10.0  learning_rate : 0.1\n"

    assert find(line + HEAD + ROW + RULE).log.format == "ngc-pytorch-bert"


def test_the_real_tables_lose_nothing(h200: Path) -> None:
    for path in sorted((h200 / "torch_profiler").glob("key_averages*.txt")):
        found = find(path.read_bytes())
        totals = [row["stated"] for row in found.rows if row["record"] == "total"]

        assert (len(found.rows), found.rejects) == (42, [])
        assert totals == [{"Self CPU time total": 0.175423}, {"Self CUDA time total": 0.006589}]
