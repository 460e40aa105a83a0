"""Builds and checks the files of a release and lists them: `make release`. Only --upload uploads them.

A release is a commit whose tag is its version (v0.1.0), with its version and date in CHANGELOG.md and CITATION.cff.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from native import wheels

TOP = Path(__file__).resolve().parent.parent


def main() -> None:
    """Builds, checks and lists; uploads if asked to."""
    parser = argparse.ArgumentParser(
        prog="make release", description="Builds, checks and lists the files of a release."
    )
    parser.add_argument("--untagged", action="store_true", help="Build any commit, for a look.")
    parser.add_argument("--upload", action="store_true", help="Upload the files with twine.")
    parser.add_argument("--repository", default="pypi", help="Where twine uploads to: a name in ~/.pypirc.")
    asked = parser.parse_args()
    if asked.untagged and asked.upload:
        parser.error("--untagged is for a look: it uploads nothing")
    if not asked.untagged and (missing := [*not_ready(TOP, wheels.version())]):
        sys.exit("\n".join(["this commit is no release (to build it for a look: --untagged):", *missing]))
    files = [sdist(), *wheels.build_all()]
    twine("check", "--strict", *map(str, files))
    sys.stdout.write(listing(files))
    if asked.upload:
        twine("upload", "--repository", asked.repository, *map(str, files))
    else:
        sys.stdout.write("Nothing was uploaded; --upload uploads these files.\n")


def not_ready(top: Path, version: str) -> Iterator[str]:
    """Yields what keeps a commit from being the release of a version, each with its cure."""
    if git(top, "status", "--porcelain"):
        yield "- the checkout has changes: commit them"
    if f"v{version}" not in git(top, "tag", "--points-at", "HEAD").split():
        yield f"- benchledger/__init__.py says {version}, and no tag of this commit does: git tag v{version}"
    changelog = (top / "CHANGELOG.md").read_text(encoding="utf-8")
    dated = re.search(rf"^## {re.escape(version)} \((\d{{4}}-\d\d-\d\d)\)$", changelog, re.MULTILINE)
    if dated is None:
        yield f"- CHANGELOG.md has no heading `## {version} (YYYY-MM-DD)`"
    citation = (top / "CITATION.cff").read_text(encoding="utf-8")
    day = dated[1] if dated else "YYYY-MM-DD"
    for line in (f"version: {version}", f"date-released: {day}"):
        if dated and line not in citation.replace('"', "").splitlines():
            yield f"- CITATION.cff has no line `{line}`"


def git(top: Path, *words: str) -> str:
    """Returns what git prints; ends the program if it fails."""
    done = subprocess.run(["git", "-C", str(top), *words], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"git {' '.join(words)}: {done.stderr.strip()}")
    return done.stdout.strip()


def sdist() -> Path:
    """Builds the source distribution."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", str(wheels.OUT)]
    subprocess.run(command, cwd=TOP, check=True, stdout=subprocess.DEVNULL)
    return wheels.OUT / f"benchledger-{wheels.version()}.tar.gz"


def twine(*words: str) -> None:
    """Runs twine; ends the program with its exit code if it fails."""
    done = subprocess.run([sys.executable, "-m", "twine", *words], check=False)
    if done.returncode:
        sys.exit(done.returncode)


def listing(files: list[Path]) -> str:
    """Returns the table of the files: SHA-256, bytes and name."""
    rows = [(hashlib.sha256(file.read_bytes()).hexdigest(), file.stat().st_size, file.name) for file in files]
    return "".join(f"{digest}  {size:>9,}  {name}\n" for digest, size, name in rows)


if __name__ == "__main__":
    main()
