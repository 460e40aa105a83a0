"""The native scanner: its numbers are Python's, it takes the usual lines alone, and refuses programs that are unsound."""

from __future__ import annotations

import io
import math
import struct
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from benchledger.scanning import native_scanner
from benchledger.scanning.columns import RecordColumns
from benchledger.scanning.layout import Layouts
from benchledger.scanning.leads import LeadReader
from benchledger.scanning.log_reader import LogReader
from benchledger.scanning.native_program import compiled_format
from benchledger.scanning.samples import load_formats
from benchledger.scanning.scanner import Scanner
from tests.proportion import assert_in_proportion
from tests.scanning.reading import PADDLE, one_record, read_by_reference, read_by_scanner

pytestmark = pytest.mark.skipif(not native_scanner.is_available(), reason="the extension was not compiled here")

if native_scanner.is_available():
    from benchledger.scanning import _native

FORMAT = "ngc-pytorch-bert"
STEP = b"DLL 2021-05-23 10:58:40.494617 - Training Epoch: 0 Training Iteration: %d  step_loss : %d.25  learning_rate : 1e-05 \n"


@pytest.fixture(autouse=True)
def asked_anew() -> Iterator[None]:
    native_scanner.unavailable_reason.cache_clear()
    yield
    native_scanner.unavailable_reason.cache_clear()


def bits(number: float) -> bytes:
    return struct.pack("<d", number)


digits = st.text("0123456789", min_size=1, max_size=25)
written = st.builds(
    lambda sign, whole, dot, fraction, exponent: sign + whole + (dot and dot + fraction) + exponent,
    st.sampled_from(["", "-", "+"]), digits, st.sampled_from(["", "."]), digits,
    st.one_of(st.just(""), st.integers(-400, 400).map(lambda power: f"e{power}")),
)  # fmt: skip


@settings(max_examples=2000, deadline=None)
@given(st.one_of(st.floats(allow_nan=False).map(repr), st.floats(-1e3, 1e3).map(lambda x: f"{x:.12f}"), written))
@example("9007199254740993")
@example("9007199254740993.0000000000000001")
@example("1.7976931348623159e308")
@example("4.9406564584124654e-324")
@example("0.1000000000000000055511151231257827")
@example("9.999999999999999e-05")
@example("1e23")
@example("-0")
def test_a_number_is_that_of_python_to_the_last_bit(text: str) -> None:
    number, expected = _native.number(text.encode()), float(text)
    if number is None:
        # The reference reader decides.
        assert not 1e-290 < abs(expected) < 1e290
    else:
        assert bits(number or 0.0) == bits(expected or 0.0)


@pytest.mark.parametrize("text", ["nan", "-inf", "Infinity", "NaN"])
def test_numbers_in_words(text: str) -> None:
    found = _native.number(text.encode())

    assert found is not None
    assert repr(found) == repr(float(text))


def test_a_format_of_steps_also_coloured_goes_to_the_reference_reader_for_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Else every test of equality would compare the reference with itself.
    reader = LogReader({FORMAT: load_formats()[FORMAT]}, native=True)
    log = b"".join(
        b"\x1b[32m" * (step % 2) + (STEP % (step, step)).replace(b" : 1e", b" : \x1b[1m1e") for step in range(50)
    )
    reader._scanner(load_formats()[FORMAT])
    monkeypatch.setattr(reader._scanners[FORMAT].reader, "read_subline", lambda *args: pytest.fail(repr(args)))

    found, _ = read_by_scanner(reader, log)

    assert [row["step"] for row in found.rows] == list(range(50))
    assert found.rows[7]["values"] == ["7.25", "1e-05"]


RUN = (
    b"device: cuda:0 n_gpu: 1, distributed training: True, 16-bits training: True\n"
    b"Iteration: 61%%|####| 2111/3443 [08:49<05:35,  3.97it/s]DLL 2021-05-23 10:58:40 - PARAMETER Config : "
    b"[\"Namespace(lr=%d, betas=[0.9, 0.997], fp16=True, name='a, b', max_steps=7)\"]\n"
)


