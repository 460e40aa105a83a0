"""Where a speed-up comes from: its base, why this one, both speeds, and the quotient made once more."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from benchledger.answers.rows import frame_of, rows_asked
from benchledger.answers.tables.cells import fact_text, status_text
from benchledger.answers.tables.grouping import Key, Row, grouped
from benchledger.explaining.explained import Check, ExplainedCell
from benchledger.explaining.rule_words import rounding_words
from benchledger.explaining.speed import explained_speeds
from benchledger.explaining.speed_words import check_sentence, digits

if TYPE_CHECKING:
    import duckdb

_OF_CAMPAIGNS = """
from speed_table
where list_contains($rule, rule) and list_contains($campaign, coalesce(campaign, 'None'))
"""
_QUOTIENT = "select rounded(faster($speed::double, $base::double, $unit), $method, $digits)"
# What both sides of a speed-up share, and what else they share by the kind of scaling.
_FAMILY = (
    "campaign", "framework", "implementation", "model", "task", "precision", "seq_len", "options", "system",
    "gpu_model", "gpu_memory_mib", "framework_version", "implementation_version", "variant", "rule", "unit",
)  # fmt: skip
_FIXED = {"weak": "batch_size_per_gpu", "strong": "global_batch_size"}
_BASE_COLUMNS = (
    "cell", "name", "gpus", "batch_size_per_gpu", "global_batch_size", "gradient_accumulation", "value", "chosen",
)  # fmt: skip


def explained_speedups(
    con: duckdb.DuckDBPyConnection, numbers: list[Row], known: Iterable[ExplainedCell] = ()
) -> list[ExplainedCell]:
    """Rows of speedup_table, explained; `known` are speeds that are explained already, the others are read at once."""
    speeds = _speeds(con, numbers)
    compared = [(number, *_compared(number, speeds.get(_family(number, number["scaling"]), []))) for number in numbers]
    explained = {cell.cell: cell for cell in known}
    sides = [side for _, own, base, _ in compared for side in (own, base) if side is not None]
    missing = {side["cell"]: side for side in sides if side["cell"] not in explained}
    for alike in grouped(missing.values(), ("rule", "unit")).values():
        explained |= {cell.cell: cell for cell in explained_speeds(con, alike)}
    return [
        _explained(con, number, own, base, listed, [explained[cell] for cell in dict.fromkeys(_names(own, base))])
        for number, own, base, listed in compared
    ]


def _speeds(con: duckdb.DuckDBPyConnection, numbers: list[Row]) -> dict[Key, list[Row]]:
    """Returns the speeds that could be a base of these, by what both sides share."""
    asked = {name: sorted({str(number[name]) for number in numbers}) for name in ("rule", "campaign")}
    found: dict[Key, list[Row]] = {}
    for row in rows_asked(con, _OF_CAMPAIGNS, **asked):
        for scaling in _FIXED:
            found.setdefault(_family(row, scaling), []).append(row)
    return found


def _family(row: Row, scaling: str) -> Key:
    return (scaling, *(row[name] for name in (*_FAMILY, _FIXED[scaling])))


def _names(own: Row, base: Row | None) -> list[str]:
    return [own["cell"], *([] if base is None else [base["cell"]])]


def _compared(number: Row, family: list[Row]) -> tuple[Row, Row | None, list[Row]]:
    """Returns the speed itself, its base if it has one, and all that could have been the base."""
    own = next(row for row in family if row["series_id"] == number["series_id"])
    able = [row for row in family if row["value"] is not None and row["gpus"] is not None]
    fewest = min((row["gpus"] for row in able), default=None)
    listed = [{**row, "chosen": row["series_id"] == number["base_series_id"]} for row in able if row["gpus"] == fewest]
    listed.sort(key=lambda row: (not row["chosen"], row["cell"]))
    return own, listed[0] if listed and listed[0]["chosen"] else None, listed


def _explained(
    con: duckdb.DuckDBPyConnection, number: Row, own: Row, base: Row | None, listed: list[Row],
    sides: list[ExplainedCell],
) -> ExplainedCell:  # fmt: skip
    quotient = _quotient(con, own, base, sides[0].rule or {})
    check = Check(number["speedup"], quotient)
    return replace(
        sides[0], cell=number["cell"], table="speedup", number=number, check=check, sides=tuple(sides),
        sentences=_sentences(number, own, base, listed, sides, check),
        bases=frame_of([{name: row[name] for name in _BASE_COLUMNS} for row in listed]) if listed else None,
    )  # fmt: skip


def _quotient(con: duckdb.DuckDBPyConnection, own: Row, base: Row | None, rule: Row) -> float | None:
    if base is None or own["gpus"] is None or own["value"] is None:
        return None
    speed, base_speed = (row["value"] * (row["gpus"] if rule["per"] == "gpu" else 1) for row in (own, base))
    asked = {"speed": speed, "base": base_speed, "unit": own["unit"]}
    asked |= {"method": rule["speedup_rounding"], "digits": rule["speedup_rounding_digits"]}
    number: float | None = con.execute(_QUOTIENT, asked).fetchall()[0][0]
    return number


def _sentences(
    number: Row, own: Row, base: Row | None, bases: list[Row], sides: list[ExplainedCell], check: Check
) -> tuple[str, ...]:
    fixed, rule = _FIXED[number["scaling"]], sides[0].rule or {}
    of = (
        f"the speed-up of {number['name']} in campaign {fact_text(number['campaign'])}, {number['scaling']} scaling, "
        f"by rule {number['rule']}"
    )
    if number["speedup"] is None:
        why = f" ({status_text(number['status'])})" if own["value"] is None else ""
        sentences = [f"No number{why} for {of}."]
    else:
        sentences = [f"{digits(number['speedup'])}: {of}."]
    sentences.append(
        f"{number['scaling'].capitalize()} scaling compares speeds of one campaign, case, environment and rule with "
        f"the same {fixed} (here {fact_text(number[fixed])}); nodes, gpus and the other batch sizes may differ."
    )
    sentences += _base_sentences(number, own, base, bases)
    if number["speedup"] is not None and base is not None:
        over = (base, own) if number["unit"] in ("s", "min") else (own, base)
        words = rounding_words(rule["speedup_rounding"], rule["speedup_rounding_digits"])
        sentences.append(
            f"{digits(over[0]['value'])} / {digits(over[1]['value'])} {number['unit']}"
            + (", each the speed of one GPU times its GPUs" if rule["per"] == "gpu" else "")
            + (f", {words}" if words else "")
            + "."
        )
        sentences.append(
            f"Efficiency {digits(number['efficiency'])}: the unrounded quotient x {base['gpus']} / {own['gpus']} GPUs."
        )
    return (*sentences, check_sentence(check, None, all(side.check.agrees for side in sides)))


def _base_sentences(number: Row, own: Row, base: Row | None, bases: list[Row]) -> list[str]:
    if number["gpus"] is None:
        return ["The number of its GPUs is unknown, so it has no base."]
    if not bases:
        return ["None of these speeds has a known number of GPUs, so there is no base."]
    fewest = bases[0]["gpus"]
    if base is None:
        tied = ", ".join(row["cell"] for row in bases)
        return [f"{tied} have the fewest GPUs ({fewest}) and are equally near: a tie, so there is no base."]
    if base["cell"] == own["cell"]:
        return [f"It is its own base: it has the fewest GPUs ({fewest}) of those with a speed."]
    named = f"{base['cell']}, {base['name']}, {digits(base['value'])} {base['unit']}"
    text = f"The base is {named}: it has the fewest GPUs ({fewest}) of those with a speed"
    if len(bases) > 1:
        text += f"; of {len(bases)} with {fewest} it is the nearest by global batch size, then by gradient accumulation"
    return [text + "."]
