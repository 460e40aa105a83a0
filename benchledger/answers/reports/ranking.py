"""The ranking: the fastest series of each GPU model and system at equal work, with what differs beside it."""

from __future__ import annotations

from pathlib import Path

from benchledger.answers.filters import MACHINE_COLUMNS, read_filters
from benchledger.answers.rows import frame_of, reading
from benchledger.answers.tables.cells import fact_text, number_text, rank_text
from benchledger.answers.tables.grouping import Row, facts_of, grouped
from benchledger.answers.tables.left_out import (
    need_series,
    speed_notes,
)
from benchledger.answers.tables.numbers import (
    best_first,
    each_run_once,
    facts_of_numbers,
    numbers,
    per_gpu_or_whole,
)
from benchledger.answers.tables.rules import need_value, rules_asked_for, several_rules
from benchledger.answers.tables.table import Report, Table, text_frame
from benchledger.errors import NothingFoundError
from benchledger.store.default_db import DEFAULT_DB

# Numbers that differ in one of these are not of equal work.
_WORK = ("model", "task", "precision", "seq_len", "unit")
# The facts that compete.
_CONTENDER = ("system", "gpu_model")
# Facts that may differ between the rows of a table, in the order of its columns.
_BESIDE = (
    "gpus",
    "nodes",
    "batch_size_per_gpu",
    "gradient_accumulation",
    "framework",
    "implementation",
    "framework_version",
    "implementation_version",
    "cuda_version",
    "driver_version",
    "options",
    "rule",
    "trials",
    "campaign",
)
# Shown even if all rows agree.
_ALWAYS = ("gpus", "batch_size_per_gpu", "framework")
_NUMBERS = ("gpus", "nodes", "batch_size_per_gpu", "gradient_accumulation", "trials")


def report_ranking(
    *,
    db: Path | str = DEFAULT_DB,
    per_gpu: bool = False,
    campaign: str | None = None,
    rule: str | None = None,
    **case_columns: object,
) -> Report:
    """Returns the fastest series of each system and GPU model, ranked; one table per equal work and unit.

    Equal work is equal model, task, precision and sequence length. What else differs stands beside each number: GPUs,
    batch size, software, campaign. `per_gpu` divides speeds by the number of GPUs. A series whose system and GPU model
    nobody states has no rank: a note has the fastest of them. Raises NothingFoundError if no selected series has a
    speed, UsageError for an unknown column or rule.
    """
    filters = read_filters(campaign, case_columns, extra=MACHINE_COLUMNS)
    with reading(db) as con:
        contender = [name for name in _CONTENDER if name in facts_of_numbers(con)]
        rules_asked_for(con, rule)
        need_series(con, db, filters)
        found = numbers(con, filters, "speed", rule)
        need_value(con, found, rule)
        notes = speed_notes(con, filters, found)
    found, left_out = per_gpu_or_whole([row for row in found if row["value"] is not None], per_gpu)
    if not found:
        raise NothingFoundError("; ".join(["none of the selected series has a speed", *left_out]))
    work = (*_WORK, *(["rule"] if several_rules(found) else []))
    tables, shown = [], []
    for group in grouped(found, work).values():
        table, rows = _table(each_run_once(group), work, contender)
        tables.append(table)
        shown.extend(rows)
    return Report("ranking", tuple(tables), frame_of(shown, without=("runs",))).noted((*left_out, *notes))


def _table(rows: list[Row], work: tuple[str, ...], contender: list[str]) -> tuple[Table, list[Row]]:
    known = [row for row in rows if any(row[name] is not None for name in contender)]
    unknown = [row for row in rows if not any(row[name] is not None for name in contender)]
    best = sorted((min(alike, key=best_first) for alike in grouped(known, contender).values()), key=best_first)
    values = [best_first(row)[0] for row in best]
    ranked = [
        # Ties share their ranks.
        {**row, "rank": 1 + sum(one < value for one in values), "rank_last": sum(one <= value for one in values)}
        for row, value in zip(best, values, strict=True)
    ]
    # Without a rank: its GPU may be one of those above.
    listed = [*ranked, *({**row, "rank": None, "rank_last": None} for row in sorted(unknown, key=best_first)[:1])]
    beside = [name for name in _BESIDE if name not in work and (name in _ALWAYS or _differs(name, listed))]
    shown = [name for name in (*contender, *beside) if name != "system" or any(row[name] for row in listed)]
    lines = [
        [
            rank_text(row["rank"], row["rank_last"]),
            number_text(row["value"]),
            *(fact_text(row[name]) for name in shown),
        ]
        for row in listed
    ]
    table = Table(
        facts=facts_of(rows[0], work),
        coverage=None,
        frame=text_frame(["rank", rows[0]["unit"] or "speed", *shown], lines),
        notes=_unknown_note(unknown, contender),
        texts=frozenset({"rank", *shown} - {*_NUMBERS}),
    )
    return table, listed


def _differs(name: str, rows: list[Row]) -> bool:
    return len({str(row[name]) for row in rows}) > 1


def _unknown_note(unknown: list[Row], contender: list[str]) -> tuple[str, ...]:
    if not unknown:
        return ()
    count = f"{len(unknown)} series {'states' if len(unknown) == 1 else 'state'} no {' or '.join(contender)}"
    which = "it is listed without a rank" if len(unknown) == 1 else "the fastest is listed without a rank"
    return (f"{count}: {which}. State one in facts.toml",)
