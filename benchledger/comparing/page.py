"""A comparison on one screen: a line with the counts, the means, the cases that changed, and what was not compared."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from benchledger.answers.tables.cells import number_text
from benchledger.answers.tables.grouping import Row
from benchledger.comparing.compare import Comparison, nearly_paired
from benchledger.comparing.sides import QUANTITIES
from benchledger.errors import counted, some_of

# A comment on a pull request has at most 30 lines: 10 cases, 4 quantities, two heads with their rules, 8 notes, a line
# with the counts and blank lines.
MOST_CASES = 10
_NOTES = 8
_NAMES = 6
# A hundredth of a percent, the last digit of a change.
_VISIBLE = 1e-4
_ORDER = ("slower", "more", "undecided", "no_number", "ambiguous", "faster", "less", "same")
_COUNTED = ("slower", "faster", "more", "less", "same", "undecided")
_ALONE = {
    "only_a": "only in A",
    "only_b": "only in B",
    "no_number": "without numbers that have a ratio",
    "ambiguous": "with several series, select one by --a or --b",
}
_FROM = {
    "steps": "one trial a side: the interval is that of its steps, and no verdict follows from it",
    "other_trials": "one trial on a side: its noise is taken from the trials of the other side and of other cases",
}


@dataclass(frozen=True)
class Page:
    """The parts of a page, in their order; `means` and `cases` are frames of text."""

    head: list[str]
    means: pl.DataFrame
    cases: pl.DataFrame
    notes: list[str]


def page_of(comparison: Comparison, most_cases: int | None = MOST_CASES) -> Page:
    """Returns a comparison as a page; cases that are the same are counted, and only listed with `most_cases` None."""
    rows = comparison.cases.to_dicts()
    threshold = f"{comparison.threshold:g} %"
    paired = [row for row in rows if row["ratio"] is not None]
    changed = [row for row in paired if most_cases is None or row["verdict"] != "same"]
    changed.sort(
        key=lambda row: (_ORDER.index(row["verdict"]), QUANTITIES.index(row["quantity"]), -abs(row["change_percent"]))
    )
    shown = changed[:most_cases]
    notes = []
    if comparison.shared_runs:
        notes.append(f"{counted(comparison.shared_runs, 'run')} on both sides (same logs).")
    for letter, diverged, not_reached in zip("AB", comparison.diverged, comparison.not_reached, strict=True):
        if diverged:
            notes.append(f"{counted(diverged, 'run')} of {letter} diverged: bench report convergence names the rule.")
        if not_reached:
            notes.append(
                f"{counted(not_reached, 'run')} of {letter} did not reach the target: no time of it is compared."
            )
    if len(changed) > len(shown):
        notes.append(f"{counted(len(changed) - len(shown), 'more changed or undecided case')}: --format csv lists all.")
    notes += _causes(shown)
    notes += _nearly_paired(rows) + _alone(rows)
    notes += _marks(paired)
    if any(abs(row["ratio"] - row["b_value"] / row["a_value"]) > _VISIBLE for row in shown if row["a_value"]):
        notes.append("A change compares the geometric means of the trials; A and B are the values in the tables.")
    if most_cases is not None and len(notes) > _NOTES:
        notes = [*notes[: _NOTES - 1], f"{len(notes) - _NOTES + 1} more notes: bench -v compare"]
    return Page(
        [
            f"A: {comparison.sides[0]}",
            f"B: {comparison.sides[1]}",
            f"{counted(len(paired), 'number')} on both sides: {_counts(paired, threshold)}",
        ],
        _means(comparison.means),
        _cases(shown),
        notes,
    )


def _causes(rows: list[Row]) -> list[str]:
    """Names the differences that explain slower cases; cases with the same ones share a line."""
    alike: dict[str, list[str]] = {}
    for row in rows:
        if row["causes"]:
            alike.setdefault(row["causes"], []).append(row["name"])
    return [
        f"Why {names[0]}{f' and {len(names) - 1} more' if len(names) > 1 else ''} may be slower: {causes}"
        for causes, names in alike.items()
    ]


def _counts(paired: list[Row], threshold: str) -> str:
    counts = {verdict: sum(row["verdict"] == verdict for row in paired) for verdict in _COUNTED}
    told = {"same": f"same within {threshold}", "more": "with more", "less": "with less"}
    return ", ".join(f"{count} {told.get(verdict, verdict)}" for verdict, count in counts.items() if count)


def _means(means: pl.DataFrame) -> pl.DataFrame:
    alone = ("only_a", "only_b", "not_paired")
    rows = [
        {
            "geometric mean of": row["quantity"],
            "change": _percent(row["ratio"]),
            "95 % interval": _interval(row),
            "coverage": f"{row['cases']} of {row['cases'] + sum(row[name] for name in alone)} cases compared",
        }
        for row in means.iter_rows(named=True)
    ]
    return pl.DataFrame(rows)


def _cases(rows: list[Row]) -> pl.DataFrame:
    several = {name for name in ("framework", "implementation", "options") if _tells_apart(rows, name)}
    head = ("case", "quantity", "A", "B", "change", "95 % interval", "trials", "verdict")
    return pl.DataFrame([_case(row, several) for row in rows], schema=dict.fromkeys(head, pl.String))


def _tells_apart(rows: list[Row], name: str) -> bool:
    alike: dict[tuple[object, ...], set[object]] = {}
    for row in rows:
        alike.setdefault((row["name"], row["quantity"], row["a_rule"]), set()).add(row[name])
    return any(len(values) > 1 for values in alike.values())


def _case(row: Row, several: set[str]) -> dict[str, str]:
    verdict = row["verdict"]
    if verdict == "undecided":
        more = row["more_trials"]
        verdict += f", {more} more trials per side" if more else ", over 50 trials per side"
    return {
        "case": " ".join([row["name"], *(str(row[name]) for name in sorted(several))]),
        "quantity": quantity_text(row, row["a_rule"]),
        **{side: _digits(row[f"{side.lower()}_value"]) for side in "AB"},
        "change": _percent(row["ratio"]),
        "95 % interval": _interval(row),
        "trials": f"{row['a_trials']}, {row['b_trials']}",
        "verdict": verdict + (f" ({row['differs']} differ)" if _is_marked(row) else ""),
    }


def quantity_text(row: Row, rule: str) -> str:
    """Returns the quantity of a row with its rule, unless it is a speed, and its unit."""
    quantity = row["quantity"] if row["quantity"] == "speed" else f"{row['quantity']} {rule}"
    return f"{quantity}, {row['unit']}" if row["unit"] else str(quantity)


def _digits(value: float) -> str:
    """Returns a value with the digits that its change follows from: two decimals, or six digits."""
    return max(number_text(value), six if "e" not in (six := f"{value:.6g}") else "", key=len)


def _is_marked(row: Row) -> bool:
    return any(name in (row["differs"] or "").split(", ") for name in ("gpu_model", "rule"))


def _alone(rows: list[Row]) -> list[str]:
    near = {name for names in nearly_paired(rows).values() for name in names}
    compared = {row["name"] for row in rows if row["ratio"] is not None}
    notes = []
    for verdict, words in _ALONE.items():
        of_it = [row for row in rows if row["verdict"] == verdict and row["name"] not in near]
        names = list(dict.fromkeys(_unpaired_name(row, compared) for row in of_it))
        if names:
            what = "number" if all(row["name"] in compared for row in of_it) else "case"
            notes.append(f"{counted(len(names), what)} {words}: {some_of(names, _NAMES)}")
    return notes


def _nearly_paired(rows: list[Row]) -> list[str]:
    return [
        f"{counted(len(names), 'case')} not paired: the sides differ in {columns} (--across): {', '.join(names)}"
        for columns, names in nearly_paired(rows).items()
    ]


def _unpaired_name(row: Row, compared: set[str]) -> str:
    """Names a case without a partner; of one that is compared otherwise also the quantity."""
    if row["name"] in compared and row["verdict"] in ("only_a", "only_b"):
        return f"{row['quantity']} {row['a_rule'] or row['b_rule']} of {row['name']}"
    statuses = [f"{side}: {row[f'{key}_status']}" for side, key in (("A", "a"), ("B", "b")) if row[f"{key}_status"]]
    return str(row["name"]) + (f" ({', '.join(statuses)})" if statuses and row["verdict"] == "no_number" else "")


def _marks(paired: list[Row]) -> list[str]:
    notes = []
    differs = dict.fromkeys(name for row in paired for name in (row["differs"] or "").split(", ") if name)
    if differs:
        notes.append(f"The sides differ in {', '.join(differs)}.")
    far = list(dict.fromkeys(row["name"] for row in paired if row["outliers"]))
    if far:
        notes.append(f"One trial of {', '.join(far[:_NAMES])} is left out: it is far from all others.")
    for source, words in _FROM.items():
        count = sum(row["interval_from"] == source for row in paired)
        if count:
            notes.append(f"{counted(count, 'number')} with {words}.")
    return notes


def _percent(ratio: float) -> str:
    return f"{(ratio - 1) * 100:+.2f} %"


def _interval(row: Row) -> str:
    return "unknown" if row["low"] is None else f"{(row['low'] - 1) * 100:+.2f} to {(row['high'] - 1) * 100:+.2f} %"
