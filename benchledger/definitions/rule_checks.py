"""Checks a [[rule]] of queries/rules/: its keys, their values, and their combinations."""

from __future__ import annotations

from typing import Any

from benchledger.definitions.rule import COLUMNS
from benchledger.definitions.toml_file import TomlFile
from benchledger.definitions.vocabulary import vocabulary

ROUNDINGS = ("round_even", "round_exact", "truncate", "round2_truncate", "significant")
_KEYS = set(COLUMNS) - {"window", "rule"} | {"method"}
_NEEDED = ("method", "source", "description", "kind", "statistic", "trial_statistic")
# Units of a rule's speed. Minutes are included, although no log is read in minutes.
SPEED_UNITS = ("samples/s", "tokens/s", "items/s", "steps/s", "s", "min", "TFLOP/s")
_CHOICES = {
    "kind": ("step", "summary"),
    "statistic": ("last", "mean", "median", "trimmed"),
    "quantity": ("throughput", "step_time", "interval", "round", "epoch_time", "span"),
    "unit": SPEED_UNITS,
    "average_of": ("rates", "times"),
    "batch": ("global", "pass"),
    "volume": ("step", "window"),
    "per": ("gpu",),
    "ranks": ("all", "first", "median", "each", "mean"),
    "trial_statistic": ("mean", "median", "olympic"),
}
_ROUNDED = ("rounding", "reading_rounding", "trial_rounding", "speedup_rounding")
_CHOICES |= dict.fromkeys(_ROUNDED, ROUNDINGS)
_TEXTS = ("method", "source", "description", "name", "fallback", "trial_factor")
_COUNTS = {
    "skip": 0,
    "skip_last": 0,
    "take": 1,
    "trial_drop": 1,
    "trim": 1,
    "trim_from": 3,
    "after_step": 0,
    "to_step": 1,
}
_COUNTS |= {f"{name}_digits": 0 for name in _ROUNDED}
# The readings that a window counts are looked at one by one: DuckDB finds less than a million of the first or last.
_AT_MOST = dict.fromkeys(("skip", "skip_last", "take"), 400_000)
_FLAGS = ("positive_only", "complete", "zero_fails")


def check_rule(file: TomlFile, place: str, table: dict[str, Any]) -> None:
    """Raises DefinitionError with file and line if a rule is invalid."""
    file.refuse_unknown(place, table, _KEYS)
    for key in _NEEDED:
        if key not in table:
            file.fail(place, f"the rule has no {key}; it needs {', '.join(_NEEDED)}")
    for key, value in table.items():
        _check(file, f"{place}.{key}", key, value)
    for kind in _ROUNDED:
        if (kind in table) != (f"{kind}_digits" in table):
            file.fail(place, f"{kind} and {kind}_digits are given together or not at all")
    _check_ranks(file, place, table)
    if table.get("complete") and not {"take", "to_step"} & set(table):
        file.fail(place, "complete asks for the whole of a window: give the window an end with take or to_step")
    if (table["trial_statistic"] == "olympic") != ("trial_drop" in table):
        file.fail(place, "trial_drop says how many of the lowest and of the highest trials an olympic mean leaves out")
    if "trial_factor" in table:
        _check_factor(file, f"{place}.trial_factor", table["trial_factor"])
    if table["statistic"] == "trimmed" or {"trim", "trim_from"} & set(table):
        _check_trimmed(file, place, table)
    _check_shares(file, place, table)
    if table.get("quantity") == "span":
        _check_span(file, place, table)
    if table.get("quantity") == "epoch_time":
        _check_epoch_time(file, place, table)


def _check_ranks(file: TomlFile, place: str, table: dict[str, Any]) -> None:
    if table.get("ranks") == "median" and table.get("quantity") not in ("throughput", "step_time"):
        file.fail(place, "a median over ranks reads printed values: it needs quantity = 'throughput' or 'step_time'")
    if table.get("ranks") == "mean" and (table["statistic"] != "mean" or table.get("positive_only")):
        file.fail(place, "a mean over ranks is one of means: it needs statistic = 'mean', without positive_only")


