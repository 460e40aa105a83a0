"""Measures how often `bench compare` is wrong, beside other tests: `make bench-compare`.

    python -m benchmarks.comparing [--pairs 2000]

Trials are drawn with the noise of real ones (trial_noise.json): the spread of a case is that of a real series (or
0.5 %), the shape is that of all; a side may drift over its trials, and a fiftieth of the trials are slow. All of it
together has the spread of the case.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import statistics
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from benchledger.answers.student_t import t_two_sided
from benchledger.comparing.pair_test import Outcome, Pair, judge

CASES = 40
NOISE = 0.005
# Standard deviations per whole side; how often a trial is slow, and by how many deviations on average.
DRIFT, SLOW_SHARE, SLOW_BY = 0.5, 0.02, 4.0
# Fewer trials do not show the shape of their noise.
_LEAST_FOR_SHAPE = 5
Trials = list[float]
Method = Callable[[Trials, Trials], bool]


@dataclass(frozen=True)
class Source:
    """Real noise: the spreads of the series, and deviations in units of their spread."""

    spreads: list[float]
    deviations: list[float]

    def draw(self, drawn: random.Random, trials: int, spread: float) -> Trials:
        """Returns trials around 100."""
        slope = drawn.gauss(0, DRIFT)
        total = math.sqrt(1 + DRIFT**2 / 12 + SLOW_SHARE * 2 * SLOW_BY**2 - (SLOW_SHARE * SLOW_BY) ** 2)
        values = []
        for number in range(trials):
            deviation = drawn.choice(self.deviations) + slope * (number / max(trials - 1, 1) - 0.5)
            if drawn.random() < SLOW_SHARE:
                deviation -= drawn.expovariate(1 / SLOW_BY)
            values.append(100 * math.exp(spread * deviation / total))
        return values


def real_noise() -> Source:
    """Returns the noise of the series in trial_noise.json."""
    text = Path(__file__).with_name("trial_noise.json").read_text(encoding="utf-8")
    logs = [[math.log(value) for value in series] for series in json.loads(text)]
    spreads = [statistics.stdev(series) for series in logs]
    deviations = [
        # The deviations of few trials from their own mean are too small.
        (value - statistics.fmean(series)) / spread * math.sqrt(len(series) / (len(series) - 1))
        for series, spread in zip(logs, spreads, strict=True)
        if len(series) >= _LEAST_FOR_SHAPE
        for value in series
    ]
    return Source(spreads, deviations)


def comparison(
    source: Source, drawn: random.Random, trials: int, cases: int, spread: float | None, slowed: float = 0.0
) -> list[Pair]:
    """Returns the pairs of one comparison, of which the first is slower by `slowed` (0.02: 2 %) with 0.5 % noise."""
    pairs = []
    for number in range(cases):
        own = NOISE if spread is not None or (slowed and not number) else drawn.choice(source.spreads)
        a, b = source.draw(drawn, trials, own), source.draw(drawn, trials, own)
        pairs.append(Pair(a, [value * (1 - slowed) for value in b] if not number else b))
    return pairs


def welch(a: Trials, b: Trials, chance: float = 0.05) -> bool:
    """Tells whether a plain Welch test at 5 % finds a difference."""
    parts = [statistics.variance(side) / len(side) for side in (a, b)]
    if not sum(parts):
        return False
    df = sum(parts) ** 2 / sum(part**2 / (len(side) - 1) for part, side in zip(parts, (a, b), strict=True))
    t = (statistics.fmean(b) - statistics.fmean(a)) / math.sqrt(sum(parts))
    return t_two_sided(t, df) < chance


def conbench(a: Trials, b: Trials) -> bool:
    """Tells whether Conbench does: B's mean is 5 standard deviations of A's results away from their mean."""
    spread = statistics.stdev(a)
    return spread > 0 and abs(statistics.fmean(b) - statistics.fmean(a)) / spread > 5


def asv(factor: float) -> Method | None:
    """Returns the test of `asv compare`, of its own code, at a factor; None where asv is not installed."""
    try:
        from asv._stats import is_different
        from asv_runner.statistics import compute_stats
    except ImportError:
        return None

    def differs(a: Trials, b: Trials) -> bool:
        stats = [compute_stats(side, 1) for side in (a, b)]
        medians = [value for value, _ in stats]
        if not is_different(a, b, stats[0][1], stats[1][1]):
            return False
        return bool(medians[0] < medians[1] / factor or medians[1] < medians[0] / factor)

    return differs


def percentile_bootstrap(a: Trials, b: Trials, drawn: random.Random) -> tuple[float, float]:
    """Returns the 95 % interval of B over A by the usual bootstrap of trials."""
    ratios = sorted(
        statistics.fmean(drawn.choices(b, k=len(b))) / statistics.fmean(drawn.choices(a, k=len(a))) for _ in range(400)
    )
    return ratios[9], ratios[389]


def measure(pairs: int) -> Iterator[str]:
    """Yields the rows of the tables in docs/comparing.md."""
    source = real_noise()
    methods: dict[str, Method | None] = {
        "Welch, p < 0.05": welch,
        "Conbench, z > 5": conbench,
        "asv, factor 1.1": asv(1.1),
        "asv, factor 1.01": asv(1.01),
    }
    known = {name: method for name, method in methods.items() if method is not None}
    yield "| trials, slow-down | noise | " + " | ".join(["bench compare", *known]) + " |"
    yield "|---|---|" + "---|" * (len(known) + 1)
    for trials, slowed in ((3, 0.0), (5, 0.0), (3, 0.05), (5, 0.02)):
        for spread in (None, NOISE):
            drawn = random.Random(f"{trials} {slowed} {spread}")
            noise = "as measured" if spread is None else "0.5 %"
            comparisons, found = pairs // 2, [0] * (len(known) + 1)
            for _ in range(comparisons):
                drawn_pairs = comparison(source, drawn, trials, CASES, spread, slowed)
                found = [count + hit for count, hit in zip(found, _hits(drawn_pairs, slowed, known), strict=True)]
            what = f"{slowed:.0%} of 1 case in 40 found" if slowed else "none: comparisons of 40 with a false alarm"
            yield f"| {trials}, {what} | {noise} | " + " | ".join(f"{n / comparisons:.1%}" for n in found) + " |"
    for trials, slowed in ((3, 0.05), (5, 0.02)):
        drawn = random.Random(f"lone {trials}")
        drawn_pairs = [comparison(source, drawn, trials, 1, NOISE, slowed)[0] for _ in range(pairs)]
        found = [sum(judge([pair], 0.01)[0].verdict == "less" for pair in drawn_pairs)]
        found += [sum(method(list(pair.a), list(pair.b)) for pair in drawn_pairs) for method in known.values()]
        yield (
            f"| {trials}, {slowed:.0%} of a lone case found | 0.5 % | "
            + " | ".join(f"{n / pairs:.1%}" for n in found)
            + " |"
        )
    yield ""
    yield "| trials | noise | cases | interval of bench compare | bootstrap percentiles |"
    yield "|---|---|---|---|---|"
    for trials in (3, 5):
        for cases, spread in ((CASES, None), (CASES, NOISE), (1, NOISE)):
            drawn = random.Random(f"interval {trials} {cases} {spread}")
            held = plain = total = 0
            while total < pairs:
                drawn_pairs = comparison(source, drawn, trials, cases, spread)
                outcomes = judge(drawn_pairs, 0.01)
                held += sum((one.low or 0) <= 1 <= (one.high or math.inf) for one in outcomes)
                for pair in drawn_pairs:
                    low, high = percentile_bootstrap(list(pair.a), list(pair.b), drawn)
                    plain += low <= 1 <= high
                total += len(drawn_pairs)
            noise = "as measured" if spread is None else "0.5 %"
            yield f"| {trials} | {noise} | {cases} | {held / total:.1%} | {plain / total:.1%} |"


def _hits(pairs: list[Pair], slowed: float, methods: dict[str, Method]) -> list[int]:
    """Tells of each method whether it found the slowed case, or without one whether it raised any alarm."""
    outcomes = judge(pairs, 0.01)
    if slowed:
        return [outcomes[0].verdict == "less", *(m(list(pairs[0].a), list(pairs[0].b)) for m in methods.values())]
    return [
        any(map(_is_alarm, outcomes)),
        *(any(method(list(pair.a), list(pair.b)) for pair in pairs) for method in methods.values()),
    ]


def _is_alarm(outcome: Outcome) -> bool:
    return outcome.verdict in ("less", "more")


def main() -> None:
    """Prints the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--pairs", type=int, default=2000)
    for line in measure(parser.parse_args().pairs):
        print(line, flush=True)


if __name__ == "__main__":
    main()
