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

# `import name as name` tells type checkers that a name is public.
if TYPE_CHECKING:
    from benchledger.answers.formats import (
        check_formats as check_formats,
        formats as formats,
        show_format as show_format,
    )
    from benchledger.answers.query import queries as queries, query as query, query_sql as query_sql, sql as sql
    from benchledger.answers.reports.convergence import report_convergence as report_convergence
    from benchledger.answers.reports.environment import report_environment as report_environment
    from benchledger.answers.reports.failures import report_failures as report_failures
    from benchledger.answers.reports.leaderboard import leaderboard as leaderboard
    from benchledger.answers.reports.logs import report_logs as report_logs
    from benchledger.answers.reports.max_batch import report_max_batch as report_max_batch
    from benchledger.answers.reports.memory import report_memory as report_memory
    from benchledger.answers.reports.overview import report_overview as report_overview
    from benchledger.answers.reports.pivot import report_pivot as report_pivot
    from benchledger.answers.reports.profile import report_profile as report_profile
    from benchledger.answers.reports.ranking import report_ranking as report_ranking
    from benchledger.answers.reports.speed import report_speed as report_speed
    from benchledger.answers.reports.speedup import report_speedup as report_speedup
    from benchledger.answers.run_detail import show_run as show_run
    from benchledger.answers.runs import runs as runs
    from benchledger.answers.score import score as score, scores as scores
    from benchledger.auditing.audit import audit as audit
    from benchledger.cli.page import write_page as write_page
    from benchledger.comparing.accept import accept_changes as accept_changes
    from benchledger.comparing.compare import compare as compare
    from benchledger.comparing.differences import diff as diff
    from benchledger.comparing.history import history as history
    from benchledger.definitions.folders import use_definitions as use_definitions
    from benchledger.drafting.draft import draft_format as draft_format
    from benchledger.explaining.explain import explain as explain
    from benchledger.exports.dlperf import export_dlperf as export_dlperf
    from benchledger.exports.index import export_index as export_index
    from benchledger.exports.tables import export_tables as export_tables
    from benchledger.ingestion.forget import forget as forget
    from benchledger.ingestion.ingest import ingest as ingest
    from benchledger.ingestion.merge import merge as merge
    from benchledger.ingestion.watch import watch as watch
    from benchledger.lake.upkeep import lake_compact as lake_compact
    from benchledger.lake.ingest import lake_ingest as lake_ingest
    from benchledger.lake.publish import lake_publish as lake_publish
    from benchledger.lake.settle import lake_settle as lake_settle
    from benchledger.lake.upkeep import lake_check as lake_check, lake_gc as lake_gc, lake_status as lake_status
    from benchledger.mlperf.report import report_submissions as report_submissions
    from benchledger.plots.charts import (
        plot_batch as plot_batch,
        plot_history as plot_history,
        plot_loss as plot_loss,
        plot_memory as plot_memory,
        plot_scaling as plot_scaling,
        plot_speed as plot_speed,
        plot_steps as plot_steps,
        plot_utilization as plot_utilization,
    )
    from benchledger.publishing.redact import redact as redact
    from benchledger.reproducing.reproduce import reproduce as reproduce
    from benchledger.running.data import data_make as data_make
    from benchledger.running.environments import make_environment as make_environment
    from benchledger.running.run import cases as cases, run as run
    from benchledger.site.export import export_site as export_site
    from benchledger.upkeep.backup import db_backup as db_backup, db_compact as db_compact
    from benchledger.upkeep.check import db_check as db_check
    from benchledger.upkeep.exclude import exclude as exclude, exclusions as exclusions
    from benchledger.upkeep.info import db_info as db_info
    from benchledger.upkeep.backup import db_migrate as db_migrate

_MODULES = {
    "answers.formats": "check_formats formats show_format",
    "answers.query": "queries query query_sql sql",
    "answers.reports.convergence": "report_convergence",
    "answers.reports.environment": "report_environment",
    "answers.reports.failures": "report_failures",
    "answers.reports.leaderboard": "leaderboard",
    "answers.reports.logs": "report_logs",
    "answers.reports.max_batch": "report_max_batch",
    "answers.reports.memory": "report_memory",
    "answers.reports.overview": "report_overview",
    "answers.reports.pivot": "report_pivot",
    "answers.reports.profile": "report_profile",
    "answers.reports.ranking": "report_ranking",
    "answers.reports.speed": "report_speed",
    "answers.reports.speedup": "report_speedup",
    "answers.run_detail": "show_run",
    "answers.runs": "runs",
    "answers.score": "score scores",
    "auditing.audit": "audit",
    "cli.page": "write_page",
    "comparing.accept": "accept_changes",
    "comparing.compare": "compare",
    "comparing.differences": "diff",
    "comparing.history": "history",
    "definitions.folders": "use_definitions",
    "drafting.draft": "draft_format",
    "explaining.explain": "explain",
    "exports.dlperf": "export_dlperf",
    "exports.index": "export_index",
    "exports.tables": "export_tables",
    "ingestion.forget": "forget",
    "ingestion.ingest": "ingest",
    "ingestion.merge": "merge",
    "ingestion.watch": "watch",
    "lake.ingest": "lake_ingest",
    "lake.publish": "lake_publish",
    "lake.settle": "lake_settle",
    "lake.upkeep": "lake_check lake_compact lake_gc lake_status",
    "mlperf.report": "report_submissions",
    "plots.charts": "plot_batch plot_history plot_loss plot_memory plot_scaling plot_speed plot_steps plot_utilization",
    "publishing.redact": "redact",
    "reproducing.reproduce": "reproduce",
    "running.data": "data_make",
    "running.environments": "make_environment",
    "running.run": "cases run",
    "site.export": "export_site",
    "upkeep.backup": "db_backup db_compact db_migrate",
    "upkeep.check": "db_check",
    "upkeep.exclude": "exclude exclusions",
    "upkeep.info": "db_info",
}
_HOMES = {name: f"benchledger.{module}" for module, names in _MODULES.items() for name in names.split()}
__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"benchledger has no {name!r}; known: {', '.join(__all__)}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
