"""A content is its bytes: how it is read from a file, and whether it goes on from an older one."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchledger.scanning.content import SMALL, Previous, content_hash, goes_on, small_content


@pytest.mark.parametrize("said", [0, 3, 10, 11, 500])
def test_a_small_file_is_read_whole_whatever_its_size_was_when_it_was_asked_for(tmp_path: Path, said: int) -> None:
    path = tmp_path / "a.log"
    path.write_bytes(b"0123456789")

    assert small_content(str(path), said) == b"0123456789"


def test_a_file_that_is_large_or_has_become_so_is_not_read_at_once(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_bytes(b"x" * (SMALL * 3))

    assert small_content(str(path), SMALL + 1) is None
    assert small_content(str(path), 5) is None


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (b"abc", b"abcd", True),
        (b"abc", b"abc", False),
        (b"abc", b"abd!", False),
        (b"abcd", b"abc", False),
        (b"", b"a", False),
    ],
)
def test_a_content_goes_on_from_one_that_it_begins_with(old: bytes, new: bytes, expected: bool) -> None:
    assert goes_on(new, Previous(len(old), content_hash(old))) is expected
    assert not goes_on(new, None)
