"""Which Pythons it runs on: those of which the readme, make, pip and the package itself say so. All refuse the same."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parent.parent.parent

# Says of itself that it is another Python, as far as what is asked of it goes.
PRETENDS = """#!/bin/sh
exec {python} -c 'import sys; sys.version_info = {version}; sys.argv = sys.argv[1:]; exec(sys.argv[1])' "$@"
"""


def made_with(version: tuple[int, ...], folder: Path) -> subprocess.CompletedProcess[str]:
    """What `make` says where the one Python that it is given has this version; it makes no environment."""
    shutil.copy(TOP / "Makefile", folder)
    (folder / "pyproject.toml").touch()
    python = folder / "python"
    python.write_text(PRETENDS.format(python=sys.executable, version=version))
    python.chmod(0o755)
    return subprocess.run(
        ["make", f"PYTHON={python}", ".venv/.runs"],
        cwd=folder,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
    )


@pytest.mark.parametrize("version", [(3, 10, 13), (3, 11, 0), (3, 11, 4), (3, 14, 0)])
def test_make_refuses_a_python_that_pip_refuses_and_says_the_cure(version: tuple[int, ...], tmp_path: Path) -> None:
    done = made_with(version, tmp_path)

    assert done.returncode != 0
    assert "make: no Python 3.11 (3.11.5 or later), 3.12 or 3.13" in done.stderr
    assert "Cure: install one" in done.stderr


@pytest.mark.parametrize("version", [(3, 11, 5), (3, 12, 0), (3, 13, 9)])
def test_make_takes_every_python_that_pip_takes(version: tuple[int, ...], tmp_path: Path) -> None:
    assert "making .venv with" in made_with(version, tmp_path).stdout


@pytest.mark.parametrize(("version", "refused"), [((3, 11, 4), True), ((3, 11, 5), False), ((3, 12, 0), False)])
def test_an_environment_whose_python_was_replaced_by_an_older_one_reads_nothing(
    version: tuple[int, ...], refused: bool
) -> None:
    imported = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.version_info = {version}; import benchledger"],
        cwd=TOP,
        capture_output=True,
        text=True,
    )

    assert ("benchledger needs Python 3.11.5 or later" in imported.stderr) == refused
    assert bool(imported.returncode) == refused


def test_pip_and_the_pages_say_the_same_versions() -> None:
    project = tomllib.loads((TOP / "pyproject.toml").read_text())["project"]

    assert project["requires-python"] == ">=3.11.5,<3.14"
    for page in ("README.md", "CONTRIBUTING.md"):
        assert "Python 3.11 (3.11.5 or later), 3.12 or 3.13" in (TOP / page).read_text()
