"""A rule as a recipe: sentences that a reader can carry out on the printed lines, with a calculator."""

from __future__ import annotations

from benchledger.answers.tables.grouping import Row

_ROUNDINGS = {
    "round_even": "rounded half to even",
    "round_exact": "rounded like Python's round()",
    "truncate": "cut off",
    "significant": "rounded as '%.{}g' prints it",
    "round2_truncate": "rounded half to even at 2 decimals, then cut off",
}
_QUANTITIES = {
    "throughput": "the printed speeds",
    "step_time": "the printed step times",
    "interval": "the time from each step record to the next one of the same rank, if the step number does not decrease"
    " and the time increases",
    "round": "the time from each round to the next (a round has as many step records as there are ranks, in line"
    " order; its time is that of the last)",
    "epoch_time": "the printed epoch times",
}
_ANY_STEP = (
    "the printed speeds (steps/s only if no samples or tokens are printed); without them, the printed step times;"
    " without those, the time from each step record to the next one of the same rank"
)


def rule_sentences(rule: Row) -> list[str]:
    """The steps of a rule in words: what it does with the records of a run, then with the trials of a series."""
    steps = [_what(rule), _readings(rule), _ranks(rule), _steps(rule), _window(rule), _positive(rule)]
    steps += [_statistic(rule), _unit(rule), _share(rule), _result(rule), _trials(rule)]
    return [step for step in steps if step]


def _what(rule: Row) -> str:
    if rule["quantity"] == "span":
        logs = f", in logs of format {' or '.join(rule['formats'])}" if rule["formats"] else ""
        first, _, last = rule["name"].partition(" to ")
        ends = "from the first record of that label to the last of the other"
        return f"Take the time from {first} to {last}{logs}: {ends}."
    values = _QUANTITIES[rule["quantity"]] if rule["quantity"] else _ANY_STEP
    if rule["kind"] == "summary" and not rule["quantity"]:
        values = "the printed speeds"
    named = f" named {rule['name']}" if rule["name"] else ""
    logs = f", from logs of format {' or '.join(rule['formats'])}" if rule["formats"] else ""
    which = f"Take {values}{named}, of {rule['kind']} records{logs}, in line order"
    is_speed = (
        rule["quantity"] in (None, "throughput") if rule["kind"] == "summary" else rule["quantity"] == "throughput"
    )
    bad = "speeds below 0, and speeds of 0 after step 0" if is_speed else "and times of 0 or less"
    again = "" if rule["statistic"] == "last" else "repeated lines (if the log prints every line again), "
    return f"{which}; leave out {again}values that are not finite, {bad}."


def _ranks(rule: Row) -> str | None:
    if rule["ranks"] == "first":
        return "Keep the records of the lowest rank only."
    if rule["ranks"] in ("each", "mean"):
        return "The window counts the records of each rank separately."
    if rule["ranks"] == "median":
        return "For each step number take the median speed over the ranks: one value per step, in line order."
    return None


def _readings(rule: Row) -> str | None:
    words = rounding_words(rule["reading_rounding"], rule["reading_rounding_digits"])
    if words is None:
        return None
    when = ", before the median over ranks is taken" if rule["ranks"] == "median" else ""
    unit = "in its speed's unit" if rule["quantity"] == "throughput" else "in seconds"
    return f"Each value, {unit}, is {words}{when}."


def _steps(rule: Row) -> str | None:
    after, to = rule["after_step"], rule["to_step"]
    if after is None and to is None:
        return None
    is_interval = rule["quantity"] in ("interval", "round")
    parts = [f"{'from' if is_interval else 'above'} {after}"] * (after is not None) + [f"up to {to}"] * (to is not None)
    text = f"Keep the steps {' '.join(parts)}" + ("; an interval begins and ends within" if is_interval else "")
    if rule["complete"] and rule["take"] is None:
        ends = (
            f"begin with step {after} and end with step {to}"
            if is_interval and after is not None
            else f"end with step {to}"
        )
        text += f"; they must {ends}, else there is no number"
    return f"{text}."


def _window(rule: Row) -> str | None:
    skip, last, take = rule["skip"], rule["skip_last"], rule["take"]
    parts = [f"leave out the first {skip}"] * bool(skip) + [f"leave out the last {last}"] * bool(last)
    parts += [f"use the {take} that follow"] * (take is not None)
    if not parts:
        return None
    text = " and ".join(parts) + ("; fewer give no number" if rule["complete"] and take is not None else "")
    return f"{text[0].upper()}{text[1:]}."


