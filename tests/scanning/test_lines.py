"""Where a line is cut into records, what stands before one, and what becomes of the rest."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchledger.definitions.log_format import LogFormat
from benchledger.scanning import rows
from benchledger.scanning.lines import LineReader
from tests.scanning.reading import (
    DLLOGGER,
    MEGATRON,
    assert_conserved,
    line_format,
    read_by_reference,
    read_by_scanner,
    readers,
    units_of,
    values_of,
)

DLL = (
    'anchors = ["DLL 20"]\n'
    + DLLOGGER
    + """
[[record]]
name = "step"
kind = "step"
templates = ["DLL {logged_at:time} - ({step:int}) {pairs}"]
[[record]]
name = "word"
kind = "parameter"
templates = ["training: {half:word}", "device: {device:word} n_gpu: {n_gpu:int}"]
[[record]]
name = "oom"
kind = "event"
status = "oom"
templates = ["CUDA out of memory. {message:text}"]
[[ignore]]
templates = ["DLL {logged_at:time} - (start){*}"]
reason = "a marker"
"""
)

STEP = b"DLL 2021-05-23 10:58:40.494617 - (%d) loss : 0.5"


@pytest.fixture
def dll(tmp_path: Path) -> LogFormat:
    return line_format(tmp_path, DLL)


def test_a_record_may_begin_in_mid_line(dll: LogFormat) -> None:
    log = b"61%|#### | 2111/3443 [08:49<05:35,  3.97it/s]" + STEP % 5 + b"\n"

    pieces = LineReader(dll).read(log)

    assert [(row.line, row.byte_offset, row.columns["step"], row.lead) for row in pieces.rows] == [(1, 45, 5, None)]


def test_two_records_glued_together_are_two(dll: LogFormat) -> None:
    log = b"training: Truedevice: cuda:7 n_gpu: 1" + STEP % 5 + STEP % 6

    pieces = LineReader(dll).read(log)

    assert [row.byte_offset for row in pieces.rows] == [0, 14, 37, 37 + len(STEP % 5)]
    assert [values_of(row) for row in pieces.rows[:2]] == [{"half": "True"}, {"n_gpu": 1}]
    assert [row.columns.get("step") for row in pieces.rows] == [None, None, 5, 6]


def test_a_carriage_return_cuts_but_counts_no_line(dll: LogFormat) -> None:
    log = b"10%\r" + STEP % 1 + b"\r\n" + STEP % 2 + b"\r" + STEP % 3 + b"\n\n" + STEP % 4

    assert [(row.line, row.columns["step"]) for row in LineReader(dll).read(log).rows] == [
        (1, 1),
        (2, 2),
        (2, 3),
        (4, 4),
    ]


def test_ansi_codes_in_a_record_are_dropped_and_offsets_are_those_of_the_raw_bytes(dll: LogFormat) -> None:
    log = b"\x1b[32m" + (STEP % 5).replace(b"loss", b"\x1b[1mloss\x1b[0m") + b"\x1b[0m\n" + STEP % 6

    first, second = LineReader(dll).read(log).rows

    assert (values_of(first), first.byte_offset, first.lead, first.note) == ({"loss": 0.5}, 5, None, None)
    assert second.byte_offset == log.index(STEP % 6)


def test_leads_state_the_rank_and_what_is_unknown_is_kept(dll: LogFormat) -> None:
    log = b"[1,3]<stdout>:" + STEP % 1 + b"\n12: " + STEP % 2 + b"\nwho knows " + STEP % 3

    rows_ = LineReader(dll).read(log).rows

    assert [(row.columns.get("rank"), row.lead) for row in rows_] == [(3, None), (12, None), (None, "who knows")]


def test_a_rank_that_its_column_cannot_hold_makes_an_unknown_lead(dll: LogFormat) -> None:
    row = LineReader(dll).read(b"99999999999: " + STEP % 1).rows[0]

    assert (row.columns.get("rank"), row.lead) == (None, "99999999999:")


def test_the_lead_of_a_glued_record_is_no_lead_of_the_next(dll: LogFormat) -> None:
    first, second = LineReader(dll).read(b"3: " + STEP % 1 + STEP % 2).rows

    assert (first.columns.get("rank"), second.columns.get("rank"), second.lead) == (3, None, None)


@pytest.mark.parametrize(
    ("line", "record", "reason"),
    [
        (b"DLL 2021-05-23 10:58", None, rows.NO_HEAD),
        (b"DLL 2021-05-23 10:58:40.494617 - (5) loss of an interleaved write", None, rows.NO_TEMPLATE),
        (b"DLL 2021-02-31 10:58:40.494617 - (5) loss : 0.5", "step", rows.BAD_TIME),
        (b"DLL 2021-05-23 10:58:40.494617 - (99999999999999999999) loss : 0.5", "step", rows.BAD_NUMBER),
        (STEP % 5 + b"  x : " + b"y" * rows.PIECE_LIMIT, None, rows.TOO_LONG),
    ],
    ids=["no-head", "no-template", "bad-time", "bad-number", "too-long"],
)
def test_what_should_be_a_record_and_is_none_is_a_reject(
    dll: LogFormat, line: bytes, record: str | None, reason: str
) -> None:
    pieces = LineReader(dll).read(b"noise\n3: " + line + b"\n")

    assert [(reject.line, reject.record, reject.reason) for reject in pieces.rejects] == [(2, record, reason)]
    assert pieces.rejects[0].text == (b"3: " * (reason == rows.NO_HEAD) + line).decode()[: rows.REJECT_TEXT_LIMIT]
    assert_conserved(pieces)


def test_lines_without_head_and_anchor_are_no_pieces(dll: LogFormat) -> None:
    assert LineReader(dll).read(b"noise\n\n20 DLL\nCUDA is here\n").pieces == 0


def test_ignored_pieces_are_counted_by_reason(dll: LogFormat) -> None:
    pieces = LineReader(dll).read(b"DLL 2021-05-23 10:58:40 - (start) whatever\n" * 3 + STEP % 5)

    assert (pieces.ignored, len(pieces.rows)) == ({"a marker": 3}, 1)
    assert_conserved(pieces)


def test_every_piece_is_a_record_ignored_or_a_reject(dll: LogFormat) -> None:
    log = b"\n".join(
        [STEP % 1 + STEP % 2, b"DLL 2021", b"DLL 2021-05-23 10:58:40 - (start)" + STEP % 3 + b"\rDLL 20", b"noise"]
    )

    pieces = LineReader(dll).read(log)

    assert (pieces.pieces, len(pieces.rows), len(pieces.rejects), pieces.ignored.total()) == (6, 3, 2, 1)
    assert_conserved(pieces)


def test_the_first_template_that_takes_a_piece_has_it(tmp_path: Path) -> None:
    log_format = line_format(
        tmp_path,
        '[[record]]\nname = "whole"\nkind = "step"\ntemplates = ["at {x:int}"]\n'
        '[[record]]\nname = "other"\nkind = "step"\ntemplates = ["at {x:float}", "at {x:text}"]\n',
    )

    found = [
        (row.layout.record.name, values_of(row)["x"]) for row in LineReader(log_format).read(b"at 5\nat 5.5\nat y").rows
    ]

    assert found == [("whole", 5), ("other", 5.5), ("other", "y")]


def test_nul_and_bytes_that_are_no_utf8_are_kept_as_escapes(dll: LogFormat) -> None:
    row = LineReader(dll).read(b"\xff\x00 DLL 2021-05-23 10:58:40 - (5) loss : 0.5  name : a\x00b\xe9").rows[0]

    assert (row.lead, values_of(row)["name"]) == ("\\xff\\x00", "a\\x00b\\xe9")


# --- JSON ------------------------------------------------------------------------------------------------------

JSON = """
[[record]]
name = "parameter"
kind = "parameter"
templates = ["DLLL {json}"]
[record.json]
values = "data"
logged_at = "datetime"
where = { step = "PARAMETER" }
[[record]]
name = "step"
kind = "step"
templates = ["DLLL {json}"]
[record.json]
values = "data"
epoch = "step.0"
step = "step.1"
clock_s = "elapsed"
label = "label"
"""


@pytest.fixture
def json_reader(tmp_path: Path) -> LineReader:
    return LineReader(line_format(tmp_path, JSON))


def step(data: str, step: str = "[0, 5]", elapsed: str = "1.5", label: str = '"x"') -> bytes:
    return f'DLLL {{"step": {step}, "elapsed": {elapsed}, "label": {label}, "data": {data}}}'.encode()


def test_a_json_object_is_a_record_with_nested_names(json_reader: LineReader) -> None:
    data = '{"loss": 0.5, "nan": NaN, "none": null, "true": true, "list": [1, 2], "a": {"b": 7}}'
    row = json_reader.read(step(data)).rows[0]

    assert row.columns == {"epoch": 0, "step": 5, "clock_s": 1.5, "label": "x"}
    assert repr(values_of(row)) == repr(
        {
            "loss": 0.5,
            "nan": float("nan"),
            "none": None,
            "true": "True",
            "list": "[1, 2]",
            "a.b": 7.0,
        }
    )


def test_the_record_whose_conditions_hold_takes_the_object(json_reader: LineReader) -> None:
    row = json_reader.read(b'DLLL {"datetime": "2026-11-21 03:50:21.7", "step": "PARAMETER", "data": {"x": 1}}').rows[0]

    assert row.layout.record.name == "parameter"


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (step('{"loss": 0.5')[:-1], rows.BAD_JSON),
        (b"DLLL not json", rows.BAD_JSON),
        (b"DLLL " + b'{"a":' * 10_000, rows.BAD_JSON),
        (b"DLLL " + b"[" * 60_000, rows.BAD_JSON),
        (step('{"x":' * 40 + "1" + "}" * 40), rows.BAD_JSON),
        (step('{"x": 1' + "0" * 5000 + "}"), rows.BAD_JSON),
        (step("5"), rows.NO_TEMPLATE),
        (step("{}", step="[0]"), rows.NO_TEMPLATE),
        (step("{}", step='[0, "5"]'), rows.BAD_NUMBER),
        (step("{}", step="[0, true]"), rows.BAD_NUMBER),
        (step("{}", step="[0, 1e30]"), rows.BAD_NUMBER),
        (step("{}", step="[0, NaN]"), rows.BAD_NUMBER),
        (step("{}", elapsed='"soon"'), rows.BAD_NUMBER),
        (b'DLLL {"datetime": 5, "step": "PARAMETER", "data": {}}', rows.BAD_TIME),
        (b'DLLL {"datetime": "2026-02-30 00:00:00", "step": "PARAMETER", "data": {}}', rows.BAD_TIME),
    ],
)
def test_bad_json_is_a_reject(json_reader: LineReader, line: bytes, reason: str) -> None:
    pieces = json_reader.read(line)

    assert [reject.reason for reject in pieces.rejects] == [reason]
    assert_conserved(pieces)


def test_text_that_no_column_holds_is_escaped(json_reader: LineReader) -> None:
    row = json_reader.read(step('{"\\ud800": "a\\u0000b\\udfff"}', label='"\\ud801"')).rows[0]

    assert (values_of(row), row.columns["label"]) == ({"\\ud800": "a\\x00b\\udfff"}, "\\ud801")


def test_what_follows_the_object_is_a_note(json_reader: LineReader) -> None:
    assert json_reader.read(step('{"x": 1}') + b" and more").rows[0].note == "and more"


GLUED = (
    'detect.proof = [["step ", " | "]]\n'
    + MEGATRON
    + """
