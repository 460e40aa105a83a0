"""Makes the lines above and below the tables of a report, for every form that has room for them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from benchledger.answers.filters import CASE_COLUMNS, MACHINE_COLUMNS, UNKNOWN
from benchledger.answers.tables.table import Report, Table, text_frame
from benchledger.definitions.layouts import LANGUAGES, load_page_texts
from benchledger.errors import counted

_BRACKETS = "in brackets: the number of a trial that does not count"
# Facts that several tables of a section share. Their values need no name before them in a heading.
_OUTER = ("published", "campaign", "framework", "implementation", "model", "task", "system", "gpu_model")
_NAMELESS = (*_OUTER, "precision", "rule", "revision", "section")
# A longer path does not fit into a heading or a Markdown cell.
_LONG_PATH = 32
MOST = 12
# Rows of the list, and lines of the list and the filters, so that they fit a screen.
_ROWS, _LINES = 20, 30
_FILTERS = (*CASE_COLUMNS, *MACHINE_COLUMNS, "campaign", "rule")
# Values of a filter that are named.
_NAMED = 3


def words_above(report: Report, table: Table) -> list[str]:
    """Returns the report's name with the facts that all the table's numbers share, and how tables and rows are split.

    With a layout: its headings instead, with the facts that tell this table from the others, and the unit.
    """
    if table.above:
        return [text for _, text in headings(report, table)] + ([table.above.unit] if table.above.unit else [])
    lines = [f"{report.name}: {_facts(table)}" if table.facts else report.name]
    if report.split_by:
        lines.append(f"one of {len(report.tables)} tables, split by {', '.join(report.split_by)}")
    if table.rows_split_by:
        lines.append(f"rows split by {', '.join(table.rows_split_by)}")
    return lines


def headings(report: Report, table: Table) -> list[tuple[int, str]]:
    """Returns a layout's headings with their levels: the section (on its first table only) and the title."""
    depth = table.above.depth
    place = next(number for number, other in enumerate(report.tables) if other is table)
    section = _section(report, table)
    if place > 0 and section == _section(report, report.tables[place - 1]):
        section = None
    title = table.above.title
    if title is not None:
        title += _suffix(report, table, _title_facts(report, table))
    found = [] if section is None else [(depth, section)]
    below_section = table.above.section is not None
    return [*found, *([] if title is None else [(depth + below_section, title)])]


def words_below(report: Report, table: Table, quoted: bool = False, brief: bool = False) -> list[str]:
    """Returns the table's remarks, its coverage (how many cells have a number) and its notes.

    If `brief`, only what is not as expected: a coverage with gaps, and the notes that are not usual.

    With a layout: its facts and its rule in short form come before the notes. Remarks are left out if they are `quoted`
    elsewhere. A report without notes has only remarks.
    """
    remarks = [] if quoted else list(table.remarks)
    if report.bare:
        return remarks
    coverage, notes = table.coverage, list(table.notes)
    if not table.above:
        if brief:
            coverage = coverage if coverage is not None and coverage.missing else None
            notes = [note for note in notes if note not in table.usual]
        return [*remarks, *([] if coverage is None else [str(coverage)]), *notes]
    words = _words(table)
    rule = table.facts.get("rule")
    by_rule = [] if rule is None else [f"{words['fact_rule']} {rule}"]
    made = words["semicolon"].join([*by_rule, *notes[:1]])
    said = None
    if coverage is not None and coverage.missing:
        said = str(coverage) if coverage.said is None else coverage.said
    return [*remarks, *filter(None, [_facts_below(report, table, words), made, said]), *notes[1:]]


def words_at_end(report: Report) -> Sequence[str]:
    return () if report.bare else report.notes


def short_paths(paths: Sequence[str]) -> dict[str, str]:
    """Shortens each long path to its last folders: two, or as many as tell it from the other paths."""
    shown = {path: path for path in paths}
    for path in shown:
        parts = path.split("/")
        for kept in range(2, len(parts) - 1) if len(path) > _LONG_PATH else ():
            end = "/" + "/".join(parts[-kept:])
            if not any(other != path and other.endswith(end) for other in shown):
                shown[path] = f"…{end}"
                break
    return shown


def _section(report: Report, table: Table) -> str | None:
    if table.above.section is None:
        return None
    return table.above.section + _suffix(report, table, _section_facts(report, table))


def _section_facts(report: Report, table: Table) -> list[str]:
    """Returns the outer facts in which the sections with the same heading text differ."""
    if table.above.section is None:
        return []
    alike = [other for other in report.tables if other.above.section == table.above.section]
    return [name for name in _differing(alike) if name in _OUTER]


