"""What may stand before a record, and the samples that prove the shared leads."""

from __future__ import annotations

import io
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchledger.definitions import format_file
from benchledger.definitions import template as leads_file
from benchledger.definitions.log_format import LogFormat
from benchledger.definitions.toml_file import read_toml
from benchledger.errors import DefinitionError
from benchledger.scanning import samples
from benchledger.scanning.columns import RecordColumns
from benchledger.scanning.leads import LeadReader
from benchledger.scanning.log_reader import LogReader
from benchledger.scanning.samples import check_leads
from tests.scanning.reading import line_format, read_by_reference, read_by_scanner, readers


@pytest.mark.parametrize(
    ("lead", "columns", "rest"),
    [
        (b"", {}, None),
        (b"[1,12]<stdout>:", {"rank": 12}, None),
        (b"[1,12]<stderr>: ", {"rank": 12}, None),
        (b"3: ", {"rank": 3}, None),
        (b"[rank5]: [Rank 7]", {"rank": 7}, None),
        (b"\x1b[32m3: \x1b[0m", {"rank": 3}, None),
        ("Iteration:  61%|██▏  | 2111/3443 [08:49<05:35,  3.97it/s]".encode(), {}, None),
        (b"Thu Jun  9 09:15:19 2022[1,0]<stdout>:", {"rank": 0}, None),
        (
            b"2026-01-02T10:00:05.123456789Z [rank3]: ",
            {"logged_at": datetime(2026, 1, 2, 10, 0, 5, 123456), "rank": 3},
            None,
        ),
        # What the program itself says stands nearer.
        (
            b"2026-01-02T10:00:05Z 2026-01-02 18:00:04,500 - INFO - ",
            {"logged_at": datetime(2026, 1, 2, 18, 0, 4, 500000)},
            None,
        ),
        # An offset is no part of a time that is known here: nothing is worked out of it.
        (b"2026-01-02T18:00:05+08:00 ", {}, "2026-01-02T18:00:05+08:00"),
        (
            b"2026-01-02 10:00:05.123 | INFO     | train:main:12 - ",
            {"logged_at": datetime(2026, 1, 2, 10, 0, 5, 123000)},
            None,
        ),
        (b"something else 3: ", {}, "something else 3:"),
        # The number of an epoch is no rank; what a program says of its rank is.
        (b"Epoch 00032: ", {}, "Epoch 00032:"),
        (b"Epoch  3: ", {}, "Epoch  3:"),
        (b"[foo] 3: ", {"rank": 3}, "[foo]"),
        (b"AssertionError: Rank 3: ", {"rank": 3}, "AssertionError:"),
        (b"something else", {}, "something else"),
        (b"src/storage/storage.cc:161: ", {}, "src/storage/storage.cc:161:"),
        (b"caf\xe9\x00", {}, "caf\\xe9\\x00"),
        (b"2147483647: ", {"rank": 2147483647}, None),
        (b"2147483648: ", {}, "2147483648:"),
        (b"None: ", {}, "None:"),
    ],
)
def test_a_lead_states_what_it_knows_and_keeps_the_rest(lead: bytes, columns: dict[str, int], rest: str | None) -> None:
    assert LeadReader().read(lead) == (columns, rest)


def test_only_the_end_of_a_long_lead_is_looked_at() -> None:
    columns, rest = LeadReader().read(b"x" * 100_000 + b": 3: ")

    assert columns == {"rank": 3}
    assert rest is not None
    assert len(rest) < 256


PIECES = ["[1,{n}]<stdout>:", "{n}: ", "[{t}] ", "[{t}] ppcls INFO: ", "{t} - INFO - ", "I{s} {n} run.py:{n}] ", "[Rank {n}] ",
          "who {n} ", "61%|██| {n}/3443 [08:49<05:35,  3.97it/s]", "\x1b[32m", " ", "|", "x"]  # fmt: skip
numbers = st.one_of(st.integers(0, 99), st.integers(0, 2**33), st.just("None")).map(str)
dates = st.sampled_from(
    ["2021-05-23 10:58:40", "2021-02-30 10:58:40", "2021/12/31 23:59:59,123", "2020-02-29T24:00:00"]
)
stamps = st.sampled_from(["0526 05:25:05.762720", "0230 05:25:05.762720", "1231 23:59:59.1"])


@st.composite
def leads_alike(draw: st.DrawFn) -> list[bytes]:
    shape = "".join(draw(st.lists(st.sampled_from(PIECES), min_size=1, max_size=4)))
    found = []
    for _ in range(3):
        lead = shape
        for hole, filling in (("{n}", numbers), ("{t}", dates), ("{s}", stamps)):
            while hole in lead:
                lead = lead.replace(hole, draw(filling), 1)
        found.append(lead.encode())
    return found


@pytest.fixture(scope="module")
def steps(tmp_path_factory: pytest.TempPathFactory) -> LogFormat:
    return line_format(
        tmp_path_factory.mktemp("steps"),
        """
        detect.proof = [["loss: "]]
        [[record]]
        name = "step"
        kind = "step"
        templates = ["step {step:int} loss: {loss:float}"]
        [[record]]
        name = "own"
        kind = "step"
        templates = ["own {rank:int} at {logged_at:time} loss: {loss:float}"]
        """,
    )


