"""The presentation of a report: a layout in one language, with its headings."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from benchledger.answers.filters import TEXT_COLUMNS
from benchledger.answers.tables.cells import fact_text, number_text, python_number_text, status_text
from benchledger.answers.tables.grouping import Row, unstated
from benchledger.answers.tables.table import Above, Coverage
from benchledger.definitions.layouts import LANGUAGES, PLAIN, Layout, ReportLayout, load_layouts, load_page_texts
from benchledger.errors import UsageError, known, unknown_name

# Columns of words, which may look like numbers.
_OF_WORDS = {
    *TEXT_COLUMNS,
    "system",
    "gpu_model",
    "framework_version",
    "implementation_version",
    "variant",
    "campaign",
    "trial_case",
}
# A case without a number: its name in the ledger, its name in the layout, and the reason.
Gap = tuple[str, str, str]
_EXCLUDED = "excluded: "


@dataclass(frozen=True)
class Presentation:
    """The headings and texts of one report in one layout and language."""

    layout: Layout
    plain: Layout
    report: ReportLayout
    lang: str

    @property
    def is_plain(self) -> bool:
        """Tells whether tables have their facts above them, as on the terminal, and not a title."""
        return self.layout.name == PLAIN

    def heading(self, key: str, **values: str) -> str:
        headings = self.layout.headings if key in self.layout.headings else self.plain.headings
        return headings[key][self.lang].format(**values)

    def headings(self, *keys: str) -> list[str]:
        return [self.heading(key) for key in keys]

    def texts(self, *keys: str) -> frozenset[str]:
        """Returns the headings of those columns that hold words."""
        return frozenset(self.heading(key) for key in keys if key in _OF_WORDS)

    def text(self, key: str, **values: str) -> str | None:
        texts = self.report.texts
        if key not in texts and self.report.name in self.plain.reports:
            texts = self.plain.reports[self.report.name].texts
        return texts[key][self.lang].format(**values) if key in texts else None

    def case(self, precision: object, batch: object) -> str:
        """Returns the heading of a case's column: FP32(BS=32)."""
        return self.heading("case", precision=self.precision(precision), batch=fact_text(batch))

    def precision(self, name: object) -> str:
        return self.layout.precisions.get(str(name), fact_text(name).upper())

    def model(self, name: object) -> str:
        return self.layout.models.get(str(name), fact_text(name))

    def above(self, facts: Mapping[str, object], unit: str | None = None) -> Above:
        """Returns the headings above a table; empty in the plain layout, which shows facts instead."""
        if self.is_plain:
            return Above()
        named = self._named(facts)
        unit_line = None if unit is None else self.text("unit", unit=unit)
        return Above(
            self.text("section", **named), self.text("title", **named), unit_line, self.layout.align, self.lang
        )

    def _named(self, facts: Mapping[str, object]) -> dict[str, str]:
        """Returns the values that a title or section can name, as the layout writes them."""
        stated = json.loads(str(facts.get("options") or "{}"))
        words = (self.layout.options.get(f"{name}={value}".lower()) for name, value in sorted(stated.items()))
        return {
            "model": self.model(facts.get("model")),
            "case": " & ".join([self.precision(facts.get("precision")), *(word for word in words if word)]),
            "fixed_name": fact_text(facts.get("fixed_name")),
            "fixed_batch": fact_text(facts.get("fixed_batch")),
        }

    def notes(self) -> dict[str, str]:
        """Returns the words of the notes below tables; those of plain tables are English."""
        return self._notes

    @cached_property
    def _notes(self) -> dict[str, str]:
        # Cached: each table asks for some, and loading them looks at the disk.
        return load_page_texts("notes", "all", LANGUAGES[0] if self.is_plain else self.lang)

    def note(self, key: str, **values: object) -> str:
        return re.sub(r"\[(\w+)\]", lambda name: str(values[name[1]]), self.notes()[key])

    def number(self, column: str, value: float) -> str:
        return python_number_text(value) if self.report.numbers.get(column) == "python" else number_text(value)


def presentation_of(report: str, layout: str | None = None, lang: str | None = None) -> Presentation:
    """Returns the presentation of a report. Raises UsageError for an unknown layout, language, or report in it."""
    layouts = load_layouts()
    name, language = layout or PLAIN, lang or LANGUAGES[0]
    if name not in layouts:
        raise unknown_name("layout", name, layouts)
    if language not in LANGUAGES:
        raise UsageError(f"no language {language!r}; known: {', '.join(LANGUAGES)}")
    chosen = layouts[name]
    if report not in chosen.reports:
        having = [other.name for other in layouts.values() if report in other.reports]
        raise UsageError(
            f"layout {name!r} has no {report} table, but: {', '.join(chosen.reports)}. "
            f"Layouts that have one: {known(having)}"
        )
    return Presentation(chosen, layouts[PLAIN], chosen.reports[report], language)


def coverage_of(total: int, gaps: Sequence[Gap], presentation: Presentation) -> Coverage:
    """Returns the coverage of a table of `total` cells; a layout groups the gaps by reason, in its language."""
    missing = tuple(f"{case}: {why}" for case, _, why in gaps)
    return Coverage(
        total - len(gaps), total, missing, None if presentation.is_plain else _coverage_text(total, gaps, presentation)
    )


def unstated_note(rows: list[Row], presentation: Presentation) -> tuple[str, ...]:
    """Returns a note with the failed series of a table that do not state its GPU model."""
    names = unstated(rows)
    return (presentation.note("unstated", names=names),) if names else ()


def _coverage_text(total: int, gaps: Sequence[Gap], presentation: Presentation) -> str:
    words = presentation.notes()
    by_reason: dict[str, list[str]] = {}
    for _, shown, why in gaps:
        by_reason.setdefault(_why(why, words, presentation), []).append(shown)
    if len(gaps) == total and len(by_reason) == 1:
        return presentation.note("nothing", total=total, why=next(iter(by_reason)))
    reasons = [f"{why}{words['colon']}{words['comma'].join(cases)}" for why, cases in by_reason.items()]
    return words["semicolon"].join([presentation.note("covered", present=total - len(gaps), total=total), *reasons])


def _why(why: str, words: Mapping[str, str], presentation: Presentation) -> str:
    if why.startswith(_EXCLUDED):
        return presentation.note("why_excluded", reason=why.removeprefix(_EXCLUDED))
    if why.startswith("out of memory"):
        return status_text("oom")
    key = "why_no_memory" if why.startswith("no ") and why.endswith("memory") else f"why_{why.replace(' ', '_')}"
    return words[key] if key in words else status_text(why)