def _title_facts(report: Report, table: Table) -> list[str]:
    """Returns the facts in which the tables of one title differ, without those that their section states."""
    named = (table.above.section, table.above.title)
    alike = [other for other in report.tables if (other.above.section, other.above.title) == named]
    said = _section_facts(report, table)
    return [name for name in _differing(alike) if name not in said]


def _differing(tables: Sequence[Table]) -> list[str]:
    names = dict.fromkeys(name for table in tables for name in table.facts)
    return [name for name in names if len({table.facts.get(name) for table in tables}) > 1]


def _suffix(report: Report, table: Table, names: Sequence[str]) -> str:
    words = _words(table)
    said = [_in_heading(report, table, name, words) for name in names]
    return words["colon"] + words["comma"].join(said) if said else ""


def _in_heading(report: Report, table: Table, name: str, words: Mapping[str, str]) -> str:
    value = table.facts.get(name)
    if value is None:
        return f"{_named(name, words)} {words['unknown']}"
    shown = short_paths([other.facts.get(name) or "" for other in report.tables])[value]
    return shown if name in _NAMELESS else f"{_named(name, words)} {shown}"


def _facts_below(report: Report, table: Table, words: Mapping[str, str]) -> str:
    """Returns the facts that no heading states in full, without unit, rule and definition, which have own lines."""
    above = {*_section_facts(report, table), *_title_facts(report, table)}
    heads = " ".join(text for _, text in headings(report, table)) if above else ""
    said = {name for name in above if len(table.facts.get(name) or "") <= _LONG_PATH or str(table.facts[name]) in heads}
    said |= {"rule", "definition", *table.above.says, *(["unit"] if table.above.unit else [])}
    facts = {name: value for name, value in table.facts.items() if name not in said and value is not None}
    return words["semicolon"].join(f"{_named(name, words)} {value}" for name, value in facts.items())


def _named(name: str, words: Mapping[str, str]) -> str:
    return words.get(f"fact_{name}", name)


def _words(table: Table) -> dict[str, str]:
    return load_page_texts("notes", "all", table.above.lang or LANGUAGES[0])


def _facts(table: Table) -> str:
    return "; ".join(f"{fact} {'unknown' if value is None else value}" for fact, value in table.facts.items())


def words_below_trials(table: Table) -> list[str]:
    """Returns the line that explains brackets, if the trials have some."""
    if table.trials is None:
        return []
    trials = [name for name in table.trials.columns if name.startswith("trial ")]
    bracketed = any(cell.startswith("(") for name in trials for cell in table.trials[name])
    return [_BRACKETS] if bracketed else []


def is_long(report: Report) -> bool:
    return len(report.tables) > MOST and not report.prose


def table_list(report: Report) -> Report:
    """Returns a report of one table: a row per table of another one, the fullest first, and the filters that part them.

    Of many tables only the first rows are shown, with the number of the others.
    """
    # A rule follows from the format, and a path is the widest: last.
    names = sorted(report.split_by, key=lambda name: (name == "rule", name == "campaign"))
    ordered = sorted(report.tables, key=lambda table: -_numbers(table))
    filters = [_filter(name, report.tables) for name in names if name in _FILTERS]
    shown = ordered[: min(_ROWS, _LINES - len(filters))]
    paths = short_paths([table.facts.get("campaign") or "" for table in shown])
    lines = [[str(_numbers(table)), *(_text(table, name, paths) for name in names)] for table in shown]
    more = len(ordered) - len(lines)
    notes = [f"and {counted(more, 'more table')}"] if more else []
    notes += ["print all tables with --all, or fewer with filters:", *filters]
    # If no table counts its cells, count the rows.
    counts = "rows" if all(table.coverage is None for table in ordered) else "numbers"
    listed = Table(
        facts={"tables": str(len(ordered))},
        coverage=None,
        frame=text_frame([counts, *names], lines),
        notes=tuple(notes),
        texts=frozenset(names),
    )
    return Report(report.name, (listed,), report.cells, report.notes, bare=report.bare)


def _numbers(table: Table) -> int:
    return table.frame.height if table.coverage is None else table.coverage.present


def _text(table: Table, name: str, paths: dict[str, str]) -> str:
    value = table.facts.get(name)
    if value is None:
        return UNKNOWN
    return paths[value] if name == "campaign" else value


def _filter(name: str, tables: Sequence[Table]) -> str:
    counts = Counter(table.facts.get(name) for table in tables)
    option = f"--{name.replace('_', '-')}"
    if name == "campaign":
        return f"{option} GLOB: {len(counts)} campaigns"
    listed = [f"{UNKNOWN if value is None else value} ({count})" for value, count in counts.most_common(_NAMED)]
    more = len(counts) - len(listed)
    return f"{option} {', '.join(listed)}" + (f" and {more} more" if more > 0 else "")
