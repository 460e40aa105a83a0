"""Runs the command `bench` in this process, as a shell would see it."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner, Result

from benchledger.cli.main import bench
from benchledger.definitions import folders


def run_bench(
    *words: str | Path, db: Path | None = None, env: dict[str, str] | None = None, stdin: bytes = b""
) -> Result:
    """The result of one command: exit_code, stdout, stderr. An error that is not ours is raised."""
    place = [] if db is None else ["--db", str(db)]
    arguments = [*place, *map(str, words)]
    definitions = list(folders._extra_roots)
    result = CliRunner().invoke(bench, arguments, env={"BENCH_DB": None, **(env or {})}, input=stdin, prog_name="bench")
    # What --definitions added must not stay for the next command of this process.
    folders._extra_roots[:] = definitions
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result
