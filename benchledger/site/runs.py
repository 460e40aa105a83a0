"""What the page of a run shows: what `bench explain RUN` tells, and its losses by step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchledger.explaining.run import explained_run
from benchledger.site.columns import framed

if TYPE_CHECKING:
    import duckdb

# Of so many stretches of a run the lowest and highest loss are drawn.
_STRETCHES = 120
_LOSSES = """
with numbered as (
    select coalesce(step, nth) as step, loss, nth, (nth - 1) * $stretches // losses as stretch
    from kept.loss_curve
    where run_id = $run_id and is_main and isfinite(loss)
),
ends as (
    select *
    from numbered
    qualify row_number() over (partition by stretch order by loss, nth) = 1
        or row_number() over (partition by stretch order by loss desc, nth) = 1
)
select step, loss
from ends
order by nth
"""


def told_run(con: duckdb.DuckDBPyConnection, run_key: str, run_id: int) -> dict[str, Any]:
    """Returns a run as its page shows it."""
    run = explained_run(con, run_key, run_id)
    detail = run.detail
    started = detail.run["started_at"]
    return {
        "run": run_key, "name": detail.run["name"], "sentences": list(run.sentences),
        "status": detail.status["status"], "started": None if started is None else f"{started:%Y-%m-%d %H:%M}",
        "campaigns": list(detail.campaigns), "excluded": None if detail.excluded is None else detail.excluded["reason"],
        "logs": framed(detail.logs, "log", "role", "first_line", "last_line", "format", "records", "ignored", "rejects",
                       "paired_by"),
        "facts": framed(detail.facts, "name", "value", "value_logged", "used", "source", "place"),
        "speeds": framed(detail.speeds, "rule", "is_default", "phase", "value", "unit", "records_used",
                         "records_skipped", "status", "reason"),
        "memory": framed(detail.memory),
        "convergence": framed(detail.convergence),
        "cells": framed(run.cells, "table", "cell", "campaign", "made_by", "value", "unit", "counts"),
        "losses": con.execute(_LOSSES, {"run_id": run_id, "stretches": _STRETCHES}).fetchall(),
    }  # fmt: skip
