"""Clocks without a year, Unix times, units of a whole record, and what one record says of those after it."""

from __future__ import annotations

import io
from datetime import datetime
from pathlib import Path

import pytest

from benchledger.definitions.format_file import read_formats
from benchledger.definitions.log_format import LogFormat
from benchledger.ingestion.base_tables import LogRows
from benchledger.redaction.redactor import Redactor
from benchledger.redaction.samples import known_redaction
from benchledger.scanning.columns import RecordColumns
from benchledger.scanning.lines import LineReader
from benchledger.scanning.log_reader import LogReader
from benchledger.scanning.statements import SegmentCollector
from benchledger.scanning.values import to_stamp, to_unix_time
from tests.scanning.reading import (
    MEGATRON,
    line_format,
    one_record,
    read_by_reference,
    read_by_scanner,
    units_of,
    values_of,
)

DAY = 86_400


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        (b"0101 00:00:00", 0),
        (b"0102 01:02:03.5", DAY + 3723.5),
        # The year is not said: February has 29 days, so that each day has a place.
        (b"0229 00:00:00.000000", 59 * DAY),
        (b"0301 00:00:00.000000", 60 * DAY),
        (b"1231 23:59:59", 366 * DAY - 1),
        (b"0230 00:00:00", None),
        (b"1301 00:00:00", None),
        (b"0000 00:00:00", None),
    ],
)
def test_a_stamp_without_a_year_counts_from_the_year_s_start(text: bytes, seconds: float | None) -> None:
    assert to_stamp(text) == seconds


def test_unix_time_is_utc_to_the_microsecond() -> None:
    assert to_unix_time(b"1598056519.8844702") == datetime(2020, 8, 22, 0, 35, 19, 884470)
    assert to_unix_time(b"1598056519") == datetime(2020, 8, 22, 0, 35, 19)


def test_a_step_may_be_dated_by_unix_time(tmp_path: Path) -> None:
    made = one_record(tmp_path, "step: {step:int}, loss: {loss:float} {logged_at:unix}")

    rows = LineReader(made).read(b"step: 19, loss: 8.5 1598056519.5\nstep: 20, loss: 8.5 12\n").rows

    assert [(row.columns["step"], row.columns["logged_at"]) for row in rows] == [
        (19, datetime(2020, 8, 22, 0, 35, 19, 500000))
    ]


def test_a_day_that_does_not_exist_is_a_reject(tmp_path: Path) -> None:
    made = one_record(tmp_path, "at {clock_s:stamp} step {step:int}")

    pieces = LineReader(made).read(b"at 0230 10:00:00 step 5\nat 0228 10:00:00 step 6\n")

    assert [reject.reason.split(":")[0] for reject in pieces.rejects] == ["no such time"]
    assert [row.columns["clock_s"] for row in pieces.rows] == [58 * DAY + 36_000]


def test_a_field_may_scale_what_is_logged_without_a_unit(tmp_path: Path) -> None:
    field = '[[field]]\nname = "ms"\nquantity = "step_time"\nunit = ["s", 0.001]\n'
    record = '[[record]]\nname = "step"\nkind = "step"\ntemplates = ["step {step:int} took {ms:float}"]\n'
    made = line_format(tmp_path, record + field)

    (row,) = LineReader(made).read(b"step 5 took 250\n").rows

    assert values_of(row) == {"ms": 0.25}
    assert row.layout.values[0].unit == "s"


PHASES = """
[detect]
proof = [["speed is "]]
[[record]]
name = "train"
kind = "summary"
begins_phase = "train"
templates = ["training took {s:float}"]
[[record]]
name = "evaluate"
kind = "summary"
begins_phase = "inference"
templates = ["evaluation took {s:float}"]
[[record]]
name = "speed"
kind = "summary"
phase = "current"
templates = ["speed is {speed:float}"]
"""


def phases(made: LogFormat, log: bytes) -> list[str | None]:
    return [row.layout.values[0].phase for row in LineReader(made).read(log).rows if row.layout.record.name == "speed"]


