"""A ledger of training-benchmark results: the commands of `bench` under the same words, as functions.

Importing this imports nothing else: each function is loaded when it is first asked for.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

# An environment whose Python was replaced under it: `re` of 3.11.0 to 3.11.4 would read other numbers out of the same
# line (cpython#100061, cpython#106052), and pip, which refuses them, is not asked.
if sys.version_info < (3, 11, 5):
    raise ImportError(
        f"benchledger needs Python 3.11.5 or later, and {sys.executable} is {sys.version.split()[0]}: "
        "its `re` matches too much. Make the environment again with another Python"
    )

if TYPE_CHECKING:
    from benchledger.answers.convergence import report_convergence
    from benchledger.answers.draft import draft_format
    from benchledger.answers.environment import report_environment
    from benchledger.answers.explaining.explain import explain
    from benchledger.answers.failures import report_failures
    from benchledger.answers.formats import check_formats, formats, show_format
    from benchledger.answers.leaderboard import leaderboard
    from benchledger.answers.logs import report_logs
    from benchledger.answers.max_batch import report_max_batch
    from benchledger.answers.memory import report_memory
    from benchledger.answers.profile import report_profile
    from benchledger.answers.query import queries, query, query_sql, sql
    from benchledger.answers.run_detail import show_run
    from benchledger.answers.runs import runs
    from benchledger.answers.score import score, scores
    from benchledger.answers.speed import report_speed
    from benchledger.answers.speedup import report_speedup
    from benchledger.answers.submissions.report import report_submissions
    from benchledger.auditing.audit import audit
    from benchledger.cli.page import write_page
    from benchledger.definitions.folders import use_definitions
    from benchledger.exports.dlperf import export_dlperf
    from benchledger.exports.index import export_index
    from benchledger.exports.tables import export_tables
    from benchledger.ingestion.forget import forget
    from benchledger.ingestion.ingest import ingest
    from benchledger.publishing.redact import redact
    from benchledger.running.data import data_make
    from benchledger.running.environments import make_environment
    from benchledger.running.run import cases, run
    from benchledger.upkeep.backup import db_backup, db_compact
    from benchledger.upkeep.check import db_check
    from benchledger.upkeep.exclude import exclude, exclusions
    from benchledger.upkeep.info import db_info
    from benchledger.upkeep.migrate import db_migrate

__all__ = [
    "audit",
    "cases",
    "check_formats",
    "data_make",
    "db_backup",
    "db_check",
    "db_compact",
    "db_info",
    "db_migrate",
    "draft_format",
    "exclude",
    "exclusions",
    "explain",
    "export_dlperf",
    "export_index",
    "export_tables",
    "forget",
    "formats",
    "ingest",
    "leaderboard",
    "make_environment",
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
    "report_profile",
    "report_speed",
    "report_speedup",
    "report_submissions",
    "run",
    "runs",
    "score",
    "scores",
    "show_format",
    "show_run",
    "sql",
    "use_definitions",
    "write_page",
]

_HOMES = {
    "audit": "benchledger.auditing.audit",
    "cases": "benchledger.running.run",
    "check_formats": "benchledger.answers.formats",
    "data_make": "benchledger.running.data",
    "db_backup": "benchledger.upkeep.backup",
    "db_check": "benchledger.upkeep.check",
    "db_compact": "benchledger.upkeep.backup",
    "db_info": "benchledger.upkeep.info",
    "db_migrate": "benchledger.upkeep.migrate",
    "draft_format": "benchledger.answers.draft",
    "exclude": "benchledger.upkeep.exclude",
    "exclusions": "benchledger.upkeep.exclude",
    "explain": "benchledger.answers.explaining.explain",
    "export_dlperf": "benchledger.exports.dlperf",
    "export_index": "benchledger.exports.index",
    "export_tables": "benchledger.exports.tables",
    "forget": "benchledger.ingestion.forget",
    "formats": "benchledger.answers.formats",
    "ingest": "benchledger.ingestion.ingest",
    "leaderboard": "benchledger.answers.leaderboard",
    "make_environment": "benchledger.running.environments",
    "queries": "benchledger.answers.query",
    "query": "benchledger.answers.query",
    "query_sql": "benchledger.answers.query",
    "redact": "benchledger.publishing.redact",
    "report_convergence": "benchledger.answers.convergence",
    "report_environment": "benchledger.answers.environment",
    "report_failures": "benchledger.answers.failures",
    "report_logs": "benchledger.answers.logs",
    "report_max_batch": "benchledger.answers.max_batch",
    "report_memory": "benchledger.answers.memory",
    "report_profile": "benchledger.answers.profile",
    "report_speed": "benchledger.answers.speed",
    "report_speedup": "benchledger.answers.speedup",
    "report_submissions": "benchledger.answers.submissions.report",
    "run": "benchledger.running.run",
    "runs": "benchledger.answers.runs",
    "score": "benchledger.answers.score",
    "scores": "benchledger.answers.score",
    "show_format": "benchledger.answers.formats",
    "show_run": "benchledger.answers.run_detail",
    "sql": "benchledger.answers.query",
    "use_definitions": "benchledger.definitions.folders",
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
