"""Which of a run's values a rule reads: those of its kind, quantity and name that lead to its unit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from benchledger.answers.explaining.run_values import RunValues
from benchledger.answers.grouping import Row, sort_key

# The ways of saying how fast a step is, the first choice first.
_QUANTITIES = ("throughput", "step_time", "interval", "round", "epoch_time", "span")
_SPEEDS = (None, "samples/s", "tokens/s", "steps/s")
# From what, to what: by batch size and sequence length.
_CONVERSIONS = {
    ("steps/s", "samples/s"), ("steps/s", "tokens/s"), ("steps/s", "s"), ("steps/s", "min"), ("steps/s", "TFLOP/s"),
    ("samples/s", "tokens/s"), ("tokens/s", "samples/s"), ("samples/s", "s"), ("tokens/s", "s"),
}  # fmt: skip


@dataclass(frozen=True)
class Read:
    """Values that share quantity, unit, name and scope; `mixture` says why they make no number."""

    quantity: str
    unit: str | None
    name: str | None
    scope: str | None
    rows: list[Row]
    base_unit: str | None
    yields: str | None
    mixture: str | None

    @property
    def preference(self) -> int:
        """Printed speeds before printed times before times from step to step."""
        return _QUANTITIES.index(self.quantity)


def read_by(rule: Row, run: RunValues, phase: str | None) -> Iterator[Read]:
    """What a rule could make its number of, one for each quantity and unit."""
    if rule["formats"] is not None and run.format not in rule["formats"]:
        return
    of_kind = [row for row in run.printed if (row["kind"], row["phase"]) == (rule["kind"], phase)]
    if (rule["kind"], phase) == ("step", "train"):
        if _is_wanted(rule, "interval", "s", {(row["quantity"], row["unit"]) for row in of_kind}):
            of_kind += [row for row in run.intervals if row["unread"] is None]
        if rule["quantity"] == "round":
            of_kind += run.rounds
    if rule["quantity"] == "span" and phase == "train":
        of_kind += run.span(rule["name"])
    spoken = {(row["quantity"], row["unit"]) for row in of_kind}
    for quantity in _QUANTITIES:
        rows = [row for row in of_kind if row["quantity"] == quantity]
        units = {unit for unit in {row["unit"] for row in rows} if _is_wanted(rule, quantity, unit, spoken)}
        for unit in sorted(units, key=lambda one: sort_key((one,))):
            read = _read(rule, quantity, unit, rows)
            if read is not None and (read.yields == read.base_unit or (read.base_unit, read.yields) in _CONVERSIONS):
                yield read


def _is_wanted(rule: Row, quantity: str, unit: str | None, spoken: set[tuple[str, str | None]]) -> bool:
    if rule["quantity"] is not None:
        return bool(quantity == rule["quantity"])
    speaking = {one for said, one in spoken if said == "throughput" and one in _SPEEDS}
    if quantity == "throughput":
        # Steps a second count only where no samples or tokens are printed.
        return unit != "steps/s" or not speaking - {None, "steps/s"}
    if quantity == "step_time":
        return not speaking
    return quantity == "interval" and not speaking and all(said != "step_time" for said, _ in spoken)


def _read(rule: Row, quantity: str, unit: str | None, rows: list[Row]) -> Read | None:
    of_unit = [row for row in rows if row["unit"] == unit]
    names = sorted({row["name"] for row in of_unit if row["name"] is not None})
    name = rule["name"] if rule["name"] is not None else next(iter(names), None)
    of_name = [row for row in of_unit if row["name"] == name]
    if not of_name:
        return None
    scopes = sorted({row["scope"] for row in of_name}, key=lambda one: sort_key((one,)))
    mixture = None
    if unit is None and any(row["unit"] is not None for row in rows):
        mixture = "no unit is known for these records; others of this run have one"
    elif rule["name"] is None and len(names) > 1:
        mixture = f"{quantity.replace('_', ' ')} goes by several names: {names[0]}, {names[-1]}"
    elif len(scopes) > 1:
        mixture = "throughput is per GPU in some records and global in others"
    base_unit = unit if quantity == "throughput" else "steps/s"
    return Read(
        quantity, unit, name, scopes[0], [row for row in of_name if row["scope"] == scopes[0]],
        base_unit, rule["unit"] or (unit if quantity == "throughput" else "samples/s"), mixture,
    )  # fmt: skip