def _check_shares(file: TomlFile, place: str, table: dict[str, Any]) -> None:
    for key in ("per", "volume"):
        if table.get(key, "step") != "step" and table.get("unit") in ("s", "min"):
            file.fail(f"{place}.{key}", f"{key} = {table[key]!r} is of a speed; in {table['unit']} leave it out")
    if table.get("volume") == "window" and "take" not in table:
        file.fail(f"{place}.volume", "the volume of a window is told by its number of steps: give take")
    # Such a number is not the speed of the run, but what one program prints as its speed. For another program's log it
    # would be wrong.
    for key in ("per", "volume"):
        if table.get(key, "step") != "step" and "formats" not in table:
            file.fail(f"{place}.{key}", f"{key} = {table[key]!r} is one program's way to count: name its formats")


def _check_factor(file: TomlFile, place: str, name: str) -> None:
    factors = [fact.name for fact in vocabulary().facts.values() if fact.type == "factor"]
    if name not in factors:
        file.fail(place, f"no fact {name!r} that is a factor; known: {', '.join(factors)}")


def _check_span(file: TomlFile, place: str, table: dict[str, Any]) -> None:
    ends = table.get("name", "").split(" to ")
    if len(ends) != 2 or not all(ends):
        file.fail(place, "a span is named by the labels of its two records, as in name = 'run_start to run_stop'")
    if table["kind"] != "summary" or table.get("unit") not in ("s", "min"):
        file.fail(place, "a span is told once a run, in time: it needs kind = 'summary' and unit = 's' or 'min'")


def _check_epoch_time(file: TomlFile, place: str, table: dict[str, Any]) -> None:
    wanted = {"kind": ("summary",), "unit": ("s", "min"), "average_of": ("times",)}
    if any(table.get(key) not in values for key, values in wanted.items()):
        needs = "kind = 'summary', average_of = 'times' and unit = 's' or 'min'"
        file.fail(place, f"what an epoch takes is a time and no speed: it needs {needs}")


def _check_trimmed(file: TomlFile, place: str, table: dict[str, Any]) -> None:
    if table["statistic"] != "trimmed" or table.get("trim_from", 0) <= 2 * table.get("trim", table.get("trim_from", 0)):
        file.fail(
            place,
            "a trimmed mean leaves trim at each end of trim_from and more records: give both, trim_from above 2 trim",
        )
    if table.get("average_of") == "times" or table.get("positive_only"):
        file.fail(place, "a trimmed mean is one of all speeds: without average_of = 'times' and positive_only")


def _check_most(file: TomlFile, place: str, key: str, value: int) -> None:
    if value > _AT_MOST.get(key, value):
        file.fail(place, f"{key} must be at most {_AT_MOST[key]}, not {value!r}")


def _check(file: TomlFile, place: str, key: str, value: Any) -> None:
    if key in _CHOICES:
        if value not in _CHOICES[key]:
            file.fail(place, f"{key} must be one of {', '.join(_CHOICES[key])}, not {value!r}")
    elif key in _COUNTS:
        if not isinstance(value, int) or isinstance(value, bool) or value < _COUNTS[key]:
            file.fail(place, f"{key} must be a whole number of at least {_COUNTS[key]}, not {value!r}")
        _check_most(file, place, key, value)
    elif key in _TEXTS:
        if not isinstance(value, str) or not value.strip():
            file.fail(place, f"{key} must be text, not {value!r}")
        if key == "method" and not value.isidentifier():
            file.fail(place, f"method must be one word, such as 'summary', not {value!r}")
    elif key == "trial_count_offset":
        _check_offset(file, place, value)
    elif key in _FLAGS:
        if not isinstance(value, bool):
            file.fail(place, f"{key} must be true or false, not {value!r}")
    elif not isinstance(value, list) or not value or not all(isinstance(item, str) for item in value):
        file.fail(place, f"formats must be a list of format names, not {value!r}; leave it out for all formats")


def _check_offset(file: TomlFile, place: str, value: Any) -> None:
    if not isinstance(value, float) or not 0 < value < 1:
        file.fail(place, f"trial_count_offset must be a number between 0 and 1, such as 1e-9, not {value!r}")
