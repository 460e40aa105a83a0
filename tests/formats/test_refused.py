"""Every kind of mistake in a format file is refused with its line, what is wrong, and what is known instead."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from benchledger.definitions import format_file
from benchledger.definitions.format_file import read_formats
from benchledger.errors import DefinitionError
from benchledger.scanning.samples import check_files, check_format

REFUSED = sorted((Path(__file__).parent / "refused").glob("*.toml"))


@pytest.fixture(scope="module", autouse=True)
def shipped_formats_are_made_once() -> Iterator[None]:
    """Beside each file all shipped formats are read: made from the same files each time, they take longer than the file."""
    shipped, read = {known.path: known for known in read_formats().values()}, format_file._read
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(format_file, "_read", lambda file, *beside: shipped.get(file.path) or read(file, *beside))
        yield


def first_problem(path: Path) -> str:
    try:
        return next(iter(check_files([path])), "no problem was found")
    except DefinitionError as error:
        return str(error)


@pytest.mark.parametrize("path", REFUSED, ids=lambda path: path.stem)
def test_a_mistake_is_refused_with_its_line(path: Path) -> None:
    # The first line says `# :line: the message`, or how the message begins.
    expected = path.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")

    problem = first_problem(path)

    assert problem.startswith(f"{path}{expected}")


def test_bases_of_two_files_go_in_no_circle(tmp_path: Path) -> None:
    one, two = tmp_path / "one.toml", tmp_path / "two.toml"
    one.write_text('format = "one"\nversion = 1\nbase = "two"\n')
    two.write_text('format = "two"\nversion = 1\nbase = "one"\n')

    assert first_problem_of_all([one, two]) == f"{two}:3: bases go in a circle: one -> two -> one"


def test_two_files_cannot_define_one_format(tmp_path: Path) -> None:
    one, two = tmp_path / "one.toml", tmp_path / "two.toml"
    one.write_text('format = "same"\nversion = 1\n')
    two.write_text('# a comment\nformat = "same"\nversion = 1\n')

    assert first_problem_of_all([one, two]) == (
        f"{two}:2: format 'same' is defined in {one} too; give one another name"
    )


def first_problem_of_all(paths: list[Path]) -> str:
    with pytest.raises(DefinitionError) as error:
        read_formats(paths)
    return str(error.value)


def test_a_file_that_is_no_utf8_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "latin.toml"
    path.write_bytes(b'format = "gr\xf6sse"\n')

    assert first_problem(path).startswith(f"{path}:1: cannot be read as UTF-8 text")


def test_every_shipped_format_proves_itself() -> None:
    formats = read_formats()

    assert {name: check_format(known) for name, known in formats.items()} == {name: [] for name in formats}


def test_a_sample_may_state_a_reject_a_note_and_what_is_ignored(tmp_path: Path) -> None:
    path = tmp_path / "made.toml"
    path.write_text(
        """format = "made"
version = 1
anchors = ["loss"]
pairs = { assign = ": ", between = [", "] }
[[record]]
name = "step"
kind = "step"
templates = ["step {step:int} {pairs}"]
[[ignore]]
templates = ["lr {*}"]
reason = "not needed"
[[sample]]
text = "step 5 loss: 1.5 and more\\nlr 5\\nloss"
expect = [{ record = "step", step = 5, loss = 1.5, note = "and more" }, { ignored = "not needed" }, { reject = "no head" }]
"""
    )

    assert check_files([path]) == []
