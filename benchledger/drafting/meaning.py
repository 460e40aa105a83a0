"""Guesses what drafted values measure and state from their names and units; each guess becomes a question."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass, replace

from benchledger.definitions.log_format import COLUMNS
from benchledger.definitions.vocabulary import vocabulary
from benchledger.drafting.classification import Setting, SortedTemplates, is_evaluated, is_validation
from benchledger.drafting.template_drafts import Entry
from benchledger.drafting.values import Name, known_unit, name_guesses, plain, quantity_of, time_of

_PER_GPU = re.compile(r"(?:/|_per_|per[ _]|_s(?:ec)?_)(?:gpu|device|card|rank|worker)", re.IGNORECASE)
# A unit at the end of a name: `mem_gib`, `load_ms`.
_UNIT_ENDS = {
    "ms": "ms", "us": "us", "sec": "s", "secs": "s", "seconds": "s", "gib": "GiB", "mib": "MiB", "kib": "KiB",
}  # fmt: skip
_NAMED_FACTS = ("model", "framework", "implementation", "task", "gpu_model")
_NUMBER = re.compile(r"[-+]?[0-9.]+\Z")
_TRUTHS = {"True", "False", "true", "false"}
_HALVES = {"amp": "fp16", "fp16": "fp16", "use_amp": "fp16", "half": "fp16", "bf16": "bf16"}


@dataclass(frozen=True)
class Meaning:
    """One entry of `field` or `fact`: its keys in order, and a question about it."""

    keys: dict[str, object]
    question: str | None = None


def fields(found: SortedTemplates) -> list[Meaning]:
    made: dict[str, Meaning] = {}
    for entry in (*found.steps, *found.summaries):
        for name in entry.names.values():
            if name.name in made or name.name in COLUMNS or not name.numbers:
                continue
            meaning = _field(name)
            if meaning is not None:
                evaluated = "quantity" in meaning.keys and is_evaluated(name)
                phase = {"phase": "validation"} if evaluated and not is_validation(entry) else {}
                made[name.name] = replace(meaning, keys=meaning.keys | phase)
    return list(made.values())


def _field(name: Name) -> Meaning | None:
    hint = quantity_of(name)
    if hint is None:
        return _unit_only(name)
    quantity, usual = hint
    if quantity == "step_time" and not time_of(name.unit or "") and _sums_up(name.numbers):
        quantity = "train_time"
    keys: dict[str, object] = {"name": name.name, "quantity": quantity}
    asked: list[str] = []
    unit, why = _unit(name, usual)
    keys |= unit
    if why and quantity in ("throughput", "step_time", "train_time", "memory_allocated", "memory_reserved"):
        asked.append(why)
    if quantity == "throughput":
        per_gpu = _PER_GPU.search(f"{name.name} {name.unit or ''}")
        keys["scope"] = "gpu" if per_gpu else "global"
        if not per_gpu:
            asked.append("the speed of all GPUs together (global), or of one (gpu)?")
    elif quantity.startswith("memory"):
        keys["scope"] = "gpu"
        asked.append(f"{quantity}, or another of schema/vocabulary/quantities.toml?")
    elif quantity in ("accuracy", "error_rate") and not unit and name.unit is None:
        percent = max(name.numbers) > 1
        keys["unit"] = "%" if percent else "1"
        asked = [f"{'%' if percent else 'a fraction of 1'}, by its numbers?"]
    elif quantity in ("step_time", "train_time") and not time_of(name.unit or ""):
        asked.append("the time of one step, or since the line before, or since the start?")
    return Meaning(keys, " ".join(asked) or None)


def _unit_only(name: Name) -> Meaning | None:
    usual = name_guesses().unit(name.name) or ""
    ends = plain(name.name).rpartition("_")[2] in _UNIT_ENDS
    if not usual and not ends and (not name.hole or name.unit is None):
        return None
    unit, why = _unit(name, usual)
    return Meaning({"name": name.name, **unit}, why) if unit else None


def _unit(name: Name, usual: str) -> tuple[dict[str, object], str | None]:
    spellings = vocabulary().spellings
    logged = name.unit
    if logged is not None:
        known = known_unit(logged)
        if known is None:
            return {}, f"the log says {logged!r}: which unit of schema/vocabulary/units.toml is that?"
        unit = known[0] if known[1] == 1 else [known[0], known[1]]
        if name.hole:
            return {"unit": unit}, None
        return ({} if logged in spellings else {"units": {logged: unit}}), None
    if usual:
        unit, scale = spellings[usual]
        return {"unit": unit if scale == 1 else [unit, scale]}, f"{usual}, by its name?"
    words = plain(name.name).split("_")
    if len(words) > 1 and "per" not in words and words[-1] in _UNIT_ENDS:
        unit, scale = spellings[_UNIT_ENDS[words[-1]]]
        return {"unit": unit if scale == 1 else [unit, scale]}, None
    return {}, "no unit is logged: which is it?"


def _sums_up(numbers: list[float]) -> bool:
    return (
        len(numbers) >= 5
        and all(after >= before for before, after in itertools.pairwise(numbers))
        and (numbers[-1] > 2 * numbers[0])
    )


def facts(found: SortedTemplates) -> list[Meaning]:
    made: list[tuple[bool, Meaning]] = []
    stated: dict[tuple[str, str], None] = {}
    for name, text in _named_values(found):
        known = name_guesses().fact(name)
        if known is None or (known[0], name) in stated:
            continue
        fact, sure = known
        meaning = _fact(fact, name, text, sure)
        if meaning is not None:
            stated[fact, name] = None
            made.append((sure, meaning))
    if _planned(found.steps) and not any(fact == "steps_planned" for fact, _ in stated):
        made.append((False, Meaning({"name": "steps_planned", "from": "planned"}, "the steps of the whole run?")))
    return [meaning for sure, meaning in sorted(made, key=lambda pair: not pair[0])]


def states_fact(setting: Setting) -> bool:
    """Tells whether a setting's value can be a value of the fact that its name suggests."""
    known = name_guesses().fact(setting.name)
    return known is not None and _fact(known[0], setting.name, setting.value, known[1]) is not None


