"""A release is a tagged commit of which pages and version say the same; nothing is uploaded without being asked for."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from native.wheels import version
from release.build import TOP, main, not_ready

GIT = ("git", "-c", "user.name=x", "-c", "user.email=x@example.org")


@pytest.fixture
def released(tmp_path: Path) -> Path:
    """A checkout of release 1.2.0."""
    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n\n## 1.2.0 (2026-12-24)\n")
    (tmp_path / "CITATION.cff").write_text('version: "1.2.0"\ndate-released: 2026-12-24\n')
    for words in ("init -q", "add .", "commit -qm x", "tag v1.2.0"):
        subprocess.run([*GIT, *words.split()], cwd=tmp_path, check=True)
    return tmp_path


def test_a_tagged_commit_with_its_version_in_every_page_is_ready(released: Path) -> None:
    assert [*not_ready(released, "1.2.0")] == []


def test_another_version_lacks_its_tag_and_its_heading(released: Path) -> None:
    tag, heading = not_ready(released, "1.3.0")

    assert "git tag v1.3.0" in tag
    assert "## 1.3.0 (YYYY-MM-DD)" in heading


@pytest.mark.parametrize(
    ("file", "text", "said"),
    [
        ("new.txt", "", "commit them"),
        ("CHANGELOG.md", "## 1.2.0 (unreleased)\n", "no heading `## 1.2.0 (YYYY-MM-DD)`"),
        ("CITATION.cff", "version: 1.2.0\ndate-released: 2026-12-23\n", "no line `date-released: 2026-12-24`"),
        ("CITATION.cff", "version: 1.1.0\ndate-released: 2026-12-24\n", "no line `version: 1.2.0`"),
    ],
)
def test_a_page_that_says_otherwise_is_named(released: Path, file: str, text: str, said: str) -> None:
    (released / file).write_text(text)

    assert any(said in missing for missing in not_ready(released, "1.2.0"))


def test_a_look_uploads_nothing(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["release", "--untagged", "--upload"])
    with pytest.raises(SystemExit):
        main()

    assert "it uploads nothing" in capsys.readouterr().err


def test_the_citation_names_the_version_of_the_package() -> None:
    assert re.search(rf"^version: {re.escape(version())}$", (TOP / "CITATION.cff").read_text(), re.MULTILINE)
