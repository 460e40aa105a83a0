"""Writes what was measured as Markdown, into the marked section of docs/performance.md."""

from __future__ import annotations

import os
import platform
import sys
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from statistics import median

from benchmarks.rounds import Measurement, Starts, middle

SECTIONS = {"measured": "bench", "large": "bench-large"}


def marks(section: str) -> tuple[str, str]:
    """The lines between which a section of the page stands."""
    return f"<!-- {section}: begin (written by make {SECTIONS[section]}) -->", f"<!-- {section}: end -->"


BEGIN, END = marks("measured")
NEW_PAGE = f"# Performance\n\n{BEGIN}\n{END}\n"


@dataclass(frozen=True)
class Measured:
    """One set of files with all its rounds."""

    name: str
    files: int
    bytes: int
    anchors: list[str]
    rounds: list[Measurement]


def section(sets: list[Measured], starts: list[Starts], jobs: int, heading: str) -> str:
    """The tables: speed, the limit in its parts, the multiple of it, memory, and the start of `bench --help`."""
    lines = [
        f"{heading} Medians of {len(starts)} interleaved rounds, files in the page cache.",
        "",
        f"| files | bytes | records | ingest (--jobs {jobs}) | processors | speed | database | peak, all | largest |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for each in sets:
        got = middle(each.rounds)
        tree = "not known" if got.tree_mib is None else f"{got.tree_mib:,.0f} MiB"
        lines.append(
            f"| {each.name} | {each.bytes / 1e6:,.0f} MB | {got.records:,} | {got.ingest:.2f} s | "
            f"{got.cpu:.2f} s | {each.bytes / 1e6 / got.ingest:,.0f} MB/s | "
            f"{got.database / each.bytes:.2f} of the bytes | {tree} | {got.largest_mib:,.0f} MiB |"
        )
    lines += [
        "",
        "The limit: a search for the format's anchors, DuckDB inserting the same rows, starting Python with duckdb and",
        "pyarrow. The multiple is the median over the rounds, then the least and the most of a round.",
        "",
        "| files | `rg -a -c -F` | `grep -a -c -F` | insert | start | limit | ingest / limit | least to most |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for each in sets:
        got = middle(each.rounds)
        multiples = [one.multiple for one in each.rounds]
        lines.append(
            f"| {each.name} | {seconds(got.rg)} | {seconds(got.grep)} | {got.insert:.2f} s, {got.rows:,} rows | "
            f"{got.start:.2f} s | {got.limit:.2f} s | **{median(multiples):.1f}** | "
            f"{min(multiples):.1f} to {max(multiples):.1f} |"
        )
    anchors = sorted({anchor for each in sets for anchor in each.anchors})
    lines += ["", f"Anchors searched for: {', '.join(f'`{anchor}`' for anchor in anchors)}."]
    if any(middle(each.rounds).rg is None for each in sets):
        lines += ["`rg` was not installed: the limit is taken with `grep`."]
    lines += [
        f"A search alone, for comparison: {'; '.join(search_only(each) for each in sets)}.",
        "",
        *script_lines(sets),
        "",
        start_line(starts),
    ]
    return "\n".join(lines) + "\n"


def script_lines(sets: list[Measured]) -> list[str]:
    """The script for one framework beside the ingest, with the native scanner and with the reference reader."""
    lines = [
        "Beside `benchmarks/one_framework.py`, which reads lines, knows one framework by one regex, and prints a mean:",
        "",
        "| files | script | ingest | script / ingest | by the reference reader | script / that |",
        "|---|---|---|---|---|---|",
    ]
    for each in sets:
        got = middle(each.rounds)
        ratio = median(one.script / one.ingest for one in each.rounds)
        by_python = [one.script / one.by_python for one in each.rounds if one.by_python is not None]
        shown = f"{got.by_python:.2f} s | **{median(by_python):.2f}**" if by_python else "not measured |"
        lines.append(f"| {each.name} | {got.script:.2f} s | {got.ingest:.2f} s | **{ratio:.2f}** | {shown} |")
    return lines


def search_only(each: Measured) -> str:
    got = middle(each.rounds)
    search = got.rg if got.rg is not None else got.grep
    return f"{each.name}: ingest takes {got.ingest / search:.0f} times as long" if search else f"{each.name}: no tool"


def start_line(starts: list[Starts]) -> str:
    python, shown = median(each.python for each in starts), median(each.bench_help for each in starts)
    ratio = median(each.bench_help / each.python for each in starts)
    times = f"`python -c pass` takes {python * 1000:.0f} ms, `bench --help` {shown * 1000:.0f} ms"
    return f"{times}: **{ratio:.1f}** times as long."


def seconds(value: float | None) -> str:
    return "not installed" if value is None else f"{value:.2f} s"


def machine() -> str:
    """The machine without its name: cores, memory, system, versions."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    versions = ", ".join(f"{name} {version(name)}" for name in ("benchledger", "duckdb", "pyarrow"))
    return (
        f"{os.cpu_count()} cores ({processor()}), {memory:.0f} GiB, {platform.system()}, "
        f"Python {platform.python_version()}, {versions}."
    )


def processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass  # no Linux
    return platform.machine()


def write(page: Path, text: str, begin: str = BEGIN, end: str = END) -> None:
    """Replaces what stands between the two markers; a page without them gets them at its end."""
    old = page.read_text(encoding="utf-8") if page.is_file() else NEW_PAGE
    before, found, rest = old.partition(begin)
    _, closed, after = rest.partition(end)
    if not found:
        before, after = old.rstrip("\n") + "\n\n", "\n"
    elif not closed:
        sys.exit(f"{page}: has the line '{begin}' but not '{end}'. Cure: put the second one back")
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(f"{before}{begin}\n{text}{end}{after}", encoding="utf-8")
