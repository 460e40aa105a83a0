"""When the time of runs starts and ends, by all that their logs date."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from benchledger.store.rollups.frames import OFFSET_BITS, frame_of, given_frames, quotient, sql_of, summed

if TYPE_CHECKING:
    import duckdb

_HALF_A_DAY_S = 43_200
_DAY_S = 86_400
_US = 1e6
_NUMBERS = ("run_id", "log_id", "place")
_ENDS = ("started_at", "ended_at")
_READ: dict[str, dict[str, pl.DataType]] = {
    "told_date": {"run_id": pl.Int64(), **dict.fromkeys(_ENDS, pl.Datetime("us"))},
    "told_clock": {**dict.fromkeys(_NUMBERS, pl.Int64()), "started_s": pl.Float64(), "ended_s": pl.Float64()},
    "clock_jump": {**dict.fromkeys(_NUMBERS, pl.Int64()), "before_s": pl.Float64(), "since_s": pl.Float64()},
    "told_mark": {
        "run_id": pl.Int64(),
        **dict.fromkeys(_ENDS, pl.Datetime("us")),
        **dict.fromkeys(("has_start", "has_end"), pl.Boolean()),
    },
}


class Clocks:
    """The dates and clocks of the runs in temp table chunk_run: read() every part, write()."""

    def __init__(self, con: duckdb.DuckDBPyConnection) -> None:
        self._con = con
        self._marks = frame_of(con, sql_of("convergence_marks"))
        self._last: pl.DataFrame | None = None
        self._read = {name: [pl.DataFrame(schema=schema)] for name, schema in _READ.items()}

    def read(self, part: pl.DataFrame) -> None:
        """Reads a part's dates, the clocks of its logs, and the records between which a rule measures the time."""
        if part["logged_at"].count():
            self._read["told_date"].append(_dates(part))
        if part["clock_s"].count():
            clocked = part.select("run_id", "log_id", "place", "clock_s").filter(pl.col("clock_s").is_not_null())
            self._read["told_clock"].append(_clocks(clocked))
            self._read["clock_jump"].append(_jumps(clocked if self._last is None else pl.concat([self._last, clocked])))
            self._last = clocked.tail(1)
        if self._marks.height:
            self._read["told_mark"].append(_marked(part, self._marks))

    def write(self) -> pl.DataFrame:
        """Fills run_clock of the runs in temp table chunk_run, and gives what it says of when their time starts."""
        dates, clocks, jumps, marks = (pl.concat(found) for found in self._read.values())
        of_formats = frame_of(self._con, "select run_id from run_format semi join chunk_run using (run_id)")
        ends = _ends(dates, clocks, jumps, marks).join(of_formats, on="run_id", how="semi")
        seconds = _since(pl.col("ended_at"), pl.col("ended_s"))
        # A run of one moment has no duration.
        ends = ends.with_columns(seconds=pl.when(seconds != 0).then(seconds)).drop("ended_at", "ended_s")
        with given_frames(self._con, clock=ends):
            self._con.execute("insert into run_clock by name from clock")
        return ends.select("run_id", "started_at", "started_s", "midnights")


def with_seconds(rows: pl.DataFrame, clock: pl.DataFrame) -> pl.DataFrame:
    """Adds `seconds` since each run's time started, as macros seconds_since and past_midnight have them."""
    starts = clock.select("run_id", "started_at", "started_s")
    rows = rows.join(starts, on="run_id", how="left", maintain_order="left")
    clock_s = pl.col("clock_s")
    if clock["midnights"].list.len().sum():
        rows = _with_days(rows, clock)
        clock_s = clock_s + _DAY_S * pl.col("days")
    return rows.with_columns(seconds=_since(pl.col("logged_at"), clock_s)).drop(
        "started_at", "started_s", "days", strict=False
    )


def _since(logged_at: pl.Expr, clock_s: pl.Expr) -> pl.Expr:
    """Seconds since the time of a run started, as macro seconds_since has it."""
    dated_us = (logged_at - pl.col("started_at")).dt.total_microseconds()
    seconds = pl.coalesce(quotient(dated_us.cast(pl.Float64), _US), clock_s - pl.col("started_s"))
    return pl.when(seconds >= 0).then(seconds)


def _with_days(rows: pl.DataFrame, clock: pl.DataFrame) -> pl.DataFrame:
    """Adds `days`: how many midnights of its log stand at or before each row."""
    midnights = clock.select("run_id", pl.col("midnights")).explode("midnights").drop_nulls().unnest("midnights")
    midnights = midnights.sort("run_id", "log_id", "byte_offset")
    midnights = midnights.with_columns(days=pl.int_range(1, pl.len() + 1).over("run_id", "log_id"))
    placed = rows.with_columns(byte_offset=pl.col("place") & OFFSET_BITS)
    by = ["run_id", "log_id"]
    joined = placed.join_asof(midnights, on="byte_offset", by=by, check_sortedness=False).drop("byte_offset")
    return joined.with_columns(pl.col("days").fill_null(0))


