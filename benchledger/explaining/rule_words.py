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
    "step_time": "the printed times of a step",
    "interval": "the times from each step record to the next one of the same rank, of those whose step number does not"
    " fall back and whose clock goes on",
    "round": "the times from each round to the next (of so many step records as there are ranks, in the order of their"
    " lines, the last)",
    "epoch_time": "the printed times of an epoch",
}
_ANY_STEP = (
    "the printed speeds (in steps/s only where no samples or tokens are printed); where none is printed, the printed"
    " times of a step; where these are missing too, the times from each step record to the next one of the same rank"
)


def rule_sentences(rule: Row) -> list[str]:
    """What a rule does with the records of a run, and with the trials of a series, each step in its order."""
    steps = [_what(rule), _readings(rule), _ranks(rule), _steps(rule), _window(rule), _positive(rule)]
    steps += [_statistic(rule), _unit(rule), _share(rule), _result(rule), _trials(rule)]
    return [step for step in steps if step]


def _what(rule: Row) -> str:
    if rule["quantity"] == "span":
        logs = f", in logs of format {' or '.join(rule['formats'])}" if rule["formats"] else ""
        first, last = rule["name"].split(" to ")
        ends = "from the first record of that label to the last of the other"
        return f"Take the time from {first} to {last}{logs}: {ends}."
    values = _QUANTITIES[rule["quantity"]] if rule["quantity"] else _ANY_STEP
    if rule["kind"] == "summary" and not rule["quantity"]:
        values = "the printed speeds"
    named = f" that go by the name {rule['name']}" if rule["name"] else ""
    logs = f", from logs of format {' or '.join(rule['formats'])}" if rule["formats"] else ""
    which = f"Take {values}{named}, of {rule['kind']} records{logs}, in the order of their lines"
    is_speed = (
        rule["quantity"] in (None, "throughput") if rule["kind"] == "summary" else rule["quantity"] == "throughput"
    )
    times = ", and speeds below 0 or of 0 after a step" if is_speed else ", and times of 0 or less"
    return f"{which}; leave out what is no finite number{times}."


def _ranks(rule: Row) -> str | None:
    if rule["ranks"] == "first":
        return "Keep the records of the lowest rank only."
    if rule["ranks"] in ("each", "mean"):
        return "The window counts the records of each rank apart."
    if rule["ranks"] == "median":
        return "Of each step number take the median speed over the ranks: one value a step, in the order of the lines."
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
    said = f"Keep the steps {' '.join(parts)}" + ("; an interval begins and ends within" if is_interval else "")
    if rule["complete"] and rule["take"] is None:
        ends = (
            f"begins with step {after} and ends with step {to}"
            if is_interval and after is not None
            else f"ends with step {to}"
        )
        said += f"; a window that is not whole, which {ends}, gives no number"
    return f"{said}."


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
    return "0 and less is no value: " + (
        "a last value that is not above 0 gives no number." if rule["statistic"] == "last" else "leave such values out."
    )


def _statistic(rule: Row) -> str:
    if rule["statistic"] == "last":
        return "Take the last."
    if rule["ranks"] == "mean":
        what = "all their steps over all their seconds" if rule["average_of"] == "times" else "the mean of the speeds"
        return f"Take {what} of each rank apart, and the mean of these over the ranks."
    if rule["statistic"] == "trimmed":
        trim = rule["trim"]
        without = f"of {rule['trim_from']} and more without the {trim} lowest and {trim} highest"
        return f"Take the trimmed mean of the speeds: {without}."
    if rule["quantity"] == "epoch_time":
        return f"Take one over the {rule['statistic']} of the times."
    if rule["average_of"] == "times":
        if rule["statistic"] == "mean":
            return "Take all their steps over all their seconds."
        return "Take one over the median of the seconds a step."
    return f"Take the {rule['statistic']} of the speeds (of a time: steps over seconds)."


def _unit(rule: Row) -> str:
    if rule["quantity"] == "span":
        return "The result is in minutes." if rule["unit"] == "min" else "The result is in seconds."
    if rule["quantity"] == "epoch_time":
        over = ", over 60" if rule["unit"] == "min" else ""
        return f"The result is in {'minutes' if over else 'seconds'} an epoch: take one over it{over}."
    if rule["unit"] == "min":
        return "The result is in minutes a step: take one over it, over 60."
    if rule["unit"] == "s":
        rates = "" if rule["quantity"] == "step_time" else "samples/s are divided by global_batch_size, "
        return f"The result is in seconds a step: {rates}take one over it."
    if rule["unit"] == "TFLOP/s" and rule["quantity"] == "step_time":
        return "The result is in TFLOP/s: times 8, params_b, global_batch_size and seq_len, over 1000."
    unit = rule["unit"] or "the printed unit" + (", or samples/s of times" if rule["kind"] == "step" else "")
    parts = []
    if rule["quantity"] in (None, "throughput"):
        parts.append("what is printed per GPU is multiplied by gpus")
    if rule["kind"] == "step" and rule["unit"] != "steps/s":
        samples = "batch_size_per_gpu and gpus" if rule["batch"] == "pass" else "global_batch_size"
        parts.append(f"steps become samples, multiplied by {samples}")
    if rule["unit"] in ("samples/s", "tokens/s"):
        parts.append("a sample is seq_len tokens")
    return f"The result is in {unit}" + (f": {'; '.join(parts)}." if parts else ".")


def _share(rule: Row) -> str | None:
    parts = [f"times {rule['take']}, the steps of the window"] * (rule["volume"] == "window")
    parts += ["over gpus: it is told of one GPU"] * (rule["per"] == "gpu")
    if not parts:
        return None
    return f"As its owner publishes it, it is taken {', and '.join(parts)}."


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
    divided = f" (their sum over their count and {offset:g})" if offset is not None else ""
    return (
        f"Over the trials of a series take the {trial_words(rule)}{divided}"
        + (f", times the stated {rule['trial_factor']}" if rule["trial_factor"] else "")
        + (f", {words}." if words else ".")
    )


def trial_words(rule: Row) -> str:
    """What is made of the trials: a mean, a median, or a mean without the extremes."""
    if rule["trial_statistic"] != "olympic":
        return str(rule["trial_statistic"])
    return (
        f"mean without the {rule['trial_drop']} lowest and {rule['trial_drop']} highest, of which each run without a "
        "number is one of the highest"
    )


def rounding_words(method: str | None, digits: int | None) -> str | None:
    """What a rounding does, in words; None where nothing is rounded."""
    if method is None:
        return None
    return (
        f"{_ROUNDINGS[method].format(digits)} to {digits} {'digits in all' if method == 'significant' else 'decimals'}"
    )
