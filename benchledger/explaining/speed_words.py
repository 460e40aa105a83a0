"""The sentences that explain a speed."""

from __future__ import annotations

from benchledger.answers.tables.cells import UNKNOWN, fact_text, status_text
from benchledger.answers.tables.grouping import Row
from benchledger.errors import counted
from benchledger.explaining.explained import Check
from benchledger.explaining.rule_words import rounding_words, trial_words

# Of more than so many contradictions the rest is counted.
_SHOWN = 8


# From what is read to the rule's unit: the facts that it is multiplied by, and those that it is divided by.
_TIMES = {
    ("steps/s", "samples/s"): ("global_batch_size",),
    ("steps/s", "tokens/s"): ("global_batch_size", "seq_len"),
    ("steps/s", "TFLOP/s"): ("global_batch_size", "params_b", "seq_len"),
    ("samples/s", "tokens/s"): ("seq_len",),
}
_OVER = {
    ("tokens/s", "samples/s"): ("seq_len",),
    ("samples/s", "s"): ("global_batch_size",),
    ("tokens/s", "s"): ("global_batch_size", "seq_len"),
}


def speed_sentences(
    number: Row,
    rule: Row,
    trials: list[Row],
    check: Check,
    conflicts: list[Row],
    chains: dict[str, list[str]],
    excluded: list[str],
    factor: str | None,
    demanded: int | None,
) -> tuple[str, ...]:
    """Headline, rule, trials, contradictions and check of a speed."""
    sentences = [headline(number), _default(number, chains), *_trials(number, rule, trials, factor)]
    if demanded is not None and len(trials) < demanded:
        sentences.append(
            f"A submission to its benchmark has at least {demanded} runs; there are {len(trials)}, so it has no score."
        )
    if excluded:
        sentences.append(f"Excluded runs of the same case and campaign: {', '.join(excluded)}.")
    sentences += conflict_sentences(conflicts)
    if number["mixed"]:
        sentences.append(f"The runs of this series differ in: {number['mixed']}.")
    return (*sentences, check_sentence(check, number["unit"], all(trial["agrees"] for trial in trials)))


def headline(number: Row) -> str:
    """Which number it is, and of what."""
    what = f"{digits(number['value'])} {number['unit'] or '(unit unknown)'}" if number["value"] is not None else None
    of = f"the speed of {number['name']} {place_words(number)}"
    versions = [
        f"{name.replace('_', ' ')} {number[name]}"
        for name in ("framework_version", "implementation_version", "variant", "gpu_memory_mib")
        if number[name] is not None
    ]
    of += f" ({', '.join(versions)})" if versions else ""
    if what is None:
        return f"No number ({status_text(number['status'])}) for {of}, by rule {number['rule']}."
    return f"{what}: {of}, by rule {number['rule']}."


def place_words(number: Row) -> str:
    """In which campaign, and on which system and GPU model."""
    system = "" if number["system"] is None else f", system {number['system']}"
    return f"in campaign {fact_text(number['campaign'])}{system}, GPU model {fact_text(number['gpu_model'])}"


def _default(number: Row, chains: dict[str, list[str]]) -> str:
    listed = "; ".join(f"{format_name}: {', '.join(rules)}" for format_name, rules in chains.items())
    if not chains:
        return f"The logs' format has no default rule, so {number['rule']} is not the default."
    if not number["is_default"]:
        return f"{number['rule']} is not the default rule: that is the first of its format with a number ({listed})."
    if number["value"] is None:
        return f"{number['rule']} is the default rule, but no default rule of its format gives a number ({listed})."
    return f"{number['rule']} is the default rule: the first of its format that gives a number ({listed})."


def _trials(number: Row, rule: Row, trials: list[Row], factor: str | None) -> list[str]:
    counted = [trial for trial in trials if trial["counts"]]
    sentences = [counted_sentence(trials), *(_of_a_run(trial, rule) for trial in counted)]
    if len(counted) > 1 and number["value"] is not None:
        values = ", ".join(digits(trial["value"]) for trial in counted)
        words = rounding_words(rule["trial_rounding"], rule["trial_rounding_digits"])
        what = trial_words(rule)
        times = f", times the {rule['trial_factor']}" if factor else ""
        sentences.append(f"The {what} of {values}{times}{f', {words},' if words else ''} is {digits(number['value'])}.")
        sentences.append(
            f"Lowest {digits(number['lowest'])}, highest {digits(number['highest'])}, "
            f"sample standard deviation {digits(number['stdev'])}."
        )
    sentences += [factor] if factor else []
    used, skipped = (sum(trial[name] for trial in counted) for name in ("records_used", "records_skipped"))
    if counted:
        sentences.append(f"Records of these runs: {used} used, {skipped} left out.")
    return sentences


