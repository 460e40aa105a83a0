"""Which of a run's values a rule reads: those of its kind, quantity and name that lead to its unit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchledger.answers.explaining.run_values import RunValues
from benchledger.answers.tables.grouping import Row, sort_key

if TYPE_CHECKING:
    import polars as pl

# The ways of saying how fast a step is, the first choice first.
_QUANTITIES = ("throughput", "step_time", "interval", "round", "epoch_time", "span")
_SPEEDS = (None, "samples/s", "tokens/s", "steps/s")
# From what, to what: by batch size and sequence length.
_CONVERSIONS = {
    ("steps/s", "samples/s"), ("steps/s", "tokens/s"), ("steps/s", "s"), ("steps/s", "min"), ("steps/s", "TFLOP/s"),
    ("samples/s", "tokens/s"), ("tokens/s", "samples/s"), ("samples/s", "s"), ("tokens/s", "s"),
}  # fmt: skip
# What values share that one number is made of.
SHARED = ("quantity", "unit", "name", "scope")


@dataclass(frozen=True)
class Read:
    """Values that share quantity, unit, name and scope; `mixture` says why they make no number."""

    quantity: str
    unit: str | None
    name: str | None
    scope: str | None
    rows: pl.DataFrame
    base_unit: str | None
    yields: str | None
    mixture: str | None

    @property
    def preference(self) -> int:
        """Printed speeds before printed times before times from step to step."""
        return _QUANTITIES.index(self.quantity)


def read_by(rule: Row, run: RunValues, phase: str | None) -> Iterator[Read]:
    """What a rule could make its number of, one for each quantity and unit."""
    import polars as pl

    if rule["formats"] is not None and run.format not in rule["formats"]:
        return
    printed = run.printed.filter((pl.col("kind") == rule["kind"]) & pl.col("phase").eq_missing(pl.lit(phase)))
    sources = [printed]
    if (rule["kind"], phase) == ("step", "train"):
        if _is_wanted(rule, "interval", "s", {(row["quantity"], row["unit"]) for row in _told(printed)}):
            sources.append(run.intervals.filter(pl.col("unread").is_null()))
        if rule["quantity"] == "round":
            sources.append(run.rounds)
    if rule["quantity"] == "span" and phase == "train":
        sources.append(run.span(rule["name"]))
    told = [(source, row) for source in sources for row in _told(source)]
    spoken = {(row["quantity"], row["unit"]) for _, row in told}
    for quantity in _QUANTITIES:
        of_quantity = [(source, row) for source, row in told if row["quantity"] == quantity]
        units = {row["unit"] for _, row in of_quantity if _is_wanted(rule, quantity, row["unit"], spoken)}
        for unit in sorted(units, key=lambda one: sort_key((one,))):
            read = _read(rule, quantity, unit, of_quantity)
            if read is not None and (read.yields == read.base_unit or (read.base_unit, read.yields) in _CONVERSIONS):
                yield read


def _told(source: pl.DataFrame) -> list[Row]:
    """The different quantities, units, names and scopes of values."""
    return source.select(SHARED).unique().to_dicts()


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


def _read(rule: Row, quantity: str, unit: str | None, told: list[tuple[pl.DataFrame, Row]]) -> Read | None:
    import polars as pl

    of_unit = [(source, row) for source, row in told if row["unit"] == unit]
    names = sorted({row["name"] for _, row in of_unit if row["name"] is not None})
    name = rule["name"] if rule["name"] is not None else next(iter(names), None)
    of_name = sorted(
        ((source, row) for source, row in of_unit if row["name"] == name), key=lambda one: sort_key((one[1]["scope"],))
    )
    if not of_name:
        return None
    mixture = None
    if unit is None and any(row["unit"] is not None for _, row in told):
        mixture = "no unit is known for these records; others of this run have one"
    elif rule["name"] is None and len(names) > 1:
        mixture = f"{quantity.replace('_', ' ')} goes by several names: {names[0]}, {names[-1]}"
    elif len(of_name) > 1:
        mixture = "throughput is per GPU in some records and global in others"
    source, own = of_name[0]
    base_unit = unit if quantity == "throughput" else "steps/s"
    return Read(
        quantity, unit, name, own["scope"],
        source.filter(pl.col(column).eq_missing(pl.lit(own[column])) for column in SHARED),
        base_unit, rule["unit"] or (unit if quantity == "throughput" else "samples/s"), mixture,
    )  # fmt: skip