[[record]]
name = "step"
kind = "step"
templates = ["step {step:int} | {pairs}"]
[[record]]
name = "memory"
kind = "summary"
templates = ["memory {used:float} GiB"]
"""
)


@pytest.mark.parametrize(
    ("line", "values", "note"),
    [
        ("step 1 | loss: 2.5 | mem: 2.5 GiB{time}", {"loss": 2.5, "mem": 2560}, "{time}"),
        ("step 1 | mem: 2.5GiB[{time}] step 2 | mem: 1 GiB", {"mem": 2560}, "[{time}]"),
        ("step 1 | mem: 2.5 GiB[rank3]: step 2 | mem: 1 GiB", {"mem": 2560}, "[rank3]:"),
        ("step 1 | mem: 2.5GiB[rank3]: {time} saved", {"mem": 2560}, "[rank3]: {time} saved"),
        ("memory 2.5 GiB{time} saved", {"used": 2.5}, "{time} saved"),
        # Where the number ends nobody can say.
        ("step 1 | loss: 2.5{time}", {"loss": "2.5{time}"}, None),
    ],
)
@pytest.mark.parametrize("time", ["2026-11-20 10:00:01", "2026/11/20T10:00:01.5"])
def test_the_time_of_another_line_ends_a_value_with_a_unit(
    tmp_path: Path, line: str, values: dict[str, float | str], note: str | None, time: str
) -> None:
    made = line_format(tmp_path, GLUED)
    log = f"step 0 | loss: 1\n{line.format(time=time)}\n".encode()

    row = LineReader(made).read(log).rows[1]

    told = {name: value.format(time=time) if isinstance(value, str) else value for name, value in values.items()}
    assert values_of(row) == told
    assert row.note == (note and note.format(time=time))
    assert units_of(row).get("mem") == ("MiB" if "mem" in values else None)
    assert all(read_by_scanner(one, log)[0] == read_by_reference(made, log) for one in readers({"made": made}))