def _of_a_run(trial: Row, rule: Row) -> str:
    """One run that counts: the values read, the statistic, its factor, and the result."""
    statistic = rule["statistic"]
    if rule["average_of"] == "times" and statistic != "last":
        statistic = "steps over seconds" if statistic == "mean" else "one over the median time"
    read = f"{trial['reads']}; {trial['records_used']} used, {trial['records_skipped']} left out"
    over = {"s": "one over it", "min": "one over it, over 60"}.get(trial["unit"])
    steps = [trial["factor_words"], over, rounding_words(rule["rounding"], rule["rounding_digits"])]
    made = "".join(f"; {words}" for words in steps if words)
    rate = f" {digits(trial['rate'])}" if made else ""
    text = f"Run {trial['run_key']}: {read}; {statistic}{rate}{made}: {digits(trial['value'])} {trial['unit'] or ''}"
    return f"{text.rstrip()}."


def counted_sentence(trials: list[Row]) -> str:
    used = sum(trial["counts"] for trial in trials)
    dropped = len(trials) - used
    text = f"The series has {counted(len(trials), 'run')}"
    if not dropped:
        return f"{text}; it counts." if len(trials) == 1 else f"{text}; all count."
    return f"{text}: {used} {'counts' if used == 1 else 'count'}, {dropped} {'is' if dropped == 1 else 'are'} dropped."


def digits(value: float | None) -> str:
    """Returns a number with ten digits, enough to compute with; the frames of an explanation hold all of them."""
    return f"{value:.10g}" if isinstance(value, float) and abs(value) < 1e10 else str(value)


def conflict_sentences(conflicts: list[Row]) -> list[str]:
    sentences = []
    for row in conflicts[:_SHOWN]:
        other = f"{row['other_source']} says {row['other_value'] or UNKNOWN}"
        if row["used_source"] is None:
            sentences.append(f"Contradiction in run {row['run_key']}: {row['name']} has no value in use; {other}.")
        else:
            used = f"{row['name']} is {row['used_value'] or UNKNOWN} ({row['used_source']})"
            sentences.append(f"Contradiction in run {row['run_key']}: {used}, but {other}.")
    if len(conflicts) > _SHOWN:
        sentences.append(f"And {len(conflicts) - _SHOWN} more contradictions.")
    return sentences


def check_sentence(check: Check, unit: str | None, parts_agree: bool) -> str:
    recomputed = "Recomputed from the stored records:"
    if check.agrees and parts_agree:
        if check.value is None:
            return f"{recomputed} no number either."
        return f"{recomputed} {digits(check.recomputed)}{f' {unit}' if unit else ''} (matches the table)."
    what = "the number of the table" if not check.agrees else "the number of a trial"
    return f"RECOMPUTED FROM THE STORED RECORDS IT DIFFERS from {what}: {check.recomputed} instead of {check.value}."


def factor_words(rule: Row, read: Row) -> str:
    """Returns what the factor of a run is made of; `read` is what the rule reads of it, with the facts of its case."""
    words = []
    if read["quantity"] == "throughput" and read["scope"] in ("gpu", "node"):
        who = "GPU" if read["scope"] == "gpu" else "node"
        words.append(f"times {counted(read['processes'], who)}, for it is printed per {who}")
    between = (read["base_unit"], read["yields"])
    times = _TIMES.get(between, ())
    if read["yields"] == "TFLOP/s" and times:
        words.append("times 8 FLOP, over 1000")
    elif rule["batch"] == "pass" and read["base_unit"] == "steps/s" and times:
        times = ("batch_size_per_gpu", "gpus", *times[1:])
    words += [f"times {name} {read[name]}" for name in times]
    if "global_batch_size" in times and read["base_unit"] == "steps/s" and read["passes"] > 1:
        words.append(f"over gradient_accumulation {read['passes']} (each step is one pass)")
    words += [f"over {name} {read[name]}" for name in _OVER.get(between, ())]
    if rule["per"] == "gpu":
        words.append(f"over gpus {read['gpus']}")
    if rule["volume"] == "window":
        words.append(f"times the {rule['take']} steps of the window")
    return ", ".join(words)