def test_the_same_words_mean_the_phase_that_was_begun(tmp_path: Path) -> None:
    made = line_format(tmp_path, PHASES)
    log = b"speed is 5\nevaluation took 3\nspeed is 5\nspeed is 5\ntraining took 3\nspeed is 5\n"

    assert phases(made, log) == ["train", "inference", "inference", "train"]


def test_a_phase_ends_with_its_log_and_both_readers_agree(tmp_path: Path) -> None:
    made = line_format(tmp_path, PHASES)
    reader = LogReader({"made": made})
    log = b"speed is 5\nspeed is 5\nspeed is 6\nevaluation took 3\nspeed is 5\n" * 3

    for _ in range(2):
        found, read = read_by_scanner(reader, log)

        assert read.format == "made"
        assert found == read_by_reference(made, log)


def test_a_word_start_is_no_part_of_a_longer_word(tmp_path: Path) -> None:
    record = (
        '[[record]]\nname = "size"\nkind = "parameter"\nword_start = true\ntemplates = ["world_size .{*} {size:int}"]'
    )
    made = line_format(tmp_path, record)

    rows = LineReader(made).read(b"  world_size ....... 8\n  active_world_size .. 2\n1: world_size . 4\n").rows

    assert [values_of(row)["size"] for row in rows] == [8, 4]


@pytest.mark.parametrize("colour", [b"\x1b[0m", b"\x1b[m", b"\x1b[32m", b"\x1b[01;32m", b"\x1b[K", b"\x1b[0m\x1b[1m"])
def test_a_word_starts_behind_a_colour_too(tmp_path: Path, colour: bytes) -> None:
    record = '[[record]]\nname = "size"\nkind = "parameter"\nword_start = true\ntemplates = ["batch_size: {size:int}"]'
    made = line_format(tmp_path, '[detect]\nproof = [["batch_size: "]]\n' + record)
    log = b"".join([colour, b"batch_size: 8\x1b[0m\n", colour, b"_batch_size: 4\n", b"32mbatch_size: 2\n"])

    assert [values_of(row)["size"] for row in LineReader(made).read(log).rows] == [8]
    assert read_by_scanner(LogReader({"made": made}), log)[0] == read_by_reference(made, log)


def test_a_record_without_values_may_state_a_fact(tmp_path: Path) -> None:
    record = '[[record]]\nname = "xla"\nkind = "parameter"\ntemplates = ["XLA activated"]\n'
    made = line_format(tmp_path, record + '[[fact]]\nname = "options.xla"\nfrom = "xla"\nalways = "true"\n')
    notes = SegmentCollector()
    for row in LineReader(made).read(b"XLA activated\nXLA activated\n").rows:
        notes.add(row, made)
    notes.close()

    assert [(said.name, said.value) for said in notes.segments[0].statements] == [("options.xla", "true")]


JOINED = """
[[record]]
name = "argument"
kind = "parameter"
templates = ["layers = {layers:int}", "hidden = {hidden:int}"]
[[record]]
name = "gpt"
kind = "parameter"
templates = ["building GPT"]
[[fact]]
name = "model"
from = ["gpt", "layers", "hidden"]
values = { "gpt, 24, 1024" = "gpt2_345m" }
"""


@pytest.mark.parametrize(
    ("log", "models"),
    [
        (b"hidden = 1024\nbuilding GPT\nlayers = 24\n", ["gpt2_345m"]),
        (b"hidden = 1024\nlayers = 24\n", []),
        (b"hidden = 1024\nbuilding GPT\nlayers = 12\n", []),
    ],
)
def test_several_values_together_tell_one_fact(tmp_path: Path, log: bytes, models: list[str]) -> None:
    made = line_format(tmp_path, JOINED)
    notes = SegmentCollector()
    for row in LineReader(made).read(log).rows:
        notes.add(row, made)
    notes.close()

    assert [said.value for said in notes.segments[0].statements] == models


