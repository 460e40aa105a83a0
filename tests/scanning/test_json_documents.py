"""Files that are one JSON document: told by their keys, read object by object, and never guessed at."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchledger.definitions.format_file import read_formats
from benchledger.scanning import log_reader
from benchledger.scanning.columns import RecordColumns
from benchledger.scanning.log_reader import LogReader, ReadLog
from benchledger.scanning.rows import OUT_OF_RANGE, TWO_KEYS
from tests.scanning.found import find

FORMAT = """
format = "trace"
version = 1
kind = "json"
[detect]
keys = [["made.version", "events"]]
[[record]]
name = "run"
kind = "parameter"
[record.json]
values = { batch = "made.batch" }
[[record]]
name = "event"
kind = "kernel"
[record.json]
each = "events"
where = { cat = ["kernel", "Kernel"] }
values = { dur = "dur", speed = "speed" }
units = { speed = "unit" }
label = "name"
clock_s = "ts"
time_unit = "us"
[[field]]
name = "dur"
unit = "s"
"""
EVENT = {"cat": "kernel", "name": "gemm", "ts": 5_000_000, "dur": 2.5}

Read = Callable[[str | bytes], tuple[ReadLog, list[dict[str, Any]]]]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    path = tmp_path / "trace.toml"
    path.write_text(FORMAT)
    reader = LogReader(read_formats([path]))

    def _read(text: str | bytes) -> tuple[ReadLog, list[dict[str, Any]]]:
        columns = RecordColumns()
        log = text if isinstance(text, bytes) else text.encode()
        found = reader.read(io.BytesIO(log), columns, lambda _: False)
        layouts = columns.layouts()
        table = columns.to_arrow([1]).to_pylist()
        for row in table:
            row["record"] = layouts[row["shape_id"]].record.name
            row["stated"] = dict(zip((v.name for v in layouts[row["shape_id"]].values), row["values"], strict=True))
            row["units"] = {v.name: v.unit for v in layouts[row["shape_id"]].values}
        assert found.scanned.pieces == found.scanned.records + len(found.scanned.rejects)
        return found, sorted(table, key=lambda row: row["byte_offset"])

    return _read


def document(*events: Any, **more: Any) -> str:
    return json.dumps({"made": {"version": 1, "batch": 32}, "events": list(events), **more}, indent=1)


def test_a_key_may_stand_behind_a_list_of_any_length(read: Read) -> None:
    events = {"events": [EVENT] * 2_000}

    assert read(json.dumps({**events, "made": {"version": 1, "batch": 32}}))[0].format == "trace"
    # Broken, or of another kind: the keys of a document stand near its beginning.
    assert read(json.dumps({**events, "made": {"version": 1}})[:-1])[0].format is None
    assert read(json.dumps({**events, "made": {"versions": 1}}))[0].format is None


def test_a_document_is_told_by_its_keys(read: Read) -> None:
    log, _ = read(document(EVENT))

    assert (log.format, log.evidence) == ("trace", "the document has made.version, events")


@pytest.mark.parametrize(
    "text",
    [
        '{"made": 1, "events": []}',
        '{"version": 1, "made": {}, "events": []}',
        '["made", "version", "events"]',
        '{"text": "made: version: events:"}',
        'x {"made": {"version": 1}, "events": []}',
        "{}",
    ],
)
def test_a_document_without_all_of_them_is_none_of_ours(read: Read, text: str) -> None:
    log, _ = read(text)

    assert log.status == "unrecognised"


MEMBERS = """
format = "points"
version = 1
kind = "json"
[detect]
keys = [["*.size", "*.speeds"]]
[[record]]
name = "point"
kind = "parameter"
[record.json]
each = "*"
has = ["size"]
values = { size = "size", speeds = "speeds" }
"""


def read_as(tmp_path: Path, definition: str, text: str) -> tuple[ReadLog, list[tuple[int, int]]]:
    path = tmp_path / "made.toml"
    path.write_text(definition)
    columns = RecordColumns()
    log = LogReader(read_formats([path])).read(io.BytesIO(text.encode()), columns, lambda _: False)
    return log, sorted((row["line"], row["byte_offset"]) for row in columns.to_arrow([1]).to_pylist())


def test_each_member_of_an_object_is_a_record_at_its_key(tmp_path: Path) -> None:
    members = {"a": {"size": 1, "speeds": [1, 2]}, "none": 3, "other": {"speeds": []}, "b": {"size": 2}}
    text = json.dumps(members, indent=1)

    log, places = read_as(tmp_path, MEMBERS, text)

    assert (log.format, log.scanned.records) == ("points", 2)
    assert [text[offset : offset + 3] for _, offset in places] == ['"a"', '"b"']
    assert [line for line, _ in places] == [2, 13]


def test_members_below_a_path_and_no_list_in_their_place(tmp_path: Path) -> None:
    below = MEMBERS.replace('each = "*"', 'each = "held.points.*"').replace('["*.size", "*.speeds"]', '["held.points"]')

    held, _ = read_as(tmp_path, below, '{"held": {"points": {"a": {"size": 1}, "b": {"size": 2}}, "size": 3}}')
    listed, _ = read_as(tmp_path, below, '{"held": {"points": [{"size": 1}]}}')

    assert (held.scanned.records, listed.scanned.records) == (2, 0)


@pytest.mark.parametrize(
    ("text", "format"),
    [
        ('{"factor": 2}', "alone"),
        ('{"factor": 2, "more": 1}', None),
        ('{"more": {"factor": 2}}', None),
        ('["factor"]', None),
        ('{"factor": ', None),
    ],
)
def test_a_key_that_must_stand_alone_proves_nothing_beside_others(
    tmp_path: Path, text: str, format: str | None
) -> None:
    alone = """
