"""Objects behind a literal are read natively as the reference reads them: whatever they hold, and however it is spelled."""

from __future__ import annotations

import json
import tempfile
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from benchledger.definitions.log_format import LogFormat
from benchledger.scanning import native_scanner
from benchledger.scanning.json_values import unique
from benchledger.scanning.log_reader import LogReader
from benchledger.scanning.samples import load_formats
from tests.scanning.reading import line_format, read_by_reference, read_by_scanner

pytestmark = pytest.mark.skipif(not native_scanner.is_available(), reason="the extension was not compiled here")

PROOF = b"this is made\n"
FORMAT = """
anchors = ["JS {"]
record = [
    { name = "named", kind = "summary", templates = ["JS {json}"], json = { named = ["key", "value"], values = { a = "data.a", first = "list.0" }, where = { kind = ["x", "y"] }, label = "key", logged_at = "time", time_unit = "ms" } },
    { name = "undated", kind = "event", templates = ["JS {json}"], json = { values = "data", label = "key", logged_at = "time", step = "step", time_unit = "ms", where = { kind = "u" } } },
    { name = "clocked", kind = "event", templates = ["JS {json}"], json = { values = ".", clock_s = "time", device = "value", has = ["data.a.b"] } },
    { name = "whole", kind = "step", templates = ["JS {json}"], json = { values = "data", step = "step", rank = "list.1", unless = { kind = "z" } } },
    { name = "dated", kind = "step", templates = ["JS {json}"], json = { values = { key = "key" }, logged_at = "value", where = { list = [] } } },
    { name = "failed", kind = "event", status = "failed", templates = ["JS {json}"], json = { values = {}, where = { kind = "z", key = "gone" } } },
]
ignore = [{ reason = "of no use", templates = ["JS {*}\\"key\\": \\"b\\"{*}"] }]
detect.proof = [["this is made"]]
"""

texts = st.one_of(
    st.sampled_from(["x", "y", "z", "u", "a", "b", "gone", "", "2021-05-23 10:58:40.5", "2021-05-23", "nan"]),
    st.text(max_size=6),
)
numbers = st.one_of(
    st.integers(-3, 3), st.integers(0, 2 * 10**12), st.integers(-(2**66), 2**66), st.floats(),
    st.floats(0, 10).map(lambda x: round(x, 3)),
)  # fmt: skip
values = st.recursive(
    st.one_of(st.none(), st.booleans(), numbers, texts),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.one_of(st.sampled_from(["a", "b", "a.b", "0"]), texts), inner, max_size=3),
    ),
    max_leaves=6,
)
objects = st.fixed_dictionaries(
    {},
    optional={
        "kind": st.one_of(texts, values), "key": st.one_of(texts, values), "value": values, "data": values, "list": values,
        "time": st.one_of(st.sampled_from([0, 1621396301841, None]), values), "step": st.one_of(st.integers(0, 99), values),
    },
)  # fmt: skip


@cache
def made() -> LogFormat:
    with tempfile.TemporaryDirectory() as folder:
        return line_format(Path(folder), FORMAT)


@st.composite
def lines(draw: st.DrawFn) -> bytes:
    between = draw(st.sampled_from([(", ", ": "), (",", ":"), (" ,  ", "\t: ")]))
    text = json.dumps(draw(objects), ensure_ascii=draw(st.booleans()), separators=between)
    line = "JS " + text + draw(st.sampled_from(["", "", "", " ", " and more", "}"]))
    raw = line.encode("utf-8", "surrogatepass").replace(b"\r", b"")
    if draw(st.integers(0, 4)) == 0:
        at = draw(st.integers(0, len(raw)))
        odd = draw(
            st.sampled_from(
                [b'"', b"\\", b",", b"{", b"}", b"[", b"-", b"0", b".", b"e5", b"\xff", b"\x00", b"NaN", b" "]
            )
        )
        raw = raw[:at] + odd + raw[at + draw(st.integers(0, 2)) :]
    return draw(st.sampled_from([b"", b"", b"3: ", b"2021-05-23 10:58:40,494 - INFO - "])) + raw


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(lines(), max_size=6))
@example([b'JS {"data": {"a": 1, "a": 2}, "step": 3, "list": [0, 1]}'])
@example([b'JS {"data": {"a": [1.0, 0.5, 1e5, -0, "\xc3\xa9", null, [true]]}, "step": 3, "list": [0, 1]}'])
@example([b'JS {"data": {"a": [-0]}, "step": 3, "list": [0, 1]}'])
@example([b'2021-05-23 10:58:40,494 - INFO - JS {"kind": "x", "key": "k", "value": 1, "data": {"a": 5}, "time": null}'])
@example([b'JS {"kind": "x", "key": "first", "value": 1, "list": [5], "time": 0}'])
@example([b'JS {"list": [], "value": "2021-05-23T10:58:40", "kind": "z", "key": -0}'])
def test_both_readers_find_the_same(drawn: list[bytes]) -> None:
    log = PROOF + b"\n".join(drawn)

    found, read = read_by_scanner(LogReader({"made": made()}, native=True), log)

    assert read.format == "made"
    assert found == read_by_reference(made(), log)


def test_a_key_that_occurs_twice_makes_the_object_a_reject() -> None:
    found = read_by_reference(made(), PROOF + b'JS {"data": {"a": 1, "a": 2}, "step": 3, "list": [0, 1]}')

    assert ([row.reason for row in found.rejects], found.rows) == (["bad json: a key has two values"], [])


def test_a_value_whose_key_occurs_once_is_not_compared() -> None:
    class Large:
        def __repr__(self) -> str:
            raise AssertionError  # At each level of a document, this takes time quadratic in it.

    assert unique([("a", 1), ("a", 1), ("below", large := Large())]) == {"a": 1, "below": large}


def test_an_object_may_lack_its_time_and_no_other_column() -> None:
    log = PROOF + b'JS {"kind": "u", "key": "k", "data": {"a": 5}, "step": 1}\n' * 3
    log += b'JS {"kind": "u", "key": "k", "data": {"a": 5}}\n'
    found = read_by_reference(made(), log)

    assert (len(found.rows), [reject.line for reject in found.rejects]) == (3, [5])
    assert read_by_scanner(LogReader({"made": made()}, native=True), log)[0] == found


@pytest.mark.parametrize("name", ["mlperf-mllog", "ngc-pytorch-bert-json"])
def test_objects_of_shipped_formats_do_not_go_to_the_reference_reader(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    log_format = load_formats()[name]
    steps = [sample.text for sample in log_format.samples]
    line = next(
        line for text in steps for line in text.split("\n") if '"eval_accuracy"' in line or '"step_loss"' in line
    )
    reader = LogReader({name: log_format}, native=True)
    reader._scanner(log_format)
    monkeypatch.setattr(reader._scanners[name].reader, "read_subline", lambda *args: pytest.fail(repr(args)))

    found, _ = read_by_scanner(reader, (line + "\n").encode() * 20)

    assert len(found.rows) == 20
