"""A number or a key is whole in a terminal of any width; tables of many rows are printed whole."""

from __future__ import annotations

import sys

import pytest

from benchledger.cli.render import table_text

HEADS = ("run_key", "implementation", "campaign", "value", "cell")
ROW = ("c0df2e59d874-1", "ngc", "2021-2022/PaddlePaddle_Perf-58c854be/Bert/logs", "127.08587987043173", "s0123456789")


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch):
    def of(columns: int) -> None:
        monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
        monkeypatch.setenv("COLUMNS", str(columns))

    return of


def test_what_does_not_fit_is_cut_where_it_is_words_and_never_where_it_is_a_number_or_a_key(terminal) -> None:
    terminal(100)

    text = table_text(HEADS, [ROW])

    assert text.splitlines() == [
        "| run_key        | implementation | campaign                    | value              | cell        |",
        "|----------------|----------------|-----------------------------|--------------------|-------------|",
        "| c0df2e59d874-1 | ngc            | 2021-2022/PaddlePaddle_Per… | 127.08587987043173 | s0123456789 |",
    ]


@pytest.mark.parametrize("columns", [1, 40, 80])
def test_where_no_cut_is_enough_each_column_has_a_line_with_all_of_its_value(terminal, columns: int) -> None:
    terminal(columns)

    assert table_text(HEADS, [ROW, ROW]) == "\n\n".join(
        ["\n".join(f"{head}: {cell}" for head, cell in zip(HEADS, ROW, strict=True))] * 2
    )


def test_a_wide_terminal_a_pipe_and_a_file_get_all_of_it(terminal) -> None:
    piped = table_text(HEADS, [ROW])
    terminal(300)

    assert table_text(HEADS, [ROW]) == piped
    assert ROW[2] in piped


def test_wide_characters_take_two_columns() -> None:
    assert table_text(("型号", "b"), [("a", "测试")]).splitlines() == [
        "| 型号 | b    |",
        "|------|------|",
        "| a    | 测试 |",
    ]


def test_many_rows_are_all_there() -> None:
    assert len(table_text(("range",), [(str(number),) for number in range(200_000)]).splitlines()) == 200_002