format = "alone"
version = 1
kind = "json"
[detect]
keys = [["factor"]]
alone = true
[[record]]
name = "factor"
kind = "parameter"
[record.json]
values = "."
"""

    assert read_as(tmp_path, alone, text)[0].format == format


def test_each_object_of_a_list_is_a_record_at_its_place(read: Read) -> None:
    text = "\n\n" + document(
        EVENT, {"cat": "cpu", "dur": "no number"}, {**EVENT, "cat": "Kernel", "name": "größe"}, EVENT
    )
    log, rows = read(text)

    assert [(row["record"], row["label"], row["clock_s"]) for row in rows] == [
        ("run", None, None), ("event", "gemm", 5.0), ("event", "größe", 5.0), ("event", "gemm", 5.0),
    ]  # fmt: skip
    for row in rows[1:]:
        at = text.encode()[row["byte_offset"] :]
        assert text.encode()[: row["byte_offset"]].count(b"\n") + 1 == row["line"]
        assert json.JSONDecoder().raw_decode(at.decode())[0]["name"] == row["label"]
    assert log.scanned.rejects == []


def test_the_unit_of_a_value_may_stand_in_another_one(read: Read) -> None:
    _, rows = read(document({**EVENT, "speed": 3.0, "unit": "images/s"}))

    assert rows[1]["stated"] == {"dur": 2.5, "speed": 3.0}
    assert rows[1]["units"] == {"dur": "s", "speed": "samples/s"}


def test_a_cut_document_keeps_what_was_whole_and_says_where_it_ends(read: Read) -> None:
    whole = document(EVENT, EVENT, EVENT)
    cut = whole[: whole.rindex('"dur"')]
    log, rows = read(cut)

    assert [row["record"] for row in rows] == ["event", "event"]
    assert len(log.scanned.rejects) == 1
    reject = log.scanned.rejects[0]
    assert reject.reason == "bad json: Expecting property name enclosed in double quotes"
    assert cut[: reject.byte_offset].rstrip().endswith(",")
    assert reject.line == cut[: reject.byte_offset].count("\n") + 1


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"made": {"version": 1}, "events": [] # none\n}', "bad json: ',' should stand here"),
        ('{"made": {"version": 1}, "events": [] "x": 1}', "bad json: ',' should stand here"),
        ('{"made": {"version": 1}, "events": []} {}', "bad json: something follows the document"),
        ('{"made": {"version": 1}, "events": [], "events": []}', "bad json: the key occurs twice"),
        (
            '{"events": [], "made": {"version": ' + "[" * 200_000 + "}",
            "bad json: a number too long, or nested too deep",
        ),
        ('{"made": {"version": ' + "9" * 5_000 + '}, "events": []}', "bad json: a number too long, or nested too deep"),
        ('{"made": {"version": 1}, "events": [1, {"cat": "kernel", "dur": x}]}', "bad json: Expecting value"),
    ],
)
def test_what_is_no_json_is_refused_and_never_mended(read: Read, text: str, reason: str) -> None:
    log, rows = read(text)

    assert (log.format, [reject.reason for reject in log.scanned.rejects], rows) == ("trace", [reason], [])


@pytest.mark.parametrize(
    ("event", "reason"),
    [
        ({"ts": "noon"}, "bad number: a step, epoch, rank or clock"),
        ({"ts": None, "name": ["gemm"]}, "bad json: the object lacks what record 'event' asks for"),
    ],
)
def test_an_object_of_wrong_types_is_a_reject_of_its_own(read: Read, event: dict[str, Any], reason: str) -> None:
    log, rows = read(document({**EVENT, **event}, EVENT))

    assert [row["record"] for row in rows] == ["run", "event"]
    assert [reject.reason.startswith(reason) for reject in log.scanned.rejects] == [True]
    assert log.scanned.rejects[0].record == "event"
    # Its text ends with the object: to redact what follows too would cost time for each reject.
    assert json.loads(log.scanned.rejects[0].text) == {**EVENT, **event}


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ('"dur": 1' + "0" * 400, OUT_OF_RANGE), ('"dur": 1e400', OUT_OF_RANGE), ('"dur": 1e-400', OUT_OF_RANGE),
        ('"dur": 5, "dur": 6', TWO_KEYS),
    ],
)  # fmt: skip
def test_a_member_with_a_number_or_key_that_cannot_be_stored_is_a_reject_of_its_own(
    read: Read, change: str, reason: str
) -> None:
    log, rows = read(document(EVENT, EVENT).replace('"dur": ', f'{change}, "was": ', 1))

    assert [row["record"] for row in rows] == ["run", "event"]
    assert [(reject.record, reject.reason) for reject in log.scanned.rejects] == [("event", reason)]


def test_bytes_that_are_no_utf8_are_kept_as_escapes(read: Read) -> None:
    _, rows = read(document(EVENT).encode().replace(b"gemm", b"ge\xffmm"))

    assert rows[1]["label"] == "ge\\udcffmm"


INDEX = (
    '{"model_name": "x_bs8_fp32", "run_mode": "sp", "gpu_num": 1, "index": 1, "FINAL_RESULT": 5, "JOB_FAIL_FLAG": 0}'
)


def test_program_output_may_stand_around_a_document_that_allows_it() -> None:
    found = find(f"average latency\n  {{5}}\n{INDEX}\nbye {{}}\n")

    assert (found.log.format, found.rejects) == ("paddle-index", [])
    assert [(row["record"], row["line"]) for row in found.rows] == [("case", 3), ("speed", 3)]


@pytest.mark.parametrize("text", ["a\n{ x\n" + INDEX[:-5], f"loss {INDEX}\n", "x\n{}\n" + INDEX])
def test_a_brace_amid_output_is_not_enough(text: str) -> None:
    assert find(text).log.status == "unrecognised"


def test_of_two_documents_in_one_file_neither_is_taken_for_the_other() -> None:
    found = find(f"{INDEX}\n{INDEX}\n")

    assert (found.rows, found.rejects) == ([], ["bad json"])


def test_a_control_character_in_a_name_breaks_no_document(read: Read) -> None:
    log, rows = read(document({**EVENT, "name": "ge\tmm"}).replace("\\t", "\t"))

    assert ([row["label"] for row in rows[1:]], log.scanned.rejects) == (["ge\tmm"], [])


def test_a_byte_order_mark_is_no_part_of_a_document(read: Read) -> None:
    log, rows = read(b"\xef\xbb\xbf" + document(EVENT).encode())

    assert (log.format, len(rows)) == ("trace", 2)


def test_a_document_that_is_too_large_is_one_reject(read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_reader, "DOCUMENT_LIMIT", 50)
    log, rows = read(document(EVENT))

    assert [reject.reason for reject in log.scanned.rejects] == [
        "too large: a document of more than 512 MiB is not read"
    ]
    assert (rows, log.lines) == ([], document(EVENT).count("\n") + 1)


def test_no_record_at_all_is_no_mistake(read: Read) -> None:
    log, rows = read(document())

    assert [row["record"] for row in rows] == ["run"]
    assert log.scanned.rejects == []
