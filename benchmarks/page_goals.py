"""What an ingest is to reach beside what was measured: how far each part stands from it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median

from benchmarks.page import Measured
from benchmarks.page_growth import Further, memory_of
from benchmarks.rounds import Starts, middle

SMALL_LIMITS, LARGE_LIMITS = 2.5, 2.0
DATABASE, PEAK_MIB = 0.5, 600.0


@dataclass(frozen=True)
class Goal:
    """`least`: as much as that is asked for, else no more."""

    what: str
    asked: float
    measured: float
    least: bool = False

    @property
    def stands(self) -> str:
        """Whether it was reached, else by how much it was missed."""
        missed = self.asked / self.measured if self.least else self.measured / self.asked
        return "reached" if missed <= 1 else f"missed by {missed:.2f} times"


def goals_section(sets: list[Measured], starts: list[Starts], further: Further) -> str:
    """All goals that were measured, as Markdown."""
    lines = ["", "| what | asked for | measured | |", "|---|---|---|---|"]
    for goal in [*_of_sets(sets), *_of_the_rest(further), *_of_starts(starts)]:
        asked = f"{'at least' if goal.least else 'at most'} {goal.asked:g}"
        lines.append(f"| {goal.what} | {asked} | **{goal.measured:.2f}** | {goal.stands} |")
    return "\n".join(lines) + "\n"


def _of_sets(sets: list[Measured]) -> Iterator[Goal]:
    for each in sets:
        is_small = each.name.endswith("KB")
        limits = median(one.multiple for one in each.rounds)
        yield Goal(f"ingest / limit, {each.name}", SMALL_LIMITS if is_small else LARGE_LIMITS, limits)
        yield Goal(
            f"script / ingest, {each.name}", 1, median(one.script / one.ingest for one in each.rounds), least=True
        )
        by_python = [one.script / one.by_python for one in each.rounds if one.by_python is not None]
        if by_python:
            yield Goal(f"script / ingest by the reference reader, {each.name}", 1, median(by_python), least=True)
        yield Goal(f"database / logs, {each.name}", DATABASE, middle(each.rounds).database / each.bytes)


def _of_the_rest(further: Further) -> Iterator[Goal]:
    for name in further.packed[0].seconds if further.packed else ():
        yield Goal(f"`{name}` / plain", 1.3, median(each.seconds[name] / each.plain for each in further.packed))
    if further.again:
        yield Goal("unchanged tree / `find`", 10, median(each.unchanged / each.find for each in further.again))
        grown = median(each.into_large / each.into_empty for each in further.again)
        yield Goal(f"new files, into {further.again[-1].records:,} records / into none", 2, grown)
    for kind in sorted({one.kind for one in further.peaks[0]} if further.peaks else ()):
        of_kind = [[one for one in each if one.kind == kind] for each in further.peaks]
        ratio = median(memory_of(each[-1]) / memory_of(each[0]) for each in of_kind)
        sizes = f"{of_kind[0][-1].bytes / 1e6:,.0f} MB"
        yield Goal(f"peak memory of a {kind} file of {sizes} / of the shorter one", 1.3, ratio)
        yield Goal(f"MiB at the peak, {kind}, {sizes}", PEAK_MIB, median(memory_of(each[-1]) for each in of_kind))


def _of_starts(starts: list[Starts]) -> Iterator[Goal]:
    if starts:
        yield Goal("`bench --help` / `python -c pass`", 5, median(each.bench_help / each.python for each in starts))