def test_what_begins_runs_lists_in_settings_and_dates_before_records_need_no_reference_reader(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    format_ = load_formats()[FORMAT]
    log = b"".join(RUN % run + b"2021-05-%02d 10:58:40,123 - INFO - " % run + STEP % (1, 1) for run in range(10, 20))
    expected = read_by_reference(format_, log)
    reader = LogReader({FORMAT: format_}, native=True)
    monkeypatch.setattr(reader._scanner(format_).reader, "read_subline", lambda *args: pytest.fail(repr(args)))
    leads = LeadReader.read
    monkeypatch.setattr(LeadReader, "read", lambda self, lead: pytest.fail(repr(lead)) if lead else leads(self, lead))

    found, _ = read_by_scanner(reader, log)

    assert found == expected
    assert len(found.segments) == 10


def test_what_begins_a_phase_needs_no_reference_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    format_ = load_formats()["gluon-nlp-bert-pretrain"]
    samples = [sample.text.strip() for sample in format_.samples if "Namespace" not in sample.text]
    log = "\n".join(samples * 2).encode()
    assert b"Running evaluation" in log
    expected = read_by_reference(format_, log)
    reader = LogReader({format_.name: format_}, native=True)
    monkeypatch.setattr(reader._scanner(format_).reader, "read_subline", lambda *args: pytest.fail(repr(args)))

    found, _ = read_by_scanner(reader, log)

    assert found == expected
    assert len(found.rows) > len(samples)


def test_a_line_that_only_the_reference_reader_knows_keeps_its_place_among_the_others() -> None:
    format_ = load_formats()[FORMAT]
    log = b"".join(STEP % (n, n) + b"DLL 2021-05-23 10:58:40 - () a : %d what is left\xff\n" % n for n in range(9))

    found, _ = read_by_scanner(LogReader({FORMAT: format_}, native=True), log)

    assert found == read_by_reference(format_, log)
    assert [row["note"] for row in found.rows if row["note"]] == ["what is left\\xff"] * 9


def test_what_one_record_of_a_line_was_is_forgotten_when_another_goes_to_the_reference_reader() -> None:
    format_ = load_formats()[FORMAT]
    log = STEP % (1, 1) + STEP.rstrip() % (2, 2) + STEP.rstrip() % (3, 3) + b" and a note\xff\n" + STEP % (4, 4)

    found, _ = read_by_scanner(LogReader({FORMAT: format_}, native=True), log)

    assert found == read_by_reference(format_, log)


def test_rows_may_be_taken_twice() -> None:
    reader, columns = LogReader({FORMAT: load_formats()[FORMAT]}, native=True), RecordColumns()
    for number in range(2):
        columns.log = number
        reader.read(io.BytesIO(STEP % (number, number)), columns, lambda _: False)
        columns.layouts()

    assert sorted(columns.to_arrow([10, None]).column("log_id").to_pylist()) == [10]


def test_a_line_of_the_reference_reader_keeps_its_place_among_the_rows_of_the_native_scanner() -> None:
    reader, columns = LogReader({FORMAT: load_formats()[FORMAT]}, native=True), RecordColumns()
    by_reference = b"DLL 2021-05-23 10:58:40 - () a : 1 what is left\xff\n"
    log = b"".join(STEP % (n, n) + by_reference * (n % 200 == 7) for n in range(500))
    for number in range(2):
        columns.log = number
        reader.read(io.BytesIO(log[number:]), columns, lambda _: False)
        columns.layouts()

    rows = columns.to_arrow([10, 11])

    # In one piece: to send hundreds to another process doubles the time of an ingest.
    assert rows.column("line").num_chunks == 1
    places = list(zip(rows.column("log_id").to_pylist(), rows.column("byte_offset").to_pylist(), strict=True))
    assert len(places) > 1000
    assert places == sorted(places)


def test_readers_of_their_own_read_in_threads_what_one_reads_after_the_other() -> None:
    # Each log has layouts that no other has, so that all threads number layouts at once.
    value = b"DLL 2021-05-23 10:58:40 - () value_%d_%d : 1.5 \n"
    logs = [b"".join(value % (log, n % 40) + STEP % (n, n) for n in range(2000)) for log in range(6)]
    formats = {FORMAT: load_formats()[FORMAT]}

    with ThreadPoolExecutor(6) as pool:
        together = list(pool.map(lambda log: read_by_scanner(LogReader(formats, native=True), log)[0], logs))

    assert together == [read_by_scanner(LogReader(formats, native=False), log)[0] for log in logs]


def test_programs_that_are_cut_or_changed_are_refused() -> None:
    blob = compiled_of(FORMAT)
    assert _native.Program(blob)

    for changed in (b"", blob[:-1], blob + b"x", b"x" + blob[1:], blob[: len(blob) // 2]):
        with pytest.raises(ValueError, match="no sound program"):
            _native.Program(changed)


def compiled_of(name: str) -> bytes:
    log_format = load_formats()[name]
    compiled = compiled_format(log_format, Layouts(log_format).unit_tokens)
    assert compiled is not None
    return compiled.blob


def test_a_scan_goes_forward_only_and_not_behind_its_end() -> None:
    scan = _native.Scan(_native.Program(compiled_of(FORMAT)), _native.Rows(), b"x" * 10, 8, 0, 1, 0)
    scan.skip(8)

    for place in (7, 9):
        with pytest.raises(ValueError, match="forward only"):
            scan.skip(place)
    with pytest.raises(ValueError, match="outside of the buffer"):
        _native.Scan(_native.Program(compiled_of(FORMAT)), _native.Rows(), b"x" * 10, 11, 0, 1, 0)


def test_no_shipped_format_of_lines_is_left_to_the_reference_reader() -> None:
    formats = [found for found in load_formats().values() if found.kind == "lines" and found.detectable]

    assert [found.name for found in formats if native_scanner.native_scanner(found) is None] == []


@pytest.mark.parametrize(
    "log",
    [
        b"step 1 loss: 5\r" * 200_000,
        b"step 1 loss: 5" * 200_000,
        b"step 1 " + b"loss: (" * 9_000 + b"\n",
        b"step 1 " + b"a: 1 | " * 9_000 + b"\n",
        (b"step 1 " + b"a: 1, " * 900 + b"\n") * 40,
        b"step " * 500_000,
        b"\n" * 3_000_000 + b"step 1 loss: 5",
    ],
    ids=["returns", "glued", "open brackets", "other dividers", "many values", "beginnings", "empty lines"],
)
def test_hostile_lines_cost_time_in_proportion_to_their_bytes(tmp_path: Path, log: bytes) -> None:
    log_format = one_record(tmp_path, "step {step:int} {pairs}", PADDLE)

    def scan(text: bytes) -> None:
        scanner = native_scanner.NativeScanner(log_format)
        scanner.scan(text, len(text), 0, 1, native_scanner.ScannedLog(), RecordColumns())

    assert_in_proportion(scan, log[: len(log) // 8], log, floor_s=0.0005)


def test_without_the_extension_the_reference_reader_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native_scanner, "_native", None)
    reader = LogReader({FORMAT: load_formats()[FORMAT]})

    found, _ = read_by_scanner(reader, STEP % (1, 1))

    assert len(found.rows) == 1
    assert type(reader._scanners[FORMAT]) is Scanner
    assert not math.isnan(float(found.rows[0]["values"][0]))


def test_an_extension_of_other_sources_is_not_used_and_says_what_cures_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_native, "STAMP", "python 0123456789abcdef; c 0123456789abcdef")
    monkeypatch.delenv("BENCH_SCANNER", raising=False)

    assert "make native" in (native_scanner.missing_reason() or "")
    assert not native_scanner.is_available()
    assert native_scanner.native_scanner(load_formats()[FORMAT]) is None

    monkeypatch.setenv("BENCH_SCANNER", "python")
    assert native_scanner.missing_reason() is None


def test_an_extension_that_cannot_be_loaded_is_told_from_one_that_is_not_there() -> None:
    not_there = ImportError("cannot import name '_native' from 'benchledger.scanning'")
    broken = ImportError("/lib/libc.so.6: version `GLIBC_2.38' not found")

    assert native_scanner.why_missing(not_there) == native_scanner.NOT_COMPILED
    assert "cannot be loaded: /lib/libc.so.6: version `GLIBC_2.38' not found. Cure:" in native_scanner.why_missing(
        broken
    )
