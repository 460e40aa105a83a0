"""Telemetry as nvidia-smi writes it: with any columns in any order, or without a header."""

from __future__ import annotations

import io
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchledger.scanning import csv_rows, rows
from benchledger.scanning.columns import RecordColumns
from benchledger.scanning.log_reader import LogReader, ReadLog
from benchledger.scanning.samples import load_formats

HEADER = "timestamp, index, name, utilization.gpu [%], memory.used [MiB]\n"
ROW = "2026/11/21 03:50:29.048, 0, NVIDIA H200, 97 %, 9786 MiB\n"


def read(text: str | bytes) -> tuple[ReadLog, list[dict[str, Any]]]:
    """How a log is read, and its rows, each with its values by name."""
    columns = RecordColumns()
    log = text if isinstance(text, bytes) else text.encode()
    found = LogReader(load_formats()).read(io.BytesIO(log), columns, lambda _: False)
    layouts = columns.layouts()
    table = columns.to_arrow([1]).to_pylist()
    for row in table:
        texts = row["texts"] or [None] * len(row["values"])
        values = zip(layouts[row["shape_id"]].values, row["values"], texts, strict=True)
        row["stated"] = {of.name: (number if words is None else words, of.unit) for of, number, words in values}
    return found, table


def test_columns_are_known_by_name_in_any_order() -> None:
    log, table = read("memory.used [MiB], index, utilization.gpu [%]\n9786 MiB, 3, 97 %\n")

    assert (log.format, log.evidence) == ("nvidia-smi-csv", "the header line names 'utilization.gpu'")
    assert [(row["device"], row["line"], row["byte_offset"]) for row in table] == [("3", 2, 46)]
    assert table[0]["stated"] == {"memory.used": (9786, "MiB"), "utilization.gpu": (97, "%")}


def test_without_units_the_header_has_them() -> None:
    _, table = read("index, memory.used [MiB], power.draw [W]\n0, 9786, 621.24\n")

    assert table[0]["stated"] == {"memory.used": (9786, "MiB"), "power.draw": (621.24, "W")}


def test_with_no_unit_anywhere_only_a_declared_one_is_known() -> None:
    _, table = read("index, memory.used, temperature.gpu\n0, 9786, 49\n")

    assert table[0]["stated"] == {"memory.used": (9786, None), "temperature.gpu": (49, "C")}


def test_a_unit_of_another_size_is_scaled() -> None:
    _, table = read("index, memory.used [GiB]\n0, 2 GiB\n")

    assert table[0]["stated"] == {"memory.used": (2048, "MiB")}


def test_times_and_texts_are_read() -> None:
    _, table = read(HEADER + ROW)

    assert str(table[0]["logged_at"]) == "2026-11-21 03:50:29.048000"
    assert table[0]["stated"]["name"] == ("NVIDIA H200", None)


@pytest.mark.parametrize("cell", ["[N/A]", "N/A", "[Not Supported]", "", "-", "[Unknown Error]"])
def test_what_the_tool_cannot_state_is_absent(cell: str) -> None:
    _, table = read(HEADER + ROW.replace("97 %", cell))

    assert table[0]["stated"]["utilization.gpu"] == (None, "%")
    assert table[0]["stated"]["memory.used"] == (9786, "MiB")


def test_quoted_cells_may_hold_commas() -> None:
    _, table = read(HEADER + ROW.replace("NVIDIA H200", '"NVIDIA, H200"'))

    assert table[0]["stated"]["name"] == ("NVIDIA, H200", None)


def test_a_repeated_header_is_no_row_and_no_reject() -> None:
    log, table = read(HEADER + ROW + HEADER + ROW)

    assert ([row["line"] for row in table], log.scanned.pieces, log.scanned.rejects) == ([2, 4], 2, [])


def test_blank_lines_and_carriage_returns_do_not_matter() -> None:
    log, table = read("\n" + (HEADER + ROW + "\n" + ROW).replace("\n", "\r\n"))

    assert ([row["line"] for row in table], log.scanned.rejects) == ([3, 5], [])


def test_a_row_with_too_few_cells_is_a_reject() -> None:
    log, table = read(HEADER + ROW + ROW[:30] + "\n")

    assert len(table) == 1
    assert [(reject.line, reject.record, reject.reason) for reject in log.scanned.rejects] == [
        (3, "sample", rows.CUT_ROW)
    ]
    assert log.scanned.pieces == log.scanned.records + len(log.scanned.rejects)


