"""The environment, and grouped links to logs, as READMEs 000 and 004 print them (docs/layouts.md)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from benchledger.answers.tables.cells import fact_text, status_text
from benchledger.answers.tables.grid import DID_NOT_RUN, column_order
from benchledger.answers.tables.grouping import Row, SortKey, grouped, sort_key
from benchledger.answers.tables.table import Kind, Line, checked_address, link_to, template_line
from benchledger.definitions.layouts import load_layouts, load_page_texts

# The column that counts the first.
_COUNTS = {"gpu_model": "gpus_per_node", "cpu_model": "cpu_count"}
_MACHINES = ("single", "several", "unknown")
_HEADING = 3

# The statements of a group of runs, by column.
Stated = dict[str, str]
_STDIN = "stdin"
# Facts in which two logs of one precision, batch size and GPU count can differ.
_TOLD_APART_BY = ("framework", "implementation", "model", "task", "system", "gpu_model", "nodes", "seq_len", "options")
_ITEM_FACTS = ("gpus", "precision", "batch_size_per_gpu")


@dataclass
class _Group:
    """Runs on one, several or unknown machines, whose statements do not contradict each other, and their GPUs."""

    machines: str
    stated: Stated
    gpus: set[int | None] = field(default_factory=set)


def shared_environment(layout: str, lang: str, link: str, text: str | None) -> tuple[Line, ...]:
    """Returns one line that links to an environment described elsewhere. Raises UsageError for an invalid address."""
    words = load_page_texts("environment", layout, lang)
    return (template_line(Kind.TEXT, words["shared"], text or link, link=checked_address(link)),)


def campaign_pages(
    campaigns: Mapping[str | None, list[Row]], page: Callable[[list[Row]], Iterable[Line]]
) -> tuple[Line, ...]:
    """Returns the page of each campaign, below its name if there are several."""
    lines: list[Line] = []
    for name, rows in campaigns.items():
        lines += [Line(Kind.HEADING, fact_text(name), depth=2)] * (len(campaigns) > 1)
        lines += page(rows)
    return tuple(lines)


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

    lines = [template_line(Kind.HEADING, words["host"], depth=_HEADING)]
    lines += _section(_groups(rows, host), hosts, words, named=True)
    lines.append(template_line(Kind.HEADING, words["container"], depth=_HEADING))
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
            lines.append(template_line(Kind.ITEM, words[group.machines], cards_text(group.gpus, words)))
        depth = 1 if named else 0
        items = [
            template_line(Kind.ITEM, template, text, depth=depth, framework=group.stated.get("framework", "framework"))
            for column, template in templates.items()
            if (text := group.stated.get(column)) is not None
        ]
        topology = group.stated.get("topology")
        lines += items or ([] if topology else [template_line(Kind.ITEM, words["nothing"], depth=depth)])
        if topology:
            lines += [template_line(Kind.TEXT, words["topology"]), Line(Kind.BLOCK, topology.strip("\n"))]
    return lines


def cards_text(gpus: Iterable[int | None], words: Mapping[str, str]) -> str:
    texts = []
    for number in sorted(gpus, key=lambda one: (one is None, one or 0)):
        template = words["card_unknown" if number is None else "one_card" if number == 1 else "cards"]
        texts.append(template.replace("{}", str(number)))
    return words["between"].join(texts)


def links_page(rows: list[Row], layout: str, lang: str, base: str) -> list[Line]:
    """Returns the lists of one campaign's logs with headings. Raises UsageError for an unknown layout or base."""
    words = load_page_texts("logs", layout, lang)
    texts = _texts(rows, layout, words)
    groups = _by_batch(rows, words) if "fixed" in words else _by_machines(rows, words)
    lines: list[Line] = []
    for number, (heading, group) in enumerate(groups, start=1):
        lines.append(template_line(Kind.HEADING, heading.replace("[number]", str(number)), depth=_HEADING))
        shown = sorted(group, key=lambda row: (sort_key([row["gpus"]]), column_order(row), _apart(row)))
        # A log with several runs of one case is linked once.
        lines += dict.fromkeys(template_line(Kind.ITEM, "{}", texts[id(row)], link=_link(base, row)) for row in shown)
    return lines


