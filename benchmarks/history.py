"""Measures how well `bench history` finds steps, beside apache-otava, asv and ruptures: `make bench-history`.

    python -m benchmarks.history [--series 1000]

A series has 8 to 40 points of three trials each, and no, one or two steps. Trials have the noise of real ones, as in
benchmarks/comparing.py; a day adds half of it, and a fiftieth of the days are slow. A found step is right at
most one point away from a true one. `bench history` sees 40 series together, the others each alone.
"""

from __future__ import annotations

import argparse
import math
import random
import statistics
from collections.abc import Callable, Iterator, Sequence

from benchledger.comparing.change_points import find_steps
from benchmarks.comparing import NOISE, SLOW_BY, SLOW_SHARE, Source, real_noise

THRESHOLD = 0.01
TOGETHER, TRIALS, DAY = 40, 3, 0.5
# No step is nearer than this to an end or another one.
_APART = 3
Points = list[float]
Method = Callable[[Points], Sequence[int]]


def made(source: Source, drawn: random.Random, size: float, spread: float) -> tuple[Points, list[int]]:
    """Returns logarithms of a series with steps of a size (0.02: 2 %), and where they are."""
    points = drawn.randint(8, 40)
    wanted = drawn.choice((0, 1, 1, 2)) if size else 0
    cuts = sorted(drawn.sample(range(_APART, points - _APART + 1), wanted))
    if len(cuts) == 2 and cuts[1] - cuts[0] < _APART:
        cuts.pop()
    level, values = 0.0, []
    for number in range(points):
        if number in cuts:
            level += drawn.choice((-1, 1)) * math.log1p(size)
        day = drawn.choice(source.deviations) * spread * DAY
        if drawn.random() < SLOW_SHARE:
            day -= drawn.expovariate(1 / SLOW_BY) * spread
        trials = [math.log(value / 100) for value in source.draw(drawn, TRIALS, spread)]
        values.append(level + day + statistics.fmean(trials))
    return values, cuts


def hits(found: Sequence[int], true: Sequence[int]) -> tuple[int, int, int]:
    """Returns how many of the found steps are true ones, how many were found, and how many there are."""
    left, right = list(true), 0
    for at in found:
        near = [one for one in left if abs(one - at) <= 1]
        if near:
            left.remove(min(near, key=lambda one: abs(one - at)))
            right += 1
    return right, len(found), len(true)


def ours(series: Sequence[Points]) -> list[list[int]]:
    """Returns what `bench history` finds in series of one quantity."""
    least = math.log1p(THRESHOLD)
    return [
        [step.at for step in found.steps]
        for first in range(0, len(series), TOGETHER)
        for found in find_steps(series[first : first + TOGETHER], least)
    ]


def peers() -> dict[str, Method]:
    """Returns the methods that are installed here, by their names."""
    methods: dict[str, Method] = {}
    try:
        from otava.analysis import compute_change_points

        methods["apache-otava"] = lambda values: [one.index for one in compute_change_points(_plain(values))[0]]
    except ImportError:
        pass
    try:
        from asv.step_detect import detect_regressions, detect_steps

        methods["asv, steps"] = lambda values: [one[0] for one in detect_steps(_plain(values))][1:]

        def regressions(values: Points) -> list[int]:
            found: list[int] = []
            # asv reports one direction: here either.
            for sign in (1, -1):
                steps = detect_steps(_plain([sign * value for value in values]))
                found += [one[1] for one in detect_regressions(steps, 0.05)[2] or ()]
            return found

        methods["asv, regressions of 5 %"] = regressions
    except ImportError:
        pass
    try:
        import numpy as np
        import ruptures

        def pelt(values: Points) -> list[int]:
            spread = float(np.median(np.abs(np.diff(values)))) / 0.6745 / math.sqrt(2) or 1e-4
            search = ruptures.Pelt(model="l1", min_size=2, jump=1).fit(np.array(values) / spread)
            return list(search.predict(pen=2 * math.log(len(values))))[:-1]

        methods["ruptures, Pelt l1"] = pelt
    except ImportError:
        pass
    return methods


def _plain(values: Points) -> Points:
    return [100 * math.exp(value) for value in values]


def measure(number: int) -> Iterator[str]:
    """Yields the rows of the table in docs/history.md: precision and recall, without steps the series with an alarm."""
    source, methods = real_noise(), peers()
    yield "| steps | noise | " + " | ".join(["bench history", *methods]) + " |"
    yield "|---|---|" + "---|" * (len(methods) + 1)
    for size in (0.02, 0.05, 0.0):
        for spread in (NOISE, None):
            drawn = random.Random(f"{size} {spread}")
            series = [made(source, drawn, size, spread or drawn.choice(source.spreads)) for _ in range(number)]
            answers = [ours([values for values, _ in series])]
            answers += [[list(method(values)) for values, _ in series] for method in methods.values()]
            told = [_told(found, [true for _, true in series]) for found in answers]
            what = f"{size:.0%}" if size else "none: series with a false step"
            yield f"| {what} | {'as measured' if spread is None else '0.5 %'} | " + " | ".join(told) + " |"


def _told(found: list[list[int]], true: list[list[int]]) -> str:
    counts = [hits(*one) for one in zip(found, true, strict=True)]
    right, all_found, there = (sum(one[part] for one in counts) for part in range(3))
    if not there:
        return f"{sum(bool(one) for one in found) / len(found):.1%}"
    return f"{right / max(all_found, 1):.1%}, {right / there:.1%}"


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--series", type=int, default=1000)
    for line in measure(parser.parse_args().series):
        print(line, flush=True)


if __name__ == "__main__":
    main()
