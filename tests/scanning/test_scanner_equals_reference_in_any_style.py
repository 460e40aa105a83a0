"""The scanner equals the reference on formats of every style of pairs, with holes that compete for a line."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchledger.definitions.log_format import LogFormat
from benchledger.scanning import native_scanner
from tests.scanning.reading import (
    GLUON,
    MEGATRON,
    PADDLE,
    PYTHON_DICT,
    assert_conserved,
    line_format,
    read_by_reference,
    read_by_scanner,
    readers,
)

PROOF = b"this is made\n"
FIELDS = """
[detect]
proof = [["this is made"]]
[[field]]
name = "throughput"
quantity = "throughput"
units = { "tks/s" = "tokens/s" }
[[field]]
name = "time"
unit = "s"
[[fact]]
name = "steps_planned"
from = "planned"
least = true
[[fact]]
name = "gpus"
from = "n_gpu"
repeats = true
"""


def record(*templates: str, name: str = "step") -> str:
    return f'[[record]]\nname = "{name}"\nkind = "step"\ntemplates = [{", ".join(map(repr, templates))}]\n'


# A format, and lines of it with holes {i} for whole numbers and {n} for any.
STYLES = {
    "gluon": (
        f"{GLUON}\n{FIELDS}" + record("[step {step:int}] {pairs}"),
        [
            "[step {i}] loss={n}\tacc={n}\tthroughput={n}K tks/s\tlr={n} time={n}",
            "[step {i}] loss={n} s acc={n} time={n}ms",
            "[step {i}]  loss={n}",
        ],
    ),
    "megatron": (
        f"{MEGATRON}\n{FIELDS}"
        + record("iteration {step:int}/{planned:int} | {pairs}", "iteration {step:int} | {pairs}"),
        [
            " iteration       {i}/    {i} | consumed samples:    {n} | lm loss: {n} | loss scale: {n} |",
            " iteration {i} | lm loss: {n} | time: {n}ms",
            "iteration {i}/{i} | lm loss: {n}",
        ],
    ),
    "paddle": (
        f'anchors = ["ips: "]\n{PADDLE}\n{FIELDS}'
        + record("tobal step: {step:int}, {pairs}", "step {step:int}: {pairs}"),
        [
            "tobal step: {i}, avg_batch_cost: {n} sec, ips: {n} sequences/sec",
            "step {i}: loss: {n}, lr: {n}, n_gpu: {n}",
            "step {i}: ips: {n}",
        ],
    ),
    "dict": (
        f"{PYTHON_DICT}\n{FIELDS}" + record("at {step:int}: {{{pairs}"),
        ["at {i}: {'loss': {n}, 'epoch': {n}}", "at {i}: {'loss': '{n}', 'mode': 'train'}"],
    ),
    "holes that compete": (
        FIELDS
        + record("at {step:int}: {planned:int} of {loss:float}", name="whole")
        + record("at {step:int}: {x:float} of {loss:float}", "at {step:int}: {y:float}")
        + record("at {step:int}: {z:float} / {w:float}", "to {step:int}.{v:int}", name="other"),
        ["at {i}: {n} of {n}", "at {i}: {n}", "at {i}: {n} / {n}", "to {i}.{i}", "at {i}: {i} of {n}"],
    ),
    "line starts": (
        f'anchors = [" %, ", " |"]\n{PADDLE}\n{FIELDS}'
        + record("    |  {a:int}  |", "{n_gpu:int}    |  {x:float} |", name="table").replace(
            "kind", "line_start = true\nkind"
        )
        + record("{path:text}: {x:float} %, {pairs}", name="gpu").replace("kind", "line_start = true\nkind")
        + record("used: {used:float} MiB", name="used"),
        [
            "{i}    |  {n} |",
            "    |  {i}  |",
            "some path : {n} %, a: {n}, used: {n} MiB",
            "used: {n} MiB: {n} %, b: {i}",
            "10:00:01,123 {i}    |  {n} | used: {n} MiB",
            "2024-01-01T00:00:00.123Z {i}    |  {n} | used: {n} MiB",
            "[1,{i}]<stdout>: {i}    |  {n} | [x] {i}    |  {n} | used: {n} MiB",
            "\x1b[32m{i}    |  {n} | used: {n} MiB",
        ],
    ),
    "columns of all kinds": (
        f"{PADDLE}\n{FIELDS}"
        + record("{logged_at:time}".join(["at ", " rank {rank:int} epoch {epoch:int} clock {clock_s:float} {pairs}"]))
        + record("mem rank{rank:int} dev{device:int} {pairs}", name="mem")
        + record("top {label:int}: {x:int}", name="top"),
        [
            "at 2021-05-23 10:58:40.494617 rank {i} epoch {i} clock {n} loss: {n}",
            "top {i}: {n}",
            "top 00{i}: {i}",
            "mem rank{i} dev{i} used: {n} MiB, free: {n} GiB",
        ],
    ),
}
ODD = [
    "nan",
    "1.",
    ".5",
    "+3",
    "-0",
    "007",
    "1e-05",
    "None",
    "127.0.0.1",
    "0/3",
    "1,234",
    "9" * 30,
    "5-6",
    "1:02",
    "'5'",
    "",
]

whole = st.one_of(st.integers(0, 9999), st.integers(-(2**33), 2**65)).map(str)
numbers = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.floats(0, 1e4).map(lambda number: f"{number:.4f}"),
    st.integers(-5, 10**6).map(str),
    st.sampled_from(ODD),
)


@cache
def style(name: str) -> tuple[LogFormat, list[str]]:
    text, lines = STYLES[name]
    with tempfile.TemporaryDirectory() as folder:
        return line_format(Path(folder), text), lines


@st.composite
def logs(draw: st.DrawFn, lines: list[str]) -> bytes:
    log = PROOF
    for _ in range(draw(st.integers(0, 15))):
        line = draw(st.sampled_from(lines))
        for hole, filling in (("{i}", whole), ("{n}", numbers)):
            while hole in line:
                line = line.replace(hole, draw(filling), 1)
        cut = draw(st.one_of(st.none(), st.none(), st.none(), st.integers(0, len(line))))
        log += draw(st.sampled_from(["", "", "3: ", "who "])).encode() + line[:cut].encode()
        log += draw(st.sampled_from([b"\n", b"\n", b"\n", b"\r\n", b"  \n", b" and more\n", b""]))
    return log


@pytest.mark.parametrize("name", STYLES)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_in_this_style(name: str, data: st.DataObject) -> None:
    log_format, lines = style(name)
    by = readers({log_format.name: log_format})
    # Else the reference reader would be compared with itself.
    assert len(by) == 1 or native_scanner.native_scanner(log_format) is not None
    for log in data.draw(st.lists(logs(lines), min_size=1, max_size=2)):
        expected = read_by_reference(log_format, log)
        for reader in by:
            found, _ = read_by_scanner(reader, log)

            assert found == expected
            assert_conserved(found)


def test_numbers_that_a_column_cannot_hold_go_to_the_reference() -> None:
    log_format, _ = style("columns of all kinds")
    line = b"at 2021-05-23 10:58:40.494617 rank %d epoch %d clock 1.5 loss: 0.5\n"
    log = (
        PROOF + line % (0, 0) + line % (1, 1) + line % (2**31, 2) + line % (3, 10**18) + line % (2**31 - 1, 10**18 - 1)
    )

    for reader in readers({log_format.name: log_format}):
        found, _ = read_by_scanner(reader, log)

        assert found == read_by_reference(log_format, log)
        assert ([row["line"] for row in found.rows], [reject.line for reject in found.rejects]) == ([2, 3, 6], [4, 5])


@pytest.mark.parametrize("between", [" |", " -", ", "])
def test_more_numbers_before_a_separator_that_begins_with_a_blank(tmp_path: Path, between: str) -> None:
    pairs = f'pairs = {{ assign = ": ", between = ["{between}"] }}'
    made = line_format(tmp_path, f"{pairs}\n{FIELDS}" + record("step {step:int} {pairs}"))
    log = PROOF + f"step 1 a: 0.25 0.5{between} b: 3\n".encode()

    wanted = read_by_reference(made, log)

    assert [(row["values"], row["note"]) for row in wanted.rows] == [(["0.25", "3.0"], "0.5")]
    for reader in readers({"made": made}):
        assert read_by_scanner(reader, log)[0] == wanted