def test_a_time_that_does_not_exist_is_a_reject() -> None:
    log, _ = read(HEADER + ROW + ROW.replace("2026/11/21", "2026/02/30"))

    assert [reject.reason for reject in log.scanned.rejects] == [rows.BAD_CELL]


@pytest.mark.parametrize(
    ("lines", "names"),
    [
        ("42, 5 %, 904 MiB\n43, 90 %, 33622 MiB\n", ["temperature.gpu", "utilization.gpu", "memory.used"]),
        ("0, 5 %, 904 MiB\n7, 90 %, 33622 MiB\n", ["utilization.gpu", "memory.used"]),
        ("5 %, 904 MiB\n90 %, 33622 MiB\n", ["utilization.gpu", "memory.used"]),
    ],
    ids=["temperature", "index", "neither"],
)
def test_a_list_without_header_is_told_by_its_units_and_ranges(lines: str, names: list[str]) -> None:
    log, table = read(lines)

    assert log.format == "nvidia-smi-csv"
    assert [list(row["stated"]) for row in table] == [names, names]


def fitting(share: int) -> str:
    return "5 %, 904 MiB\n" * share + "not a row\n" * (100 - share)


def test_a_list_needs_nine_lines_of_ten_that_fit() -> None:
    assert (read(fitting(90))[0].status, read(fitting(89))[0].status) == ("loaded", "unrecognised")


def test_what_does_not_fit_a_list_is_a_reject() -> None:
    log, table = read(fitting(91) + "5 MiB, 904 MiB\n")

    assert (len(table), len(log.scanned.rejects), log.scanned.pieces) == (91, 10, 101)
    assert {reject.reason for reject in log.scanned.rejects} == {rows.CUT_ROW, rows.BAD_CELL}


def test_a_list_is_read_whole_when_only_its_beginning_was_tried() -> None:
    # The block in which lists are looked for ends within a row.
    log, table = read("5 %, 90412 MiB\n" * 10_000)

    assert (len(table), log.scanned.rejects) == (10_000, [])


@pytest.mark.parametrize(
    "text",
    [
        "5 %, 904 MiB\n",
        "step, loss\n1, 0.5\n2, 0.4\n",
        "5, 904, 3\n5, 905, 4\n",
        "5 %, 904 MB\n6 %, 905 MB\n",
        "200, 5 %, 904 MiB\n201, 5 %, 904 MiB\n",
        '{"memory.used": 5}\n',
        "memory.used is high, see below\n",
    ],
    ids=["one line", "other header", "no units", "other units", "out of range", "json", "prose"],
)
def test_an_unrelated_csv_stays_unrecognised(text: str) -> None:
    log, table = read(text)

    assert (log.status, log.evidence, table) == ("unrecognised", "no line holds the literals of any known format", [])


def test_a_training_log_with_a_csv_list_in_it_is_a_training_log() -> None:
    log, _ = read(
        "5 %, 904 MiB\n" * 100
        + "DLL 2021-05-23 10:58:40.494617 -  training_sequences_per_second : 1.5  raw_train_time : 2.0 \n"
    )

    assert log.format == "ngc-pytorch-bert"


def test_columns_of_numbers_refuse_what_is_none(tmp_path: Any) -> None:
    from benchledger.definitions.format_file import read_formats

    path = tmp_path / "made.toml"
    path.write_text(
        'format = "made"\nversion = 1\nkind = "csv"\n[csv]\nheaders = [["memory"]]\n'
        'columns = { step = "step", t = "clock_s", r = "rank" }\n[[record]]\nname = "row"\nkind = "sample"\n'
    )
    columns = RecordColumns()
    text = b"step, t, r, memory\n5, 1.5, 0, 7\nx, 1.5, 0, 7\n5, soon, 0, 7\n5, 1.5, 99999999999, 7\nN/A, , , 7\n"

    log = LogReader(read_formats([path])).read(io.BytesIO(text), columns, lambda _: False)

    found = [(row["step"], row["clock_s"], row["rank"]) for row in columns.to_arrow([1]).to_pylist()]
    assert found == [(5, 1.5, 0), (None, None, None)]
    assert [reject.reason for reject in log.scanned.rejects] == [rows.BAD_CELL] * 3


