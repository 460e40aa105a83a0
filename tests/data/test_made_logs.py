"""The logs in data/made are what their maker writes, and say that they are made."""

from __future__ import annotations

import re
from pathlib import Path

from data.make_logs import main

MADE = Path(__file__).resolve().parent.parent.parent / "data" / "made"


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_made_logs_are_byte_for_byte_what_the_maker_writes(tmp_path: Path) -> None:
    main(tmp_path)

    assert contents(MADE) == contents(tmp_path)


def test_every_made_file_says_so_in_its_first_line() -> None:
    silent = [
        name
        for name, content in contents(MADE).items()
        if not re.search(rb"made.by.data.make_logs\.py,?.not.measured", content.split(b"\n", 1)[0])
    ]

    assert silent == []


def test_made_logs_are_small() -> None:
    assert sum(map(len, contents(MADE).values())) < 1_000_000