@settings(max_examples=150, deadline=None)
@given(alike=st.lists(leads_alike(), min_size=1, max_size=4))
def test_each_scanner_reads_leads_as_the_reference_does(steps: LogFormat, alike: list[list[bytes]]) -> None:
    # What a line says itself outweighs what stands before it.
    ends = (b"step 7 loss: 0.5\n", b"own 5 at 2023-01-01 00:00:00 loss: 0.5\n")
    log = b"".join(lead + end for leads in zip(*alike, strict=True) for lead in leads for end in ends)

    for reader in readers({steps.name: steps}):
        assert read_by_scanner(reader, log)[0] == read_by_reference(steps, log)


@settings(max_examples=200, deadline=None)
@given(leads_alike())
def test_a_lead_is_read_as_if_none_like_it_had_been_met(alike: list[bytes]) -> None:
    known = LeadReader()

    for lead in alike:
        fresh = LeadReader()
        fresh._by_digits = False
        assert known.read(lead) == fresh.read(lead)


def test_leads_that_differ_in_digits_only_are_matched_once(monkeypatch: pytest.MonkeyPatch) -> None:
    reader = LeadReader()
    reader.read(b"[2021-05-23 10:58:40] ppcls INFO: ")
    monkeypatch.setattr(reader, "_templates", [])

    assert reader.read(b"[2022-06-24 11:59:41] ppcls INFO: ") == (
        {"logged_at": datetime(2022, 6, 24, 11, 59, 41)},
        None,
    )


def test_the_shipped_leads_prove_themselves() -> None:
    assert check_leads() == []


def with_leads(monkeypatch: pytest.MonkeyPatch, folder: Path, text: str) -> Path:
    path = folder / "leads.toml"
    path.write_text(text, encoding="utf-8")
    for module in (leads_file, samples):
        monkeypatch.setattr(module, "leads_files", lambda: [read_toml(path)])
    return path


def test_a_sample_that_reads_otherwise_is_a_problem(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = with_leads(monkeypatch, tmp_path, 'templates = []\n[[sample]]\ntext = "3: "\ncolumns = { rank = 4 }\n')

    assert check_leads() == [f"{path}:2: lead '3: ' reads {{'rank': 3}}, and leaves None; {{'rank': 4}} is expected"]


def test_a_sample_that_leaves_text_is_a_problem(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = with_leads(monkeypatch, tmp_path, 'templates = []\n[[sample]]\ntext = "who: 3: "\ncolumns = { rank = 3 }\n')

    assert check_leads() == [
        f"{path}:2: lead 'who: 3: ' reads {{'rank': 3}}, and leaves 'who:'; {{'rank': 3}} is expected"
    ]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[[sample]]\ncolumns = {}\n", "1: text must be a text, not None"),
        ('[[sample]]\ntext = "3: "\ncolumns = 3\n', "3: columns is a table, such as"),
        ("sample = 5\n", "1: sample is a list of tables: write [[sample]]"),
        ("template = []\n", "1: unknown key 'template'; did you mean 'templates'?; known here: sample, templates"),
    ],
)
def test_samples_of_leads_are_checked_as_all_others(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: str, problem: str
) -> None:
    path = with_leads(monkeypatch, tmp_path, text)

    with pytest.raises(DefinitionError) as error:
        check_leads()

    assert str(error.value).startswith(f"{path}:{problem}")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('templates = "x"\n', "1: templates is a list of strings, not 'x'"),
        ('templates = ["{rank:number}:"]\n', "1: template '{rank:number}:': hole {rank:number}: no type 'number'"),
    ],
)
def test_templates_of_leads_are_checked_as_all_others(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: str, problem: str
) -> None:
    path = with_leads(monkeypatch, tmp_path, text)

    with pytest.raises(DefinitionError) as error:
        leads_file.leads.__wrapped__()

    assert str(error.value).startswith(f"{path}:{problem}")


def test_a_lead_can_state_the_time_of_its_line_and_the_line_itself_outweighs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    leads = tmp_path / "leads.toml"
    leads.write_text('templates = ["[{logged_at:time}] ppcls INFO: "]\n', encoding="utf-8")
    monkeypatch.setattr(leads_file, "leads_files", lambda: [read_toml(leads)])
    leads_file.leads.cache_clear()
    toy = tmp_path / "toy.toml"
    toy.write_text(
        'format = "toy"\nversion = 1\n[detect]\nproof = [["toy step "]]\n'
        '[[record]]\nname = "step"\nkind = "step"\ntemplates = ["toy step {step:int} loss {loss:float}"]\n',
        encoding="utf-8",
    )
    text = "".join(f"[2022/11/30 20:14:{second}] ppcls INFO: toy step {second} loss 1.5\n" for second in range(10, 20))
    columns = RecordColumns()
    try:
        read = LogReader(format_file.read_formats([toy])).read(io.BytesIO(text.encode()), columns, lambda digest: False)
    finally:
        leads_file.leads.cache_clear()

    rows = columns.to_arrow([1]).to_pylist()
    assert read.scanned.records == 10
    assert sorted(row["logged_at"] for row in rows) == [
        datetime(2022, 11, 30, 20, 14, second) for second in range(10, 20)
    ]
    assert {row["lead"] for row in rows} == {None}
