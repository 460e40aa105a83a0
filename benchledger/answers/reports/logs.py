"""The logs behind a report's numbers: a table of their places, or links grouped as in the READMEs."""

from __future__ import annotations

from pathlib import Path

from benchledger.answers.filters import MACHINE_COLUMNS, read_filters
from benchledger.answers.reports.readme_parts import campaign_pages, links_page
from benchledger.answers.rows import frame_of, reading, rows_of
from benchledger.answers.tables.cells import fact_text
from benchledger.answers.tables.grouping import Row, by_column
from benchledger.answers.tables.left_out import excluded_notes, included_runs
from benchledger.answers.tables.table import Line, Report, Table, checked_address, text_frame
from benchledger.definitions.layouts import PLAIN, checked_language, refuse_without_layout
from benchledger.errors import NothingFoundError
from benchledger.store.default_db import DEFAULT_DB

# A run's own log, at its place in the campaign if it has one there. Manifests are left out: nobody reads them as logs.
_LOGS = """
with trial as (
    select series.campaign, series_run.run_id, series_run.trial, series.gpu_model
    from kept.series_run
    join series using (series_id)
),
placed as (
    select
        matching.campaign,
        matching.run_id,
        run_source.log_id,
        run_source.first_line,
        min({
            'is_of_other_campaign': sighting.campaign is distinct from matching.campaign,
            'place': place_of(sighting.path, sighting.archive, sighting.member),
            'path': if(sighting.archive is null, sighting.path, sighting.archive),
            'member': sighting.member
        }) as seen
    from matching
    join kept.run_source using (run_id)
    join sighting using (log_id)
    where run_source.role <> 'manifest' and sighting.status in ('loaded', 'duplicate')
    group by all
)
select
    matching.* exclude (case_id, started_at, time_source, reason, excluded, gpu_model),
    coalesce(matching.gpu_model, trial.gpu_model) as gpu_model, trial.trial,
    placed.seen.place, placed.seen.path, placed.seen.member
from matching
join placed on placed.run_id = matching.run_id and placed.campaign is not distinct from matching.campaign
left join trial on trial.run_id = matching.run_id and trial.campaign is not distinct from matching.campaign
order by
    matching.campaign nulls last, matching.gpus nulls last, matching.precision nulls last,
    matching.batch_size_per_gpu nulls last, matching.name, trial.trial nulls last, placed.seen.place, matching.run_key
"""
_SHOWN = ("gpus", "precision", "batch_size_per_gpu", "name", "trial", "status", "place")


def report_logs(
    *,
    db: Path | str = DEFAULT_DB,
    campaign: str | None = None,
    layout: str | None = None,
    lang: str | None = None,
    base: str | None = None,
    **case_columns: object,
) -> Report:
    """Returns the logs of runs: a table of their places, or in layout paddle or paddle_max links below `base`.

    Raises NothingFoundError if no run meets the filters, UsageError for an unknown layout or an invalid base, or for
    `lang` or `base` without such a layout.
    """
    language = checked_language(lang)
    if layout in (None, PLAIN):
        refuse_without_layout("logs", lang=lang, base=base)
    place = checked_address("." if base is None else base)
    filters = read_filters(campaign, case_columns, extra=MACHINE_COLUMNS)
    with reading(db) as con:
        rows = rows_of(included_runs(con, db, filters).query("matching", _LOGS))
        excluded = excluded_notes(con, filters)
    if not rows:
        raise NothingFoundError(
            "no log of the selected runs has been read, only their manifests; see: bench query manifests"
        )
    campaigns = by_column(rows, "campaign")
    tables = [
        Table(
            {"campaign": name},
            None,
            text_frame(list(_SHOWN), [[_shown(row, key) for key in _SHOWN] for row in group]),
            texts=frozenset(("precision", "name", "status", "place")),
        )
        for name, group in campaigns.items()
    ]
    prose: tuple[Line, ...] = ()
    if layout not in (None, PLAIN):
        prose = campaign_pages(campaigns, lambda group: links_page(group, str(layout), language, place))
    report = Report("logs", tuple(tables), frame_of(rows, without=("path", "member")), prose=prose)
    return report.noted(() if prose else excluded)


def _shown(row: Row, column: str) -> str:
    return "" if column == "trial" and row[column] is None else fact_text(row[column])
