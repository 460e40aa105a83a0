"""Reads one table of a definition file by key and type; a wrong value is an error with its line."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn, TypeVar

from benchledger.definitions.toml_file import TomlFile
from benchledger.errors import DefinitionError, suggestion

T = TypeVar("T")
# What an integer column holds.
LARGEST = 2**31 - 1
_LARGEST_FLOAT = 1e300


def is_number(value: object) -> bool:
    """Tells whether a value of TOML is a finite number that a float holds; true is none."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < _LARGEST_FLOAT


class Problems:
    """Collects the problems of a file, so that all are told at once."""

    def __init__(self) -> None:
        self._found: list[str] = []

    @contextmanager
    def collected(self) -> Iterator[None]:
        try:
            yield
        except DefinitionError as error:
            self._found += str(error).split("\n")

    def check(self) -> None:
        if self._found:
            raise DefinitionError("\n".join(dict.fromkeys(self._found)))


class Table:
    """A table at a dotted place of a file.

    Raises DefinitionError for a value that is not a table, and for unknown keys.
    """

    def __init__(self, file: TomlFile, place: str, data: Any, known: Collection[str]) -> None:
        if not isinstance(data, dict):
            file.fail(
                place, f"{place.rpartition('.')[2]} is a table, not {data!r}; its keys: {', '.join(sorted(known))}"
            )
        file.refuse_unknown(place, data, set(known))
        self.file, self.place, self.data = file, place, data
        self.known_keys = frozenset(known)

    def __contains__(self, key: str) -> bool:
        return key in self.data

    def where(self, key: str) -> str:
        return f"{self.place}.{key}" if self.place else key

    def fail(self, key: str, problem: str) -> NoReturn:
        """Raises DefinitionError at the line of a key, or of the table if the key is empty or absent."""
        self.file.fail(self.where(key) if key else self.place, problem)

    def text(self, key: str) -> str:
        """Returns a required text."""
        value = self.text_or_none(key)
        if value is None:
            self.fail(key, f"{key} must be a text, not None")
        return value

    def text_or_none(self, key: str) -> str | None:
        """Returns a non-empty text; None without the key."""
        value = self.data.get(key)
        if value is not None and (not isinstance(value, str) or not value):
            self.fail(key, f"{key} must be a text, not {value!r}")
        return value

    def text_or_texts(self, key: str) -> tuple[str, ...]:
        """Returns a text or a list of texts, none of them empty; empty without the key."""
        if isinstance(self.data.get(key), list):
            return tuple(self.strings(key))
        text = self.text_or_none(key)
        return (text,) if text is not None else ()

    def whole_number(self, key: str, least: int | None = None, most: int = LARGEST) -> int:
        value = self.data.get(key)
        if not isinstance(value, int) or isinstance(value, bool) or (least is not None and value < least):
            bound = "" if least is None else f" of at least {least}"
            self.fail(key, f"{key} must be a whole number{bound}, not {value!r}")
        if value > most:
            self.fail(key, f"{key} must be at most {most}, not {value!r}")
        return value

    def number(self, key: str, default: float) -> float:
        value = self.data.get(key, default)
        if key in self.data and not is_number(value):
            self.fail(key, f"{key} must be a number, not {value!r}")
        return float(value)

    def flag(self, key: str) -> bool:
        value = self.data.get(key, False)
        if not isinstance(value, bool):
            self.fail(key, f"{key} must be true or false, not {value!r}")
        return value

    def strings(self, key: str, default: Collection[str] = ()) -> list[str]:
        """Returns a list of texts, none of them empty."""
        value = self.data.get(key, list(default))
        if not isinstance(value, list) or not all(isinstance(entry, str) for entry in value):
            self.fail(key, f"{key} is a list of strings, not {value!r}")
        if "" in value:
            self.fail(key, f"{key} holds an empty string, which matches everywhere")
        return list(value)

    def choice(self, key: str, known: Collection[str], default: str | None = None) -> str:
        value = self.data.get(key, default)
        if not isinstance(value, str) or value not in known:
            self.fail(key, f"{key} must be one of {', '.join(known)}, not {value!r}")
        return value

    def choice_or_none(self, key: str, known: Collection[str]) -> str | None:
        """Returns one of the known words; None without the key."""
        return self.choice(key, known) if key in self else None

    def listed(self, key: str, known: Collection[str]) -> str | None:
        value = self.text_or_none(key)
        return value if value is None else self.known(key, key, value, known)

    def known(self, key: str, what: str, value: str, known: Collection[str]) -> str:
        if value not in known:
            self.fail(key, f"no {what} {value!r}{suggestion(value, known)}; known: {', '.join(sorted(known))}")
        return value

    def texts(self, key: str) -> dict[str, str]:
        value = self.data.get(key, {})
        if not isinstance(value, dict) or not all(isinstance(entry, str) and entry for entry in value.values()):
            self.fail(key, f'{key} is a table of texts, such as {{ a = "b" }}, not {value!r}')
        return dict(value)

    def any_values(self, key: str) -> dict[str, Any]:
        value = self.data.get(key, {})
        if not isinstance(value, dict):
            self.fail(key, f'{key} is a table, such as {{ a = "b" }}, not {value!r}')
        return dict(value)

    def table(self, key: str, known: Collection[str]) -> Table:
        """Returns a table within this one; an empty one without the key."""
        return Table(self.file, self.where(key), self.data.get(key, {}), known)

    def tables(self, key: str, known: Collection[str]) -> list[Table]:
        """Returns the tables of a list, written [[key]]; a table may be written as `one_table` says."""
        return self.each(key, known, lambda table: table)

    def each(self, key: str, known: Collection[str], read: Callable[[Table], T]) -> list[T]:
        """Returns what `read` makes of each table of a list. Raises DefinitionError with the problems of all."""
        value = self.data.get(key, [])
        entries = [self.one_table(key, entry) for entry in value] if isinstance(value, list) else []
        if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in entries):
            self.fail(key, f"{key} is a list of tables: write [[{key}]]")
        problems = Problems()
        found: list[T] = []
        for index, entry in enumerate(entries):
            with problems.collected():
                found.append(read(Table(self.file, f"{self.where(key)}.{index}", entry, known)))
        problems.check()
        return found

    def one_table(self, key: str, entry: Any) -> Any:
        """Returns an entry of a list of tables as one table; values of other types as they are.

        An inline table has to stand on one line. A long one is written as a list of tables, which are read as one.
        """
        if not isinstance(entry, list) or not entry or not all(isinstance(part, dict) for part in entry):
            return entry
        whole: dict[str, Any] = {}
        for part in entry:
            self._join(key, whole, part)
        return whole

    def _join(self, key: str, whole: dict[str, Any], part: dict[str, Any]) -> None:
        for name, value in part.items():
            if isinstance(value, dict) and isinstance(whole.get(name, {}), dict):
                whole[name] = dict(whole.get(name, {}))
                self._join(key, whole[name], value)
            elif name in whole:
                self.fail(key, f"{name} is stated twice in one table: {whole[name]!r} and {value!r}")
            else:
                whole[name] = value

    def lists(self, key: str) -> list[list[Any]]:
        value = self.data.get(key, [])
        if not isinstance(value, list) or not all(isinstance(entry, list) for entry in value):
            self.fail(key, f"{key} is a list of lists, not {value!r}")
        return value
