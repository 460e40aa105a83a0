"""A number worked out by hand: from the printed lines, as the words of its rule say, with none of our code."""

from __future__ import annotations

import math
import re
from datetime import datetime
from functools import cache
from pathlib import Path
from statistics import mean, median
from typing import Any

Answer = dict[str, Any]
# From step, step, steps, seconds or speed.
Line = tuple[int | None, int | None, float, float]
_NUMBER = r"([-+]?\d[\d.]*(?:[eE][-+]?\d+)?)"
_ROUNDINGS = {
    "round_even": lambda x, digits: round(x * 10**digits) / 10**digits,
    "round_exact": lambda x, digits: float(f"{x:.{digits}f}"),
    "significant": lambda x, digits: float(f"{x:.{digits}g}"),
    "truncate": lambda x, digits: math.trunc(x * 10**digits) / 10**digits,
    "round2_truncate": lambda x, digits: math.trunc(round(x, 2) * 10**digits) / 10**digits,
    None: lambda x, digits: x,
}
# Names whose lines spell them in a way that no name can have.
_SPELLED = {
    "epoch_speed": "speed",
    "tokens_per_second": "(?:tok/s|tokens/s)",
    "throughput": "(?:throughput|Thoughput)",  # sic
    "training_rate": "training",
    "epoch_time": "using time",
    "epoch_ips": "ips",
    "epoch_words": "ips",
    "median_speed": "med_img/sec",
    "printed_median": "Median images/sec",
    "train.ips": r"(?:train\.ips|Speed)",
    "train_throughput": "(?:train_throughput|Average total_ips)",
}


def by_hand(cell: Answer, files: dict[str, Path]) -> float:
    """The number of a cell that `bench explain --format json` explains."""
    counted = [trial for trial in cell["trials"] if trial["counts"]]
    if cell["table"] == "memory":
        return median(
            max(in_column(reading, files) for reading in own(cell, trial) if reading["unit"] == "MiB")
            for trial in counted
        )
    if cell["table"] == "speedup":
        speeds = [by_hand(side, files) for side in cell["sides"]]
        if cell["rule"]["per"] == "gpu":
            speeds = [speed * side["number"]["gpus"] for speed, side in zip(speeds, cell["sides"], strict=True)]
        quotient = speeds[0] / speeds[-1] if cell["number"]["unit"] != "s" else speeds[-1] / speeds[0]
        return rounded(quotient, cell["rule"], "speedup_rounding")
    speeds = [of_run(cell, trial, files) for trial in counted]
    return rounded(over_trials(speeds, len(cell["trials"]), cell["rule"]), cell["rule"], "trial_rounding")


def over_trials(speeds: list[float], runs: int, rule: Answer) -> float:
    """A mean, a median, or a mean without the extremes, of which a run without a number is one."""
    if rule["trial_statistic"] == "olympic":
        drop = rule["trial_drop"]
        return mean(sorted(speeds)[drop : runs - drop])
    if rule["trial_count_offset"] is not None:
        return sum(speeds) / (len(speeds) + rule["trial_count_offset"])
    return mean(speeds) if rule["trial_statistic"] == "mean" else median(speeds)


def of_run(cell: Answer, trial: Answer, files: dict[str, Path]) -> float:
    """Takes, leaves out, averages and multiplies as the recipe says."""
    rule, readings = cell["rule"], own(cell, trial)
    by_rank: dict[int | None, list[Line]] = {}
    steps = {one["line"]: one["step"] for one in cell["readings"] if one["run_key"] == trial["run_key"]}
    for reading in readings:
        step, value = reading["step"], printed(reading, trial, files)
        is_timed = reading["quantity"] in ("interval", "round")
        since = steps[reading["from_line"]] if is_timed else None if step is None else step - 1
        done = max(step - since, 1) if is_timed else 1
        if math.isfinite(value) and (value > 0 or reading["quantity"] == "throughput"):
            rank = reading["rank"] if rule["ranks"] in ("each", "mean") else None
            by_rank.setdefault(rank, []).append((since, step, done, value))
    windows = [in_window(lines, rule) for lines in by_rank.values()]
    is_speed = readings[0]["quantity"] == "throughput"
    if rule["ranks"] == "mean":
        speed = mean(statistic(lines, rule, is_speed) for lines in windows)
    else:
        speed = statistic([line for lines in windows for line in lines], rule, is_speed)
    if rule["unit"] == "min":
        return rounded(1 / speed / 60, rule, "rounding")
    if rule["unit"] == "s":
        return rounded(seconds(speed, cell["number"], readings[0], trial), rule, "rounding")
    return rounded(speed * times(cell["number"], rule, readings[0], trial), rule, "rounding")


def in_window(lines: list[Line], rule: Answer) -> list[Line]:
    """What is left of the lines when those before, behind and beyond the window are left out."""
    after, to = rule["after_step"], rule["to_step"]
    lines = [one for one in lines if after is None or (one[0] is not None and one[0] >= after)]
    lines = [one for one in lines if to is None or (one[1] is not None and one[1] <= to)]
    return lines[: len(lines) - rule["skip_last"]][rule["skip"] :][: rule["take"]]


