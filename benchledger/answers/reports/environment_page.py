"""The environment section of a README: host and container apart, one machine and several apart, stated facts only."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from benchledger.answers.tables.grouping import Row, sort_key
from benchledger.answers.tables.prose import Kind, Line, checked_address, said
from benchledger.definitions.page_texts import load_page_texts

# The column that counts the first.
_COUNTS = {"gpu_model": "gpus_per_node", "cpu_model": "cpu_count"}
_MACHINES = ("single", "several", "unknown")
_HEADING = 3

# The statements of a group of runs, by column.
Stated = dict[str, str]


@dataclass
class _Group:
    """Runs on one, several or unknown machines, whose statements do not contradict each other, and their GPUs."""

    machines: str
    stated: Stated
    gpus: set[int | None] = field(default_factory=set)


def shared_environment(layout: str, lang: str, link: str, text: str | None) -> tuple[Line, ...]:
    """Returns one line that links to an environment described elsewhere. Raises UsageError for an invalid address."""
    words = load_page_texts("environment", layout, lang)
    return (said(Kind.TEXT, words["shared"], text or link, link=checked_address(link)),)


def environment_page(rows: list[Row], layout: str, lang: str) -> tuple[Line, ...]:
    """Returns the section of one campaign, from environments with the nodes and GPUs of their runs."""
    words = load_page_texts("environment", layout, lang)
    hosts = load_page_texts("environment", f"{layout}-host", lang)
    containers = load_page_texts("environment", f"{layout}-container", lang)
    framework = load_page_texts("frameworks", "names", lang)

    def host(row: Row) -> Stated:
        return {**_stated(row, hosts, words["times"]), **_stated(row, ["topology"], "")}

    def container(row: Row) -> Stated:
        found = _stated(row, containers, "")
        if "framework_version" in found and len(row["frameworks"]) == 1:
            found["framework"] = framework.get(row["frameworks"][0], str(row["frameworks"][0]))
        return found

    lines = [said(Kind.HEADING, words["host"], depth=_HEADING)]
    lines += _section(_groups(rows, host), hosts, words, named=True)
    lines.append(said(Kind.HEADING, words["container"], depth=_HEADING))
    inside = _groups(rows, container)
    lines += _section(inside, containers, words, named=len({repr(group.stated) for group in inside}) > 1)
    return tuple(lines)


def _stated(row: Row, columns: Iterable[str], times: str) -> Stated:
    found: Stated = {}
    for column in columns:
        value = row.get(f"{column}_logged") or row[column]
        if value is None:
            continue
        text = _memory_text(value) if column == "memory_mib" else str(value)
        count = row[_COUNTS[column]] if column in _COUNTS else None
        found[column] = text if count is None else f"{text}{times}{count}"
    return found


def _memory_text(mib: int) -> str:
    # READMEs write 502 GB for the number that `free -g` prints: 502 times 1024 MiB.
    return f"{mib // 1024} GB" if mib % 1024 == 0 else f"{mib} MiB"


def _groups(rows: list[Row], stated_by: Callable[[Row], Stated]) -> list[_Group]:
    """Groups environments by machines and statements. Runs with fewer statements join the only group that they fit."""
    groups: list[_Group] = []
    every = [(kind, stated_by(row), gpus) for row in rows for kind in _MACHINES if (gpus := _gpus(row, kind))]
    for kind, stated, gpus in sorted(every, key=lambda one: -len(one[1])):
        fitting = [
            group
            for group in groups
            if group.machines == kind and all(group.stated.get(name) == text for name, text in stated.items())
        ]
        if len(fitting) != 1:
            fitting = [_Group(kind, stated)]
            groups += fitting
        fitting[0].gpus |= gpus
    return sorted(
        groups,
        key=lambda group: (
            _MACHINES.index(group.machines),
            *sort_key(sorted(group.gpus, key=lambda n: (n is None, n or 0))),
        ),
    )


def _gpus(row: Row, kind: str) -> set[int | None]:
    return {run["gpus"] for run in row["sizes"] if machines_of(run["nodes"], run["gpus"]) == kind}


def machines_of(nodes: int | None, gpus: int | None) -> str:
    """Returns single, several or unknown: the number of machines of a run. One GPU is in one machine."""
    if gpus == 1:
        return "single"
    return "unknown" if nodes is None else "single" if nodes == 1 else "several"


def _section(groups: list[_Group], templates: Mapping[str, str], words: Mapping[str, str], named: bool) -> list[Line]:
    lines: list[Line] = []
    for group in groups if named else groups[:1]:
        if named:
            lines.append(said(Kind.ITEM, words[group.machines], cards_text(group.gpus, words)))
        depth = 1 if named else 0
        items = [
            said(
                Kind.ITEM,
                template.replace("[framework]", group.stated.get("framework", "framework")),
                text,
                depth=depth,
            )
            for column, template in templates.items()
            if (text := group.stated.get(column)) is not None
        ]
        topology = group.stated.get("topology")
        lines += items or ([] if topology else [said(Kind.ITEM, words["nothing"], depth=depth)])
        if topology:
            lines += [said(Kind.TEXT, words["topology"]), Line(Kind.BLOCK, topology.strip("\n"))]
    return lines


def cards_text(gpus: Iterable[int | None], words: Mapping[str, str]) -> str:
    texts = []
    for number in sorted(gpus, key=lambda one: (one is None, one or 0)):
        template = words["card_unknown" if number is None else "one_card" if number == 1 else "cards"]
        texts.append(template.replace("{}", str(number)))
    return words["between"].join(texts)
