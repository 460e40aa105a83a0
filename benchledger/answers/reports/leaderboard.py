"""The leaderboard: the fastest series at equal work on equal numbers of equal GPUs."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from benchledger.answers.filters import MACHINE_COLUMNS, Filters, read_filters
from benchledger.answers.rows import frame_of, reading, rows_of
from benchledger.answers.tables.cells import NOT_RUN, fact_text, number_text, rank_text
from benchledger.answers.tables.grid import column_order
from benchledger.answers.tables.grouping import (
    Row,
    SortKey,
    adopt_gpu_model,
    adopt_unit,
    facts_of,
    grouped,
    sort_key,
)
from benchledger.answers.tables.left_out import (
    assumed_gpu_note,
    count_assumed_gpu,
    need_series,
    speed_notes,
)
from benchledger.answers.tables.table import Above, Coverage, Report, Table, text_frame
from benchledger.errors import NothingFoundError
from benchledger.store.default_db import DEFAULT_DB

if TYPE_CHECKING:
    import duckdb

_BOARD = """
select board.*, bench_case.name, bench_case.case_id, bench_case.nodes, bench_case.global_batch_size,
    bench_case.gradient_accumulation, bench_case.options
from leaderboard_of($campaign) as board
join series using (series_id)
join bench_case using (case_id)
"""
# Ranks among the selected series: dropping others does not change their order.
_RANKED = """
select * replace (
    rank() over board + 0 * rank as rank,
    rank() over board + 0 * rank
        + count(*) over (partition by model, task, precision, seq_len, gpu_model, gpus, unit, place_of_gpu, rank) - 1
        as rank_last
)
from (select *, case when gpu_model is null then coalesce(system, campaign) end as place_of_gpu from met)
window board as (partition by model, task, precision, seq_len, gpu_model, gpus, unit, place_of_gpu order by rank)
"""
_TABLE = ("model", "task", "gpu_model")
_NO_CARD = (
    "the GPU model is not stated: series are ranked on their own system, or else in their own campaign. "
    "State gpu_model in facts.toml"
)


def leaderboard(*, db: Path | str = DEFAULT_DB, campaign: str | None = None, **case_columns: object) -> Report:
    """Returns every series with a speed by its default rule, ranked among the selected; each run is ranked once.

    One table per model, task, GPU model and unit; within it, series of equal precision, sequence length and GPU count
    compete. Raises NothingFoundError if no selected series has a speed, UsageError for an unknown column.
    """
    filters = read_filters(campaign, case_columns, extra=MACHINE_COLUMNS)
    with reading(db) as con:
        need_series(con, db, filters)
        rows = _ranked(con, filters, campaign or "*")
        speeds = rows_of(filters.apply(con.view("speed_table")).filter("is_default"))
        notes = speed_notes(con, filters, speeds)
        count_assumed_gpu(con, speeds)
    if not rows:
        raise NothingFoundError("none of the selected series has a speed; see why: bench report speed")
    return _report(rows, speeds).noted(notes)


def _ranked(con: duckdb.DuckDBPyConnection, filters: Filters, campaign: str) -> list[Row]:
    met = filters.apply(con.sql(_BOARD, params={"campaign": campaign}))
    return sorted(rows_of(met.query("met", _RANKED)), key=_order)


def _report(rows: list[Row], speeds: list[Row]) -> Report:
    with_speed = {row["series_id"] for row in speeds if row["trials"]}
    assumed = {(row["series_id"], row["rule"], row["unit"]): row["assumed_gpu"] for row in speeds}
    rows = [{**row, "assumed_gpu": assumed.get((row["series_id"], row["rule"], row["unit"]), 0)} for row in rows]
    boards = grouped(rows, (*_TABLE, "unit"))
    without_speed = [row for row in speeds if row["series_id"] not in with_speed]
    without = grouped(_placed(without_speed, speeds, list(boards)), (*_TABLE, "unit"))
    tables = tuple(_table(board, without.get(key, [])) for key, board in boards.items())
    named = {row["series_id"] for key in boards for row in without.get(key, [])}
    in_no_table = len({row["series_id"] for row in without_speed} - named)
    twice = len(with_speed - {row["series_id"] for row in rows})
    notes = (
        [f"series left out: {twice}; each shares a run with a series of another campaign that is ranked"]
        if twice
        else []
    )
    notes += (
        [f"series without a speed that belong in none of these tables: {in_no_table}. See them: bench report speed"]
        if in_no_table
        else []
    )
    return Report("leaderboard", tables, frame_of(rows, without=("assumed_gpu", "place_of_gpu")), tuple(notes))


def _table(rows: list[Row], without: list[Row]) -> Table:
    columns = (*_TABLE, "unit")
    missing = tuple(f"{_name(row)}: {row['status'].replace('_', ' ')}" for row in without)
    heads = ["gpus", "precision", "seq_len"]
    places = ["system"] * any(row["system"] is not None for row in rows) + ["campaign"]
    lines = [
        [
            *(fact_text(row[name]) for name in heads),
            rank_text(row["rank"], row["rank_last"]),
            number_text(row["value"]),
            *(fact_text(row[name]) for name in ("framework", "implementation", "batch_size_per_gpu")),
            str(row["trials"]),
            _spread(row),
            row["rule"],
            *(fact_text(row[name]) for name in places),
        ]
        for row in rows
    ]
    names = ["rank", rows[0]["unit"] or "speed", "framework", "implementation", "batch size", "trials", "spread, %"]
    title = ", ".join(fact_text(rows[0][name]) for name in _TABLE)
    return Table(
        facts=facts_of(rows[0], columns),
        coverage=Coverage(len(rows), len(rows) + len(without), missing),
        frame=text_frame([*heads, *names, "rule", *places], lines),
        above=Above(title=title, depth=2, says=columns),
        notes=(*_unranked(rows), *assumed_gpu_note(rows, _name), *_near(rows)),
        texts=frozenset(("precision", "rank", "framework", "implementation", "rule", *places)),
    )


def _placed(without_speed: list[Row], speeds: list[Row], boards: list[tuple[object, ...]]) -> list[Row]:
    """Returns the series without a speed, with a GPU model and unit where similar series leave only one choice."""
    units: dict[tuple[object, ...], list[object]] = {}
    for *table, unit in boards:
        units.setdefault(tuple(table), []).append(unit)
    known = {row["series_id"] for row in without_speed}
    placed = [row for row in adopt_unit(adopt_gpu_model(speeds)) if row["series_id"] in known]
    for row in placed:
        of_card = units.get(tuple(row[name] for name in _TABLE), [])
        if row["unit"] is None and row["gpu_model"] is not None and len(of_card) == 1:
            row["unit"] = of_card[0]
    # A series has one row per rule, but is listed once in a table.
    return list({(row["series_id"], row["unit"]): row for row in placed if row["unit"] is not None}.values())


def _name(row: Row) -> str:
    return f"{row['name']} ({fact_text(row['campaign'])})"


def _unranked(rows: list[Row]) -> tuple[str, ...]:
    notes = (_NO_CARD,) if rows[0]["gpu_model"] is None else ()
    unranked = [row["unranked"] for row in rows if row["unranked"]]
    if not unranked:
        return notes
    unstated = dict.fromkeys(name for names in unranked for name in names.split(", "))
    verb = "does" if len(unranked) == 1 else "do"
    what = f"not known to be equal work: {len(unranked)} series {verb} not state {' or '.join(unstated)}"
    return (*notes, f"{what}: listed, not ranked. State it in facts.toml")


def _order(row: Row) -> tuple[SortKey, SortKey, SortKey]:
    faster_first = row["value"] if row["unit"] in ("s", "min") else -row["value"]
    rest = (row["seq_len"], row["place_of_gpu"], row["rank"], faster_first, row["campaign"], row["series_id"])
    return sort_key([row["gpus"]]), column_order({**row, "batch_size_per_gpu": None}), sort_key(rest)


def _spread(row: Row) -> str:
    """Returns the range of the trials in percent of the value; none for a single trial."""
    if row["trials"] < 2 or not row["value"]:
        return NOT_RUN
    return f"{100 * (row['highest'] - row['lowest']) / row['value']:.2f}"


def _near(rows: list[Row]) -> tuple[str, ...]:
    """Returns a note about neighbouring ranks whose trial ranges overlap."""
    found = []
    for board in grouped(rows, ("gpus", "precision", "seq_len", "place_of_gpu")).values():
        for one, other in pairwise(board):
            overlap = one["lowest"] <= other["highest"] and other["lowest"] <= one["highest"]
            if one["rank"] is not None and one["rank"] != other["rank"] and overlap:
                ranks = " and ".join(rank_text(row["rank"], row["rank_last"]) for row in (one, other))
                found.append(f"{fact_text(one['gpus'])} x {fact_text(one['precision'])}: ranks {ranks}")
    return (f"within the spread of their trials: {', '.join(found)}",) if found else ()
