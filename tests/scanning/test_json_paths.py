"""Dotted paths into JSON: a star stands for a member of any name."""

from __future__ import annotations

import pytest

from benchledger.scanning.json_values import MISSING, at

DATA = {"a": {"x": {"speed": 1}}, "b": {"y": {"speed": 2, "trials": [{"s": 3}]}}}


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("b.y.speed", 2),
        ("*.y.speed", 2),
        ("*.*.speed", 1),
        ("*.*.trials.0.s", 3),
        ("b.*", {"speed": 2, "trials": [{"s": 3}]}),
        ("*.z", MISSING),
        ("a.x.speed.*", MISSING),
    ],
)
def test_a_star_is_the_first_member_that_has_the_rest(path: str, found: object) -> None:
    assert at(DATA, path) == found
