"""The line that adds an extra or upgrades is that of the program that made the installation."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import sys
from pathlib import Path

import pytest

from benchledger.errors import install_line, upgrade_line


class _Installed:
    requires = (
        "click>=8",
        "altair>=6 ; extra == 'plot'",
        "great-expectations>=1 ; extra == 'audit'",
        'Duckdb_Engine ; extra == "audit"',
    )

    def __init__(self, name: str, origin: dict[str, str] | None = None) -> None:
        self.name = name
        self.origin = origin

    def read_text(self, file: str) -> str | None:
        return json.dumps(self.origin) if file == "direct_url.json" and self.origin else None


@pytest.fixture
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An environment of this process: an empty folder, in which benchledger and some libraries are installed."""
    names = ("benchledger", "click", "great_expectations", "duckdb-engine")
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "my env" / "python"))
    monkeypatch.setattr(importlib.metadata, "distribution", _Installed)
    monkeypatch.setattr(importlib.metadata, "distributions", lambda: [_Installed(name) for name in names])
    return tmp_path


def test_pip_is_that_of_the_python_that_runs(environment: Path) -> None:
    python = f"'{environment}/my env/python'"

    assert install_line("plot") == f"{python} -m pip install 'benchledger[plot]'"
    assert upgrade_line() == f"{python} -m pip install --upgrade benchledger"


def test_an_environment_of_uv_has_no_pip(environment: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)

    assert install_line("plot") == f"uv pip install --python '{environment}/my env/python' 'benchledger[plot]'"


@pytest.mark.parametrize(("file", "tool"), [("pipx_metadata.json", "pipx"), ("uv-receipt.toml", "uv tool")])
def test_a_tool_is_installed_again_with_the_extras_that_it_has(environment: Path, file: str, tool: str) -> None:
    (environment / file).touch()

    assert install_line("plot") == f"{tool} install --force 'benchledger[audit,plot]'"
    assert upgrade_line() == f"{tool} upgrade benchledger"


def test_a_tool_from_a_file_is_installed_again_from_this_file(
    environment: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (environment / "uv-receipt.toml").touch()
    wheel = {"url": "file:///tmp/benchledger-1-py3-none-any.whl"}
    monkeypatch.setattr(importlib.metadata, "distribution", lambda name: _Installed(name, wheel))

    assert install_line("plot") == f"uv tool install --force 'benchledger[audit,plot] @ {wheel['url']}'"