# --- what is no text -------------------------------------------------------------------------------------------


def test_utf16_is_told_with_the_cure() -> None:
    log, _ = read(HEADER.encode("utf-16"))

    assert (log.status, log.evidence) == ("unrecognised", "UTF-16 text: convert it with `iconv -f UTF-16 -t UTF-8`")


def test_a_binary_is_told() -> None:
    log, _ = read(b"\x7fELF\x00\x00\x01" * 100)

    assert (log.status, log.evidence) == ("unrecognised", "binary: NUL bytes, and no line of a known format")


@pytest.mark.parametrize("text", [b"", b"\n\n \t\r\n"])
def test_a_log_without_text_is_empty(text: bytes) -> None:
    assert read(text)[0].status == "empty"


def test_a_log_with_nul_and_other_bytes_is_read_all_the_same() -> None:
    log, table = read(
        b"\x00\xff\xfe noise\nDLL 2021-05-23 10:58:40.494617 -  training_sequences_per_second : 1.5  raw_train_time : 2.0  name : \xe9\x00\n"
    )

    assert (log.status, table[0]["line"]) == ("loaded", 2)
    assert table[0]["stated"]["name"] == ("\\xe9\\x00", None)


def test_cells_that_are_no_utf8_are_kept_as_escapes() -> None:
    _, table = read(HEADER.encode() + ROW.encode().replace(b"NVIDIA", b"\xe9\x00"))

    assert table[0]["stated"]["name"] == ("\\xe9\\x00 H200", None)


@given(st.text("aB1 _./,:=()[]%\"'-\u00a0", max_size=30).map(str.encode))
def test_a_line_that_can_be_no_header_is_none_without_being_split(line: bytes) -> None:
    cells = [csv_rows._HEADER_CELL.match(cell) for cell in csv_rows.cells_of(line)]
    names = tuple((match.group(1), match.group(2)) for match in cells if match) if all(cells) else ()

    assert csv_rows._header_of(line) == names


QUERY = "user@host:~$ nvidia-smi --query-gpu="
BARE = " --format=csv,noheader,nounits\n"


def test_a_second_command_names_the_columns_of_its_own_rows() -> None:
    first = f"{QUERY}index,utilization.gpu{BARE}0, 97\n"
    stated = {"utilization.gpu": (97, "%")}
    memory = {"memory.used": (9786, "MiB")}

    _, table = read(f"{first}{QUERY}index,memory.used{BARE}0, 9786\n")
    assert [row["stated"] for row in table] == [stated, memory]
    _, table = read(f"{first}{QUERY}index,memory.used --format=csv\nindex, memory.used [MiB]\n0, 9786 MiB\n")
    assert [row["stated"] for row in table] == [stated, memory]
    # A command whose columns are not told.
    _, table = read(f"{first}{QUERY}'index, memory.used'{BARE}0, 9786\n")
    assert [row["stated"] for row in table] == [stated]


def test_a_monitor_with_other_columns_that_appended_has_its_own_header() -> None:
    _, table = read("index, utilization.gpu [%]\n0, 97\nindex, memory.used [MiB]\n0, 9786\n")

    assert [row["stated"] for row in table] == [{"utilization.gpu": (97, "%")}, {"memory.used": (9786, "MiB")}]


@pytest.mark.parametrize("columns", ["index,utilization.gpu", "timestamp,index,utilization.gpu,memory.used"])
def test_what_another_program_prints_below_a_command_is_its_own(columns: str) -> None:
    step = "2021-05-31 00:15:15,967 - mmdet - INFO - Epoch [1][50/7330]\tlr: 1.978e-03, time: 0.857, loss: 2.75\n"

    assert read(f"{QUERY}{columns} --format=csv,noheader -l 1 > gpu.csv &\n{step}")[0].format == "mmdet"
    assert read(f"{QUERY}{columns}{BARE}")[0].format is None
    # Rows, and between them what is none.
    log, table = read(f"{QUERY}index,utilization.gpu{BARE}0, 97\n{step}0, lost\n")
    assert [row["line"] for row in table] == [2]
    assert [reject.line for reject in log.scanned.rejects] == [3, 4]
