"""The commands as a whole: help, what it costs, and their equals in Python."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import click
import pytest

import benchledger
from benchledger.cli.main import COMMANDS, bench
from tests.cli.bench import run_bench

# Every command and its equal in Python: a new command has to be entered here, or a test fails.
# None: only a command line has a use for it.
EQUALS: dict[str, str | None] = {
    "audit": "audit",
    "compare": "compare",
    "completion": None,
    "data make": "data_make",
    "db backup": "db_backup",
    "db check": "db_check",
    "db compact": "db_compact",
    "db info": "db_info",
    "db migrate": "db_migrate",
    "diff": "diff",
    "exclude": "exclude",
    "explain": "explain",
    "history": "history",
    "export dlperf": "export_dlperf",
    "export index": "export_index",
    "export leaderboard": "leaderboard",
    "export site": "export_site",
    "export tables": "export_tables",
    "forget": "forget",
    "formats check": "check_formats",
    "formats list": "formats",
    "formats new": "draft_format",
    "formats show": "show_format",
    "ingest": "ingest",
    "lake check": "lake_check",
    "lake compact": "lake_compact",
    "lake gc": "lake_gc",
    "lake settle": "lake_settle",
    "lake publish": "lake_publish",
    "lake status": "lake_status",
    "merge": "merge",
    "plot batch": "plot_batch",
    "plot history": "plot_history",
    "plot loss": "plot_loss",
    "plot memory": "plot_memory",
    "plot scaling": "plot_scaling",
    "plot speed": "plot_speed",
    "plot steps": "plot_steps",
    "plot utilization": "plot_utilization",
    "query": "query",
    "redact": "redact",
    "report convergence": "report_convergence",
    "report failures": "report_failures",
    "report submissions": "report_submissions",
    "report environment": "report_environment",
    "report max-batch": "report_max_batch",
    "report logs": "report_logs",
    "report memory": "report_memory",
    "report overview": "report_overview",
    "report pivot": "report_pivot",
    "report profile": "report_profile",
    "report ranking": "report_ranking",
    "report speed": "report_speed",
    "report speedup": "report_speedup",
    "reproduce": "reproduce",
    "run": "run",
    "runs": "runs",
    "score": "score",
    "show": "show_run",
    "site": "export_site",
    "sql": "sql",
}
LOG = (
    Path(__file__).resolve().parents[2]
    / "data/made/run1/bert_base_lamb_pretraining.pyt_bert_pretraining_phase1_fp16_bs64_gpu1.log"
)
HEAVY = ("duckdb", "polars", "pyarrow", "rich", "pathlib", "tomllib")


def leaves(group: click.Group, *above: str) -> dict[str, click.Command]:
    found: dict[str, click.Command] = {}
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        found |= (
            leaves(command, *above, name) if isinstance(command, click.Group) else {" ".join((*above, name)): command}
        )
    return found


def test_every_command_has_its_equal_in_python() -> None:
    assert set(leaves(bench)) == set(EQUALS)
    assert set(filter(None, EQUALS.values())) <= set(benchledger.__all__)


@pytest.mark.parametrize("name", [name for name in benchledger.__all__ if name != "ingest"])
def test_every_public_name_can_be_loaded(name: str) -> None:
    assert callable(getattr(benchledger, name))


def test_help_lists_exactly_the_commands_that_are_built() -> None:
    lines = run_bench("--help").stdout.partition("Commands:\n")[2].splitlines()

    # A sentence that goes on in the next line is indented further.
    assert [line.split()[0] for line in lines if line[2:3] != " "] == sorted(
        {name.split()[0] for name in leaves(bench)}
    )


@pytest.mark.parametrize("name", COMMANDS)
def test_help_says_the_sentence_of_the_command_itself(name: str) -> None:
    command = bench.get_command(click.Context(bench), name)

    assert command is not None
    assert COMMANDS[name] == command.get_short_help_str(limit=200)


@pytest.mark.parametrize("words", sorted(leaves(bench)))
def test_every_command_and_option_is_explained(words: str) -> None:
    command = leaves(bench)[words]

    assert run_bench(*words.split(), "--help").exit_code == 0
    assert command.help
    assert [option.name for option in command.params if isinstance(option, click.Option) and not option.help] == []


def test_help_loads_nothing_heavy() -> None:
    code = "import sys\nfrom benchledger.cli.main import bench\n"
    code += (
        f"try: bench(['--help'])\nfinally: print([name for name in {HEAVY} if name in sys.modules], file=sys.stderr)"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)

    assert done.stderr.strip() == "[]"


def test_importing_benchledger_loads_nothing_heavy() -> None:
    code = f"import sys, benchledger; print([name for name in (*{HEAVY}, 'click') if name in sys.modules])"

    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "[]"


def test_a_short_command_looks_for_no_cycles(demo_ledger: Path) -> None:
    words = ["bench", "--db", str(demo_ledger), "report", "speed"]
    code = f"""import gc, sys; sys.argv = {words}; from benchledger.cli.main import main; gc.set_threshold(700)
