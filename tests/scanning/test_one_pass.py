"""Detection in one pass over the bytes finds what the plain definition of a proof finds, in every text."""

import io
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchledger.scanning.columns import RecordColumns
from benchledger.scanning.detection import BLOCK, Detector
from benchledger.scanning.literal_search import LiteralSearch
from benchledger.scanning.log_reader import LogReader
from benchledger.scanning.readers import reader_of
from benchledger.scanning.samples import known_formats

# Few letters, so that literals stand in one another, and over one another.
SHORT = st.text("ab-", min_size=1, max_size=4)
PROOFS = st.lists(st.lists(SHORT, min_size=1, max_size=3), min_size=1, max_size=6)
HOSTILE = st.lists(st.one_of(st.sampled_from([b"a", b"b", b"-", b"\n", b"\r", b"\0", b"\xff"]), st.binary(max_size=3)))
REAL = sorted({text for known in known_formats().values() for proof in known.proofs for text in proof})
LINES = st.lists(
    st.one_of(
        st.sampled_from([proof for known in known_formats().values() for proof in known.proofs]),
        st.lists(st.sampled_from(REAL), max_size=4),
        st.lists(st.text("DLMO :-0", max_size=5), max_size=3),
    ),
    max_size=12,
)


# By Aho-Corasick, many literals or few, and by the extension where there is one.
WAYS = [(False, False), (True, False), (False, True)]


def formats_of(proofs):
    """A format for each proof, the first of them generic."""
    one = known_formats()["ngc-pytorch-bert"]
    return {
        f"f{number}": replace(one, name=f"f{number}", generic=number == 0, proofs=(tuple(proof),))
        for number, proof in enumerate(proofs)
    }


def stands_in(line: bytes, literals: list[bytes]) -> bool:
    for literal in literals:
        _, found, line = line.partition(literal)
        if not found:
            return False
    return True


def plainly(formats, log: bytes) -> list[str]:
    """The formats of the strongest proof of which all literals stand in one line, in order: specific before generic."""
    proved = {}
    for known in formats.values():
        for proof in known.proofs:
            literals = [text.encode() for text in proof]
            if any(stands_in(line, literals) for line in log.split(b"\n")):
                score = (not known.generic, sum(map(len, literals)))
                proved[known.name] = max(score, proved.get(known.name, score))
    return sorted(name for name, score in proved.items() if score == max(proved.values()))


def in_one_pass(formats, log: bytes) -> list[str]:
    verdicts = []
    for native in (False, True):
        detector, best = Detector(formats, native=native), {}
        detector.look(log, 1, best)
        verdicts.append(detector.verdict(formats, best))
    verdict, other = verdicts
    assert verdict == other
    if verdict is None:
        return []
    if verdict.format is not None:
        return [verdict.format.name]
    return verdict.evidence.removeprefix("ambiguous: ").partition(" fit equally well")[0].split(" and ")


@given(PROOFS, HOSTILE)
@settings(max_examples=400, deadline=None)
def test_one_pass_proves_what_the_definition_proves(proofs, parts):
    formats, log = formats_of(proofs), b"".join(parts)

    assert in_one_pass(formats, log) == plainly(formats, log)


@given(LINES)
@settings(max_examples=150, deadline=None)
def test_one_pass_proves_the_same_of_all_formats(lines):
    formats = {name: known for name, known in known_formats().items() if known.detectable}
    log = "\n".join(" ".join(line) for line in lines).encode()

    assert in_one_pass(formats, log) == plainly(formats, log)


@given(
    st.lists(
        st.one_of(st.binary(min_size=1, max_size=4), st.text("ab- ", min_size=1, max_size=12).map(str.encode)),
        max_size=8,
    ),
    st.one_of(st.binary(max_size=200), st.text("ab- ", max_size=200).map(str.encode)),
    st.booleans(),
    st.booleans(),
)
def test_every_literal_is_found_where_it_stands(literals, text, rare, native):
    assert LiteralSearch(literals, rare, native).found_in(text) == {literal for literal in literals if literal in text}


def test_a_literal_that_stands_in_every_line_hides_no_other():
    literals = [f"often {number}".encode() for number in range(40)] + [b"once"]
    text = b"\n".join(literals[:40]) * 9

    for native in (False, True):
        assert LiteralSearch(literals, native=native).found_in(text) == set(literals[:40])
        assert LiteralSearch(literals, native=native).found_in(text + b" once\n" + text) == set(literals)


@pytest.mark.parametrize(("rare", "native"), WAYS)
def test_literals_over_one_another_are_all_found(rare, native):
    literals = {b"abc", b"b", b"bcd", b"cd", b"d"}

    assert LiteralSearch(literals, rare, native).found_in(b"xabcdx") == literals


@pytest.mark.parametrize(("rare", "native"), WAYS)
def test_a_literal_is_found_wherever_in_a_long_text_it_begins(rare, native):
    search = LiteralSearch([b"needle", b"x"], rare, native)

    for start in range(65_536 - 7, 65_536 + 2):
        assert search.found_in(b"." * start + b"needle" + b"." * 70_000) == {b"needle"}


def test_the_first_block_that_proves_a_specific_format_decides():
    formats = formats_of([["generic proof, a long one"], ["weak"], ["strong proof"]])
    filler = b"." * 99 + b"\n"
    log = filler * (BLOCK // 50) + b"a weak one\n" + filler * (BLOCK // 50) + b"a strong proof\n"

    read = LogReader(formats).read(io.BytesIO(b"generic proof, a long one\n" + log), RecordColumns(), lambda _: False)

    assert (read.format, read.evidence) == ("f1", f"line {2 + BLOCK // 50} holds 'weak'")


def test_every_proof_has_a_literal_that_the_extension_searches_fast():
    # It compares as many bytes at each place as its shortest literal has: one of three made it four times as slow.
    short = [
        (known.name, proof) for known in known_formats().values() for proof in known.proofs
        if max(len(text.encode()) for text in proof) < 6
    ]  # fmt: skip

    assert short == []


def test_no_reader_fits_a_file_without_its_marks():
    known = known_formats().values()
    readers = [reader for one in known if (reader := reader_of(one)) is not None and reader.marks]
    texts = [sample.data or sample.text.encode() for one in known for sample in one.samples if not sample.tables]
    fitting = [(reader, text) for reader in readers for text in texts if reader.fits(text, complete=True)]

    assert {reader.format.name for reader, _ in fitting} == {reader.format.name for reader in readers}
    assert [reader.format.name for reader, text in fitting if not any(mark in text for mark in reader.marks)] == []
