"""Links to logs, grouped as in READMEs 000 and 004: by machines, or by fixed and largest batch sizes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from benchledger.answers.reports.environment_page import cards_text, machines_of
from benchledger.answers.tables.cells import fact_text, status_text
from benchledger.answers.tables.grid import DID_NOT_RUN, column_order
from benchledger.answers.tables.grouping import Row, SortKey, grouped, sort_key
from benchledger.answers.tables.prose import Kind, Line, link_to, said
from benchledger.definitions.layouts import load_layouts
from benchledger.definitions.page_texts import load_page_texts

_HEADING = 3
_STDIN = "stdin"
# Facts in which two logs of one precision, batch size and GPU count can differ.
_TOLD_APART_BY = ("framework", "implementation", "model", "task", "system", "gpu_model", "nodes", "seq_len", "options")
_ITEM_FACTS = ("gpus", "precision", "batch_size_per_gpu")


def links_page(rows: list[Row], layout: str, lang: str, base: str) -> list[Line]:
    """Returns the lists of one campaign's logs with headings. Raises UsageError for an unknown layout or base."""
    words = load_page_texts("logs", layout, lang)
    texts = _texts(rows, layout, words)
    groups = _by_batch(rows, words) if "fixed" in words else _by_machines(rows, words)
    lines: list[Line] = []
    for number, (heading, group) in enumerate(groups, start=1):
        lines.append(said(Kind.HEADING, heading.replace("[number]", str(number)), depth=_HEADING))
        shown = sorted(group, key=lambda row: (sort_key([row["gpus"]]), column_order(row), _apart(row)))
        # A log with several runs of one case is linked once.
        lines += dict.fromkeys(said(Kind.ITEM, "{}", texts[id(row)], link=_link(base, row)) for row in shown)
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
    said_of = {
        "[cards]": cards_text({row["gpus"]}, words),
        "[batch]": fact_text(row["batch_size_per_gpu"]),
        "[precision]": precisions.get(str(precision), fact_text(precision).upper()),
    }
    text = words["item"]
    for name, value in said_of.items():
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
