"""Names lines by the facts in which they differ, and the picture by those that all share."""

from __future__ import annotations

import json
from itertools import count
from typing import TYPE_CHECKING, Any

from benchledger.answers.tables.cells import UNKNOWN
from benchledger.exports.values import escaped

if TYPE_CHECKING:
    import polars as pl

# Facts in which lines differ are in their names, the main ones always, the others only where they tell lines apart.
_MAIN = {
    "model": "{}",
    "gpus": "{} GPUs",
    "precision": "{}",
    "batch_size_per_gpu": "BS={}",
    "framework": "{}",
    "gpu_model": "{}",
    "nodes": "{} nodes",
}
_MORE = {
    "implementation": "{}",
    "system": "{}",
    "seq_len": "sequence {}",
    "options": "{}",
    "campaign": "{}",
    "framework_version": "{}",
    "implementation_version": "{}",
    "variant": "{}",
    "global_batch_size": "global batch {}",
    "gradient_accumulation": "accumulation {}",
    "rule": "{}",
    "device": "GPU {}",
    "run_key": "run {}",
    "cell": "{}",
    "line": "{}",
}
_FACTS = {**_MAIN, **_MORE}
_SHARED = (
    "model", "task", "framework", "implementation", "precision", "gpus", "nodes", "batch_size_per_gpu", "seq_len",
    "gpu_model", "system", "scaling", "definition", "campaign",
)  # fmt: skip
# Of a longer text, its beginning and its end are shown.
_LONGEST = 100
# Titles of axes.
_ON_AXIS = {
    "scaling": ("gpus", "nodes"),
    "batch": ("batch_size_per_gpu", "global_batch_size", "gradient_accumulation"),
    "history": ("campaign",),
}


def labels_of(rows: pl.DataFrame, plot: str) -> dict[str, str]:
    """Returns the name of each line: the facts that tell the lines apart."""
    lines = rows.unique("line", keep="first", maintain_order=True).to_dicts()
    facts = [name for name in _FACTS if name in rows.columns and name not in _ON_AXIS.get(plot, ())]
    # A fact in which points of one line differ is none of the line.
    facts = [name for name in facts if name == "line" or rows.unique(["line", name]).height == len(lines)]
    chosen = [name for name in facts if name in _MAIN and _apart(lines, [name]) > 1]
    for name in facts:
        if _apart(lines, chosen) == len(lines):
            break
        if _apart(lines, [*chosen, name]) > _apart(lines, chosen):
            chosen.append(name)
    for name in [name for name in chosen if name in _MORE]:
        fewer = [other for other in chosen if other != name]
        if _apart(lines, fewer) == _apart(lines, chosen):
            chosen = fewer
    options = _options(lines)
    named = dict[str, str]()
    for row in lines:
        texts = (options[row["line"]] if name == "options" else _text(name, row[name]) for name in chosen)
        label = ", ".join(text for text in texts if text) or _only(row)
        # Names that are shown alike are still those of several lines.
        taken = set(named.values())
        others = (f"{label} ({number})" for number in count(2))
        named[row["line"]] = label if label not in taken else next(other for other in others if other not in taken)
    return named


def shared_facts(rows: pl.DataFrame) -> dict[str, str]:
    names = [name for name in _SHARED if name in rows.columns]
    shared = {name: rows[name][0] for name in names if rows[name].n_unique() == 1}
    if "run_key" in rows.columns and rows["run_key"].n_unique() == 1:
        shared["run_key"] = rows["run_key"][0]
    words = {"scaling": "{} scaling", "definition": "{} memory"}
    return {
        name: words[name].format(value) if name in words else _text(name, value)
        for name, value in shared.items()
        if value is not None
    }


def _apart(lines: list[dict[str, Any]], facts: list[str]) -> int:
    return len({tuple(str(row[name]) for name in facts) for row in lines})


def _options(lines: list[dict[str, Any]]) -> dict[str, str]:
    """Returns the options of each line in which the lines differ: compile, head=masked."""
    stated = {row["line"]: json.loads(row.get("options") or "{}") for row in lines}
    names = sorted({name for options in stated.values() for name in options})
    differing = [name for name in names if len({options.get(name) for options in stated.values()}) > 1]
    return {
        line: _shown(" ".join(
            name if options[name] == "true" else f"{name}={options[name]}" for name in differing if name in options
        ))
        for line, options in stated.items()
    }  # fmt: skip


def _text(fact: str, value: Any) -> str:
    if value is None:
        return f"{fact.replace('_', ' ')} {UNKNOWN}" if fact in ("gpus", "precision") else ""
    text = _FACTS.get(fact, "{}").format(value)
    return _shown(text.removesuffix("s") if value == 1 else text)


def _shown(text: str) -> str:
    # Vega measures a text of 100,000 characters for minutes, and hears no signal meanwhile.
    text = escaped(text[: 2 * _LONGEST] + text[-2 * _LONGEST :] if len(text) > 4 * _LONGEST else text)
    return f"{text[: _LONGEST // 2]}…{text[-_LONGEST // 2 :]}" if len(text) > _LONGEST else text


def _only(row: dict[str, Any]) -> str:
    return _text("run_key", row["run_key"]) if "run_key" in row else _text("precision", row.get("precision"))
