"""The overview of a ledger: what is in it, what is fast, what needs attention, and what to type next."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from benchledger.answers.rows import frame_of, reading, rows_of
from benchledger.answers.tables.cells import NOT_RUN, fact_text, number_text
from benchledger.answers.tables.grouping import Row, by_column
from benchledger.answers.tables.numbers import best_first
from benchledger.answers.tables.table import Report, Table, text_frame
from benchledger.store.default_db import DEFAULT_DB
from benchledger.store.run_keys import need_runs

if TYPE_CHECKING:
    import duckdb

# Rows per table, so that all fit a screen.
_CAMPAIGNS, _OTHERS, _FASTEST, _ATTENTION = 5, 6, 6, 6
# A run counts once for each campaign that it is in.
_COUNTED = """
with listed as (
    select
        run.run_id,
        -- The time of a file is often that of packing.
        run.started_at,
        unnest([
            {'what': 'status', 'name': if(excluded.run_id is null, run.status, 'excluded')},
            {'what': 'campaign', 'name': run_campaign.campaign},
            {'what': 'model', 'name': bench_case.model},
            {'what': 'system', 'name': environment.system},
            {'what': 'gpu_model', 'name': environment.gpu_model}
        ]) as fact
    from run
    join bench_case using (case_id)
    join environment using (environment_id)
    left join kept.run_campaign using (run_id)
    left join kept.excluded_run as excluded on excluded.run_id = run.run_id
)
select fact.what, fact.name, count(distinct run_id) as runs, max(started_at) as newest
from listed
group by all
order by fact.what, runs desc, fact.name nulls last
"""
_FAST = """
select model, task, precision, value, unit, gpus, system, gpu_model, campaign, series_id, cell
from speed_table
where is_default and value is not null and model is not null
    and rule not in (select rule from kept.rule where per is not null)
"""
# Problems, in the singular and plural, and the command that lists them. The first are the worst.
_TROUBLES = """
select if(number = 1, one, several) as what, number, command
from (
    values
    (1, 'run that failed or stopped early', 'runs that failed or stopped early',
        (select count(*) from run where status not in ('ok', 'unknown')), 'bench report failures'),
    (2, 'file unrecognised or unreadable', 'files unrecognised or unreadable',
        (select count(*) from sighting where status in ('unrecognised', 'unreadable')), 'bench query unrecognised'),
    (3, 'series whose runs are not alike', 'series whose runs are not alike',
        (select count(*) from series where mixed is not null), 'bench query mixed'),
    (4, 'speed-up with efficiency above 1.05', 'speed-ups with efficiency above 1.05',
        (select count(distinct speed_cell) from kept.speedup join kept.cell on cell.cell = speedup.speed_cell
            where scaling = 'weak' and efficiency > 1.05 and is_default), 'bench report speedup'),
    (5, 'contradiction between facts', 'contradictions between facts',
        (select count(*) from conflict), 'bench query conflicts -p kind=fact'),
    (6, 'unread line with a measurement', 'unread lines with a measurement',
        (select coalesce(sum(unread), 0) from log), 'bench query unread'),
    (7, 'reject: a record that cannot be read', 'rejects: records that cannot be read',
        (select count(*) from reject), 'bench query rejects'),
    (8, 'series that states no GPU model', 'series that state no GPU model',
        (select count(*) from series where gpu_model is null), 'bench runs --gpu-model unknown'),
) as trouble(place, one, several, number, command)
where number > 0
order by place
"""
_NEXT = (
    ("bench report speed", "speeds, by GPUs, precision and batch size"),
    ("bench report ranking --per-gpu", "which GPU is the fastest, at equal work"),
    ("bench report pivot --rows {rows} --columns model,task,precision --best", ""),
    ("bench audit", "what looks wrong"),
    ("bench --help", "all commands"),
)


def report_overview(*, db: Path | str = DEFAULT_DB) -> Report:
    """Returns the overview of a ledger, a table per question: its runs, campaigns, systems, models, fastest series.

    Two more tables have what needs attention, and what to type next. Each shows the first rows; its fact `all` is how
    many there are. Raises NothingFoundError for a ledger without runs.
    """
    with reading(db) as con:
        need_runs(con, db)
        counted = by_column(rows_of(con.sql(_COUNTED)), "what")
        troubles = con.execute(_TROUBLES).fetchall()
        fastest = _fastest(con, [row["name"] for row in counted["model"]])
    heads = ("model", "task", "precision", "speed", "unit", "gpus", "machine", "cell")
    has_systems = any(row["name"] is not None for row in counted["system"])
    next_rows = "system" if has_systems else "gpu_model"
    tables = (
        _counts("status", counted["status"], len(counted["status"])),
        *([_counts("system", counted["system"], _OTHERS)] if has_systems else []),
        _counts("gpu_model", counted["gpu_model"], _OTHERS),
        _counts("model", counted["model"], _OTHERS),
        _counts("campaign", counted["campaign"], _CAMPAIGNS, newest=True),
        _table("fastest", len(fastest), heads, [_fast(row) for row in fastest[:_FASTEST]]),
        _table(
            "attention",
            len(troubles),
            ("what", "number", "command"),
            [[what, str(number), command] for what, number, command in troubles[:_ATTENTION]],
        ),
        _table("next", len(_NEXT), ("command", "what"), [[one.format(rows=next_rows), what] for one, what in _NEXT]),
    )
    return Report("overview", tables, frame_of(fastest))


def _fastest(con: duckdb.DuckDBPyConnection, models: list[str | None]) -> list[Row]:
    """Returns the fastest series of each model in its most frequent unit, the models with most runs first."""
    rows = rows_of(con.sql(_FAST))
    units: dict[str, Counter[str]] = {}
    for row in rows:
        units.setdefault(row["model"], Counter())[row["unit"]] += 1
    best: dict[str, Row] = {}
    for row in sorted(rows, key=best_first):
        unit = min(units[row["model"]].items(), key=lambda item: (-item[1], str(item[0])))[0]
        if row["unit"] == unit:
            best.setdefault(row["model"], row)
    return [best[model] for model in models if model in best]


def _fast(row: Row) -> list[str]:
    machine = row["system"] or row["gpu_model"]
    facts = [fact_text(row[name]) if row[name] is not None else NOT_RUN for name in ("task", "precision")]
    speed = number_text(row["value"])
    return [row["model"], *facts, speed, row["unit"] or "", fact_text(row["gpus"]), fact_text(machine), row["cell"]]


def _counts(what: str, rows: list[Row], most: int, newest: bool = False) -> Table:
    named = [row for row in rows if row["name"] is not None]
    lines = [
        [fact_text(row["name"]), str(row["runs"])]
        + ([NOT_RUN if row["newest"] is None else f"{row['newest']:%Y-%m-%d}"] if newest else [])
        for row in (named or rows)[:most]
    ]
    return _table(what, len(named), (what, "runs", "newest") if newest else (what, "runs"), lines)


def _table(name: str, number: int, heads: tuple[str, ...], lines: list[list[str]]) -> Table:
    texts = frozenset(heads) - {"runs", "speed", "gpus", "number"}
    return Table({"list": name, "all": str(number)}, None, text_frame(list(heads), lines), texts=texts)
