"""Measures the native scanner against the reference reader on dense logs of the corpus: `python -m benchmarks.native`.

Each log is made of real step lines of one format, drawn at random with a few digits changed. Timed from the buffer to
an Arrow table, in processor time of one thread.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from time import process_time

from benchledger.definitions.log_format import LogFormat
from benchledger.scanning import native_scanner
from benchledger.scanning.columns import RecordColumns
from benchledger.scanning.lines import LineReader
from benchledger.scanning.rows import Pieces
from benchledger.scanning.samples import known_formats
from benchledger.scanning.scanner import ScannedLog, Scanner
from benchmarks.format_inputs import CORPUS, by_format, logs_of, logs_of_samples

_LONGEST = 2_000
_TRIED = 4_000
_DIGIT = re.compile(rb"(?<=\.)\d(?=\d*\b)")


def main() -> None:
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("formats", nargs="*", help="only these")
    given.add_argument("--mb", type=int, default=8)
    given.add_argument("--rounds", type=int, default=3)
    given.add_argument("--corpus", type=Path, default=CORPUS)
    asked = given.parse_args()
    if not native_scanner.is_available():
        sys.exit("there is no native scanner here: make native")
    found = by_format(logs_of(asked.corpus) if asked.corpus.is_file() else logs_of_samples())
    print("| format | records | reference MB/s | native MB/s | times |\n|---|---|---|---|---|")
    for name in sorted(asked.formats or found):
        log_format = known_formats().get(name)
        if log_format is None or log_format.kind != "lines" or native_scanner.native_scanner(log_format) is None:
            continue
        log = dense_log(log_format, list(found.get(name, {}).values()), asked.mb * 1_000_000)
        if log:
            records, slow = timed(Scanner(log_format), log, asked.rounds)
            _, fast = timed(native_scanner.NativeScanner(log_format), log, asked.rounds)
            speeds = [len(log) / 1e6 / seconds for seconds in (slow, fast)]
            print(f"| {name} | {records:,} | {speeds[0]:.1f} | {speeds[1]:.1f} | {slow / fast:.1f} |", flush=True)


def dense_log(log_format: LogFormat, logs: list[bytes], size: int) -> bytes:
    """A log of so many bytes, all of them lines of steps; empty where there are none."""
    chosen, changes = random.Random(1), list(b"0123456789")
    steps = list(step_lines(log_format, logs))
    lines: list[bytes] = []
    length = 0
    while steps and length < size:
        line = _DIGIT.sub(lambda _: bytes([chosen.choice(changes)]), chosen.choice(steps), count=3)
        lines.append(line)
        length += len(line) + 1
    return b"".join(line + b"\n" for line in lines)


def step_lines(log_format: LogFormat, logs: list[bytes]) -> Iterator[bytes]:
    """Lines that hold one step and nothing else, from all over the logs."""
    reader = LineReader(log_format)
    lines = [line for log in logs for line in log.split(b"\n") if len(line) < _LONGEST]
    for line in lines[:: max(1, len(lines) // _TRIED)]:
        pieces = Pieces()
        reader.read_subline(line, 0, len(line), 1, 0, pieces)
        if [row.layout.record.kind for row in pieces.rows] == ["step"] and not pieces.rejects:
            yield line


def timed(scanner: Scanner, log: bytes, rounds: int) -> tuple[int, float]:
    """How many records a log holds, and the seconds of the fastest round."""
    best, records = float("inf"), 0
    for _ in range(rounds):
        columns, scanned = RecordColumns(), ScannedLog()
        begun = process_time()
        scanner.scan(log, len(log), 0, 1, scanned, columns)
        columns.to_arrow([1])
        best, records = min(best, process_time() - begun), scanned.records
    return records, best


if __name__ == "__main__":
    main()