def statistic(lines: list[Line], rule: Answer, is_speed: bool) -> float:
    """The mean, median or last of what lines say, in steps or samples a second."""
    speeds = [value if is_speed else done / value for _, _, done, value in lines]
    if rule["statistic"] == "last":
        return speeds[-1]
    if rule["statistic"] == "trimmed":
        trim = rule["trim"] if len(speeds) >= rule["trim_from"] else 0
        return mean(sorted(speeds)[trim : len(speeds) - trim])
    if rule["average_of"] == "rates":
        used = [x for x in speeds if x > 0 or not rule["positive_only"]]
        return mean(used) if rule["statistic"] == "mean" else median(used)
    if rule["statistic"] == "mean":
        return sum(one[2] for one in lines) / sum(one[2] / rate for one, rate in zip(lines, speeds, strict=True))
    return 1 / median(1 / x for x in speeds)


def seconds(speed: float, case: Answer, reading: Answer, trial: Answer) -> float:
    """Seconds a step, of steps or of what is printed a second: a step is a global batch, a sample seq_len tokens."""
    unit = reading["unit"] if reading["quantity"] == "throughput" else "steps/s"
    step = 1 if unit == "steps/s" else case["global_batch_size"] * (case["seq_len"] if unit == "tokens/s" else 1)
    return float(step / (speed * processes(case, trial)))


def processes(case: Answer, trial: Answer) -> int:
    """How many print each a speed of their own."""
    return int(case["gpus"] if "per GPU" in trial["reads"] else case["nodes"] if "per node" in trial["reads"] else 1)


def times(case: Answer, rule: Answer, reading: Answer, trial: Answer) -> float:
    """What the statistic of one GPU's speeds, or of steps, is multiplied by."""
    factor = processes(case, trial)
    printed_unit = reading["unit"] if reading["quantity"] == "throughput" else "steps/s"
    if printed_unit == "steps/s" and case["unit"] != "steps/s":
        samples = case["batch_size_per_gpu"] * case["gpus"] if rule["batch"] == "pass" else case["global_batch_size"]
        factor *= samples
        printed_unit = "samples/s"
    if printed_unit != case["unit"]:
        factor *= case["seq_len"] ** (1 if case["unit"] == "tokens/s" else -1)
    factor *= rule["take"] if rule["volume"] == "window" else 1
    return float(factor / (case["gpus"] if rule["per"] == "gpu" else 1))


def own(cell: Answer, trial: Answer) -> list[Answer]:
    """The values of a run that the rule reads, kept or not."""
    of_run = [reading for reading in cell["readings"] if reading["run_key"] == trial["run_key"]]
    return [reading for reading in of_run if not reading["use"].startswith("not read")]


def rounded(value: float, rule: Answer, kind: str) -> float:
    """A number as the rule rounds it at this point."""
    return float(_ROUNDINGS[rule[kind]](value, rule[f"{kind}_digits"]))


def line_of(reading: Answer, files: dict[str, Path], name: str = "line") -> str:
    """The printed line itself."""
    return lines_of(files[reading["log"]])[reading[name] - 1]


@cache
def lines_of(path: Path) -> list[str]:
    """The lines of a file; a carriage return ends none."""
    return path.read_bytes().decode(errors="replace").split("\n")


def printed(reading: Answer, trial: Answer, files: dict[str, Path]) -> float:
    """The number behind its name, in the unit of the ledger; the seconds between two dated lines."""
    line = line_of(reading, files)
    if reading["quantity"] == "interval":
        # A date, or only a clock; before a date a launcher may print its own clock.
        clock = r"\b(\d\d:\d\d:\d\d(?:[.,]\d+)?)\b"
        clocks = [
            re.search(rf"(\d{{4}}-\d\d-\d\d ){clock}", one) or re.search(rf"(\d{{4}}-\d\d-\d\d )?{clock}", one)
            for one in (line_of(reading, files, "from_line"), line)
        ]
        start, end = (datetime.fromisoformat((one[1] or "2000-01-01 ") + one[2]) for one in clocks if one)
        return (end - start).total_seconds()
    if reading["quantity"] == "span":
        first, last = (re.findall(r'"time_ms": (\d+)', one)[0] for one in (line_of(reading, files, "from_line"), line))
        return (int(last) - int(first)) / 1000
    if reading["name"] == "latency/ms":
        return in_column(reading, files) / 1000
    if "{" in line and reading["name"] == "speed":  # a script prints all trials on one line: {1: 9369.06, 3: 9418.44}
        return float(re.findall(rf"\b{trial['trial']}: {_NUMBER}", line)[0])
    if reading["name"] == "examples_per_second":
        return float(re.findall(rf"{_NUMBER} examples/second", line)[0])
    name = _SPELLED.get(reading["name"]) or re.escape(reading["name"]).replace("_", "[ _]")
    found = re.search(rf"{name}(?: \(\S+\))?[\s:=\"']*{_NUMBER}\s*(K )?", line, re.IGNORECASE)
    assert found is not None, (reading["name"], line)
    return float(found[1]) * (1000 if found[2] else 1) / (1000 if "(ms)" in reading["name"] else 1)


def in_column(reading: Answer, files: dict[str, Path]) -> float:
    """The MiB behind its name, or under it where the names stand in a line above."""
    lines = lines_of(files[reading["log"]])
    line, name = lines[reading["line"] - 1], reading["name"]
    if found := re.search(rf"(?:^|\| |, ){re.escape(name)}: *{_NUMBER}", line):
        return float(found[1])
    heads = next((one for one in lines if name in re.split(r"[\s,]+", one)), None)
    if heads is None:  # a monitor that prints no heads: 43, 0 %, 0 MiB
        return float(re.findall(rf"{_NUMBER} MiB", line)[0])
    cells = line.split(",") if "," in heads else line.split()
    names = heads.split(",") if "," in heads else heads.lstrip("# ").split()
    return float(cells[[head.split()[0] for head in names].index(name)].split()[0])
