"""What is taken out of the lists of values that records print."""

import polars as pl
import pytest

from benchledger.store.rollups.readings import values_of

RECORDS = [(1, [1.5, 2.5]), (2, [3.5]), (1, [4.5]), (3, [5.5]), (1, None), (2, []), (1, [None, 6.5]), (1, [7.5, 8.5])]
ROWS = pl.DataFrame(
    [(at, *record) for at, record in enumerate(RECORDS)],
    {"at": pl.Int64, "shape_id": pl.Int64, "values": pl.List(pl.Float64)},
    orient="row",
)
FIRST, SECOND = [(0, "a", 1.5), (2, "a", 4.5), (7, "a", 7.5)], [(0, "b", 2.5), (6, "b", 6.5), (7, "b", 8.5)]
OTHER = [(1, "c", 3.5)]


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ([(1, 1, "a")], FIRST),
        ([(1, 1, "a"), (1, 2, "b")], sorted(FIRST + SECOND)),
        ([(1, 1, "a"), (1, 2, "b"), (2, 1, "c")], sorted(FIRST + SECOND + OTHER)),
        ([(2, 1, "c"), (4, 1, "d")], OTHER),
        ([(4, 1, "d")], []),
        ([], []),
    ],
)
def test_values_that_are_there_stand_in_the_order_of_records_whichever_shapes_tell_something(said, expected):
    told = pl.DataFrame(said, {"shape_id": pl.Int64, "ordinal": pl.Int32, "name": pl.String}, orient="row")

    assert values_of(ROWS, told, "at").rows() == expected
    assert values_of(ROWS, told, "at").schema == {"at": pl.Int64, "name": pl.String, "value": pl.Float64}
