"""Ill-treats ingests for a time, and prints counts: `make torture SECONDS=600`. `--seed` repeats what was run.

A fifth of the time goes to each part: kills, faults of the disk, mutated logs, mutated archives and other files, and the
model. With `--goals` a part goes on until it has reached its goals, too: half an hour. The exit code is 1 if anything was
wrong.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tests.torture import kills
from tests.torture.materials import archive, logs, sidecars, tracker_folders
from tests.torture.mutation import mutated, mutated_lines
from tests.torture.readers import Counts, Reader

AT_ONCE = 30
MOST_TOLD = 50
GOALS = {"kills": 1_000, "faults": 200, "lines": 1_000_000, "mutated files": 50_000, "archives": 5_000}
# The first example of hypothesis is always the simplest one.
EXAMPLES, STEPS = 5, 15


def mutate_logs(reader: Reader, rng: random.Random, sources: dict[str, bytes]) -> None:
    """Reads some mutated logs; the oracle looks at every number."""
    files = {}
    for number in range(AT_ONCE):
        name = rng.choice(sorted(sources))
        change = mutated_lines if rng.random() < 0.7 else mutated
        files[f"{number}_{name}"] = change(sources[name], rng)
    lines = sum(data.count(b"\n") for data in files.values())
    reader.counts.of.update({"logs": len(files), "mutated files": len(files), "lines": lines})
    reader.read("mutated logs", files)


def mutate_others(
    reader: Reader, rng: random.Random, sources: dict[str, bytes], folders: list[dict[str, bytes]]
) -> None:
    """Reads some mutated archives, facts, manifests, and files of trackers and profilers."""
    files = {}
    for number in range(AT_ONCE // 2):
        names = rng.sample(sorted(sources), 3)
        name, data = archive({f"{number}/{name}": sources[name] for name in names}, rng)
        files[f"{number}/{name}"] = mutated(data, rng)
    reader.counts.of.update({"archives": len(files), "mutated files": len(files)})
    for number in range(AT_ONCE // 3):
        folder = dict(rng.choice(folders))
        name = rng.choice(sorted(folder))
        folder[name] = mutated(folder[name], rng)
        files |= {f"s{number}/{name}": data for name, data in folder.items()}
        reader.counts.of.update(["other files", "mutated files"])
    reader.read("mutated archives and sidecars", files, is_checked=False)


def model(home: Path, seconds: float, seed: int, counts: Counts, most: int) -> None:
    """Runs the stateful test of a ledger beside its model, some examples at a time, until there are so many."""
    from hypothesis import HealthCheck, Phase, settings
    from hypothesis import seed as seeded
    from hypothesis.stateful import run_state_machine_as_test

    from tests.torture.model import LedgerModel

    machine = LedgerModel.prepare(home / "model")
    machine.counts.clear()
    ended = time.monotonic() + seconds
    number = 0
    while number == 0 or (time.monotonic() < ended and number * EXAMPLES < most):
        chosen = settings(
            max_examples=EXAMPLES, stateful_step_count=STEPS, phases=[Phase.generate], deadline=None, database=None,
            suppress_health_check=list(HealthCheck), print_blob=False,
        )  # fmt: skip
        try:
            run_state_machine_as_test(seeded(seed * 1000 + number)(machine), settings=chosen)
        except Exception as error:  # noqa: BLE001 - told with its steps
            counts.wrong.append(f"model {seed * 1000 + number}: {type(error).__name__}: {error}")
        number += 1
    counts.of.update({f"model {what}": count for what, count in machine.counts.items()})


def repeated(seconds: float, step: Callable[[int], object], most: int, is_enough: Callable[[], bool]) -> None:
    """Calls a step with 0, 1, ... until the time is over and it is enough, but at most so many times."""
    ended = time.monotonic() + seconds
    number = 0
    while number < most and (number == 0 or time.monotonic() < ended or not is_enough()):
        step(number)
        number += 1


def torture(
    home: Path, seconds: float, seed: int, most: int = 1_000_000, endings: kills.Endings | None = None,
    goals: dict[str, int] | None = None,
) -> Counts:  # fmt: skip
    """Runs all parts, each for a fifth of the time and until its goals are reached, at most for `most` steps."""
    share, rng, counts, sources = seconds / 5, random.Random(seed), Counts(), logs()
    endings, reader = endings or kills.Endings(home / "endings", seed), Reader()
    folders = [sidecars(), *tracker_folders()]

    def part(step: Callable[[int], object], counted: Counts, *names: str) -> None:
        repeated(share, step, most, lambda: all(counted.of[name] >= (goals or {}).get(name, 0) for name in names))
        told = ", ".join(f"{counted.of[name]:,} {name}" for name in names)
        # Now, so that a long run that is ended has told it.
        print("\n".join([f"{told}: {len(counted.wrong)} wrong so far", *counted.wrong[:MOST_TOLD]]), flush=True)

    part(endings.killed, endings.counts, "kills")
    if endings.has_faults:
        part(endings.faulted, endings.counts, "faults")
    counts.add(endings.counts)
    part(lambda _: mutate_logs(reader, rng, sources), reader.counts, "logs", "lines")
    part(lambda _: mutate_others(reader, rng, sources, folders), reader.counts, "archives", "mutated files")
    counts.add(reader.counts)
    model(home, share, seed, counts, most // 3)
    return counts


def main() -> int:
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("--seconds", type=float, default=60)
    given.add_argument("--seed", type=int, default=int(time.time()))
    given.add_argument("--goals", action="store_true", help=f"at least {GOALS}")
    asked = given.parse_args()
    print(f"seed {asked.seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="torture") as folder:
        counts = torture(Path(folder), asked.seconds, asked.seed, goals=GOALS if asked.goals else None)
    for what, count in sorted(counts.of.items()):
        print(f"{what}: {count:,}")
    for wrong in counts.wrong[:MOST_TOLD]:
        print(f"WRONG {wrong}")
    print(f"{len(counts.wrong)} wrong")
    return int(bool(counts.wrong))


if __name__ == "__main__":
    sys.exit(main())
