"""A number or a key is whole in a terminal of any width; tables of many rows are printed whole."""

from __future__ import annotations

import sys

import pytest
from click import unstyle

from benchledger.cli.render import cut, table_text

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

    text = unstyle(table_text(HEADS, [ROW]))

    assert [line.rstrip() for line in text.splitlines()] == [
        f"run_key         implementation  {'campaign':<35}  {'value':>18}  cell",
        "─" * 100,
        "c0df2e59d874-1  ngc             …ddlePaddle_Perf-58c854be/Bert/logs  127.08587987043173  s0123456789",
    ]


def test_sentences_break_between_words_and_names_stay_different(terminal) -> None:
    terminal(58)
    names = [f"nlp_bert_base_pretraining_mp_bs{size}_fp16_8" for size in (32, 64)]
    why = "the log stops without its closing summary, after 53 of 120 steps"

    text = unstyle(table_text(("run_key", "name", "reason"), [("c0df2e59d874-1", name, why) for name in names]))

    assert [line.strip() for line in text.splitlines()][2:6] == [
        "c0df2e59d874-1  nlp_be…p_bs32_fp16_8  the log stops",
        "without its closing",
        "summary, after 53 of",
        "120 steps",
    ]
    assert "nlp_be…p_bs64_fp16_8" in text
    assert max(len(line.rstrip()) for line in text.splitlines()) <= 58


def test_columns_that_do_not_fit_are_left_out_and_named(terminal) -> None:
    terminal(60)

    text = unstyle(table_text(HEADS, [ROW, ("0f15ac6cd4b1-1", "megatron", "2020/other", *ROW[3:])]))

    assert text.splitlines()[0].split() == ["run_key", "implementation", "campaign"]
    assert text.splitlines()[-2:] == [
        "left out to fit 60 columns: value, cell; shown in a wider",
        "  terminal, or with | cat",
    ]
    assert max(map(len, text.splitlines())) <= 60


def test_columns_that_are_asked_for_first_are_left_out_last(terminal) -> None:
    terminal(60)

    assert unstyle(table_text(HEADS, [ROW, ROW], ("value", "cell"))).split("\n")[0].split() == [
        "run_key",
        "value",
        "cell",
    ]


def test_columns_that_tell_rows_apart_stay_and_columns_with_one_value_go(terminal) -> None:
    terminal(60)
    heads = ("run_key", "status", "framework", "rather_long_name_of_a_number", "value", "unit", "campaign")
    rows = [("c0df2e59d874-1", "ok", "pytorch", "7", f"{size}.50", "samples/s", f"year/{size}") for size in (1, 2)]

    text = unstyle(table_text(heads, rows, ("value", "unit")))

    assert text.splitlines()[0].split() == ["run_key", "status", "value", "unit", "campaign"]
    assert "columns: framework, rather_long_name_of_a_number;" in " ".join(text.split())


def test_a_time_is_whole_and_a_sentence_that_begins_with_one_breaks(terminal) -> None:
    terminal(62)
    why = "2020-12-19 11:02:36 after 2020-12-19 11:57:06, by its clock"
    rows = [(f"run{number}", "2020-12-19 11:02 (archive member)", why) for number in (1, 2)]

    lines = unstyle(table_text(("run", "started", "why"), rows)).splitlines()

    assert [line.strip() for line in lines[2:5]] == [
        "run1  2020-12-19 11:02 (archive member)  2020-12-19 11:02:36",
        "after 2020-12-19",
        "11:57:06, by its",
    ]


def test_names_in_the_first_column_are_cut_for_more_columns_if_they_stay_different(terminal) -> None:
    terminal(56)
    heads = ("case", "A", "B", "verdict")

    def shown(*names: str) -> list[str]:
        rows = [(name, "15002.00", "1630.02", f"undecided{size}") for size, name in enumerate(names)]
        return unstyle(table_text(heads, rows)).splitlines()[0].split()

    assert shown("nlp_bert_base_mp_bs48_fp32_8", "nlp_bert_base_mp_bs64_fp16_8") == list(heads)
    assert shown("nlp_bert_base_mp_bs48_fp32_8", "nlp_bert_large_mp_bs48_fp32_8") == ["case", "A", "B"]


def test_a_path_loses_its_beginning_also_where_that_is_an_ellipsis() -> None:
    assert cut("…/PaddlePaddle+Perf@8707ba8b/A100_LOG", 20) == "…f@8707ba8b/A100_LOG"
    assert cut("训练/PaddlePaddle+Perf@8707ba8b/A100_LOG", 20) == "…f@8707ba8b/A100_LOG"


def test_a_heading_breaks_at_its_underscores_before_a_column_is_left_out(terminal) -> None:
    terminal(24)

    text = unstyle(table_text(("model", "batch_size_per_gpu", "gpus"), [("bert", "32", "1"), ("gpt", "8", "16")]))

    assert [line.split() for line in text.splitlines()[:2]] == [["batch_size_"], ["model", "per_gpu", "gpus"]]


def test_a_single_row_that_does_not_fit_has_a_line_per_column_with_all_of_its_value(terminal) -> None:
    terminal(40)

    assert table_text(HEADS, [ROW]) == "\n".join(f"{head}: {cell}" for head, cell in zip(HEADS, ROW, strict=True))


def test_numbers_stand_to_the_right_also_beside_cells_without_one(terminal) -> None:
    terminal(80)

    text = unstyle(table_text(("name", "speed"), [("a", "1234.50"), ("b", "7.25"), ("c", "OOM"), ("d", "-")]))

    assert [line[6:] for line in text.splitlines()[2:]] == ["1234.50", "   7.25", "    OOM", "      -"]


def test_failed_and_mixed_cells_are_coloured_words_and_no_color_leaves_the_words(terminal, monkeypatch) -> None:
    terminal(80)
    rows = [("a", "OOM"), ("b", "MIXED 1.00-2.00"), ("c", "7.25")]

    coloured = table_text(("name", "speed"), rows)
    monkeypatch.setenv("NO_COLOR", "1")
    plain = table_text(("name", "speed"), rows)

    assert "\x1b[31m" in coloured
    assert "\x1b[33m" in coloured
    assert "\x1b[3" not in plain
    assert unstyle(plain) == unstyle(coloured)


def test_a_pipe_and_a_file_get_all_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: False)

    assert table_text(HEADS, [ROW]).splitlines()[0].startswith("| run_key        | implementation | campaign")
    assert ROW[2] in table_text(HEADS, [ROW])


def test_wide_characters_take_two_columns() -> None:
    assert table_text(("型号", "b"), [("a", "测试")]).splitlines() == [
        "| 型号 | b    |",
        "|------|------|",
        "| a    | 测试 |",
    ]


def test_many_rows_are_all_there() -> None:
    assert len(table_text(("range",), [(str(number),) for number in range(200_000)]).splitlines()) == 200_002
