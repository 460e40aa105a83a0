"""The frame of layouts: which values of a layout are losses, speeds or epochs, and which layouts may end a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchledger.scanning.layout import Layout
from benchledger.scanning.segment import epochs_at

if TYPE_CHECKING:
    import polars as pl

# Columns in the frame of layouts: the index of the first loss among the values, of the second and so on.
LOSS = "loss_at_"


def _speed_at(layout: Layout) -> int | None:
    values = () if layout.record.kind == "parameter" else layout.values
    speeds = (at for at, value in enumerate(values) if value.quantity in ("throughput", "step_time"))
    # Trainer prints no speed, but the duration of each evaluation.
    return next(speeds, next((at for at, value in enumerate(values) if value.unit == "s"), None))


def _rate_at(layout: Layout) -> int | None:
    values = enumerate(layout.values if layout.record.kind in ("step", "summary") else ())
    return next((at for at, v in values if v.quantity in ("throughput", "step_time") and v.phase == "train"), None)


def _rate_of(layout: Layout) -> tuple[object, ...]:
    at = _rate_at(layout)
    rate = None if at is None else layout.values[at]
    return (layout.shape_id,) if rate is None else (layout.format, rate.name, rate.quantity, rate.unit, rate.scope)


def layout_frame(layouts: list[Layout], closings: pl.DataFrame) -> pl.DataFrame:
    """One row per layout; `closings` has the layouts that may end a run."""
    import polars as pl

    closing = set(closings["shape_id"].to_list())
    # Layouts that print one speed beside other values have one lane.
    lanes: dict[tuple[object, ...], int] = {}
    rows = [
        (
            layout.shape_id,
            # Validation steps are no training steps.
            layout.record.kind == "step" and all(value.phase in ("train", None) for value in layout.values[:1]),
            layout.record.kind == "sample",
            layout.record.kind in ("step", "summary") and all(v.phase in ("train", None) for v in layout.values[:1]),
            layout.shape_id in closing,
            layout.record.first_epoch,
            _speed_at(layout),
            layout.record.kind == "step" and any(value.phase == "train" for value in layout.values),
            _rate_at(layout),
            epochs_at(layout),
            next((at for at, value in enumerate(layout.values) if value.quantity == "micro_step"), None),
            lanes.setdefault(_rate_of(layout), layout.shape_id),
            [at for at, value in enumerate(layout.values) if value.quantity == "loss" and value.phase == "train"],
        )
        for layout in layouts
    ]
    schema = {
        "shape_id": pl.Int64, "is_step": pl.Boolean, "is_sample": pl.Boolean, "is_training": pl.Boolean,
        "may_close": pl.Boolean, "first_epoch": pl.Int64, "speed_at": pl.Int64,
        "trains": pl.Boolean, "rate_at": pl.Int64, "epoch_at": pl.Int64, "micro_at": pl.Int64, "lane": pl.Int64,
    }  # fmt: skip
    frame = pl.DataFrame([row[:-1] for row in rows], schema, orient="row")
    losses = range(max((len(row[-1]) for row in rows), default=0))
    places = [[row[-1][at] if at < len(row[-1]) else None for row in rows] for at in losses]
    return frame.with_columns(pl.Series(f"{LOSS}{at}", place, pl.Int64) for at, place in enumerate(places))
