"""The public functions of benchledger, each with its module: `__init__.py` reads this list, and so do type checkers."""

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

__version__: str
