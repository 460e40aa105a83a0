"""The native scanner, and the search for literals before the reference reader, find what the reference reader finds, on whatever a log may hold."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from benchledger.scanning import content, log_reader
from benchledger.scanning.log_reader import LogReader
from benchledger.scanning.samples import load_formats
from tests.scanning.reading import Found, assert_conserved, read_by_reference, read_by_scanner, readers

FORMAT = "ngc-pytorch-bert"
PROOF = b"DLL 2021-05-23 10:58:40.494617 -  training_sequences_per_second : 1.5  raw_train_time : 2.0 \n"
EXAMPLES = settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])

ODD_NUMBERS = [
    "nan", "NaN", "-inf", "1.", ".5", "+3", "-0", "-0.0", "007", "1e-05", "1E5", "1e400", "1e-400", "None", "null",
    "127.0.0.1", "0/3", "1,234", "12345678901234567890", "9" * 70, "0." + "1" * 30, "5.5.", "5-6", "1:02:03", "'5.5'",
    "5e", "5s", "0.1K", "7 %", "7 samples/s", "True", "[1,  2]", "x y", "", "½",
]  # fmt: skip
ODD_TIMES = [
    "2021-02-29 00:00:00.000000", "2020-02-29 00:00:00.000000", "2021-04-31 10:00:00.000000", "2021-12-31 23:59:59.999999",
    "2021-13-01 00:00:00.000000", "2021-01-01 24:00:00.000000", "2021-01-01 00:00:60.000000", "0999-01-01 00:00:00.000000",
    "2021/05/23 10:58:40.494617", "2021-05-23T10:58:40.494617", "2021-05-23 10:58:40,494617", "2021-05-23 10:58:40",
    "2021-05-23 10:58:40.4946171",
]  # fmt: skip
LEADS = [
    "", "", "", "", "[1,3]<stdout>:", "12: ", "[Rank 7] ", "99999999999: ", "who knows ", "\x1b[32m", "16-bits training: ",
    "Iteration:  61%|██████▏   | 2111/3443 [08:49<05:35,  3.97it/s]", "DLL 20", "DLL ", "device: ",
]  # fmt: skip
TEMPLATES = [
    "DLL {t} - Training Epoch: {i} Training Iteration: {i}  step_loss : {n} None learning_rate : {n} ",
    "DLL {t} - Training Epoch: {i} Training Iteration: {i}  average_loss : {n}  step_loss : {n}",
    "DLL {t} - Epoch: {i} Iteration: {i}  train.loss : {n}  train.ips : {n} images/s train.lr : {n} ",
    "DLL {t} - ({i}, {i}) total_ips : {n} ",
    "DLL {t} - ({i}, {i}) total_ips : {n} K samples/s",
    "DLL {t} - PARAMETER batch_size_per_gpu : {n} ",
    "DLL {t} - PARAMETER Config : [\"Namespace(lr={n}, fp16=True, name='a, b', max_steps={n})\"]",
    "DLL {t} - PARAMETER loss_scale : {n}  name : text",
    "DLL {t} -  e2e_train_time : {n} training_sequences_per_second : {n} final_loss : {n} ",
    "DLL {t} -  e2e_train_time : {n}  training_sequences_per_second : {n}  final_loss : {n} ",
    "DLL {t} - () train_throughput : {n} images/s",
    "DLL {t} - Summary: train.loss : {n} None val.top1 : {n} %",
    "device: cuda:{i} n_gpu: {i}, distributed training: True, 16-bits training: False",
    "RuntimeError: CUDA out of memory. Tried to allocate {n} MiB",
    "Traceback (most recent call last):",
    "slurmstepd: error: Detected {n} oom-kill event(s)",
    "noise {n}",
    "",
]

usual_numbers = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.floats(0, 1e4).map(lambda number: f"{number:.4f}"),
    st.integers(-5, 10**6).map(str),
)
numbers = st.one_of(usual_numbers, usual_numbers, usual_numbers, st.sampled_from(ODD_NUMBERS))
usual_times = st.datetimes().map(lambda time: f"{time:%Y-%m-%d %H:%M:%S}.{time.microsecond:06d}")
times = st.one_of(usual_times, usual_times, usual_times, st.sampled_from(ODD_TIMES))


@st.composite
def lines(draw: st.DrawFn) -> bytes:
    line = draw(st.sampled_from(TEMPLATES))
    for hole, filling in (("{t}", times), ("{i}", st.one_of(st.integers(0, 9999).map(str), numbers)), ("{n}", numbers)):
        while hole in line:
            line = line.replace(hole, draw(filling), 1)
    return (draw(st.sampled_from(LEADS)) + line).encode()


@st.composite
def damaged_lines(draw: st.DrawFn) -> bytes:
    line = draw(lines())
    match draw(st.sampled_from(["cut", "head cut", "byte", "insert", "glue", "double", "swap"])):
        case "cut":
            return line[: draw(st.integers(0, len(line)))]
        case "head cut":
            return line[draw(st.integers(0, len(line))) :]
        case "byte":
            at = draw(st.integers(0, len(line)))
            return line[:at] + draw(st.binary(min_size=1, max_size=2)) + line[at + 1 :]
        case "insert":
            at = draw(st.integers(0, len(line)))
            return (
                line[:at]
                + draw(st.sampled_from([b" ", b"\t", b"\r", b"\x1b[0m", b"5", b".", b"DLL ", b"  "]))
                + line[at:]
            )
        case "glue":
            return line + draw(lines())
        case "double":
            at = draw(st.integers(0, len(line)))
            return line[:at] + line
        case _:
            return line.replace(b" ", b"  ", draw(st.integers(1, 3)))


# Most lines are sound, else no layout is met twice.
log_lines = st.one_of(lines(), lines(), lines(), damaged_lines())
line_ends = st.sampled_from([b"\n", b"\n", b"\n", b"\r\n", b"\r", b"\n\r", b"\n\n"])


@st.composite
def logs(draw: st.DrawFn) -> bytes:
    parts = draw(st.lists(st.tuples(log_lines, line_ends), max_size=25))
    return PROOF + b"".join(line + end for line, end in parts) + draw(st.one_of(st.just(b""), log_lines))


@st.composite
def dense_logs(draw: st.DrawFn) -> bytes:
    kind = draw(st.sampled_from(TEMPLATES[:12]))
    written = []
    for _ in range(draw(st.integers(3, 12))):
        line = kind
        for hole, filling in (("{t}", times), ("{i}", st.integers(0, 9999).map(str)), ("{n}", numbers)):
            while hole in line:
                line = line.replace(hole, draw(filling), 1)
        written.append(draw(st.sampled_from(LEADS)).encode() + line.encode() + draw(line_ends))
    return PROOF + b"".join(written)


def both() -> list[LogReader]:
    return readers({FORMAT: load_formats()[FORMAT]})


def assert_same(by: list[LogReader], log: bytes) -> None:
    expected = read_by_reference(load_formats()[FORMAT], log)
    for one in by:
        assert_found(one, log, expected)


def assert_found(by: LogReader, log: bytes, expected: Found) -> None:
    found, read = read_by_scanner(by, log)

    assert read.status == "loaded"
    assert read.lines == log.count(b"\n") + (log[-1:] != b"\n")
    assert found.rows == expected.rows
    assert found.rejects == expected.rejects
    assert found.ignored == expected.ignored
    assert found.pieces == expected.pieces
    assert found.segments == expected.segments
    assert_conserved(found)


@EXAMPLES
@given(logs())
def test_on_logs_of_mixed_lines(log: bytes) -> None:
    assert_same(both(), log)


@EXAMPLES
@given(dense_logs())
def test_on_logs_of_many_like_lines(log: bytes) -> None:
    assert_same(both(), log)


@EXAMPLES
@given(st.lists(st.one_of(logs(), dense_logs()), min_size=2, max_size=4))
def test_with_layouts_that_other_logs_had(several: list[bytes]) -> None:
    by = both()
    for log in several:
        assert_same(by, log)


@EXAMPLES
@given(st.one_of(logs(), dense_logs()), st.integers(600, 1500), st.integers(1, 1500))
def test_in_many_small_buffers(log: bytes, chunk: int, part: int) -> None:
    # A line that is longer than a buffer is one reject, which is tested below.
    assume(max(map(len, log.replace(b"\r", b"\n").split(b"\n"))) < chunk)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(log_reader, "CHUNK", chunk)
        patch.setattr(content, "PART", part)
        assert_same(both(), log)


@pytest.mark.parametrize("part", [1, 100, 2000])
@pytest.mark.parametrize("by", both(), ids=["python", "native"][: len(both())])
def test_a_line_longer_than_a_buffer_is_one_reject_and_the_next_line_is_read(
    monkeypatch: pytest.MonkeyPatch, by: LogReader, part: int
) -> None:
    monkeypatch.setattr(log_reader, "CHUNK", 1024)
    monkeypatch.setattr(content, "PART", part)
    log = PROOF + b"DLL 20" * 1000 + b"\n" + PROOF + b"x" * 5000 + b"\r\n" + PROOF

    found, read = read_by_scanner(by, log)

    assert [row["line"] for row in found.rows] == [1, 3, 5]
    assert [(reject.line, reject.byte_offset, reject.reason[:8]) for reject in found.rejects] == [
        (2, len(PROOF), "too long")
    ]
    assert (read.lines, read.bytes, found.pieces) == (5, len(log), 4)


@pytest.mark.parametrize("end", [b"", b"\n", b"\r", b"\r\n"])
@pytest.mark.parametrize("chunk", range(len(PROOF) + 1, len(PROOF) + 9))
@pytest.mark.parametrize("part", [10, 1000])
def test_a_buffer_may_end_anywhere(monkeypatch: pytest.MonkeyPatch, end: bytes, chunk: int, part: int) -> None:
    monkeypatch.setattr(log_reader, "CHUNK", chunk)
    monkeypatch.setattr(content, "PART", part)

    assert_same(both(), PROOF + PROOF.rstrip() + b"\r\n" + PROOF.rstrip() + end)
