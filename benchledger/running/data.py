"""`bench data make`: makes training data with a script in the runners' environment, the only one with HDF5."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from benchledger.definitions.folders import shipped_root
from benchledger.errors import BenchledgerError, UsageError, install_line

KINDS = ("hdf5", "npz", "squad", "tokens")
_WRONG_USE = 2


def data_make(
    kind: str,
    *,
    output: Path | str,
    rows: int = 20000,
    files: int = 4,
    seq_len: int = 128,
    masked: int | None = None,
    seed: int = 12345,
    vocab_size: int | None = None,
    text: Sequence[Path | str] = (),
    vocab: Path | str | None = None,
    dupe_factor: int = 5,
    python: str = sys.executable,
) -> list[Path]:
    """Makes training data of a kind in the folder `output`, and returns its files. The same seed gives the same bytes.

    Raises UsageError for wrong arguments, BenchledgerError if the data cannot be made.
    """
    if kind not in KINDS:
        raise UsageError(f"no kind of data {kind!r}; known: {', '.join(KINDS)}")
    options = {
        "rows": rows, "files": files, "seq-len": seq_len, "masked": masked, "seed": seed, "vocab-size": vocab_size,
        "vocab": vocab, "dupe-factor": dupe_factor,
    }  # fmt: skip
    words = [python, "-m", "runners.make_data.make", kind, "--output", str(output)]
    words += [word for name, value in options.items() if value is not None for word in (f"--{name}", str(value))]
    words += ["--text", *map(str, text)] if text else []
    try:
        # On a terminal its progress is shown. Otherwise its errors are captured: the last line says why it failed.
        errors = None if sys.stderr.isatty() else subprocess.PIPE
        env = {**os.environ, "PYTHONPATH": str(shipped_root())}
        done = subprocess.run(words, stderr=errors, text=True, env=env, check=False)
    except OSError as error:
        raise UsageError(f"{python} cannot be started: {error.strerror}. Name a Python with --python") from error
    if done.returncode:
        said = (done.stderr or "see above").strip().splitlines()[-1]
        if "No module named" in said:
            own = python == sys.executable
            install = install_line("runners") if own else f"{python} -m pip install 'benchledger[runners]'"
            said += f". Install what makes data: {install}, or name such a Python with --python"
        raise (UsageError if done.returncode == _WRONG_USE else BenchledgerError)(f"{output}: no data made: {said}")
    return sorted(path for path in Path(output).iterdir() if path.is_file())