def _positive(rule: Row) -> str | None:
    if not rule["positive_only"]:
        return None
    if rule["statistic"] == "last":
        return "If the last value is not above 0, there is no number."
    return "Leave out values of 0 or less."


def _statistic(rule: Row) -> str:
    if rule["statistic"] == "last":
        return "Take the last."
    if rule["ranks"] == "mean":
        what = "divide all steps by all seconds" if rule["average_of"] == "times" else "take the mean of the speeds"
        return f"For each rank {what}; then take the mean over the ranks."
    if rule["statistic"] == "trimmed":
        trim = rule["trim"]
        without = f"of {rule['trim_from']} and more without the {trim} lowest and {trim} highest"
        return f"Take the trimmed mean of the speeds: {without}."
    if rule["quantity"] == "epoch_time":
        return f"Divide 1 by the {rule['statistic']} of the times."
    if rule["average_of"] == "times":
        if rule["statistic"] == "mean":
            return "Divide all steps by all seconds."
        return "Divide 1 by the median of the seconds per step."
    return f"Take the {rule['statistic']} of the speeds (for times: steps / seconds)."


def _unit(rule: Row) -> str:
    if rule["quantity"] == "span":
        return "The result is in minutes." if rule["unit"] == "min" else "The result is in seconds."
    if rule["quantity"] == "epoch_time":
        unit, by = ("minutes", "60 times it") if rule["unit"] == "min" else ("seconds", "it")
        return f"The result is in {unit} per epoch: divide 1 by {by}."
    if rule["unit"] == "min":
        return "The result is in minutes per step: divide 1 by 60 times it."
    if rule["unit"] == "s":
        rates = "" if rule["quantity"] == "step_time" else "samples/s are divided by global_batch_size, "
        return f"The result is in seconds per step: {rates}divide 1 by it."
    if rule["unit"] == "TFLOP/s" and rule["quantity"] == "step_time":
        return "The result is in TFLOP/s: multiply by 8, params_b, global_batch_size and seq_len, divide by 1000."
    unit = rule["unit"] or "the printed unit" + (" (samples/s for times)" if rule["kind"] == "step" else "")
    parts = []
    if rule["quantity"] in (None, "throughput"):
        parts.append("values per GPU are multiplied by gpus")
    if rule["kind"] == "step" and rule["unit"] != "steps/s":
        samples = "batch_size_per_gpu and gpus" if rule["batch"] == "pass" else "global_batch_size"
        parts.append(f"steps are multiplied by {samples} to get samples")
    if rule["unit"] in ("samples/s", "tokens/s"):
        parts.append("a sample has seq_len tokens")
    return f"The result is in {unit}" + (f": {'; '.join(parts)}." if parts else ".")


def _share(rule: Row) -> str | None:
    parts = [f"multiply by {rule['take']}, the steps of the window"] * (rule["volume"] == "window")
    parts += ["divide by gpus, which gives the speed of one GPU"] * (rule["per"] == "gpu")
    if not parts:
        return None
    return f"As the rule's owner does, {', and '.join(parts)}."


def _result(rule: Row) -> str | None:
    words = rounding_words(rule["rounding"], rule["rounding_digits"])
    parts = [f"It is {words}"] * (words is not None) + ["a result below 1 means that the run failed"] * rule[
        "zero_fails"
    ]
    if not parts:
        return None
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}."


def _trials(rule: Row) -> str:
    words = rounding_words(rule["trial_rounding"], rule["trial_rounding_digits"])
    offset = rule["trial_count_offset"]
    divided = f" (their sum / (their number + {offset:g}))" if offset is not None else ""
    return (
        f"Over the trials of a series take the {trial_words(rule)}{divided}"
        + (f", times the stated {rule['trial_factor']}" if rule["trial_factor"] else "")
        + (f", {words}." if words else ".")
    )


def trial_words(rule: Row) -> str:
    if rule["trial_statistic"] != "olympic":
        return str(rule["trial_statistic"])
    return (
        f"mean without the {rule['trial_drop']} lowest and {rule['trial_drop']} highest, of which each run without a "
        "number is one of the highest"
    )


def rounding_words(method: str | None, digits: int | None) -> str | None:
    if method is None:
        return None
    return (
        f"{_ROUNDINGS[method].format(digits)} to {digits} {'digits in all' if method == 'significant' else 'decimals'}"
    )
