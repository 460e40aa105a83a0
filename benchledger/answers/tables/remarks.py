"""The remarks that a layout quotes under a table: failed cases, trials that do not count, and notes of facts.toml."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from benchledger.answers.reports.readme_parts import cards_text
from benchledger.answers.rows import rows_of
from benchledger.answers.tables.cells import status_text
from benchledger.answers.tables.grid import cell_order, column_order
from benchledger.answers.tables.grouping import Row, SortKey, by_column, grouped, sort_key
from benchledger.answers.tables.left_out import why_excluded
from benchledger.answers.tables.presentation import Presentation
from benchledger.definitions.layouts import load_page_texts

if TYPE_CHECKING:
    import duckdb

_RUNS = """
select series_run.series_id, run.status, note.value as note
from kept.series_run
join run using (run_id)
left join (select run_id, value from fact where name = 'note' and used) as note using (run_id)
where list_contains($series, series_run.series_id)
order by series_run.series_id, series_run.trial, run.run_key
"""
_ENDED_WELL = ("ok", "unknown")

# The runs of each series.
Runs = Mapping[object, list[Row]]


def runs_of(con: duckdb.DuckDBPyConnection, rows: Iterable[Row], presentation: Presentation) -> Runs:
    """Returns the status and facts.toml note of the runs of some series; nothing in the plain layout."""
    if presentation.is_plain:
        return {}
    found = con.sql(_RUNS, params={"series": sorted({row["series_id"] for row in rows})})
    return by_column(rows_of(found), "series_id")


def remarks(rows: list[Row], runs: Runs, presentation: Presentation, excluded: Iterable[Row] = ()) -> tuple[str, ...]:
    """Returns a heading and the remarks about a table's cells, in their order; nothing without remarks.

    `excluded` are the excluded runs that belong in the table: a case without any other run has their reason.
    """
    if presentation.is_plain:
        return ()
    words = load_page_texts("remarks", "all", presentation.lang)
    ordered = sorted(rows, key=cell_order)
    lines = [line for row in ordered if (line := _ending(row, runs.get(row["series_id"], []), words, presentation))]
    lines += _left_out(ordered, list(excluded), words, presentation)
    lines += _notes(ordered, runs, words, presentation)
    return (words["heading"], *dict.fromkeys(lines)) if lines else ()


def _ending(row: Row, runs: list[Row], words: Mapping[str, str], presentation: Presentation) -> str | None:
    bad = list(dict.fromkeys(status_text(run["status"]) for run in runs if run["status"] not in _ENDED_WELL))
    case = _case(row, words, presentation)
    if row["missing"] is not None:
        if not bad or row["status"] in _ENDED_WELL:
            return None
        return words["failed"].replace("[how]", words["between"].join(bad)).replace("[case]", case)
    dropped = row.get("trials_dropped") or 0
    if not dropped:
        return None
    why = words["because"].replace("{}", words["between"].join(bad)) if bad else ""
    counts = words["dropped"].replace("[n]", str(dropped)).replace("[total]", str(dropped + row["trials"]))
    return counts.replace("[case]", case) + why


def _left_out(rows: list[Row], excluded: list[Row], words: Mapping[str, str], presentation: Presentation) -> list[str]:
    shown = {_case(row, words, presentation) for row in rows}
    lines = []
    for runs in sorted(grouped(excluded, ("gpus", "precision", "batch_size_per_gpu")).values(), key=_place):
        case = _case(runs[0], words, presentation)
        if case not in shown:
            before, _, after = words["excluded"].replace("[case]", case).partition("{}")
            lines.append(f"{before}{why_excluded(runs)}{after}")
    return lines


def _place(runs: list[Row]) -> tuple[SortKey, SortKey]:
    return sort_key([runs[0]["gpus"]]), column_order(runs[0])


def _notes(rows: list[Row], runs: Runs, words: Mapping[str, str], presentation: Presentation) -> list[str]:
    """Returns each note once: alone if it holds for every case of the table, else behind its cases."""
    noted: dict[str, list[str]] = {}
    for row in rows:
        for note in dict.fromkeys(run["note"] for run in runs.get(row["series_id"], []) if run["note"]):
            noted.setdefault(note, []).append(_case(row, words, presentation))
    every = {_case(row, words, presentation) for row in rows}
    return [note if set(cases) == every else _of_cases(note, cases, words) for note, cases in noted.items()]


def _of_cases(note: str, cases: list[str], words: Mapping[str, str]) -> str:
    before, _, after = words["noted"].replace("[case]", words["between"].join(dict.fromkeys(cases))).partition("{}")
    return f"{before}{note}{after}"


def _case(row: Row, words: Mapping[str, str], presentation: Presentation) -> str:
    column = presentation.case(row["precision"], row["batch_size_per_gpu"])
    return words["case"].replace("[cards]", cards_text({row["gpus"]}, words)).replace("[column]", column)
