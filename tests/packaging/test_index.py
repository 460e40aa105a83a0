"""Installed from an index folder with pip, pipx or uv tool, `benchledger` is all that one types."""

from __future__ import annotations

import re
import shlex
import shutil
import sys
import tomllib
from pathlib import Path

import pytest

from tests.packaging.installing import TOP, done, ran

pytestmark = pytest.mark.packaging

EXTRAS = [*tomllib.loads((TOP / "pyproject.toml").read_text())["project"]["optional-dependencies"]]
# Gigabytes: resolved, not installed.
LARGE = ("dev", "runners")
# The commands of an extra, in a folder with a ledger; those that this release lacks are left out.
SESSION = {
    "": ("ingest data", "report speed", "export site site", "export tables speed --output speed.xlsx"),
    "audit": ("audit --check bad_reject",),
    "plot": ("plot scaling --output scaling.svg", "plot speed --output speed.png"),
}


@pytest.fixture(scope="module")
def index(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel alone."""
    folder = tmp_path_factory.mktemp("index")
    shutil.copy(next(built.glob("*.whl")), folder)
    return folder


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs pipx and uv."""
    folder = tmp_path_factory.mktemp("tools")
    ran(sys.executable, "-m", "venv", "env", where=folder)
    ran(folder / "env" / "bin" / "python", "-m", "pip", "install", "--quiet", "pipx", "uv", where=folder)
    return folder / "env" / "bin"


def session(bench: Path, folder: Path, extra: str = "") -> None:
    """Runs the commands of an extra."""
    if not (folder / "data").exists():
        shutil.copytree(TOP / "data" / "made", folder / "data")
    for line in SESSION.get(extra, ()):
        command, *words = line.split()
        help_of = done(bench, command, *words[:1], "--help", where=folder)
        if help_of.returncode == 0:
            ran(bench, command, *words, where=folder)


def said_line(bench: Path, folder: Path) -> list[str]:
    """The line that `bench audit` says to type where its extra is missing."""
    missing = done(bench, "audit", where=folder)
    assert missing.returncode == 2, missing.stdout + missing.stderr
    return shlex.split(re.search(r"Install it with:\n  (.+)", missing.stderr)[1])  # type: ignore[index]


def test_pip_installs_it_and_the_extras_from_the_lines_that_it_says(index: Path, tmp_path: Path) -> None:
    ran(sys.executable, "-m", "venv", "env", where=tmp_path)
    pip = (tmp_path / "env" / "bin" / "python", "-m", "pip", "install", "--quiet")
    bench = tmp_path / "env" / "bin" / "bench"
    # From the folder and nowhere else; what it needs, from where pip looks.
    ran(*pip, "--no-index", "--no-deps", "--find-links", index, "benchledger", where=tmp_path)
    ran(*pip, "benchledger", where=tmp_path)
    session(bench, tmp_path)
    ran(*said_line(bench, tmp_path), where=tmp_path)
    session(bench, tmp_path, "audit")
    others = ",".join(extra for extra in EXTRAS if extra not in LARGE)
    ran(*pip, f"benchledger[{others}]", where=tmp_path)
    for extra in EXTRAS:
        session(bench, tmp_path, extra)

    ran(tmp_path / "env" / "bin" / "python", "-m", "pip", "check", where=tmp_path)


@pytest.mark.parametrize("extra", LARGE)
def test_a_large_extra_can_be_resolved(index: Path, tools: Path, tmp_path: Path, extra: str) -> None:
    ran(tools / "uv", "venv", "--python", sys.executable, "env", where=tmp_path)
    wheel = next(index.iterdir())

    ran(
        tools / "uv", "pip", "install", "--dry-run", "--python", "env", f"benchledger[{extra}] @ {wheel.as_uri()}",
        where=tmp_path,
    )  # fmt: skip


@pytest.mark.parametrize("tool", ["pipx", "uv tool"])
def test_a_tool_installs_the_wheel_and_then_the_line_that_it_says(
    index: Path, tools: Path, tmp_path: Path, tool: str
) -> None:
    program, *verb = tool.split()
    homes = {
        "PIPX_HOME": tmp_path / "pipx", "PIPX_BIN_DIR": tmp_path / "bin", "PIPX_MAN_DIR": tmp_path / "man",
        "PIPX_DEFAULT_PYTHON": sys.executable,
        "UV_TOOL_DIR": tmp_path / "uv", "UV_TOOL_BIN_DIR": tmp_path / "bin", "UV_PYTHON": sys.executable,
    }  # fmt: skip
    bench = tmp_path / "bin" / "bench"
    ran(tools / program, *verb, "install", next(index.iterdir()), where=tmp_path, **homes)
    session(bench, tmp_path)
    line = said_line(bench, tmp_path)

    assert line[: len(verb) + 1] == tool.split()
    ran(tools / line[0], *line[1:], where=tmp_path, **homes)
    session(bench, tmp_path, "audit")
