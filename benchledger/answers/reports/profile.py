"""The profile table: how busy a GPU and its pipes were, by batch size and file, as README 003 measures it."""

from __future__ import annotations

from pathlib import Path

from benchledger.answers.filters import MACHINE_COLUMNS, read_filters
from benchledger.answers.rows import frame_of, reading, rows_of
from benchledger.answers.tables.cells import NOT_RUN, fact_text, number_text
from benchledger.answers.tables.grouping import TABLE_COLUMNS, Row, SortKey, facts_of, grouped, sort_key
from benchledger.answers.tables.left_out import excluded_notes
from benchledger.answers.tables.table import Report, Table, text_frame
from benchledger.definitions.layouts import LANGUAGES, load_page_texts
from benchledger.errors import NothingFoundError, UsageError
from benchledger.store.default_db import DEFAULT_DB

# The rules that average a pipe's launches, and the column of utilization_table with the result.
RULES = {"cycles.all_launches": "value", "tbd.coreutil": "tbd_value"}
NOT_ON_THIS_GPU = "n/a"
_COMPUTE = "compute"
_COMPUTE_RULE = "kernels.over_span"
# ncu's metric names. A pipe that is not listed keeps its own name as heading.
_PIPES = {
    "sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_elapsed": "fma",
    "sm__inst_executed_pipe_fp16.avg.pct_of_peak_sustained_elapsed": "fp16",
    "sm__inst_executed_pipe_fma_type_fp16.avg.pct_of_peak_sustained_elapsed": "fp16_in_fma",
    "sm__inst_executed_pipe_tensor.avg.pct_of_peak_sustained_elapsed": "tensor",
    "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed": "tensor_busy",
    "sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_elapsed": "sfu",
}
_PROFILES = """
select
    profile.*, place.path, used.device, used.metric, used.value, used.tbd_value,
    used.value - used.tbd_value as tbd_difference, used.kernels, used.busy_s, used.profiled_s, used.method
from profile
join kept.utilization_table as used on used.log_id = profile.log_id and used.run_id is not distinct from profile.run_id
join place_of_log('*') as place on place.log_id = profile.log_id
order by profile.campaign nulls last, profile.batch_size_per_gpu nulls last, place.path, used.device, used.metric
"""


def report_profile(
    *,
    db: Path | str = DEFAULT_DB,
    campaign: str | None = None,
    rule: str | None = None,
    lang: str | None = None,
    **case_columns: object,
) -> Report:
    """Returns utilisation in percent: one row per profile and device, one column per pipe and for kernel time.

    `rule` tbd.coreutil shows the pipes as TBD's own script computes them, which drops the last launch. Raises
    NothingFoundError if no profile meets the filters, UsageError for an unknown rule, column or language.
    """
    rule = rule or next(iter(RULES))
    if rule not in RULES:
        raise UsageError(f"no rule {rule!r} for profiles; known: {', '.join(RULES)}")
    words = load_page_texts("profile", "tbd", lang or LANGUAGES[0])
    filters = read_filters(campaign, case_columns, extra=MACHINE_COLUMNS)
    with reading(db, records=True) as con:
        profiles = con.sql("from kept.profile_case")
        if filters.apply(profiles).limit(1).fetchone() is None:
            raise _nothing() if profiles.limit(1).fetchone() is None else filters.explain(profiles, "profile")
        rows = rows_of(filters.apply(profiles).query("profile", _PROFILES))
        excluded = excluded_notes(con, filters)
    if not rows:
        raise NothingFoundError("the selected profiles state times but no utilization; see: bench query kernels")
    tables = [_table(group, rule, words) for group in grouped(rows, (*TABLE_COLUMNS, "precision")).values()]
    return Report("profile", tuple(tables), frame_of(rows)).noted(excluded)


def _nothing() -> NothingFoundError:
    return NothingFoundError("the ledger holds no profile. Read one into it (ncu --csv, nvprof, nsys, torch.profiler): "
                             "bench ingest PATH")  # fmt: skip


def _table(rows: list[Row], rule: str, words: dict[str, str]) -> Table:
    metrics = sorted({row["metric"] for row in rows}, key=_place)
    several_devices = len({row["device"] for row in rows}) > 1
    heads = ["batch_size", *(["device"] if several_devices else [])]
    lines = []
    for (size, path, device), measured in grouped(rows, ("batch_size_per_gpu", "path", "device")).items():
        values = {row["metric"]: _cell(row, RULES[rule]) for row in measured}
        device_cell = [fact_text(device)] if several_devices else []
        lines.append([fact_text(size), *device_cell, *(values.get(name, NOT_RUN) for name in metrics), path])
    headings = [words.get(_PIPES.get(name, name), name) for name in metrics]
    facts = {**facts_of(rows[0], (*TABLE_COLUMNS, "precision")), "unit": "%", "rule": _rules(metrics, rule)}
    columns = [*(words[head] for head in heads), *headings, words["file"]]
    return Table(facts, None, text_frame(columns, lines), notes=_notes(rows, rule, words))


def _rules(metrics: list[str], rule: str) -> str:
    used = [*([_COMPUTE_RULE] if _COMPUTE in metrics else []), *([rule] if set(metrics) != {_COMPUTE} else [])]
    return ", ".join(used)


def _place(metric: str) -> SortKey:
    known = [_COMPUTE, *_PIPES]
    return sort_key([known.index(metric) if metric in known else len(known), metric])


def _cell(row: Row, column: str) -> str:
    if row["metric"] == _COMPUTE:
        column = "value"
    if row[column] is None:
        return NOT_ON_THIS_GPU if row["kernels"] == 0 else NOT_RUN
    return number_text(row[column])


def _notes(rows: list[Row], rule: str, words: dict[str, str]) -> tuple[str, ...]:
    notes = []
    for method in sorted({row["method"] for row in rows}):
        kernels = sorted({row["kernels"] for row in rows if row["method"] == method and row["kernels"]})
        if kernels:
            launches = f"{kernels[0]}" if len(kernels) == 1 else f"{kernels[0]} to {kernels[-1]}"
            notes.append(f"{method}; kernels a profile: {launches}")
    notes += [
        f"{row['path']}: a kernel ran for {row['busy_s'] * 1000:.2f} of {row['profiled_s'] * 1000:.2f} ms"
        for row in rows
        if row["metric"] == _COMPUTE
    ]
    differing = [row for row in rows if row["tbd_difference"] is not None]
    if differing:
        most = max(differing, key=lambda row: abs(row["tbd_difference"]))
        head = words.get(_PIPES.get(most["metric"], ""), most["metric"])
        notes.append(
            "TBD's own script leaves out each file's last launch"
            + (" and so do these" if RULES[rule] == "tbd_value" else "; see it with --rule tbd.coreutil")
            + f". It differs most in {head} of {most['path']}: {most['tbd_value']:.4f} instead of {most['value']:.4f}"
        )
    return tuple(notes)
