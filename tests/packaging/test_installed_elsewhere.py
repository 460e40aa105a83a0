"""The wheel and the sdist, each installed into an environment of its own, far from this checkout."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from benchledger.scanning.native_scanner import NOT_COMPILED
from tests.packaging.installing import TOP, ran

pytestmark = pytest.mark.packaging

EXTENSION = "benchledger/scanning/_native.abi3.so"
DEFINITION_FOLDERS = ("ingest", "schema", "queries", "runners")
LOOK_UP = """
from benchledger.definitions.folders import definition_files, shipped_root
print(shipped_root())
for kind, suffix in [("ingest/formats", ".toml"), ("queries/rules", ".toml"), ("schema/migrations", ".sql")]:
    print(*(path.name for path in definition_files(kind, suffix)))
"""

MISSING_REASON = "from benchledger.scanning.native_scanner import missing_reason; print(missing_reason())"


def tracked_files(*below: str) -> set[str]:
    """What belongs to the project: the files that git tracks, and new ones that it does not ignore."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", *below], cwd=TOP, capture_output=True
    )
    if listed.returncode != 0:
        pytest.skip("not a git checkout")
    return {name for name in listed.stdout.decode().split("\0") if name and (TOP / name).is_file()}


def test_sdist_holds_every_file_of_the_project(built: Path) -> None:
    with tarfile.open(next(built.glob("*.tar.gz"))) as sdist:
        packed = {name.partition("/")[2] for name in sdist.getnames()}

    assert tracked_files() - packed == set()


def test_wheel_holds_the_package_the_definitions_and_nothing_else(built: Path) -> None:
    with zipfile.ZipFile(next(built.glob("*.whl"))) as wheel:
        packed = {name for name in wheel.namelist() if ".dist-info/" not in name}

    definitions = {f"benchledger/_definitions/{name}" for name in tracked_files(*DEFINITION_FOLDERS)}
    assert packed - {EXTENSION} == tracked_files("benchledger") | definitions


def test_wheel_holds_the_extension_where_a_compiler_is_and_is_of_pure_python_where_none_is(
    built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CC", "no-such-compiler")
    ran(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", tmp_path, TOP, where=tmp_path)
    without = next(tmp_path.glob("*.whl"))
    compiler = shutil.which("cc") or shutil.which("gcc")

    assert without.name.endswith("-py3-none-any.whl")
    assert EXTENSION not in zipfile.ZipFile(without).namelist()
    if compiler is not None:
        with_it = next(built.glob("*.whl"))
        assert "-cp311-abi3-" in with_it.name
        assert EXTENSION in zipfile.ZipFile(with_it).namelist()


@pytest.mark.parametrize("kind", ["*.whl", "*.tar.gz"], ids=["wheel", "sdist, without a compiler"])
def test_installed_elsewhere_it_runs_and_finds_its_definitions(
    built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setenv("CC", "no-such-compiler")
    ran(sys.executable, "-m", "venv", "env", where=tmp_path)
    binaries = tmp_path / "env" / "bin"
    package = next(built.glob(kind))
    ran(binaries / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", package, where=tmp_path)

    root, *found = ran(binaries / "python", "-c", LOOK_UP, where=tmp_path).splitlines()
    expected = [
        " ".join(sorted(path.name for path in TOP.glob(pattern)))
        for pattern in ("ingest/formats/*.toml", "queries/rules/*.toml", "schema/migrations/*.sql")
    ]
    version = ran(binaries / "bench", "--version", where=tmp_path)

    assert Path(root).is_relative_to(tmp_path / "env")
    assert found == expected
    assert all(found)
    assert package.name.split("-")[1].removesuffix(".tar.gz") in version
    # Nothing proves the definitions of a wheel again when logs are read: they must be sound as packed.
    assert "sound: every known format" in ran(binaries / "bench", "formats", "check", where=tmp_path)
    # With the native scanner or, as the sdist here, without it: a log is read, and what is slower says so.
    slower = ran(binaries / "python", "-c", MISSING_REASON, where=tmp_path).strip()
    ran(binaries / "bench", "ingest", TOP / "data" / "made", where=tmp_path)
    runs = ran(binaries / "bench", "runs", where=tmp_path)

    assert slower == ("None" if "-cp311-abi3-" in package.name else NOT_COMPILED)
    assert "bert_base" in runs