@pytest.mark.parametrize(("log", "gpus"), [(b"layers = 8\nhidden = 4\n", ["32"]), (b"layers = 8\n", [])])
def test_a_fact_may_be_a_product(tmp_path: Path, log: bytes, gpus: list[str]) -> None:
    fact = '[[fact]]\nname = "gpus"\nfrom = "layers * hidden"\n'
    made = line_format(tmp_path, JOINED + fact)
    notes = SegmentCollector()
    for row in LineReader(made).read(log).rows:
        notes.add(row, made)
    notes.close()

    assert [said.value for said in notes.segments[0].statements] == gpus


@pytest.mark.parametrize(
    ("log", "gpus"),
    [
        (b"layers = 8\nhidden = 4\n", ["2"]),
        (b"layers = 8\nhidden = 3\n", []),
        (b"layers = 8\nhidden = 0\n", []),
        (b"layers = 8\n", []),
    ],
)
def test_a_fact_may_be_a_quotient_that_is_whole(tmp_path: Path, log: bytes, gpus: list[str]) -> None:
    fact = '[[fact]]\nname = "gpus"\nfrom = "layers / hidden"\n'
    made = line_format(tmp_path, JOINED + fact)
    notes = SegmentCollector()
    for row in LineReader(made).read(log).rows:
        notes.add(row, made)
    notes.close()

    assert [said.value for said in notes.segments[0].statements] == gpus


def test_a_fact_may_be_what_is_stated_most_often(tmp_path: Path) -> None:
    record = '[[record]]\nname = "step"\nkind = "step"\ntemplates = ["samples {n:float}"]\n'
    made = line_format(tmp_path, record + '[[fact]]\nname = "batch_size_per_gpu"\nfrom = "n"\nusual = true\n')
    notes = SegmentCollector()
    for row in LineReader(made).read(b"samples 32.0\nsamples 64.0\nsamples 64.0\nsamples None\n").rows:
        notes.add(row, made)
    notes.close()

    assert [said.value for said in notes.segments[0].statements] == ["64"]


def test_a_record_may_give_its_scope_to_what_it_measures(tmp_path: Path) -> None:
    record = '[[record]]\nname = "step"\nkind = "step"\nscope = "global"\ntemplates = ["speed {speed:float} lr {lr:float}"]\n'
    made = line_format(tmp_path, record + '[[field]]\nname = "speed"\nquantity = "throughput"\n')

    (row,) = LineReader(made).read(b"speed 5 lr 0.1\n").rows

    assert [(value.name, value.scope) for value in row.layout.values] == [("speed", "global"), ("lr", None)]


def test_a_record_may_give_its_unit_to_all_values_that_log_none(tmp_path: Path) -> None:
    record = '[[record]]\nname = "timers"\nkind = "summary"\nunit = ["s", 0.001]\ntemplates = ["time | {pairs}"]\n'
    field = '[[field]]\nname = "memory"\nunit = "MiB"\n'
    made = line_format(tmp_path, MEGATRON + "\n" + record + field)

    (row,) = LineReader(made).read(b"time | forward: 250 | backward: 2 s | memory: 5\n").rows

    assert values_of(row) == {"forward": 0.25, "backward": 2, "memory": 5}
    assert units_of(row) == {"forward": "s", "backward": "s", "memory": "MiB"}


@pytest.mark.parametrize(("header", "is_expected"), [(b"", False), (b"batch 32\n", True)])
def test_an_extract_of_a_log_is_not_asked_for_its_end(tmp_path: Path, header: bytes, is_expected: bool) -> None:
    path = tmp_path / "made.toml"
    path.write_text(
        """
format = "made"
version = 1
closing = "speed"
closing_after = "parameter"
[detect]
proof = [["step "]]
[[record]]
name = "batch"
kind = "parameter"
templates = ["batch {size:int}"]
[[record]]
name = "step"
kind = "step"
templates = ["step {step:int}"]
[[record]]
name = "end"
kind = "summary"
templates = ["speed {speed:float}"]
""",
        encoding="utf-8",
    )
    formats = read_formats([path])
    read = LogReader(formats).read(io.BytesIO(header + b"step 1\nstep 2\n"), RecordColumns(), lambda _: False)
    rows = LogRows(formats, "", Redactor(known_redaction(), b"k" * 32))
    rows.add(read)

    assert rows.to_arrow()["segment"].column("expects_closing").to_pylist() == [is_expected]