def _fact(fact: str, name: str, text: str | None, sure: bool) -> Meaning | None:
    keys: dict[str, object] = {"name": fact, "from": name}
    if fact == "precision" and text in _TRUTHS and plain(name) in _HALVES:
        half = _HALVES[plain(name)]
        keys["values"] = {("True" if text[:1].isupper() else "true"): half}
        return Meaning(keys, f"does {name} switch {half} on?")
    if fact == "gpus" and text is not None and text.startswith(("[", "(")):
        return Meaning(keys | {"items": True}, "the GPUs of the run, by their numbers?")
    if text is not None and vocabulary().facts[fact].canonical(text) is None:
        return None
    if fact in _NAMED_FACTS and text is not None and _NUMBER.match(text):
        # The size of a mesh, `data=1 model=1`, names no model.
        return None
    question = None
    if not sure:
        question = "of one GPU, or of all (global_batch_size)?" if fact == "batch_size_per_gpu" else f"is that {fact}?"
    return Meaning(keys, question)


def _named_values(found: SortedTemplates) -> list[tuple[str, str | None]]:
    values: list[tuple[str, str | None]] = []
    for entry in found.lists:
        for name in entry.names.values():
            number = f"{name.numbers[0]:g}" if name.numbers else None
            values.append((name.name, next(iter(sorted(name.texts)), number)))
    return values + [(setting.name, setting.value) for setting in found.settings]


def _planned(steps: list[Entry]) -> bool:
    for entry in steps:
        counter, planned = entry.names.get("step"), entry.names.get("planned")
        if counter and planned and planned.numbers and "epoch" not in entry.names:
            # A counter that restarts with each epoch counts the steps of an epoch, not of the run.
            ordered = all(b >= a for a, b in itertools.pairwise(counter.numbers))
            return ordered and len(set(planned.numbers)) == 1
    return False


def first_epoch(steps: list[Entry]) -> int | None:
    """Returns the lowest epoch, 0 or 1, of steps that count from the start of each epoch."""
    for entry in steps:
        if "step" in entry.names and "epoch" in entry.names:
            counted, epochs = entry.names["step"].numbers, entry.names["epoch"].numbers
            if epochs and min(epochs) in (0, 1) and any(b < a for a, b in itertools.pairwise(counted)):
                return int(min(epochs))
    return None


def is_of_ranks(found: SortedTemplates) -> bool:
    """Tells whether each rank prints a line: lines are glued, name their rank, or many repeat the step before."""
    if found.glued:
        return True
    for entry in found.steps:
        counted = entry.names["step"].numbers if "step" in entry.names else []
        again = sum(after == before for before, after in itertools.pairwise(counted))
        if again >= 0.4 * len(counted) > 0 or ("rank" in entry.names and len(set(entry.names["rank"].numbers)) > 1):
            return True
    return False


def closing(found: SortedTemplates, ends: list[int]) -> str | None:
    """Returns a value that only the end of a run prints: in a summary behind the last step, and in no other line.

    `ends` are the numbers of the last lines of the logs.
    """
    steps = [number for entry in found.steps for number in _numbers(entry)]
    others = {name for entry in (*found.steps, *found.lists) for name in entry.names}
    for entry in found.summaries:
        if not is_validation(entry) and not any(_precedes(number, steps, ends) for number in _numbers(entry)):
            for name in entry.names.values():
                hint = quantity_of(name)
                if name.name not in others and name.numbers and hint and hint[0] in ("throughput", "train_time"):
                    return name.name
    return None


def _numbers(entry: Entry) -> list[int]:
    kept = [line.number for shape in entry.shapes for line in shape.lines]
    return kept + [shape.last for shape in entry.shapes]


def _precedes(number: int, steps: list[int], ends: list[int]) -> bool:
    # A summary with a later step in the same log is not at its end.
    end = next(end for end in ends if end >= number)
    return any(number < step <= end for step in steps)


def framework(lines: tuple[str, ...]) -> str | None:
    counts: dict[str, int] = {}
    for line in lines:
        for word in re.findall(r"[a-z]+", line.lower()):
            if (of := name_guesses().frameworks.get(word)) is not None:
                counts[of] = counts.get(of, 0) + 1
    return max(counts, key=lambda of: counts[of]) if counts else None
