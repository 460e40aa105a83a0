"""The script that everybody writes for one framework: read lines, one regex, a mean. What an ingest is compared with.

    python -m benchmarks.one_framework FOLDER

Prints the mean of the last average loss of each log of NGC PyTorch BERT. It knows no other program, keeps nothing, and
tells of nothing that it did not understand.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from statistics import fmean

STEP = re.compile(
    r"DLL (\S+ \S+) - Training Epoch: (\d+) Training Iteration: (\d+) +"
    r"average_loss : (\S+) +step_loss : (\S+) +learning_rate : (\S+)"
)


def mean_loss(path: Path) -> float | None:
    """The mean over all steps of one log; None if it has none."""
    with path.open(errors="replace") as lines:
        losses = [float(found[4]) for line in lines if (found := STEP.search(line))]
    return fmean(losses) if losses else None


def main(folder: str) -> None:
    means = [mean for path in sorted(Path(folder).rglob("*.log")) if (mean := mean_loss(path)) is not None]
    print(f"{len(means)} logs, mean loss {fmean(means) if means else float('nan'):.6f}")


if __name__ == "__main__":
    main(sys.argv[1])
