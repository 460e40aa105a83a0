"""The environment table: the hardware and software of a campaign's runs, as the reference READMEs list it."""

from __future__ import annotations

from pathlib import Path

from benchledger.answers.filters import MACHINE_COLUMNS, read_filters
from benchledger.answers.reports.readme_parts import campaign_pages, environment_page, shared_environment
from benchledger.answers.rows import frame_of, reading, rows_of
from benchledger.answers.tables.cells import UNKNOWN
from benchledger.answers.tables.grouping import Row, by_column
from benchledger.answers.tables.left_out import excluded_notes, included_runs
from benchledger.answers.tables.table import Line, Report, Table, text_frame
from benchledger.definitions.layouts import PLAIN, checked_language, refuse_without_layout
from benchledger.errors import UsageError
from benchledger.store.default_db import DEFAULT_DB

_ENVIRONMENTS = """
with asked as (
    select matching.campaign, matching.run_id, matching.framework, matching.gpus, matching.nodes, run.environment_id
    from matching
    join run using (run_id)
),
stated as (
    select asked.campaign, asked.environment_id, string_agg(distinct fact.source, ', ' order by fact.source) as sources
    from asked
    join fact using (run_id)
    where fact.used
        and fact.name in (select name from pragma_table_info('environment'))
    group by all
),
seen as (
    select
        campaign, environment_id,
        count(distinct run_id) as runs,
        list_sort(list(distinct gpus)) as gpus,
        list_sort(list(distinct framework)) as frameworks,
        list_sort(list(distinct {'nodes': nodes, 'gpus': gpus})) as sizes
    from asked
    group by all
),
spelling as (
    select asked.environment_id, fact.name, min(fact.value_logged) as value
    from asked
    join fact using (run_id)
    where fact.used and fact.name in ('gpu_model', 'topology')
    group by all
    having count(distinct fact.value_logged) = 1
),
logged as (
    select
        environment_id,
        max(value) filter (where name = 'gpu_model') as gpu_model_logged,
        max(value) filter (where name = 'topology') as topology_logged
    from spelling
    group by all
)
select
    seen.*, stated.sources, environment.* exclude (environment_id),
    logged.gpu_model_logged, logged.topology_logged
from seen
join environment using (environment_id)
left join logged using (environment_id)
left join stated
    on stated.campaign is not distinct from seen.campaign and stated.environment_id = seen.environment_id
"""
# The rows in the order of the READMEs: label, and columns of `environment`. A second column is the count of the first.
_ROWS = (
    ("system", ("system",)),
    ("OS", ("os",)),
    ("GPU", ("gpu_model", "gpus_per_node")),
    ("GPU family", ("gpu_family",)),
    ("GPU memory, MiB", ("gpu_memory_mib",)),
    ("driver", ("driver_version",)),
    ("CPU", ("cpu_model", "cpu_count")),
    ("memory, MiB", ("memory_mib",)),
    ("interconnect", ("interconnect",)),
    ("topology", ("topology",)),
    ("image", ("image",)),
    ("framework version", ("framework_version",)),
    ("implementation version", ("implementation_version",)),
    ("CUDA", ("cuda_version",)),
    ("cuDNN", ("cudnn_version",)),
    ("NCCL", ("nccl_version",)),
    ("MPI", ("mpi_version",)),
    ("Python", ("python_version",)),
    ("libraries", ("libraries",)),
)


def report_environment(
    *,
    db: Path | str = DEFAULT_DB,
    campaign: str | None = None,
    layout: str | None = None,
    lang: str | None = None,
    link: str | None = None,
    link_text: str | None = None,
    **case_columns: object,
) -> Report:
    """Returns one table per campaign with one column per environment: GPU, driver, CUDA, image, CPU, ... as stated.

    In layout paddle or dlperf it is the section of a README, in English or Chinese; with `link` a line that links to an
    environment described elsewhere. Raises NothingFoundError if no run meets the filters, UsageError for an unknown
    layout, an invalid link, or an option without effect.
    """
    language = checked_language(lang)
    if link is None:
        if link_text is not None:
            raise UsageError("link_text needs a link: add the link, or remove link_text")
        if layout in (None, PLAIN):
            refuse_without_layout("environment", lang=lang)
    filters = read_filters(campaign, case_columns, extra=MACHINE_COLUMNS)
    with reading(db) as con:
        found = included_runs(con, db, filters).query("matching", _ENVIRONMENTS)
        excluded = excluded_notes(con, filters)
        rows = rows_of(found.order("campaign nulls last, runs desc, environment_id"))
    campaigns = by_column(rows, "campaign")
    tables = tuple(_table(name, group) for name, group in campaigns.items())
    prose = _prose(campaigns, layout, language, link, link_text)
    cells = frame_of(rows, without=("sizes", "gpu_model_logged", "topology_logged"))
    return Report("environment", tables, cells, prose=prose).noted(() if prose else excluded)


def _prose(
    campaigns: dict[str | None, list[Row]], layout: str | None, lang: str, link: str | None, link_text: str | None
) -> tuple[Line, ...]:
    if link is not None:
        return shared_environment(layout or "paddle", lang, link, link_text)
    if layout in (None, PLAIN):
        return ()
    return campaign_pages(campaigns, lambda rows: environment_page(rows, layout, lang))


def _table(campaign: str | None, environments: list[Row]) -> Table:
    lines = [["runs", *(str(row["runs"]) for row in environments)]]
    lines.append(["GPUs", *(_listed(row["gpus"]) for row in environments)])
    lines.append(["framework", *(_listed(row["frameworks"]) for row in environments)])
    differing = set()
    for label, columns in _ROWS:
        cells = [_cell(row, columns) for row in environments]
        stated = {cell for cell in cells if cell is not None}
        if stated:
            lines.append([label, *(UNKNOWN if cell is None else cell for cell in cells)])
        # An unstated value is not a difference.
        if len(stated) > 1:
            differing.add(label)
    headings = [f"environment {number}" for number in range(1, len(environments) + 1)]
    notes = [
        f"stated by: {heading}: {row['sources']}" if row["sources"] else f"{heading}: nothing stated"
        for heading, row in zip(headings, environments, strict=True)
    ]
    if len(environments) > 1:
        lines = [[*line, "differs" if line[0] in differing else ""] for line in lines]
        headings.append("note")
    frame = text_frame(["fact", *headings], lines)
    return Table({"campaign": campaign}, None, frame, notes=tuple(notes), texts=frozenset(frame.columns))


def _cell(row: Row, columns: tuple[str, ...]) -> str | None:
    stated = [str(row[column]) for column in columns if row[column] is not None]
    if len(stated) < len(columns) and row[columns[0]] is None:
        return f"{UNKNOWN} x {stated[0]}" if stated else None
    return " x ".join(stated)


def _listed(values: list[object]) -> str:
    return ", ".join(str(value) for value in values if value is not None) or UNKNOWN
