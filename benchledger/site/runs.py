"""What the page of a run shows: what `bench explain RUN` tells, and its losses by step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchledger.explaining.run import explained_runs
from benchledger.site.columns import framed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import duckdb

    from benchledger.explaining.explained import ExplainedRun

# Of so many stretches of a run the lowest and highest loss are drawn.
_STRETCHES = 120
_LOSSES = """
with numbered as (
    select run_id, coalesce(step, nth) as step, loss, nth, (nth - 1) * $stretches // losses as stretch
    from kept.loss_curve
    where run_id in (select unnest($runs)) and is_main and isfinite(loss)
),
ends as (
    select *
    from numbered
    qualify row_number() over (partition by run_id, stretch order by loss, nth) = 1
        or row_number() over (partition by run_id, stretch order by loss desc, nth) = 1
)
select run_id, step, loss
from ends
order by run_id, nth
"""


def told_runs(con: duckdb.DuckDBPyConnection, runs: Mapping[int, str]) -> Iterator[dict[str, Any]]:
    """Yields runs, whose keys are given by their ids, as their pages show them, each with the id of its case."""
    losses: dict[int, list[tuple[int, float]]] = {}
    for run_id, step, loss in con.execute(_LOSSES, {"runs": list(runs), "stretches": _STRETCHES}).fetchall():
        losses.setdefault(run_id, []).append((step, loss))
    for run_id, run in zip(runs, explained_runs(con, runs), strict=True):
        yield _told(run, losses.get(run_id, []))


def _told(run: ExplainedRun, losses: list[tuple[int, float]]) -> dict[str, Any]:
    detail = run.detail
    started = detail.run["started_at"]
    return {
        "case_id": detail.run["case_id"], "run": run.run_key, "name": detail.run["name"],
        "sentences": list(run.sentences), "status": detail.status["status"],
        "started": None if started is None else f"{started:%Y-%m-%d %H:%M}",
        "campaigns": list(detail.campaigns), "excluded": None if detail.excluded is None else detail.excluded["reason"],
        "logs": framed(detail.logs, "log", "role", "first_line", "last_line", "format", "records", "ignored", "rejects",
                       "paired_by"),
        "facts": framed(detail.facts, "name", "value", "value_logged", "used", "source", "place"),
        "speeds": framed(detail.speeds, "rule", "is_default", "phase", "value", "unit", "records_used",
                         "records_skipped", "status", "reason"),
        "memory": framed(detail.memory),
        "convergence": framed(detail.convergence),
        "cells": framed(run.cells, "table", "cell", "campaign", "made_by", "value", "unit", "counts"),
        "losses": losses,
    }  # fmt: skip
