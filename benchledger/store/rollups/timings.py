"""The times that no log prints: from step to step, from round to round of all ranks, between two records."""

from __future__ import annotations

import polars as pl

from benchledger.store.rollups.frames import are_alike, chosen, copied, quotient
from benchledger.store.rollups.readings import OF_READING, READING, among, lane

INTERVAL, ROUND = -1, -2
_MOMENT = ("logged_at", "clock_s")
_BEFORE = ["step", *_MOMENT]


class Timings:
    """Makes the times of the runs in `timed` (run_id, reading_key, labels of a span), part by part of their records."""

    def __init__(self, timed: pl.DataFrame, steps: pl.Series, ranks: pl.DataFrame) -> None:
        """Steps are the shapes of training steps, ranks how many each run has that counts rounds."""
        self._steps = steps
        self._intervals = timed.filter(pl.col("reading_key") == INTERVAL)["run_id"]
        self._rounds = timed.filter(pl.col("reading_key") == ROUND).join(ranks, on="run_id").select("run_id", "ranks")
        self._spans = timed.filter(pl.col("from_label").is_not_null())
        self._last_steps: pl.DataFrame | None = None
        self._lines: pl.DataFrame | None = None
        self._ends: list[pl.DataFrame] = []

    def of(self, rows: pl.DataFrame) -> pl.DataFrame:
        """The times that end in these records; spans are told at the end, by rest()."""
        self._see_ends(rows)
        told = rows.select("run_id", "part", "shape_id", "rank", "step", *_MOMENT, lane=lane())
        steps = among(chosen(told, pl.col("part").is_not_null()), "shape_id", self._steps).drop("part", "shape_id")
        made = [self._from_step_to_step(among(steps, "run_id", self._intervals))]
        if not self._rounds.is_empty():
            made.append(self._from_round_to_round(steps))
        return pl.concat(made)

    def rest(self) -> pl.DataFrame:
        """From the first record of the one label to the last of the other."""
        if not self._ends:
            return pl.DataFrame(schema=READING)
        ends = pl.concat(self._ends)
        start = ends.filter("is_start").group_by(OF_READING, maintain_order=True).first()
        stop = ends.filter(~pl.col("is_start")).group_by(OF_READING, maintain_order=True).last()
        both = stop.join(start.select(*OF_READING, *_MOMENT), on=OF_READING, suffix="_before")
        return _told(both.with_columns(rank=None, step_before=None, step=None))

    def _from_step_to_step(self, own: pl.DataFrame) -> pl.DataFrame:
        if are_alike(own, "run_id", "lane"):
            before, lane_of = self._last_steps, ["run_id", "lane"]
            if before is None or before[lane_of].equals(own[:1, lane_of]):
                return self._of_one_lane(own)
        if self._last_steps is not None:
            own = pl.concat([self._last_steps, own], rechunk=True)
        has_lanes = own["lane"].n_unique() > 1
        if has_lanes:
            own = own.with_row_index("nth").sort("run_id", "lane", maintain_order=True)
        # Only the last run goes on in the next part.
        is_last = ~_goes_on().shift(-1, fill_value=False) & (pl.col("run_id") == pl.col("run_id").last())
        self._last_steps = own.filter(is_last).drop("nth", strict=False)
        told = _with_before(own, pl.col("step") >= pl.col("step_before"))
        return _told((told.sort("nth") if has_lanes else told).with_columns(reading_key=INTERVAL))

    def _of_one_lane(self, own: pl.DataFrame) -> pl.DataFrame:
        # As in most parts of a long run: the rows are not copied to put each beside the one before it.
        before, after = own[:-1, _BEFORE], own[1:]
        if self._last_steps is not None:
            before, after = pl.concat([self._last_steps[_BEFORE], before], rechunk=True), own
        self._last_steps = copied(own[-1:])
        told = after.hstack(before.rename(lambda name: f"{name}_before"))
        return _told(chosen(told, pl.col("step") >= pl.col("step_before")).with_columns(reading_key=INTERVAL))

    def _from_round_to_round(self, steps: pl.DataFrame) -> pl.DataFrame:
        # Where each rank prints a line, a round is one of each, of so many records as there are ranks the last, in the
        # order of the lines. Some scripts count these.
        own = steps.join(self._rounds, on="run_id", maintain_order="left").with_columns(
            lane=None, nth=1 + pl.int_range(pl.len()).over("run_id")
        )
        if self._lines is not None:
            seen = self._lines.group_by("run_id").agg(seen=pl.col("nth").max())
            own = own.join(seen, on="run_id", how="left", maintain_order="left")
            own = own.with_columns(nth=pl.col("nth") + pl.col("seen").fill_null(0)).drop("seen")
            own = pl.concat([self._lines, own])
        is_end = pl.col("nth") % pl.col("ranks") == 0
        # The last round's end, and the last line, by which the next part goes on counting.
        last_end = own.filter(is_end).group_by("run_id", maintain_order=True).last()
        last_line = own.group_by("run_id", maintain_order=True).last()
        self._lines = pl.concat([last_end.select(own.columns), last_line.select(own.columns)]).unique(
            ["run_id", "nth"], maintain_order=True
        )
        told = _with_before(own.filter(is_end), pl.col("step_before").is_not_null() & pl.col("step").is_not_null())
        return _told(told.with_columns(reading_key=ROUND, rank=None))

    def _see_ends(self, rows: pl.DataFrame) -> None:
        if self._spans.is_empty():
            return
        labelled = (
            rows.select("run_id", "part", "label", *_MOMENT)
            .lazy()
            .filter(pl.col("part").is_not_null() & pl.col("label").is_not_null())
        )
        ends = labelled.collect().join(self._spans, on="run_id", maintain_order="left")
        is_start = pl.col("label") == pl.col("from_label")
        ends = ends.filter(is_start | (pl.col("label") == pl.col("to_label"))).with_columns(is_start=is_start)
        kept = [*OF_READING, "is_start", *_MOMENT]
        by = ends.group_by(*OF_READING, "is_start", maintain_order=True)
        self._ends.append(pl.concat([by.first().select(kept), by.last().select(kept)]))


def _goes_on() -> pl.Expr:
    """Whether a row is of the same run and lane as the one before it."""
    return pl.all_horizontal(pl.col(name).eq_missing(pl.col(name).shift()) for name in ("run_id", "lane"))


def _with_before(rows: pl.DataFrame, are: pl.Expr) -> pl.DataFrame:
    """Each row with what the one before it says, where that is of the same run and lane, and the two are so."""
    before = rows.with_columns(pl.col("step", *_MOMENT).shift().name.suffix("_before"))
    return before.filter(_goes_on() & are)


def _told(rows: pl.DataFrame) -> pl.DataFrame:
    passed = (pl.col("logged_at") - pl.col("logged_at_before")).dt.total_microseconds()
    seconds = quotient(passed.cast(pl.Float64), 1e6)
    value = pl.coalesce(seconds, pl.col("clock_s") - pl.col("clock_s_before"))
    told = chosen(rows.with_columns(value=value, epoch=None, since="step_before"), pl.col("value").is_not_null())
    return told.with_columns(is_usable=pl.col("value") > 0).select(
        pl.col(name).cast(of) for name, of in READING.items()
    )
