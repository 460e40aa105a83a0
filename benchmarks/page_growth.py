"""The tables of what comes after the first ingest: unchanged and new files, growth, archives, memory."""

from __future__ import annotations

from dataclasses import dataclass, field
from statistics import median

from benchmarks.again import Again
from benchmarks.growth import Grown, Packed, Peak


@dataclass
class Further:
    """Every round of each measurement; empty where it was not made."""

    again: list[Again] = field(default_factory=list)
    growth: list[list[Grown]] = field(default_factory=list)
    packed: list[Packed] = field(default_factory=list)
    peaks: list[list[Peak]] = field(default_factory=list)


def further_section(further: Further) -> str:
    """All of it as Markdown."""
    lines: list[str] = []
    if further.again:
        lines += again_lines(further.again)
    if further.growth:
        lines += growth_lines(further.growth)
    if further.packed:
        lines += packed_lines(further.packed)
    if further.peaks:
        lines += peak_lines(further.peaks)
    return "\n".join(lines) + "\n" if lines else ""


def again_lines(rounds: list[Again]) -> list[str]:
    """An unchanged tree beside `find`, and ten new files into a large ledger beside an empty one."""
    unchanged = median(each.unchanged for each in rounds)
    new, empty = median(each.into_large for each in rounds), median(each.into_empty for each in rounds)
    times = median(each.unchanged / each.find for each in rounds)
    ratio = median(each.into_large / each.into_empty for each in rounds)
    last, find_ms = rounds[-1], median(each.find for each in rounds) * 1000
    return f"""
The small files again, unchanged: {unchanged:.2f} s, `find -printf '%s %T@ %p'` {find_ms:.0f} ms: **{times:.1f}** times
as long (at most 10). Ten new files into that ledger ({last.records:,} records, {last.database / 1e6:,.0f} MB):
{new:.2f} s, into an empty one {empty:.2f} s: **{ratio:.2f}** times as long (under 2).""".split("\n")


def growth_lines(rounds: list[list[Grown]]) -> list[str]:
    """Time and database for 1, 2, 4 and 8 times the logs, each per byte of the logs."""
    lines = ["", "| small files | MB | ingest | s per 100 MB | database | of the logs' bytes |"]
    lines.append("|---|---|---|---|---|---|")
    for parts in zip(*rounds, strict=True):
        last, seconds = parts[-1], median(each.seconds for each in parts)
        lines.append(
            f"| {last.files:,} | {last.bytes / 1e6:,.0f} | {seconds:.2f} s | {seconds / last.bytes * 1e8:.2f} | "
            f"{last.database / 1e6:,.1f} MB | {last.database / last.bytes:.2f} |"
        )
    return lines


def packed_lines(rounds: list[Packed]) -> list[str]:
    """Archives beside the same logs plain."""
    plain = median(each.plain for each in rounds)
    lines = [
        "",
        "| the large logs, dense and sparse | MB | ingest | of the plain ones' (at most 1.3) | peak memory |",
        "|---|---|---|---|---|",
        f"| plain | {rounds[-1].plain_bytes / 1e6:,.0f} | {plain:.2f} s | 1 | |",
    ]
    for name, size in rounds[-1].bytes.items():
        seconds = median(each.seconds[name] for each in rounds)
        ratio = median(each.seconds[name] / each.plain for each in rounds)
        lines.append(
            f"| `{name}` | {size / 1e6:,.0f} | {seconds:.2f} s | **{ratio:.2f}** | {mib(rounds[-1].tree_mib[name])} |"
        )
    return lines


def peak_lines(rounds: list[list[Peak]]) -> list[str]:
    """Peak memory of a file and of one eight times as long."""
    lines = ["", "| one file | MB | ingest | peak memory, all processes | of the shorter one's (at most 1.3) |"]
    lines.append("|---|---|---|---|---|")
    first: dict[str, float] = {}
    for parts in zip(*rounds, strict=True):
        one, peak = parts[-1], median(memory_of(each) for each in parts)
        ratio = peak / first.setdefault(one.kind, peak)
        lines.append(
            f"| {one.kind} | {one.bytes / 1e6:,.0f} | {median(each.seconds for each in parts):.2f} s | {mib(peak)} | "
            f"**{ratio:.2f}** |"
        )
    return lines


def memory_of(peak: Peak) -> float:
    """All processes, or the largest where no more is known."""
    return peak.largest_mib if peak.tree_mib is None else peak.tree_mib


def mib(value: float | None) -> str:
    return "not known" if value is None else f"{value:,.0f} MiB"
