"""What is kept of the speed of some runs: what their records say, and what rules make of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from benchledger.store.rollups.frames import frame_of, given_frames, sql_of
from benchledger.store.rollups.questions import Question
from benchledger.store.rollups.readings import OF_READING, RANKS, Count, printed, ranks_of
from benchledger.store.rollups.streams import Streams
from benchledger.store.rollups.timings import Timings
from benchledger.store.rollups.windows import answers

if TYPE_CHECKING:
    import duckdb

    from benchledger.store.rollups.frames import ChunkRecords

_PRINTABLE = "select shape_id, ordinal, reading_key, quantity = 'throughput' as is_speed from printable order by all"
_STEPS = "select distinct shape_id from shape where kind = 'step' and phase = 'train'"
_ROUNDS = "select run_id from asked_timing where quantity = 'round'"
_ROUNDED = "select *, rounded(value, reading_rounding, reading_rounding_digits) as told from reading"


class _OnePart:
    """What was made of records, if these came in one part: of several it is made again."""

    def __init__(self) -> None:
        self._parts = 0
        self.frame: pl.DataFrame | None = None

    def see(self, frame: pl.DataFrame) -> None:
        """Takes what was made of a part."""
        self._parts += 1
        self.frame = frame if self._parts == 1 else None


class Speeds:
    """Fills kept_speed for the runs in temp table chunk_run. Their records are counted, asked about, then followed."""

    def __init__(self, con: duckdb.DuckDBPyConnection, longest_list: int, is_long: bool) -> None:
        """Of a stream of more readings than longest_list only the ends are kept one by one.

        `is_long`: runs whose records come in parts.
        """
        self._con, self._longest_list = con, longest_list
        con.execute(sql_of("printable"))
        self._printable = frame_of(con, _PRINTABLE)
        self._steps = frame_of(con, _STEPS)["shape_id"]
        self._rounds = frame_of(con, _ROUNDS)["run_id"]
        self._ranks: list[pl.DataFrame] = []
        self._count, self._count_made = Count(), Count()
        self._timings: Timings | None = None
        self._printed, self._made = _OnePart(), _OnePart()
        # Of a long run every time is made at once that may be asked for: its records are not gone through once more.
        self._early = self._make_timings(self._timed()) if is_long and self._rounds.is_empty() else None

    def count(self, rows: pl.DataFrame) -> None:
        """Takes a part of the records, to know what they print."""
        readings = printed(rows, self._printable)
        self._count.add(readings)
        if not self._rounds.is_empty():
            self._ranks.append(ranks_of(rows, self._rounds, self._steps))
        self._printed.see(readings)
        if self._early is not None:
            self._count_made.add(self._early.of(rows))

    def ask(self, records: ChunkRecords) -> None:
        """Asks the rules, by what was counted. Where rounds are to be made the records are gone through once more."""
        self._list(self._count.result())
        timed = self._timed()
        if not timed.is_empty():
            timings = self._early or self._make_timings(timed)
            if self._early is None:
                for rows in records.parts():
                    made = timings.of(rows)
                    self._count_made.add(made)
                    self._made.see(made)
            self._count_made.add(timings.rest())
            self._list(self._count_made.result().join(timed, on=OF_READING, how="semi"))
            # Of one part only the rest is told again.
            self._timings = timings if self._made.frame is not None else self._make_timings(timed)
        self._con.execute(sql_of("asked"))
        self._con.execute(sql_of("asked_streams").replace("$longest", str(self._longest_list)))
        self._asked = frame_of(self._con, "from stream")
        self._streams = Streams(self._asked)

    def follow(self, rows: pl.DataFrame) -> None:
        """Takes a part of the records again, for what the rules ask of them."""
        again = self._printed.frame
        self._streams.add(printed(rows, self._printable) if again is None else again)
        if self._timings is not None:
            again = self._made.frame
            self._streams.add(self._timings.of(rows) if again is None else again)

    def keep(self) -> None:
        """Writes down what the rules say."""
        if self._timings is not None:
            self._streams.add(self._timings.rest())
        lists, spread = self._streams.lanes(self._rounded)
        questions = [Question(**row) for row in frame_of(self._con, sql_of("questions")).iter_rows(named=True)]
        with given_frames(self._con, answer=answers(lists, spread, self._asked, questions)):
            self._con.execute(sql_of("speeds"))

    def _list(self, counted: pl.DataFrame) -> None:
        if counted.is_empty():
            return
        with given_frames(self._con, counted=counted):
            self._con.execute(sql_of("listed"))

    def _timed(self) -> pl.DataFrame:
        # Before anything is listed: all times that may be asked for.
        return frame_of(self._con, sql_of("timed"))

    def _make_timings(self, timed: pl.DataFrame) -> Timings:
        ranks = pl.concat([pl.DataFrame(schema=RANKS), *self._ranks]).unique().group_by("run_id").agg(ranks=pl.len())
        return Timings(timed, self._steps, ranks)

    def _rounded(self, readings: pl.DataFrame) -> pl.DataFrame:
        with given_frames(self._con, reading=readings):
            return frame_of(self._con, _ROUNDED)