begun = []; gc.callbacks.append(lambda phase, info: begun.append(phase))
try: main()
finally: print(len(begun), gc.get_freeze_count() > 0, file=sys.stderr)"""

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stderr.split() == ["0", "True"]


def test_explaining_a_cell_loads_nothing_that_reads_logs(demo_ledger: Path) -> None:
    cell = benchledger.report_speed(db=demo_ledger).cells["cell"][0]
    code = f"""import sys, benchledger; benchledger.explain({cell!r}, db={str(demo_ledger)!r})
print([name for name in sys.modules if name.startswith(("benchledger.scanning", "benchledger.archives"))])"""

    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "[]"


def test_help_costs_little_more_than_importing_click() -> None:
    # By what is loaded, not by the clock: other programs may be running.
    def loaded(code: str) -> set[str]:
        code = f"import sys\ntry:\n    {code}\nfinally: print(*sys.modules, sep='\\n', file=sys.stderr)"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        return set(done.stderr.splitlines())

    # What the script `bench` of an installation does.
    script = "sys.argv = ['bench', '--help']; from benchledger.cli.main import main; main()"
    more = {name for name in loaded(script) - loaded("import click") if name.partition(".")[0] != "click"}

    own = {
        "benchledger",
        "benchledger.errors",
        *(f"benchledger.cli{name}" for name in ("", ".commands", ".import_blocker", ".main", ".signals")),
    }
    assert {name for name in more if name.partition(".")[0] not in sys.stdlib_module_names} == own


@pytest.mark.parametrize(
    "words", [["report", "speed"], ["query", "conflicts"], ["ingest", "--dry-run", "--refresh", str(LOG)]]
)
def test_no_command_imports_pandas_or_numpy_where_others_have_installed_them(
    words: list[str], demo_ledger: Path
) -> None:
    pytest.importorskip("pandas")
    code = f"""import sys
from benchledger.cli.main import main
sys.argv = ["bench", "--quiet", "--db", {str(demo_ledger)!r}, *{words}]
try: main()
finally: print(*[name for name in ("numpy", "pandas", "pyarrow.compute") if name in sys.modules], file=sys.stderr)"""

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)

    assert (done.returncode, done.stderr.split()) == (0, [])


def test_a_command_leaves_at_once_when_all_is_done_that_was_to_be_done_at_its_end() -> None:
    code = """import atexit, os, sys
from benchledger.cli import settings
from benchledger.cli.main import main
read, leave = settings.read_settings, os._exit
settings.read_settings = lambda *given: (atexit.register(print, "done at the end"), read(*given))[1]
os._exit = lambda code: (print("left with", code, flush=True), leave(code))
sys.argv = ["bench", "report", "no-such-table"]
main()"""

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)

    assert (done.returncode, done.stdout) == (2, "done at the end\nleft with 2\n")


def test_version_is_that_of_the_package() -> None:
    assert run_bench("--version").stdout == f"bench {benchledger.__version__}\n"
