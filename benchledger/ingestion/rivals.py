"""Finds logs into which two jobs may have written: the end of a run, or many of its steps, have two speeds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchledger.ingestion.record_frames import are_alike, chosen
from benchledger.ingestion.restarts import LANE

if TYPE_CHECKING:
    import polars as pl

# The processes of one job print nearly the same speed: in the public logs their closing speeds are at most 0.2 % apart.
# The speeds of a single step vary more.
_APART_AT_END, _APART_IN_STEP = 0.05, 0.1
# So many steps are enough if they are also a tenth of all steps.
_MANY = 5
# Two jobs whose speeds are apart are soon at different steps: after so many steps of both, the slower one is behind.
_DRIFT = 20
# Lines with one speed are compared, whatever else they state: a rule reads all of them.
_STEP_LANE = ("at", "lane", "rank")
# Weight of an epoch: a later epoch is beyond all steps of an earlier one.
_EPOCH = 2.0**40


class Rivals:
    """Takes records in parts, ordered by log and place; the parts of a log follow one another."""

    def __init__(self) -> None:
        self._reached: pl.DataFrame | None = None
        self._ends: pl.DataFrame | None = None
        self._told: list[pl.DataFrame] = []

    def add(self, found: pl.DataFrame, trained: pl.DataFrame) -> None:
        """Adds a part. `found` needs columns `trains` (a step of training), `rate_at` (which value is its speed) and
        `may_close` (ends a run); `trained` are the steps of training, as restarts.progress returns them.
        """
        import polars as pl

        steps = trained.with_columns(place=_EPOCH * pl.col("epoch") + pl.col("reached"))
        same_logs = pl.col("at").is_in(found["at"].unique().implode())
        self._reached, self._ends = (
            had if had is None else had.filter(same_logs) for had in (self._reached, self._ends)
        )
        # A step without a number counts as later than the steps before it.
        reached = steps.select("at", "line", place=pl.coalesce("place", pl.col("line").cast(pl.Float64)))
        if self._reached is not None:
            reached = pl.concat([self._reached, reached])
        is_end = pl.col("rate_at").is_not_null() & ~pl.col("trains")
        ends = chosen(found.select(*LANE, "line", "step", "epoch", "values", "rate_at", "trains", "may_close"), is_end)
        if ends.height:
            self._told.append(self._rival_ends(ends, reached))
        if steps["place"].null_count():
            # Some programs print the speed on a line below that of the step.
            steps = steps.with_columns(pl.col("place").forward_fill().over("at"))
        steps = chosen(steps, pl.col("place").is_not_null())
        if steps.height:
            self._told.append(_rival_steps(steps))
        # Lines of a log follow those of its earlier parts.
        self._reached = reached.group_by("at").agg(line=pl.lit(0, pl.Int64), place=pl.col("place").max())

    def rows(self) -> pl.DataFrame:
        """One row, by `at`, per segment that two jobs may have written: the first two lines with unequal speeds."""
        import polars as pl

        if not self._told:
            return pl.DataFrame(schema={"at": pl.UInt32, "rival_lines": pl.List(pl.Int64)})
        lines, counts = ("ended", "closed", "stepped"), ("steps", "timed", "apart", "falls", "shared", "behind")
        schema = {"at": pl.UInt32} | dict.fromkeys(lines, pl.List(pl.Int64)) | dict.fromkeys(counts, pl.Int64)
        told = pl.concat([pl.DataFrame(schema=schema), *self._told], how="diagonal_relaxed")
        sums = told.group_by("at").agg(pl.col(lines).drop_nulls().first(), pl.col(counts).sum())
        steps, timed, apart, falls, shared, behind = (pl.col(name) for name in counts)
        # A resumed run goes back once. A step that overflowed is printed again.
        goes_back = (falls >= _MANY) & (10 * falls >= steps)
        are_many = (apart >= _MANY) & (10 * apart >= timed) | (apart > 1) & (2 * apart > timed)
        # The processes of one job stay at one step, however unequal the times that they measured of some steps are.
        is_one_job = (shared >= _DRIFT) & (_DRIFT * behind < shared) & (4 * apart <= 3 * shared)
        return sums.select(
            "at",
            rival_lines=pl.coalesce(
                "ended",
                pl.when(goes_back).then("closed"),
                pl.when(are_many & (2 * falls > apart) & ~is_one_job).then("stepped"),
            ),
        ).filter(pl.col("rival_lines").is_not_null())

    def _rival_ends(self, ends: pl.DataFrame, reached: pl.DataFrame) -> pl.DataFrame:
        """Ends of runs whose speed differs from the previous end; `ended`: no training lies between the two."""
        import polars as pl

        furthest = reached.with_columns(pl.col("place").cum_max().over("at"))
        ends = ends.select(
            "at", "shape_id", pl.col("rank").fill_null(-1), "line", "step", "epoch",
            "may_close", speed=pl.col("values").list.get(pl.col("rate_at"), null_on_oob=True),
        ).join_asof(furthest, on="line", by="at", check_sortedness=False)  # fmt: skip
        if self._ends is not None:
            ends = pl.concat([self._ends, ends])
        self._ends = ends.group_by(LANE, maintain_order=True).tail(1).select(ends.columns)
        before = {name: pl.col(name).shift().over(LANE) for name in ("line", "step", "epoch", "place", "speed")}
        slower, faster = (of("speed", before["speed"]) for of in (pl.min_horizontal, pl.max_horizontal))
        same = {name: pl.col(name).eq_missing(before[name]) for name in ("step", "epoch", "place")}
        # Without steps, a closing speed cannot be told from a running average.
        is_trained = pl.any_horizontal(pl.col("step", "epoch", "place").is_not_null())
        is_apart = before["line"].is_not_null() & is_trained & (faster > (1 + _APART_AT_END) * slower)
        lines = pl.concat_list(before["line"], "line")
        return ends.select(
            "at",
            ended=pl.when(is_apart & pl.all_horizontal(*same.values())).then(lines),
            closed=pl.when(is_apart & same["step"] & same["epoch"] & pl.col("may_close")).then(lines),
        ).filter(pl.any_horizontal(pl.col("ended", "closed").is_not_null()))


def _rival_steps(steps: pl.DataFrame) -> pl.DataFrame:
    """Counts steps, those of several lines, those with speeds far apart, and lines that go back or not further."""
    import polars as pl

    place, micro = pl.col("place"), pl.col("micro")
    are_one = are_alike(steps, *_STEP_LANE)
    last, last_micro = (of.shift() if are_one else of.shift().over(_STEP_LANE) for of in (place, micro))
    behind = ((place < last) | (place == last) & (micro < last_micro)).fill_null(False)
    is_same = ((place == last) & (micro == last_micro)).fill_null(False)
    steps = steps.with_columns(falls=behind | is_same, behind=behind)
    is_timed = pl.col("speed").is_not_null()
    if not steps["falls"].any():
        return steps.group_by("at").agg(steps=pl.len().cast(pl.Int64), timed=is_timed.sum().cast(pl.Int64))
    speed = pl.col("speed").sort()
    # The speeds of one job's processes differ gradually. Between the speeds of two jobs there is a gap.
    each = steps.group_by(*_STEP_LANE, "place", "micro", maintain_order=True).agg(
        lines=pl.concat_list(
            pl.col("line").get(pl.col("speed").arg_min()), pl.col("line").get(pl.col("speed").arg_max())
        ),
        is_apart=(speed > (1 + _APART_IN_STEP) * speed.shift()).any(),
        is_timed=is_timed.any(),
        is_shared=is_timed.sum() > 1,
        falls=pl.col("falls").sum(),
        behind=pl.col("behind").sum(),
    )
    return each.group_by("at", maintain_order=True).agg(
        stepped=pl.col("lines").filter("is_apart").first().list.sort(),
        steps=pl.len().cast(pl.Int64),
        timed=pl.col("is_timed").sum().cast(pl.Int64),
        apart=pl.col("is_apart").sum().cast(pl.Int64),
        falls=pl.col("falls").sum().cast(pl.Int64),
        shared=pl.col("is_shared").sum().cast(pl.Int64),
        behind=pl.col("behind").sum().cast(pl.Int64),
    )
