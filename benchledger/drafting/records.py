"""Makes the records of a draft, its head comment and its top keys, and drops templates that match no line."""

from __future__ import annotations

import re

from benchledger.definitions.template import TemplateError, parse_template
from benchledger.drafting import meaning
from benchledger.drafting.classification import SortedTemplates, is_validation, only_judges
from benchledger.drafting.meaning import Meaning
from benchledger.drafting.template_drafts import Entry
from benchledger.drafting.values import name_guesses
from benchledger.drafting.writing import DraftedRecord, Parts
from benchledger.scanning.patterns import compiled, head_pattern

_WORTH = ("batch_size_per_gpu", "global_batch_size"), ("gpus",), ("model",), ("precision",)
_WORD = rb"(?<![A-Za-z0-9_])"


def records_of(found: SortedTemplates, anchors: list[str]) -> list[DraftedRecord]:
    """Returns records: steps, then evaluations, summaries and settings.

    None of the latter may begin within a step's line.
    """
    texts = [line.text.encode() for entry in found.steps for shape in entry.shapes for line in shape.lines[:50]]
    name, kind = ("result", "summary") if found.only_results else ("step", "step")
    made = [_record(name, kind, entry, found.steps.index(entry)) for entry in found.steps]
    for record, entry in zip(made, found.steps, strict=True):
        if record.line_start and not any(anchor in record.templates[0] for anchor in anchors):
            anchors += [max(re.split(r"\{[^{}]*\}", record.templates[0]), key=len)]
        if not {"step", "epoch"} & set(entry.names) and not found.only_results:
            record.question = "no counter was found in these lines: steps are counted as they come"
    for entry in found.summaries:
        placed = not entry.line_start or any(anchor in entry.template for anchor in anchors)
        if not placed or _begins_within(entry.template, texts):
            continue
        validation = is_validation(entry)
        name = "evaluation" if validation else "summary"
        record = _record(name, "summary", entry, sum(other.name.startswith(name) for other in made))
        record.phase = "validation" if validation else None
        if not validation and only_judges(entry):
            # ` * Acc@1 76.1 Acc@5 92.9`: only accuracies, nothing of the training.
            record.phase, record.question = "validation", "an evaluation, or of the training?"
        made.append(record)
        texts += [line.text.encode() for shape in entry.shapes for line in shape.lines[:20]]
    for entry in found.lists:
        # A record that begins with a hole is found only by an anchor.
        placed = not entry.line_start or any(anchor in entry.template for anchor in anchors)
        if placed and not _begins_within(entry.template, texts):
            made.append(_record("config", "parameter", entry, sum(other.name.startswith("config") for other in made)))
            texts += [line.text.encode() for shape in entry.shapes for line in shape.lines[:20]]
    # Lists and settings may share fields and facts, but not lines.
    free = [
        setting
        for setting in found.settings
        if meaning.states_fact(setting) and not _begins_within(setting.template, texts, word=True)
    ]
    found.settings = free
    templates = list(dict.fromkeys(setting.template for setting in free))
    if templates:
        made.append(DraftedRecord("setting", "parameter", templates, word_start=True))
    return _joined(made)


def _record(name: str, kind: str, entry: Entry, number: int) -> DraftedRecord:
    named = f"{name}_{number + 1}" if number else name
    return DraftedRecord(named, kind, [entry.template], entry.style, line_start=entry.line_start)


def _joined(made: list[DraftedRecord]) -> list[DraftedRecord]:
    # Records that differ only in their templates become one record with several templates.
    joined: list[DraftedRecord] = []
    for record in made:
        stem = re.sub(r"_[0-9]+\Z", "", record.name)
        for other in joined:
            same = (other.style == record.style, other.phase == record.phase, other.line_start == record.line_start)
            if re.sub(r"_[0-9]+\Z", "", other.name) == stem and all(same):
                other.templates += record.templates
                break
        else:
            joined.append(record)
    return joined


def _begins_within(template: str, texts: list[bytes], word: bool = False) -> bool:
    try:
        parsed = parse_template(template, anywhere=True)
    except TemplateError:
        return True
    pattern = compiled((_WORD if word else b"") + head_pattern(parsed))
    return any(pattern.search(text) for text in texts)


def unreached(parts: Parts, reached: set[tuple[str, str]]) -> str | None:
    for record in parts.records:
        for template in record.templates:
            if (record.name, template) not in reached:
                return template
    return None


def drop(parts: Parts, template: str) -> None:
    for record in parts.records:
        record.templates = [other for other in record.templates if other != template]
    parts.records = [record for record in parts.records if record.templates]
    parts.ignores.pop(template, None)
    names = {name for record in parts.records for one in record.templates for name in re.findall(r"\{([^{}:]+):", one)}
    if not any(record.name == "config" for record in parts.records):
        parts.top = [meaning for meaning in parts.top if "run_starts" not in meaning.keys]
    listed = any(record.style for record in parts.records)
    if not listed:
        parts.facts = [fact for fact in parts.facts if fact.keys["from"] in names]


def top_of(
    name: str, found: SortedTemplates, made: list[DraftedRecord], lines: tuple[str, ...], ends: list[int]
) -> list[Meaning]:
    """Returns the top keys: framework, implementation, rule, and the start and end of a run."""
    top: list[Meaning] = []
    if (framework := meaning.framework(lines)) is not None:
        top.append(Meaning({"framework": framework}, "by the words of the log?"))
    top.append(Meaning({"implementation": name}))
    closing = meaning.closing(found, ends)
    first = min(entry.first for entry in found.steps)
    if any(entry.first < first for entry in found.lists[:1]) and any(record.name == "config" for record in made):
        top.append(Meaning({"run_starts": ["config"]}, "does each run of the program begin with these settings?"))
    if (epoch := meaning.first_epoch(found.steps)) is not None:
        question = "steps count from the start of each epoch; is this the number of the first one?"
        top.append(Meaning({"first_epoch": epoch}, question))
    speeds = {
        name
        for entry in found.steps
        for name in entry.names
        if (hint := name_guesses().quantity(name)) and hint[0] == "throughput"
    }
    of_end = found.only_results or (closing is not None and not speeds)
    # A rule skips records: with a line of each rank, a skip leaves out the first step of one rank only.
    of_steps = "steps.median_skip0" if meaning.is_of_ranks(found) else "steps.mean_skip1"
    rule = "summary.last" if of_end else of_steps
    top.append(
        Meaning(
            {"default_rule": rule}, "which records is the speed of a run made of? `bench query rules` lists the rules"
        )
    )
    if closing is not None:
        top.append(
            Meaning(
                {"closing": closing},
                f"does every run that ends print {closing!r}? A log without it is called truncated",
            )
        )
    return top


def head_of(found: SortedTemplates, logs: int) -> list[str]:
    """Returns the comments for the reader of the draft, with the facts that no line states."""
    stated = {str(fact.keys["name"]) for fact in meaning.facts(found)}
    missing = [" or ".join(names) for names in _WORTH if not stated & set(names)]
    head = [
        f"Drafted by `bench formats new` from {logs} log{'s' * (logs != 1)}.",
        "Each `# ?` is a guess: answer it, then delete the comment.",
    ]
    if found.only_results:
        head.append("? No line was found that looks like a step, only results: does the program print none?")
    if missing:
        head.append(f"? No line was found that states {', '.join(missing)}: look for one, or say it in facts.toml.")
    return head
