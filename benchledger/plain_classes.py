"""`dataclass` without code that is made for each class; whoever checks types sees that of the standard library.

That one writes the source of six methods for a class and compiles it: for the classes of what an ingest reads with, a
fifteenth of the processor time of a small one. Here one function serves all, and `replace`, `fields` and `asdict` do
with it what they do. For what is made for each of many things and is not frozen, the standard library's is better.
"""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING

__all__ = ["dataclass", "field", "replace"]

if TYPE_CHECKING:
    from dataclasses import dataclass
else:
    from dataclasses import _FIELD, MISSING, Field, FrozenInstanceError
    from inspect import get_annotations
    from operator import attrgetter

    def dataclass(cls=None, /, *, frozen=False, eq=True):
        """The class with what its fields ask for: __init__, __repr__, __eq__ and, if it is frozen, __hash__."""
        if cls is None:
            return lambda cls: dataclass(cls, frozen=frozen, eq=eq)
        fields = {name: _field(cls, name) for name in get_annotations(cls)}
        cls.__dataclass_fields__, cls.__match_args__ = fields, tuple(fields)
        cls.__init__, cls.__repr__ = _init(cls, fields), _repr
        if eq:
            cls.__eq__, cls.__hash__ = _compared([name for name in fields if fields[name].compare], frozen)
        if frozen:
            cls.__setattr__ = cls.__delattr__ = _refuse
        return cls

    def _field(cls, name):
        given = cls.__dict__.get(name, MISSING)
        if not isinstance(given, Field):
            given = field(default=given)
        elif given.default is MISSING:
            delattr(cls, name)
        else:
            setattr(cls, name, given.default)
        given.name, given._field_type = name, _FIELD
        return given

    def _init(cls, fields):
        names, count, known = tuple(fields), len(fields), fields.keys()

        def init(self, *values, **named):
            state = self.__dict__
            state.update(zip(names, values, strict=False), **named)
            if not len(state) == len(values) + len(named) == count or not named.keys() <= known:
                _complete(cls, state, values, named)

        return init

    def _complete(cls, state, values, named):
        fields = cls.__dataclass_fields__
        for name, given in fields.items():
            if name not in state:
                if given.default_factory is not MISSING:
                    state[name] = given.default_factory()
                elif given.default is not MISSING:
                    state[name] = given.default
                else:
                    raise TypeError(f"{cls.__qualname__}: {name} is missing")
        if len(values) > len(fields) or state.keys() != fields.keys() or named.keys() & list(fields)[: len(values)]:
            raise TypeError(f"{cls.__qualname__}: takes {', '.join(fields)}, each once")

    def _repr(self):
        shown = (name for name, of in self.__dataclass_fields__.items() if of.repr)
        return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in shown)})"

    def _compared(names, frozen):
        by = attrgetter(*names) if names else type

        def is_equal(self, other):
            return by(self) == by(other) if type(self) is type(other) else NotImplemented

        return is_equal, (lambda self: hash(by(self))) if frozen else None

    def _refuse(self, name, *_):
        raise FrozenInstanceError(f"{type(self).__qualname__} is frozen: {name} stays as it is")
