"""Classes of plain_classes.py do what dataclasses of the standard library do."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from dataclasses import field
from typing import Any

import pytest

from benchledger import plain_classes


@plain_classes.dataclass(frozen=True)
class Plain:
    """Frozen."""

    name: str
    size: int = 1
    tags: list[str] = field(default_factory=list)
    note: str = field(default="", compare=False, repr=False)


@dataclasses.dataclass(frozen=True)
class Standard:
    """The same, of the standard library."""

    name: str
    size: int = 1
    tags: list[str] = field(default_factory=list)
    note: str = field(default="", compare=False, repr=False)


@plain_classes.dataclass
class Changing:
    """Not frozen."""

    size: int
    seen: set[int] = field(default_factory=set)


@plain_classes.dataclass(frozen=True)
class Nothing:
    """Without fields."""


@plain_classes.dataclass(frozen=True, eq=False)
class Itself:
    """Only like itself."""

    size: int


GIVEN: tuple[tuple[tuple[Any, ...], dict[str, Any]], ...] = (
    (("a",), {}),
    (("a", 2), {}),
    (("a",), {"size": 2}),
    ((), {"size": 2, "name": "a"}),
    ((), {"note": "n", "tags": ["t"], "size": 2, "name": "a"}),
    (("a", 2, ["t"], "n"), {}),
)


@pytest.mark.parametrize(("values", "named"), GIVEN)
def test_fields_are_those_of_the_standard_library(values: tuple[Any, ...], named: dict[str, Any]) -> None:
    plain, standard = Plain(*values, **named), Standard(*values, **named)

    assert dataclasses.asdict(plain) == dataclasses.asdict(standard)
    assert repr(plain) == repr(standard).replace("Standard", "Plain")
    assert [of.name for of in dataclasses.fields(plain)] == [of.name for of in dataclasses.fields(standard)]


@pytest.mark.parametrize(
    ("values", "named"),
    [
        ((), {}),
        ((), {"size": 1}),
        (("a", 1, [], "", 5), {}),
        (("a",), {"colour": 1}),
        (("a",), {"name": "b"}),
        (("a", 1, [], ""), {"name": "b"}),
        (("a", 1, []), {"colour": "b"}),
    ],
)
def test_what_the_standard_library_refuses_is_refused(values: tuple[Any, ...], named: dict[str, Any]) -> None:
    for refusing in (Standard, Plain):
        with pytest.raises(TypeError):
            refusing(*values, **named)


def test_what_compares_equal_has_one_hash() -> None:
    one, other = Plain("a", 2, (), "x"), Plain("a", 2, (), "y")  # type: ignore[arg-type]  # a hash is asked for

    assert one == other
    assert hash(one) == hash(other)
    assert one != Plain("a", 3, ())  # type: ignore[arg-type]
    assert one != Standard("a", 2, (), "x")  # type: ignore[arg-type, comparison-overlap]
    assert Nothing() == Nothing()
    assert len({Nothing(), Nothing()}) == 1
    assert Itself(1) != Itself(1)


def test_each_has_a_list_of_its_own() -> None:
    assert Plain("a").tags is not Plain("a").tags


def test_frozen_stays_as_it_is() -> None:
    plain = Plain("a")

    with pytest.raises(dataclasses.FrozenInstanceError, match="name"):
        plain.name = "b"  # type: ignore[misc]
    with pytest.raises(dataclasses.FrozenInstanceError, match="name"):
        del plain.name
    assert plain == Plain("a")


def test_what_changes_has_no_hash() -> None:
    changing = Changing(1)
    changing.size = 2

    assert changing == Changing(2)
    with pytest.raises(TypeError):
        hash(changing)


def test_a_copy_may_differ_in_a_field() -> None:
    assert plain_classes.replace(Plain("a", 2, ["t"], "n"), name="b") == Plain("b", 2, ["t"])
    with pytest.raises(TypeError):
        plain_classes.replace(Plain("a"), colour=1)  # type: ignore[call-arg]


def test_copies_and_pickles_are_equal() -> None:
    plain = Plain("a", 2, ["t"], "n")

    assert copy.deepcopy(plain) == plain
    assert pickle.loads(pickle.dumps(plain)) == plain


def test_fields_match_in_order() -> None:
    match Changing(3):
        case Changing(size):
            assert size == 3
