"""Sorts templates into steps, summaries and settings, by counters, speeds, losses, times and position."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass, field

from benchledger.definitions.log_format import COLUMNS
from benchledger.drafting.template_drafts import Entry, escaped
from benchledger.drafting.values import Name, known_unit, name_guesses, plain, quantity_of
from benchledger.scanning.values import ANSI

_WEIGHTS = {"throughput": 4, "loss": 3, "step_time": 2, "learning_rate": 2, "train_time": 1, "memory_allocated": 1}
_CLOSING = ("throughput", "train_time", "accuracy", "loss")
_LEARNT = ("loss", "accuracy", "perplexity", "error_rate", "score")
_LEAST_SCORE = 5
_FEW = 5
_STEPS = ("steps/s",)
_MOST_STEPS, _MOST_SUMMARIES, _MOST_SETTINGS = 3, 6, 14
# A summary may come from each process, and after each epoch.
_MOST_RESULTS = 64
# A key, an assignment (dots, `=`, `:`, two blanks), and a value of one word.
_ASSIGN = r"(\s*\.{2,}\s*|\s*=\s*|\s*:\s+|\s{2,})"
_SETTING = re.compile(
    rf"""(?:^|(?<=[\s|(\]:>{{,]))(["']?)([A-Za-z][\w ./-]{{1,40}}?)\1{_ASSIGN}(["']?)([^\s"',;|)}}\]]+)\4"""
)
_WHOLE = re.compile(r"[0-9]{1,15}\Z")


@dataclass(frozen=True)
class Setting:
    """A line that states one fact: its template, the name and text of its value, and the line itself."""

    template: str
    name: str
    value: str
    line: str


@dataclass
class SortedTemplates:
    """The templates of a draft. `only_results`: no line is a step, and `steps` holds the lines with a speed.

    `glued`: some lines hold the steps of several processes.
    """

    steps: list[Entry]
    summaries: list[Entry]
    lists: list[Entry] = field(default_factory=list)
    settings: list[Setting] = field(default_factory=list)
    only_results: bool = False
    glued: bool = False


def sorted_entries(entries: list[Entry], lines: tuple[str, ...]) -> SortedTemplates | None:
    """Returns the entries by kind; None if no entry looks like a step."""
    ranked = sorted(((score(entry), entry) for entry in entries), key=lambda pair: (-pair[0], -pair[1].count))
    best = ranked[0][0] if ranked else 0
    if best < _LEAST_SCORE:
        results = [entry for entry in entries if entry.count <= _MOST_RESULTS and _has_speed(entry)]
        results.sort(key=lambda entry: -entry.last)
        return _around(results[:_MOST_STEPS], entries, lines, only_results=True) if results else None
    steps = [entry for points, entry in ranked if points >= max(_LEAST_SCORE, best - 4)]
    # The line of a whole epoch sums up its steps.
    steps = [entry for entry in steps if "step" in entry.names] or steps
    return _around(steps[:_MOST_STEPS], entries, lines)


def _around(
    steps: list[Entry], entries: list[Entry], lines: tuple[str, ...], only_results: bool = False
) -> SortedTemplates:
    first = min(entry.first for entry in steps)
    rest = [entry for entry in entries if entry not in steps]
    summaries = [entry for entry in rest if entry.last > first and _closes(entry, steps[0])]
    summaries.sort(key=lambda entry: (-entry.last, entry.template))
    lists = [
        entry
        for entry in rest
        if entry not in summaries
        and len(_facts(entry)) >= 1
        and len(entry.names) >= 3
        and entry.count <= max(16, steps[0].count // 4)
    ]
    lists.sort(key=lambda entry: -len(_facts(entry)))
    found = SortedTemplates(steps, summaries[:_MOST_SUMMARIES], lists[:2], only_results=only_results)
    taken = {
        line.text for entry in (*steps, *summaries, *found.lists) for shape in entry.shapes for line in shape.lines
    }
    found.settings = _settings([ANSI.sub(b"", line.encode()).decode() for line in lines if line not in taken])
    return found


def score(entry: Entry) -> int:
    if entry.count < 2 or is_validation(entry):
        return 0
    # Any progress bar ends in it/s.
    told = [name for name in entry.names.values() if name.numbers and (known_unit(name.unit or "") or "")[:1] != _STEPS]
    quantities = {found[0] for name in told if (found := quantity_of(name))}
    points = sum(weight for quantity, weight in _WEIGHTS.items() if quantity in quantities)
    if not points:
        return 0
    counted = any(_counts(entry.names[column].numbers) for column in ("step", "epoch") if column in entry.names)
    if not counted and not (_varies(entry) and entry.count >= 5):
        # Without a counter, it may be one summary that each process printed.
        return 0
    points += 3 * counted + (entry.count >= 10) + (entry.count >= 100)
    return points


def _counts(numbers: list[float]) -> bool:
    # A constant, such as a number in a requested URL, counts nothing. Among few lines, several processes may have
    # printed the same step.
    return len(numbers) < _FEW or any(after > before for before, after in itertools.pairwise(numbers))


def _varies(entry: Entry) -> bool:
    measured = ((quantity_of(name), name.numbers) for name in entry.names.values())
    return any(found and found[0] in ("loss", "step_time") and len(set(numbers)) > 1 for found, numbers in measured)


def _has_speed(entry: Entry) -> bool:
    quantities = (quantity_of(name) for name in entry.names.values() if name.numbers)
    return any(found is not None and found[0] == "throughput" for found in quantities)


def is_validation(entry: Entry) -> bool:
    """Tells whether the words before an entry's values say that they are not of the training."""
    head = re.sub(r"\{[^{}]*\}", " ", entry.template)
    # `train_loss=2.1, val_acc=0.4` is a training line that includes the last evaluation.
    first = [(quantity_of(name), is_evaluated(name)) for name in entry.names.values()]
    own = [of_it for found, of_it in first if found and found[0] in _LEARNT]
    words = set(plain(head).split("_"))
    return bool(words & name_guesses().validation) or (any(of_it for _, of_it in first) and all(own))


