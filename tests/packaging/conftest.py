from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.packaging.installing import TOP, ran


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist, and the wheel built from it: what the one misses, the other misses too."""
    folder = tmp_path_factory.mktemp("dist")
    ran(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, TOP, where=folder)
    return folder
