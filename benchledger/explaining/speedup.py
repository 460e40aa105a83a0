"""Where a speed-up comes from: its base, why this one, both speeds, and the quotient made once more."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from benchledger.answers.series import rows_of
from benchledger.answers.tables.cells import fact_text, status_text
from benchledger.answers.tables.grouping import Row
from benchledger.explaining.explained import Check, ExplainedCell
from benchledger.explaining.roundings import rounding_words
from benchledger.explaining.speed import explained_speed, frame_of_rows, rounded
from benchledger.explaining.speed_words import check_sentence

if TYPE_CHECKING:
    import duckdb

# What both sides of a speed-up share, and what else they share by the kind of scaling.
_FAMILY = (
    "campaign", "framework", "implementation", "model", "task", "precision", "seq_len", "options", "gpu_model",
    "gpu_memory_mib", "framework_version", "implementation_version", "rule", "unit",
)  # fmt: skip
_FIXED = {"weak": "batch_size_per_gpu", "strong": "global_batch_size"}
_BASE_COLUMNS = (
    "cell",
    "name",
    "gpus",
    "batch_size_per_gpu",
    "global_batch_size",
    "gradient_accumulation",
    "value",
    "chosen",
)
_NO_RATIO = float("inf")


def explained_speedup(con: duckdb.DuckDBPyConnection, number: Row) -> ExplainedCell:
    """A row of speedup_table, explained."""
    shared = (*_FAMILY, _FIXED[number["scaling"]])
    from duckdb import ColumnExpression, ConstantExpression

    of_rule = con.view("speed_table").filter(ColumnExpression("rule") == ConstantExpression(number["rule"]))
    family = [row for row in rows_of(of_rule) if all(row[name] == number[name] for name in shared)]
    own = next(row for row in family if row["series_id"] == number["series_id"])
    bases = _candidates(own, family)
    base = bases[0] if bases and (len(bases) == 1 or _distance(own, bases[0]) < _distance(own, bases[1])) else None
    listed = [{**row, "chosen": row is base} for row in bases]
    sides = [explained_speed(con, own)]
    if base is not None and base is not own:
        sides.append(explained_speed(con, base))
    quotient = _quotient(con, own, base, sides[0].rule or {}, number["speedup"])
    check = Check(number["speedup"], quotient)
    return replace(
        sides[0], cell=number["cell"], table="speedup", number=number, check=check, sides=tuple(sides),
        sentences=_sentences(number, own, base, listed, sides, check),
        bases=frame_of_rows([{name: row[name] for name in _BASE_COLUMNS} for row in listed]) if listed else None,
    )  # fmt: skip


def _candidates(own: Row, family: list[Row]) -> list[Row]:
    """The speeds with the fewest GPUs of the family, the nearest first."""
    able = [row for row in family if row["value"] is not None and row["gpus"] is not None]
    fewest = min((row["gpus"] for row in able), default=None)
    return sorted((row for row in able if row["gpus"] == fewest), key=lambda row: _distance(own, row))


def _distance(own: Row, base: Row) -> tuple[bool, float, float]:
    return (
        own["cell"] != base["cell"],
        _ratio(own["global_batch_size"], base["global_batch_size"]),
        _ratio(own["gradient_accumulation"], base["gradient_accumulation"]),
    )


def _ratio(one: int | None, other: int | None) -> float:
    """How many times one is the other, the larger over the smaller; a number that nobody stated is far from any."""
    if one == other:
        return 1.0
    return _NO_RATIO if one is None or other is None else max(one, other) / min(one, other)


def _quotient(
    con: duckdb.DuckDBPyConnection, own: Row, base: Row | None, rule: Row, told: float | None
) -> float | None:
    if base is None or own["gpus"] is None or own["value"] is None:
        return None
    speed, base_speed = (row["value"] * (row["gpus"] if rule["per"] == "gpu" else 1) for row in (own, base))
    faster = base_speed / speed if own["unit"] in ("s", "min") else speed / base_speed
    return rounded(con, faster, rule, "speedup_rounding", told)


def _sentences(
    number: Row, own: Row, base: Row | None, bases: list[Row], sides: list[ExplainedCell], check: Check
) -> tuple[str, ...]:
    fixed = _FIXED[number["scaling"]]
    of = (
        f"the speed-up of {number['name']} in campaign {fact_text(number['campaign'])}, {number['scaling']} scaling, "
        f"by rule {number['rule']}"
    )
    if number["speedup"] is None:
        said = [
            f"No number ({status_text(number['status'])}) for {of}." if own["value"] is None else f"No number for {of}."
        ]
    else:
        said = [f"{number['speedup']}: {of}."]
    said.append(
        f"{number['scaling'].capitalize()} scaling compares speeds of one campaign, case, environment and rule whose "
        f"{fixed} is the same, here {fact_text(number[fixed])}; nodes, gpus and the other batch sizes may differ."
    )
    said += _base_sentences(number, own, base, bases)
    if number["speedup"] is not None and base is not None:
        over = (base, own) if number["unit"] in ("s", "min") else (own, base)
        words = rounding_words(
            *((sides[0].rule or {})[name] for name in ("speedup_rounding", "speedup_rounding_digits"))
        )
        said.append(
            f"{over[0]['value']} over {over[1]['value']} {number['unit']}"
            + (", each of one GPU, times its GPUs" if (sides[0].rule or {})["per"] == "gpu" else "")
            + (f", {words}" if words else "")
            + "."
        )
        said.append(
            f"Efficiency {number['efficiency']}: the unrounded quotient times {base['gpus']} GPUs over {own['gpus']}."
        )
    return (*said, check_sentence(check, None, all(side.check.agrees for side in sides)))


def _base_sentences(number: Row, own: Row, base: Row | None, bases: list[Row]) -> list[str]:
    if number["gpus"] is None:
        return ["The number of its GPUs is unknown, so it has no base."]
    if not bases:
        return ["No speed of these is known with its number of GPUs, so there is no base."]
    fewest = bases[0]["gpus"]
    if base is None:
        tied = ", ".join(row["cell"] for row in bases if _distance(own, row) == _distance(own, bases[0]))
        return [f"{tied} have the fewest GPUs, {fewest}, and are equally near: a tie, so none is the base."]
    named = f"{base['cell']}, {base['name']}, {base['value']} {base['unit']}"
    said = f"The base is {named}: of those with a speed it has the fewest GPUs, {fewest}"
    if base is own or base["cell"] == own["cell"]:
        return [f"It is its own base: of those with a speed it has the fewest GPUs, {fewest}."]
    if len(bases) > 1:
        said += f"; of {len(bases)} with as few it is the nearest by global batch size, then by gradient accumulation"
    return [said + "."]