def is_evaluated(name: Name) -> bool:
    return plain(name.name).split("_")[0] in name_guesses().validation


def only_judges(entry: Entry) -> bool:
    """Tells whether all values of an entry measure the quality of the model."""
    found = {quantity[0] for name in entry.names.values() if name.numbers and (quantity := quantity_of(name))}
    return bool(found) and found <= {"accuracy", "error_rate", "score"}


def name_growing_counter(entry: Entry) -> str | None:
    """Renames an unnamed integer that grows from line to line to step or epoch; returns its old name."""
    if "step" in entry.names:
        return None
    growing = [
        name
        for name in entry.names.values()
        if name.hole and name.name not in COLUMNS and name.unit is None and quantity_of(name) is None
        if f"{{{name.name}:int}}" in entry.template and _grows(name.numbers)
    ]
    if not growing:
        return None
    # If both an epoch and a step grow, the step changes more often.
    found = max(growing, key=lambda name: len(set(name.numbers)))
    column = name_guesses().counter(found.name.rpartition("_")[2]) or "step"
    column = "step" if column in entry.names else column
    entry.template = entry.template.replace(f"{{{found.name}:int}}", f"{{{column}:int}}", 1)
    entry.names = {(column if key == found.name else key): name for key, name in entry.names.items()}
    was, found.name = found.name, column
    return was


def _grows(numbers: list[float]) -> bool:
    pairs = list(itertools.pairwise(numbers))
    return len(set(numbers)) >= 3 and sum(after > before for before, after in pairs) >= 0.8 * len(pairs)


def _closes(entry: Entry, step: Entry) -> bool:
    quantities = [quantity_of(name) for name in entry.names.values() if name.numbers]
    if not any(found and found[0] in _CLOSING for found in quantities):
        return False
    return is_validation(entry) or (entry.count <= max(8, step.count // 4) and entry.last > step.last - step.count)


def _facts(entry: Entry) -> list[Name]:
    return [name for name in entry.names.values() if name_guesses().fact(name.name)]


def _settings(lines: list[str]) -> list[Setting]:
    found: dict[str, Setting] = {}
    for line in lines:
        for match in _SETTING.finditer(line) if len(line) < 400 else ():
            quote, key, assign, value_quote, value = match.groups()
            known = name_guesses().fact(key)
            if known is None or key in found or len(value) > 80 or re.search(r"[/{}\[\]()<>]", value):
                continue
            name = re.sub(r"\W+", "_", key)
            kind = "int" if _WHOLE.match(value) else "word"
            rest = line[match.end() :].rstrip()
            template = f"{quote}{key}{quote}{assign}{value_quote}{{{name}:{kind}}}{value_quote}"
            if rest:
                # Two holes must not touch: the character behind the value, a blank or comma, separates them.
                template += escaped(re.sub(r"\A\s+", " ", rest)[:1]) + ("{*}" if rest[1:].strip() else "")
            found[key] = Setting(template, name, value, line)
    return list(found.values())[:_MOST_SETTINGS]
