"""The records of some runs as polars frames, in the order in which each run printed them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import duckdb
    import polars as pl
    import pyarrow as pa

# So many records of a long run at a time.
PART_RECORDS = 200_000
# A place is the place of a record's log, and in these bits its offset in it.
OFFSET_BITS = (1 << 44) - 1
COLUMNS = (
    "run_id", "part", "place", "log_id", "line", "shape_id", "step", "epoch", "rank", "device", "label", "logged_at",
    "clock_s", "values",
)  # fmt: skip


class Arrived(Protocol):
    """Records that this transaction writes, and that are still at hand."""

    def has(self, log_ids: list[int]) -> bool:
        """Whether all of these logs are among them."""

    def frames(self, log_ids: list[int], lines: tuple[int, int] | None = None) -> Iterator[pl.DataFrame]:
        """Those of some logs, each log's in the order of its bytes; columns as those of table record.

        What has none of these lines, the first and the last, may be left out.
        """

    def inserting(self) -> AbstractContextManager[Callable[[], bool]]:
        """Some of them are inserted while what is within runs, which must not ask the connection anything.

        What it gives says whether that still goes on.
        """

    def insert_rest(self) -> None:
        """Inserts all that are not yet in the table."""


class ChunkRecords:
    """The records of the runs in temp tables chunk_run and chunk_claim (claims.sql), each as often as a run claims it.

    `source` is where they stand: a table, or a query in parentheses, or what has just arrived. `is_long`: runs that
    are read in parts, each time anew; else all are kept in memory.
    """

    def __init__(self, con: duckdb.DuckDBPyConnection, source: str | Arrived, is_long: bool) -> None:
        self._con, self._source, self.is_long = con, source, is_long
        self._kept: pl.DataFrame | None = None
        self._claims = frame_of(con, sql_of("frame_claims"))
        has_twins = self._claims["is_twin"].any()
        self._only = frame_of(con, sql_of("frame_only")) if has_twins else self._claims.clear()

    def inserting(self) -> AbstractContextManager[Callable[[], bool]]:
        """If they have just arrived, some are inserted while what is within goes through `parts` and asks no more."""
        return nullcontext(lambda: False) if isinstance(self._source, str) else self._source.inserting()

    def parts(self) -> Iterator[pl.DataFrame]:
        """Frames of COLUMNS: a run's rows one after another in the order of `place`; a long run goes on in the next.

        part is 0 in the log that the run's numbers come from, 1 of what only its twin has, null of what tells nothing
        of its speed (telemetry). place is one number to order a run's records by: its logs' parts, then its logs, then
        the bytes of a log (16 TB of it). Between two parts of a long run nothing else may be asked of the connection.
        """
        if self.is_long:
            yield from self._long_parts()
            return
        if self._kept is None:
            self._kept = _in_order(_claimed(self._rows(), self._claims, self._only))
        yield self._kept

    def _rows(self) -> pl.DataFrame:
        import polars as pl

        if isinstance(self._source, str):
            return frame_of(self._con, sql_of("frame_rows").replace("$record", self._source))
        found = list(self._source.frames(self._claims["log_id"].unique().to_list()))
        # Of no records there is nothing that says what their columns are.
        return pl.concat(found) if found else frame_of(self._con, sql_of("frame_rows").replace("$record", "record"))

    def _long_parts(self) -> Iterator[pl.DataFrame]:
        for claim in self._claims.sort("run_id", "log_place", "first_line").iter_slices(1):
            log_id, *lines = claim.select("log_id", "first_line", "last_line").row(0)
            if isinstance(self._source, str):
                frames = self._asked(self._source, [log_id, *lines])
            else:
                frames = self._source.frames([log_id], (lines[0], lines[1]))
            for rows in frames:
                for part in rows.iter_slices(_alike(rows.height)):
                    yield _claimed(part, claim, self._only)

    def _asked(self, source: str, own: list[int]) -> Iterator[pl.DataFrame]:
        is_sorted = self._con.execute(sql_of("frame_order").replace("$record", source), own).fetchall()[0][0]
        statement = sql_of("frame_log" if is_sorted else "frame_log_sorted").replace("$record", source)
        for batch in self._con.execute(statement, own).to_arrow_reader(PART_RECORDS):
            yield framed(batch)


def _alike(rows: int) -> int:
    # Parts of about one size: what is asked of a part takes its time of the smallest too.
    parts = max(round(rows / PART_RECORDS), 1)
    return max(-(-rows // parts), 1)


def _claimed(rows: pl.DataFrame, claims: pl.DataFrame, only: pl.DataFrame) -> pl.DataFrame:
    import polars as pl

    is_within = pl.col("line").is_between("first_line", "last_line")
    if claims.height == 1:
        # All are of the one log: nothing needs to be looked for.
        found = rows.hstack(repeated(claims.drop("log_id"), rows.height))
        found = chosen(found, is_within)
    else:
        # The lists of values are not joined: each would be copied.
        numbered = rows.select("log_id", "line").with_row_index("at")
        each = numbered.join(claims, on="log_id", maintain_order="left").filter(is_within)
        at = each["at"]
        are_all_once = at.equals(numbered["at"])
        found = (rows if are_all_once else rows[at]).hstack(each.drop("at", "log_id", "line"))
    if claims["is_twin"].any():
        is_only = pl.struct("log_id", "byte_offset").is_in(only.to_struct().implode())
        found = chosen(found, ~pl.col("is_twin") | is_only)
    if claims["devices"].count():
        # A record without a device counts for every claim.
        given = pl.col("devices").is_null() | pl.col("device").is_null()
        found = chosen(found, given | pl.col("devices").list.contains(pl.col("device")))
    return found.with_columns(place=pl.col("log_place") + pl.col("byte_offset")).select(COLUMNS)


def chosen(rows: pl.DataFrame, by: pl.Expr) -> pl.DataFrame:
    """The rows of which something is so: where it is of all, they are not copied."""
    is_chosen = rows.select(by).to_series()
    return rows if is_chosen.all(ignore_nulls=False) else rows.filter(is_chosen)


def are_alike(rows: pl.DataFrame, *columns: str) -> bool:
    """Whether there are rows, and all say the same in some columns of numbers: such need not be grouped by these."""
    given = [rows[name] for name in columns]
    return rows.height > 0 and all(one.min() == one.max() and not one.null_count() for one in given)


def repeated(row: pl.DataFrame, times: int) -> pl.DataFrame:
    """One row so many times."""
    import polars as pl

    return pl.DataFrame([column.new_from_index(0, times) for column in row])


def copied(rows: pl.DataFrame) -> pl.DataFrame:
    """The same few rows apart: a piece of a part, which is kept, would hold all of it in memory."""
    import polars as pl

    return rows[pl.int_range(rows.height, eager=True)]


def summed(rows: pl.DataFrame, of: str, **sums: pl.Expr) -> pl.DataFrame:
    """One row for each number in column `of`, as these come, with what its rows come to: each sum is one value."""
    import polars as pl

    if are_alike(rows, of):
        # The first of a column is a piece of it.
        return copied(rows.select(pl.col(of).first(), **sums))
    return rows.group_by(of, maintain_order=True).agg(**sums)


def _in_order(found: pl.DataFrame) -> pl.DataFrame:
    # Most logs stand as they were read.
    return found if stands(found, "run_id", "place") else found.sort("run_id", "place", maintain_order=True)


def stands(rows: pl.DataFrame, of: str, place: str) -> bool:
    """Whether the rows of each `of` stand together, in the order of their places."""
    import polars as pl

    follows = pl.col(of) == pl.col(of).shift()
    falls = follows & (pl.col(place) < pl.col(place).shift())
    return not rows.select(falls.any() | (1 + (~follows).sum() > pl.col(of).n_unique())).item()


def framed(table: pa.Table | pa.RecordBatch) -> pl.DataFrame:
    """An Arrow table as a frame."""
    import polars as pl

    frame = pl.from_arrow(table)
    assert isinstance(frame, pl.DataFrame), "a table is a frame"
    return frame


def frame_of(con: duckdb.DuckDBPyConnection, statement: str) -> pl.DataFrame:
    """What a statement answers."""
    return framed(con.execute(statement).to_arrow_table())


def quotient(number: pl.Expr, by: pl.Expr | float) -> pl.Expr:
    """A finite number divided as SQL does: polars multiplies by a constant's reciprocal, which is a last bit off."""
    return number / (number * 0 + by)


@contextmanager
def given_frames(con: duckdb.DuckDBPyConnection, **frames: pl.DataFrame) -> Iterator[None]:
    """Lets statements read frames by these names, each once: DuckDB would keep a table until the transaction ends."""
    import pyarrow as pa

    for name, frame in frames.items():
        rows = frame.to_arrow()
        con.register(name, pa.RecordBatchReader.from_batches(rows.schema, iter(rows.to_batches())))
    try:
        yield
    finally:
        for name in frames:
            con.unregister(name)


def sql_of(name: str) -> str:
    """A statement of this folder."""
    return Path(__file__).with_name(f"{name}.sql").read_text(encoding="utf-8")
