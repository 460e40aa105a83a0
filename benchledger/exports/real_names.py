"""Answers with real names in place of pseudonyms, and what the head of such an export says."""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

from benchledger.redaction.real_names import RealNames

NOTE = "Contains real names of machines and people (--reveal): not for publication."
_HEADS = {"csv": f"# {NOTE}\n", "latex": f"% {NOTE}\n", "html": f"<!-- {NOTE} -->\n"}
_Value = TypeVar("_Value")


def with_real_names(value: _Value, names: RealNames) -> _Value:
    """Returns a text, a frame, a report or any other answer with real names in all its texts."""
    changed: Any = _changed(value, names)
    return changed  # type: ignore[no-any-return]


def headed(text: str, form: str) -> str:
    if form != "json":
        return _HEADS.get(form, f"{NOTE}\n\n") + text
    begin = f'{{\n  "real_names": {json.dumps(NOTE)},\n'
    return begin + text.removeprefix("{\n") if text.startswith("{\n") else f'{begin}  "rows": {text}\n}}'


def _changed(value: Any, names: RealNames) -> Any:
    if isinstance(value, str):
        return names.text(value)
    if isinstance(value, dict):
        return {_changed(key, names): _changed(one, names) for key, one in value.items()}
    if isinstance(value, list):
        return [_changed(one, names) for one in value]
    if isinstance(value, tuple) and type(value) is tuple:
        return tuple(_changed(one, names) for one in value)
    if is_dataclass(value) and not isinstance(value, type):
        return replace(
            value, **{one.name: _changed(getattr(value, one.name), names) for one in fields(value) if one.init}
        )
    if hasattr(value, "iter_columns"):
        return _frame(value, names)
    return value


def _frame(frame: Any, names: RealNames) -> Any:
    import polars as pl

    columns = [
        pl.Series(names.text(column.name), [_changed(one, names) for one in column.to_list()], column.dtype)
        if "String" in str(column.dtype)
        else column.alias(names.text(column.name))
        for column in frame.iter_columns()
    ]
    return pl.DataFrame(columns)
