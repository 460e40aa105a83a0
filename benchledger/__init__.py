"""A ledger of training-benchmark results: the commands of `bench` as functions of the same names.

Importing it imports nothing else: each function is loaded at its first use.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

# The Python of an existing environment may have been replaced. In 3.11.0 to 3.11.4 `re` reads other numbers from the
# same line (cpython#100061, cpython#106052). pip refuses these versions, but only when it installs.
if sys.version_info < (3, 11, 5):
    raise ImportError(
        f"benchledger needs Python 3.11.5 or later, and {sys.executable} is {sys.version.split()[0]}: "
        "its `re` matches too much. Make the environment again with another Python"
    )

if TYPE_CHECKING:
    from benchledger.answers.formats import check_formats, formats, show_format
    from benchledger.answers.query import queries, query, query_sql, sql
    from benchledger.answers.reports.convergence import report_convergence
    from benchledger.answers.reports.environment import report_environment
    from benchledger.answers.reports.failures import report_failures
    from benchledger.answers.reports.leaderboard import leaderboard
    from benchledger.answers.reports.logs import report_logs
    from benchledger.answers.reports.max_batch import report_max_batch
    from benchledger.answers.reports.memory import report_memory
    from benchledger.answers.reports.overview import report_overview
    from benchledger.answers.reports.pivot import report_pivot
    from benchledger.answers.reports.profile import report_profile
    from benchledger.answers.reports.ranking import report_ranking
    from benchledger.answers.reports.speed import report_speed
    from benchledger.answers.reports.speedup import report_speedup
    from benchledger.answers.run_detail import show_run
    from benchledger.answers.runs import runs
    from benchledger.answers.score import score, scores
    from benchledger.auditing.audit import audit
    from benchledger.cli.page import write_page
    from benchledger.comparing.accept import accept_changes
    from benchledger.comparing.compare import compare
    from benchledger.comparing.diff import diff
    from benchledger.comparing.history import history
    from benchledger.definitions.folders import use_definitions
    from benchledger.drafting.draft_format import draft_format
    from benchledger.explaining.explain import explain
    from benchledger.exports.dlperf import export_dlperf
    from benchledger.exports.index import export_index
    from benchledger.exports.tables import export_tables
    from benchledger.ingestion.forget import forget
    from benchledger.ingestion.ingest import ingest
    from benchledger.ingestion.merge import merge
    from benchledger.ingestion.watch import watch
    from benchledger.lake.compact import lake_compact
    from benchledger.lake.ingest import lake_ingest
    from benchledger.lake.publish import lake_publish
    from benchledger.lake.settle import lake_settle
    from benchledger.lake.upkeep import lake_check, lake_gc, lake_status
    from benchledger.mlperf.report import report_submissions
    from benchledger.plots.charts import (
        plot_batch,
        plot_history,
        plot_loss,
        plot_memory,
        plot_scaling,
        plot_speed,
        plot_steps,
        plot_utilization,
    )
    from benchledger.publishing.redact import redact
    from benchledger.reproducing.reproduce import reproduce
    from benchledger.running.data import data_make
    from benchledger.running.environments import make_environment
    from benchledger.running.run import cases, run
    from benchledger.site.export import export_site
    from benchledger.upkeep.backup import db_backup, db_compact
    from benchledger.upkeep.check import db_check
    from benchledger.upkeep.exclude import exclude, exclusions
    from benchledger.upkeep.info import db_info
    from benchledger.upkeep.migrate import db_migrate

__all__ = [
    "accept_changes",
    "audit",
    "cases",
    "check_formats",
    "compare",
    "data_make",
    "db_backup",
    "db_check",
    "db_compact",
    "db_info",
    "db_migrate",
    "diff",
    "draft_format",
    "exclude",
    "exclusions",
    "explain",
    "export_dlperf",
    "export_index",
    "export_site",
    "export_tables",
    "forget",
    "formats",
    "history",
    "ingest",
    "lake_check",
    "lake_compact",
    "lake_gc",
    "lake_ingest",
    "lake_publish",
    "lake_settle",
    "lake_status",
    "leaderboard",
    "make_environment",
    "merge",
    "plot_batch",
    "plot_history",
    "plot_loss",
    "plot_memory",
    "plot_scaling",
    "plot_speed",
    "plot_steps",
    "plot_utilization",
    "queries",
    "query",
    "query_sql",
    "redact",
    "report_convergence",
    "report_environment",
    "report_failures",
    "report_logs",
    "report_max_batch",
    "report_memory",
    "report_overview",
    "report_pivot",
    "report_profile",
    "report_ranking",
    "report_speed",
    "report_speedup",
    "report_submissions",
    "reproduce",
    "run",
    "runs",
    "score",
    "scores",
    "show_format",
    "show_run",
    "sql",
    "use_definitions",
    "watch",
    "write_page",
]

_HOMES = {
    "accept_changes": "benchledger.comparing.accept",
    "audit": "benchledger.auditing.audit",
    "cases": "benchledger.running.run",
    "check_formats": "benchledger.answers.formats",
    "compare": "benchledger.comparing.compare",
    "data_make": "benchledger.running.data",
    "db_backup": "benchledger.upkeep.backup",
    "db_check": "benchledger.upkeep.check",
    "db_compact": "benchledger.upkeep.backup",
    "db_info": "benchledger.upkeep.info",
    "db_migrate": "benchledger.upkeep.migrate",
    "diff": "benchledger.comparing.diff",
    "draft_format": "benchledger.drafting.draft_format",
    "exclude": "benchledger.upkeep.exclude",
    "exclusions": "benchledger.upkeep.exclude",
    "explain": "benchledger.explaining.explain",
    "export_dlperf": "benchledger.exports.dlperf",
    "export_index": "benchledger.exports.index",
    "export_site": "benchledger.site.export",
    "export_tables": "benchledger.exports.tables",
    "forget": "benchledger.ingestion.forget",
    "formats": "benchledger.answers.formats",
    "history": "benchledger.comparing.history",
    "ingest": "benchledger.ingestion.ingest",
    "lake_check": "benchledger.lake.upkeep",
    "lake_compact": "benchledger.lake.compact",
    "lake_gc": "benchledger.lake.upkeep",
    "lake_ingest": "benchledger.lake.ingest",
    "lake_publish": "benchledger.lake.publish",
    "lake_settle": "benchledger.lake.settle",
    "lake_status": "benchledger.lake.upkeep",
    "leaderboard": "benchledger.answers.reports.leaderboard",
    "make_environment": "benchledger.running.environments",
    "merge": "benchledger.ingestion.merge",
    "plot_batch": "benchledger.plots.charts",
    "plot_history": "benchledger.plots.charts",
    "plot_loss": "benchledger.plots.charts",
    "plot_memory": "benchledger.plots.charts",
    "plot_scaling": "benchledger.plots.charts",
    "plot_speed": "benchledger.plots.charts",
    "plot_steps": "benchledger.plots.charts",
    "plot_utilization": "benchledger.plots.charts",
    "queries": "benchledger.answers.query",
    "query": "benchledger.answers.query",
    "query_sql": "benchledger.answers.query",
    "redact": "benchledger.publishing.redact",
    "report_convergence": "benchledger.answers.reports.convergence",
    "report_environment": "benchledger.answers.reports.environment",
    "report_failures": "benchledger.answers.reports.failures",
    "report_logs": "benchledger.answers.reports.logs",
    "report_max_batch": "benchledger.answers.reports.max_batch",
    "report_memory": "benchledger.answers.reports.memory",
    "report_overview": "benchledger.answers.reports.overview",
    "report_pivot": "benchledger.answers.reports.pivot",
    "report_profile": "benchledger.answers.reports.profile",
    "report_ranking": "benchledger.answers.reports.ranking",
    "report_speed": "benchledger.answers.reports.speed",
    "report_speedup": "benchledger.answers.reports.speedup",
    "report_submissions": "benchledger.mlperf.report",
    "reproduce": "benchledger.reproducing.reproduce",
    "run": "benchledger.running.run",
    "runs": "benchledger.answers.runs",
    "score": "benchledger.answers.score",
    "scores": "benchledger.answers.score",
    "show_format": "benchledger.answers.formats",
    "show_run": "benchledger.answers.run_detail",
    "sql": "benchledger.answers.query",
    "use_definitions": "benchledger.definitions.folders",
    "watch": "benchledger.ingestion.watch",
    "write_page": "benchledger.cli.page",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"benchledger has no {name!r}; known: {', '.join(__all__)}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