def _apart(row: Row) -> SortKey:
    return sort_key(row[name] for name in (*_TOLD_APART_BY, "gradient_accumulation", "trial"))


def _link(base: str, row: Row) -> str | None:
    # A log from standard input has no file to link to.
    return None if row["path"] == _STDIN else link_to(base, row["path"])


def _by_machines(rows: list[Row], words: Mapping[str, str]) -> list[tuple[str, list[Row]]]:
    found = []
    for kind in ("single", "several", "unknown"):
        group = [row for row in rows if machines_of(row["nodes"], row["gpus"]) == kind]
        if group:
            found.append((words[kind].replace("{}", cards_text({row["gpus"] for row in group}, words)), group))
    return found


def _by_batch(rows: list[Row], words: Mapping[str, str]) -> list[tuple[str, list[Row]]]:
    largest: list[Row] = []
    for kin in grouped(rows, (*_TOLD_APART_BY, "precision", "gpus")).values():
        ran = [row for row in kin if row["status"] not in DID_NOT_RUN and row["batch_size_per_gpu"] is not None]
        most = max((row["batch_size_per_gpu"] for row in ran), default=None)
        largest += [row for row in ran if row["batch_size_per_gpu"] == most]
    return [(words["fixed"], rows), *([(words["max"], largest)] if largest else [])]


def _texts(rows: list[Row], layout: str, words: Mapping[str, str]) -> dict[int, str]:
    """Returns the text of each log's link: its case, and the facts that tell it from others of that case."""
    layouts = load_layouts()
    precisions = layouts[layout].precisions if layout in layouts else {}
    members = {row["member"] for row in rows if row["member"] is not None}
    files = Counter(member.rpartition("/")[2] for member in members)
    texts: dict[int, str] = {}
    for alike in grouped(rows, _ITEM_FACTS).values():
        # An unstated value is not a difference.
        differing = [name for name in _TOLD_APART_BY if len({row[name] for row in alike} - {None}) > 1]
        for same in grouped(alike, differing).values():
            ways = {row["gradient_accumulation"] for row in same}
            for row in same:
                kin = {other["run_key"] for other in same if _accumulates_alike(row, other)}
                parts = [
                    _case(row, precisions, words),
                    *(f"{name}={fact_text(row[name])}" for name in differing),
                    _accumulation(row, ways, words),
                    words["trial"].replace("{}", str(row["trial"]))
                    if len(kin) > 1 and row["trial"] is not None
                    else "",
                ]
                text = " ".join(filter(None, parts))
                if row["status"] not in ("ok", "unknown"):
                    text += words["failed"].replace("{}", status_text(row["status"]))
                texts[id(row)] = text if row["member"] is None else f"{text} {_member(row['member'], files)}"
    return texts


def _member(member: str, files: Counter[str]) -> str:
    """Returns the name of a log in an archive: its file name if that is unique on the page, else its path."""
    file = member.rpartition("/")[2]
    return file if files[file] == 1 else member


def _case(row: Row, precisions: Mapping[str, str], words: Mapping[str, str]) -> str:
    precision = row["precision"]
    values = {
        "[cards]": cards_text({row["gpus"]}, words),
        "[batch]": fact_text(row["batch_size_per_gpu"]),
        "[precision]": precisions.get(str(precision), fact_text(precision).upper()),
    }
    text = words["item"]
    for name, value in values.items():
        text = text.replace(name, value)
    return text


def _accumulates_alike(row: Row, other: Row) -> bool:
    return bool(row["gradient_accumulation"] == other["gradient_accumulation"])


def _accumulation(row: Row, ways: set[int | None], words: Mapping[str, str]) -> str:
    """Returns a run's accumulation if it differs from others of its case; README 000 marks those without."""
    steps = row["gradient_accumulation"]
    if len(ways) == 1 or (steps != 1 and len(ways - {1}) == 1):
        return ""
    return words["no_gradacc"] if steps == 1 else words["gradacc"].replace("{}", fact_text(steps))