def _ends(dates: pl.DataFrame, clocks: pl.DataFrame, jumps: pl.DataFrame, marks: pl.DataFrame) -> pl.DataFrame:
    """When the time of each run that dates anything starts and ends, and where midnights are."""
    started, ended = pl.col("started_at").min(), pl.col("ended_at").max()
    dated = dates.group_by("run_id").agg(started, ended)
    is_timed = pl.col("has_start").any() & pl.col("has_end").any()
    marked = marks.group_by("run_id").agg(marked_start=started, marked_end=ended, is_timed=is_timed)
    found = dated.join(_clocked(clocks, jumps), on="run_id", how="full", coalesce=True)
    return found.join(marked, on="run_id", how="left").select(
        "run_id",
        "started_s",
        "ended_s",
        "midnights",
        started_at=pl.coalesce("marked_start", "started_at"),
        ended_at=pl.coalesce("marked_end", "ended_at"),
        is_timed=pl.col("is_timed").fill_null(False),
    )


def _clocked(clocks: pl.DataFrame, jumps: pl.DataFrame) -> pl.DataFrame:
    """When the clocks of each run start and end; `midnights` is null where they tell no time."""
    since_s, before_s = pl.col("since_s"), pl.col("before_s")
    is_back = since_s < 0
    # A clock of the day that goes back by more than half a day went past midnight. One that also goes as far ahead is
    # of two programs about midnight, and one of more than a day is no clock of the day: they tell no time.
    is_untold = (is_back & (before_s >= _DAY_S)).any() | is_back.any() & (since_s > 0).any()
    at = pl.struct("log_id", byte_offset=pl.col("place") & OFFSET_BITS)
    went = (
        jumps.sort("run_id", "log_id", "place")
        .group_by("run_id")
        .agg(midnights=at.filter(is_back), is_untold=is_untold)
    )
    days = jumps.filter(is_back).group_by("run_id", "log_id").agg(days=pl.len())
    ordered = clocks.sort("run_id", "place").join(days, on=["run_id", "log_id"], how="left", maintain_order="left")
    ended_s = pl.col("ended_s") + _DAY_S * pl.col("days").fill_null(0)
    found = (
        ordered.group_by("run_id").agg(pl.col("started_s").first(), ended_s.last()).join(went, on="run_id", how="left")
    )
    is_told = ~pl.col("is_untold").fill_null(False)
    midnights = pl.col("midnights").fill_null([])
    return found.select("run_id", *(pl.when(is_told).then(told) for told in ("started_s", "ended_s", midnights)))


def _dates(part: pl.DataFrame) -> pl.DataFrame:
    at = pl.col("logged_at")
    dated = part[["nth_run", "run_id", "logged_at"]]
    ends = summed(dated, "nth_run", run_id=pl.col("run_id").first(), started_at=at.min(), ended_at=at.max())
    return ends.drop("nth_run").drop_nulls()


def _clocks(clocked: pl.DataFrame) -> pl.DataFrame:
    rows = clocked.with_columns(nth=pl.struct("run_id", "log_id").rle_id()).set_sorted("nth")
    clock = pl.col("clock_s")
    logs = rows.group_by("nth", maintain_order=True).agg(
        pl.col("run_id", "log_id", "place").first(), started_s=clock.first(), ended_s=clock.last()
    )
    return logs.drop("nth")


def _jumps(clocked: pl.DataFrame) -> pl.DataFrame:
    before_s = pl.col("clock_s").shift()
    is_same = (pl.col("run_id") == pl.col("run_id").shift()) & (pl.col("log_id") == pl.col("log_id").shift())
    jumped = clocked.select(
        "run_id", "log_id", "place", before_s=before_s, since_s=pl.when(is_same).then(pl.col("clock_s") - before_s)
    )
    return jumped.filter(pl.col("since_s").abs() > _HALF_A_DAY_S)


def _marked(part: pl.DataFrame, marks: pl.DataFrame) -> pl.DataFrame:
    is_from, is_to = pl.col("label") == pl.col("from_label"), pl.col("label") == pl.col("to_label")
    is_timed = pl.col("logged_at").is_not_null() | pl.col("clock_s").is_not_null()
    named = part.select("run_id", "label", "logged_at", "clock_s").filter(pl.col("label").is_not_null())
    ends = named.join(marks, on="run_id").filter(is_timed & (is_from | is_to))
    return ends.group_by("run_id").agg(
        started_at=pl.col("logged_at").filter(is_from).min(),
        ended_at=pl.col("logged_at").filter(is_to).max(),
        has_start=is_from.any(),
        has_end=is_to.any(),
    )
