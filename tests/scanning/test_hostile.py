"""Lines made to be slow cost time in proportion to their length."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest

from benchledger.scanning import rows
from benchledger.scanning.columns import RecordColumns
from benchledger.scanning.detection import Detector
from benchledger.scanning.lines import LineReader
from benchledger.scanning.log_reader import LogReader
from benchledger.scanning.samples import load_formats
from tests.proportion import assert_in_proportion
from tests.scanning.reading import PADDLE, one_record, read_by_scanner

# Both beyond 64 KiB, since longer lines take another way through the reader.
SHORT, LONG = 80_000, 640_000

HEAD = b"DLL 2021-01-01 00:00:00.000000 - "
PROOF = HEAD + b" training_sequences_per_second : 1.5  raw_train_time : 2.0 \n"
JSON_PROOF = b'DLLL {"datetime": "2026-11-21 03:50:21.7", "step": [], "data": {"training_sequences_per_second": 7}}\n'
CONFIG = HEAD + b'PARAMETER Config : ["Namespace('
STEP = HEAD + b"Training Epoch: 0 Training Iteration: 7  step_loss : "


def repeated(part: bytes) -> Callable[[int], bytes]:
    return lambda length: part * (length // len(part))


def after(start: bytes, part: bytes) -> Callable[[int], bytes]:
    return lambda length: start + part * (length // len(part))


HOSTILE: dict[str, Callable[[int], bytes]] = {
    "heads": repeated(HEAD),
    "records glued together": repeated(HEAD + b"() x : 5"),
    "heads of devices": repeated(b"device: "),
    "anchors": repeated(b"DLL 20"),
    "first literals": repeated(b"DLL "),
    "carriage returns": repeated(b"\r"),
    "records between carriage returns": repeated(PROOF.rstrip() + b"\r"),
    "leads between carriage returns": repeated(b"3: " + PROOF.rstrip() + b"\r"),
    "digits": repeated(b"7"),
    "digits of a value": after(STEP, b"7"),
    "digits and dots": after(STEP, b"7."),
    "blanks": repeated(b" "),
    "blanks of a value": after(STEP, b" "),
    "blanks before a record": lambda length: b" " * length + PROOF,
    "pairs": after(STEP, b"5  x : "),
    "assigns": after(STEP, b" : "),
    "notes": after(STEP, b"5 x "),
    "equal signs of a Config": after(CONFIG, b"="),
    "brackets of a Config": after(CONFIG, b"("),
    "unclosed values of a Config": after(CONFIG, b"a=(, "),
    "quotes of a Config": after(CONFIG, b"a='"),
    "ANSI escapes": repeated(b"\x1b["),
    "ANSI escapes of a value": after(STEP, b"\x1b[0m"),
    "ANSI escapes that never end": after(STEP, b"\x1b]0;"),
    "progress before a record": lambda length: b" 50%|### | 5/10 [00:01<00:01] " * (length // 30) + PROOF,
    "progress before each record": repeated(b"%|" * 120 + PROOF),
    "text of an error": after(b"RuntimeError: CUDA out of memory. ", b"x"),
    "half an error": repeated(b"RuntimeError: CUDA "),
    "time limits": after(b"slurmstepd: error: ", b"DUE TO TIME "),
    "NUL bytes": repeated(b"\x00"),
}
HOSTILE_JSON: dict[str, Callable[[int], bytes]] = {
    "braces": after(b"DLLL ", b"{"),
    "nested objects": after(b"DLLL ", b'{"a":'),
    "nested lists": after(b'DLLL {"data": ', b"["),
    "heads": repeated(b"DLLL {"),
    "an unclosed string": after(b'DLLL {"', b"x"),
    "escapes": after(b'DLLL {"', b"\\u0000"),
    "metadata": repeated(b'DLLL {"type": "METADATA"'),
    "half metadata": repeated(b'DLLL {"type": '),
}


def assert_linear(read: Callable[[bytes], object], log_of: Callable[[int], bytes]) -> None:
    short, long = log_of(SHORT), log_of(LONG)
    assert len(short) < LONG / 4
    assert len(long) > LONG * 0.9
    assert_in_proportion(read, short, long)


def scan_with(name: str, proof: bytes) -> Callable[[bytes], object]:
    reader = LogReader({name: load_formats()[name]})
    return lambda log: reader.read(io.BytesIO(proof + log), RecordColumns(), lambda _: False)


@pytest.mark.parametrize("kind", HOSTILE)
def test_scanning_text_is_linear(kind: str) -> None:
    assert_linear(scan_with("ngc-pytorch-bert", PROOF), HOSTILE[kind])


@pytest.mark.parametrize("kind", HOSTILE_JSON)
def test_scanning_json_is_linear(kind: str) -> None:
    assert_linear(scan_with("ngc-pytorch-bert-json", JSON_PROOF), HOSTILE_JSON[kind])


@pytest.mark.parametrize("kind", ["heads", "anchors", "carriage returns", "digits", "blanks"])
def test_scanning_csv_is_linear(kind: str) -> None:
    assert_linear(scan_with("nvidia-smi-csv", b"index, memory.used [MiB]\n"), HOSTILE[kind])


@pytest.mark.parametrize("part", [b",", b'"', b'"",', b"5, 7 MiB\n", b"[N/A], "])
def test_scanning_cells_is_linear(part: bytes) -> None:
    assert_linear(scan_with("nvidia-smi-csv", b"index, memory.used [MiB]\n"), repeated(part))


@pytest.mark.parametrize("kind", HOSTILE)
def test_the_reference_is_linear(kind: str) -> None:
    log_format = load_formats()["ngc-pytorch-bert"]

    assert_linear(lambda log: LineReader(log_format).read(log), HOSTILE[kind])


@pytest.mark.parametrize("part", [b"DLL 20", b"DLLL {", b"\n", b"DLL 20\n", b"x", b" training_sequences_per_second : "])
def test_detection_is_linear(part: bytes) -> None:
    detector = Detector({name: known for name, known in load_formats().items() if known.detectable})

    assert_linear(lambda log: (detector.look(log, 1, {}), detector.nearest(log, 1, (0, ""))), repeated(part))


@pytest.mark.parametrize(
    "part", [b"a: (, ", b"a: '", b"a: [1, ", b"a: 5 K", b": ", b"a: b ", b"a: 5, ", b"(", b"a: 5-5, "]
)
def test_pairs_cost_time_in_proportion(tmp_path: Path, part: bytes) -> None:
    # A piece has at most 64 KB: within one, too, nothing may be quadratic.
    reader = LineReader(one_record(tmp_path, "step {step:int} {pairs}", PADDLE))

    def log_of(length: int) -> bytes:
        return b"step 5 " + part * (length // len(part))

    assert_in_proportion(reader.read, log_of(8_000), log_of(64_000), floor_s=0.0005)


def test_nine_megabytes_without_a_line_end_are_one_reject() -> None:
    reader = LogReader({"ngc-pytorch-bert": load_formats()["ngc-pytorch-bert"]})

    found, read = read_by_scanner(reader, PROOF + HEAD * (9_000_000 // len(HEAD)) + b"\n" + PROOF)

    assert [reject.reason for reject in found.rejects] == [rows.TOO_LONG]
    assert ([row["line"] for row in found.rows], read.lines) == ([1, 3], 3)


def test_nine_megabytes_of_noise_are_no_reject() -> None:
    reader = LogReader({"ngc-pytorch-bert": load_formats()["ngc-pytorch-bert"]})

    found, read = read_by_scanner(reader, PROOF + b"x" * 9_000_000 + b"\n" + PROOF)

    assert (found.rejects, [row["line"] for row in found.rows], read.lines) == ([], [1, 3], 3)
