"""Fuzzes the native scanner with the compiler's sanitizers: `make native-check ARGS="--seconds 600"`.

Every line format's program runs over its samples, changed at random, in memory of exactly their size; programs that are
changed must be refused, or run as safely. The first fault ends it. A seed repeats what was run.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from benchledger.scanning.layout import Layouts
from benchledger.scanning.native_program import compiled_format
from benchledger.scanning.samples import known_formats

HERE = Path(__file__).resolve().parent
SANITIZERS = ["-g", "-O1", "-std=c11", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-ffp-contract=off"]


def main() -> int:
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("--seconds", type=int, default=60)
    given.add_argument("--seed", type=int, default=1)
    asked = given.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        fuzz = Path(folder) / "fuzz"
        sources = [*sorted(path for path in HERE.glob("*.c") if path.name != "module.c"), HERE / "fuzz" / "fuzz.c"]
        compiler = os.environ.get("CC") or "cc"
        subprocess.run([compiler, *SANITIZERS, *map(str, sources), "-lm", "-o", str(fuzz)], check=True)
        written = written_formats(Path(folder))
        return subprocess.run([str(fuzz), str(asked.seconds), str(asked.seed), *written], check=False).returncode


def written_formats(folder: Path) -> list[str]:
    """The program and the sample lines of each line format, as files."""
    paths: list[str] = []
    for name, log_format in known_formats().items():
        if log_format.kind != "lines" or not log_format.detectable:
            continue
        compiled = compiled_format(log_format, Layouts(log_format).unit_tokens)
        if compiled is None:
            continue
        program, lines = folder / f"{name}.program", folder / f"{name}.lines"
        program.write_bytes(compiled.blob)
        texts = [sample.text for sample in (*log_format.samples, *log_format.base_samples)]
        lines.write_text("\n".join(texts), encoding="utf-8")
        paths += [str(program), str(lines)]
    return paths


if __name__ == "__main__":
    sys.exit(main())
