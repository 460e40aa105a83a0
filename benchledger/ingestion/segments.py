"""Aggregates the records of each segment, part by part, while they are written."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from typing import TYPE_CHECKING

from benchledger.ingestion.layout_frames import LOSS, layout_frame
from benchledger.ingestion.record_frames import are_alike, chosen, framed, repeated, summed, without_numbers
from benchledger.ingestion.restarts import Restarts, progress
from benchledger.ingestion.rivals import Rivals
from benchledger.scanning.arrow_calls import call
from benchledger.scanning.layout import Layout

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa

# The number of first times and losses of a segment that are kept to recognise its twin.
FIRST = 16
# Which of its times, or how many of its speeds, tell that a segment may be a copy of another one.
_TIME, _VALUES, _MIX = 4, 8, 1.618033988749895


class Segments:
    """Aggregates parts of records in the order of logs and places; the parts of a log follow one another."""

    def __init__(self, logged: pa.Table, layouts: Iterable[Layout]) -> None:
        """`logged`: the columns that the logs themselves give; `layouts` of all records that come."""
        self._logged = framed(logged).sort("log_id", "first_line", "segment").with_row_index("at")
        self._spans = _spans(self._logged)
        layouts = list(layouts)
        self._closings = _closings(self._logged, layouts)
        self._layouts = layout_frame(layouts, self._closings)
        self._parts: list[pl.DataFrame] = []
        self._epochs: list[pl.DataFrame] = []
        self._restarts, self._rivals = Restarts(), Rivals()

    def add(self, frame: pl.DataFrame, rows: pa.Table) -> None:
        """Adds a part: `frame` has the numbers of `rows`, which are rows of table kept.record."""
        found = without_numbers(_with_losses(_with_layouts(frame, self._spans, self._layouts)))
        part = _whole(found)
        if found["epoch"].null_count() < len(found):
            self._epochs.append(_epochs(found))
        trained = progress(found)
        self._rivals.add(found, trained)
        for more in (
            self._restarts.of(found, trained),
            _steps(found),
            _losses(found),
            _speeds(found),
            _closed(found, self._closings, rows),
        ):
            part = part.join(more, on="at", how="left", maintain_order="left")
        self._parts.append(part)

    def rows(self) -> pl.DataFrame:
        import polars as pl

        if not self._parts:
            return self._logged.head(0)
        parts = pl.concat(self._parts).sort("at", "first_offset")
        # The gap between two parts counts like the gaps within a part.
        stepped = parts.filter(pl.col("first_step").is_not_null())
        between = stepped.select("at", gap=_since("first_step", "last_step")).filter(pl.col("gap") > 0)
        gaps = pl.concat([between, parts.select("at", gap="step_gap")]).group_by("at").agg(step_gap=pl.col("gap").max())
        whole = parts.group_by("at").agg(
            pl.col("started_at", "restart_line").min(),
            pl.col("ended_at").max(),
            pl.col("records", "step_records").sum(),
            pl.col("steps_done", "last_step_line", "first_epoch").max(),
            pl.col("closing_line", "closing_speed").drop_nulls().last(),
            pl.col("final_loss_nan").drop_nulls().last().fill_null(False),
            stream=pl.col("moments").explode().drop_nulls().sort().head(FIRST),
            losses=pl.col("losses").explode(keep_nulls=False, empty_as_null=False).head(FIRST),
            speeds=pl.col("speeds").explode(keep_nulls=False, empty_as_null=False).head(_VALUES),
            devices=pl.col("devices").explode().drop_nulls().unique().sort(),
        )
        if self._epochs:
            whole = _with_epochs(whole, pl.concat(self._epochs))
        else:
            whole = whole.with_columns(pl.lit(None, pl.Int64).alias(name) for name in ("last_epoch", "epoch_step"))
        whole = whole.join(self._rivals.rows(), on="at", how="left")
        lists = [pl.when(pl.col(name).list.len() > 0).then(name) for name in ("stream", "losses", "devices")]
        whole = whole.with_columns(lists).with_columns(beginning=_beginning()).drop("speeds")
        return self._logged.join(whole, on="at").join(gaps, on="at", how="left").drop("at", "closing")


def _beginning() -> pl.Expr:
    import polars as pl

    # Value by value: a sum of a list may be added in another order on another machine. Losses tell nothing: trials with
    # one seed print the same, and all of them would be compared.
    firsts = (pl.col("speeds").list.get(at, null_on_oob=True) for at in range(_VALUES))
    mix = reduce(lambda before, value: before * _MIX + value, firsts)
    time = pl.col("stream").list.get(_TIME - 1, null_on_oob=True).cast(pl.Float64)
    return pl.coalesce(time, pl.when(mix.is_finite()).then(mix))


def _with_epochs(whole: pl.DataFrame, epochs: pl.DataFrame) -> pl.DataFrame:
    """Adds the last epoch and its last step; an epoch 0 is the first one.

    Steps that fall in a later epoch begin anew in each, in any format.
    """
    import polars as pl

    each = epochs.group_by("at", "epoch").agg(pl.col("low").min(), pl.col("high").max()).sort("at", "epoch")
    most = pl.col("high").cum_max().shift().over("at")
    ended = each.group_by("at", maintain_order=True).agg(
        lowest=pl.col("epoch").first(),
        last_epoch=pl.col("epoch").last(),
        epoch_step=pl.col("high").last(),
        begins_anew=(pl.col("low") < most).fill_null(False).any(),
    )
    counted = pl.when(pl.col("begins_anew").fill_null(False).not_()).then("steps_done")
    first = pl.coalesce("first_epoch", pl.when(pl.col("lowest") == 0).then(pl.col("lowest")))
    joined = whole.join(ended, on="at", how="left").with_columns(steps_done=counted, first_epoch=first)
    return joined.drop("begins_anew", "lowest")


def _spans(logged: pl.DataFrame) -> pl.DataFrame:
    # A line on which one run ends and the next begins belongs to the next.
    return logged.select("log_id", "first_line", "at", "closing").sort("first_line", maintain_order=True)


def _closings(logged: pl.DataFrame, layouts: list[Layout]) -> pl.DataFrame:
    import polars as pl

    places: dict[str, list[tuple[int, int, bool]]] = {}
    for layout in layouts:
        for ordinal, value in enumerate(layout.values):
            places.setdefault(value.name, []).append((layout.shape_id, ordinal, value.name == layout.record.name))
    rows = [
        (closing, *place)
        for closing in logged["closing"].unique().to_list()
        for name in closing.split("\n")
        for place in places.get(name, [])
    ]
    schema = {"closing": pl.String, "shape_id": pl.Int64, "ordinal": pl.Int64, "is_bare": pl.Boolean}
    return pl.DataFrame(rows, schema, orient="row").unique()


def _with_layouts(frame: pl.DataFrame, spans: pl.DataFrame, layouts: pl.DataFrame) -> pl.DataFrame:
    import polars as pl

    found = frame.with_row_index("row").hstack(_segments_of(frame, spans)).hstack(_layouts_of(frame, layouts))
    return chosen(found, pl.col("at").is_not_null() & pl.col("is_step").is_not_null())


def _segments_of(frame: pl.DataFrame, spans: pl.DataFrame) -> pl.DataFrame:
    # Only the columns that the join needs: it would copy the values.
    places = frame.select("log_id", "line")
    ends = _within(places[[0, -1]], spans)
    if are_alike(places, "log_id") and ends["at"][0] == ends["at"][1] and places["line"].is_sorted():
        return repeated(ends[:1], frame.height)
    return _within(places, spans)


def _within(places: pl.DataFrame, spans: pl.DataFrame) -> pl.DataFrame:
    found = places.join_asof(
        spans, by="log_id", left_on="line", right_on="first_line", strategy="backward", check_sortedness=False
    )
    return found.select("at", "closing")


def _layouts_of(frame: pl.DataFrame, layouts: pl.DataFrame) -> pl.DataFrame:
    if are_alike(frame, "shape_id"):
        own = frame[:1, ["shape_id"]].join(layouts, on="shape_id", how="left")
        return repeated(own.drop("shape_id"), frame.height)
    return frame.select("shape_id").join(layouts, on="shape_id", how="left", maintain_order="left").drop("shape_id")


def _with_losses(found: pl.DataFrame) -> pl.DataFrame:
    import polars as pl

    # A line with several losses: the first that is there counts, or nan if any is nan.
    places: list[pl.Expr | int] = [pl.col(name) for name in found.columns if name.startswith(LOSS)]
    if are_alike(found, "shape_id"):
        places = [found[name][0] for name in found.columns if name.startswith(LOSS) and found[name][0] is not None]
    losses = [pl.col("values").list.get(place, null_on_oob=True) for place in places]
    nothing = [pl.lit(None, pl.Float64)]
    return found.with_columns(
        loss=pl.coalesce(losses or nothing),
        is_nan=pl.any_horizontal([loss.is_nan().fill_null(False) for loss in losses or nothing]),
    )


def _whole(found: pl.DataFrame) -> pl.DataFrame:
    import polars as pl

    each = pl.col("device").filter("is_sample").drop_nulls().unique().implode()
    named = found["device"].null_count() < len(found)
    return summed(
        found,
        "at",
        first_offset=pl.col("byte_offset").first(),
        started_at=pl.col("logged_at").min(),
        ended_at=pl.col("logged_at").max(),
        records=pl.len().cast(pl.Int64),
        step_records=pl.col("is_step").sum().cast(pl.Int64),
        first_epoch=pl.when(pl.col("is_step") & pl.col("epoch").is_not_null()).then("first_epoch").max(),
        moments=pl.col("logged_at").drop_nulls().bottom_k(FIRST).cast(pl.Int64).implode(),
        devices=each if named else pl.lit([], pl.List(pl.String)),
    )


def _steps(found: pl.DataFrame) -> pl.DataFrame:
    import polars as pl

    is_step = pl.col("is_step") & pl.col("step").is_not_null()
    columns = ("at", "step", "line", "epoch", "first_epoch")
    steps = chosen(found.select(*columns, "is_step"), is_step).select(*columns, gap=_since("step", "step"))
    # A line without an epoch counts its steps on.
    first = pl.when(pl.col("epoch").is_not_null()).then("first_epoch")
    return summed(
        steps,
        "at",
        steps_done=pl.col("step").filter(first.is_null()).max(),
        last_step_line=pl.col("line").max(),
        step_gap=pl.when(pl.col("gap") > 0).then("gap").max(),
        first_step=pl.col("step").first(),
        last_step=pl.col("step").last(),
    )


def _epochs(found: pl.DataFrame) -> pl.DataFrame:
    import polars as pl

    columns = found.select("at", "epoch", "step", "is_step", "is_training")
    in_epoch = chosen(columns, pl.col("epoch").is_not_null() & pl.col("is_training"))
    step = pl.col("step").filter("is_step")
    if are_alike(in_epoch, "at", "epoch"):
        return in_epoch.select(pl.col("at", "epoch").first(), low=step.min(), high=step.max())
    return in_epoch.group_by("at", "epoch").agg(low=step.min(), high=step.max())


def _since(what: str, before: str) -> pl.Expr:
    import polars as pl

    return pl.when(pl.col("at") == pl.col("at").shift()).then(pl.col(what) - pl.col(before).shift())


def _losses(found: pl.DataFrame) -> pl.DataFrame:
    import polars as pl

    losses = chosen(found.select("at", "loss", "is_nan"), pl.col("loss").is_not_null())
    return summed(losses, "at", losses=pl.col("loss").head(FIRST).implode(), final_loss_nan=pl.col("is_nan").last())


def _speeds(found: pl.DataFrame) -> pl.DataFrame:
    import polars as pl

    # Of records without a time only.
    is_bare = pl.col("speed_at").is_not_null() & pl.col("logged_at").is_null()
    bare = chosen(found.select("at", "values", "speed_at", "logged_at"), is_bare)
    bare = bare.select("at", speed=pl.col("values").list.get(pl.col("speed_at"), null_on_oob=True)).drop_nulls()
    return summed(bare, "at", speeds=pl.col("speed").head(_VALUES).implode())


def _closed(found: pl.DataFrame, closings: pl.DataFrame, rows: pa.Table) -> pl.DataFrame:
    import polars as pl
    import pyarrow as pa

    last = found.select("row", "at", "line", "shape_id", "closing", "values", "may_close").filter("may_close")
    texts = call("take", rows.column("texts"), pa.array(last["row"].to_list(), pa.int64()))
    last = last.with_columns(framed(pa.table({"texts": texts}))).join(closings, on=["closing", "shape_id"])
    last = last.with_columns(
        value=pl.col("values").list.get(pl.col("ordinal"), null_on_oob=True),
        text=pl.col("texts").list.get(pl.col("ordinal"), null_on_oob=True),
    )
    # A closing line may have a text, or no value at all.
    closing_rows = last.filter(pl.col("value").is_not_null() | pl.col("text").is_not_null() | pl.col("is_bare"))
    return (
        closing_rows.sort("row", "ordinal", descending=[False, True])
        .group_by("at", maintain_order=True)
        .agg(closing_line=pl.col("line").last(), closing_speed=pl.col("value").drop_nulls().last())
    )
