"""Two series never share a cell: tables split, then rows, and say by what."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchledger import report_speed
from tests.answers.conftest import Own
from tests.ledger_rows import LedgerRows, ledger_rows
from tests.views.conftest import given


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "bench.duckdb"


@pytest.mark.parametrize(
    ("column", "value", "other"),
    [
        ("campaign", "a", "b"),
        ("framework", "pytorch", "mxnet"),
        ("implementation", "ngc", "hf"),
        ("task", "squad", "ner"),
    ],
)
def test_tables_split_by_what_must_never_be_side_by_side(db: Path, column: str, value: str, other: str) -> None:
    with ledger_rows(db) as ledger:
        ledger.run(1.0, **{column: value})  # type: ignore[arg-type]
        ledger.run(2.0, **{column: other})  # type: ignore[arg-type]

    report = report_speed(db=db)

    assert report.split_by == (column,)
    assert sorted(cell for table in report.tables for cell in table.frame["FP32(BS=32)"]) == ["1.00", "2.00"]


def two_gpu_models_and_units(ledger: LedgerRows) -> None:
    tokens = ledger.shape("summary", name="tokens", quantity="throughput", unit="tokens/s")
    ledger.run(1.0)
    ledger.run(2.0, environment={"gpu_model": "H200"})
    ledger.run(3.0, environment={"gpu_model": "H200"}, gpus=8, shape_id=tokens)


@given(two_gpu_models_and_units)
def test_tables_split_by_gpu_model_and_unit(own: Own) -> None:
    report = report_speed(**own)

    assert report.split_by == ("gpu_model", "unit")
    assert [table.frame["FP32(BS=32)"].to_list() for table in report.tables] == [["2.00"], ["3.00"], ["1.00"]]


@given(
    lambda ledger: [
        ledger.run(1.0, seq_len=128),
        ledger.run(2.0, seq_len=512),
        ledger.run(3.0, seq_len=512, environment={"framework_version": "1.6"}, gpus=8),
    ]
)
def test_rows_split_by_exactly_the_columns_in_which_series_of_one_cell_differ(own: Own) -> None:
    table = report_speed(**own).tables[0]

    assert table.rows_split_by == ("seq_len",)
    assert table.frame.columns == ["gpus", "seq_len", "FP32(BS=32)"]
    assert table.frame.rows() == [("1", "128", "1.00"), ("1", "512", "2.00"), ("8", "512", "3.00")]


ENVIRONMENTS = {"framework_version": ("1", "2"), "implementation_version": ("1", "2"), "gpu_memory_mib": (16384, 32768)}


@given(
    lambda ledger: [
        ledger.run(speed, campaign=column, environment={column: value})
        for column, values in ENVIRONMENTS.items()
        for speed, value in enumerate(values, start=1)
    ]
)
@pytest.mark.parametrize("column", ENVIRONMENTS)
def test_rows_split_by_an_environment_that_differs(given_all: Path, column: str) -> None:
    value, other = ENVIRONMENTS[column]
    table = report_speed(db=given_all, campaign=column).tables[0]

    assert table.rows_split_by == (column,)
    assert table.frame.rows() == [("1", str(value), "1.00"), ("1", str(other), "2.00")]


def with_and_without_accumulation(ledger: LedgerRows) -> None:
    # README 000: with 1 GPU every column has its own accumulation, and one row all the same; with 32 GPUs each batch
    # size was run with and without.
    ledger.readme_000()
    for batch_size, accumulation, speed in [(32, 66, 3973.97), (48, 44, 3900.0), (32, 1, 3100.0), (48, 1, 3179.96)]:
        case = {"batch_size_per_gpu": batch_size, "gradient_accumulation": accumulation}
        ledger.run(speed, gpus=32, nodes=4, global_batch_size=32 * batch_size * accumulation, **case)


@given(with_and_without_accumulation)
def test_accumulation_splits_only_the_row_that_needs_it(own: Own) -> None:
    table = report_speed(**own).tables[0]

    assert table.rows_split_by == ("global_batch_size", "gradient_accumulation")
    assert [row[:5] for row in table.frame.rows()] == [
        ("1", "67584", "various", "127.09", "126.48"),
        ("8", "67584", "various", "1018.40", "1012.80"),
        ("32", "various", "1", "3100.00", "3179.96"),
        ("32", "67584", "various", "3973.97", "3900.00"),
    ]


def cases_with_and_without_each_fact(ledger: LedgerRows) -> None:
    speed = 0.0
    for gpus in (1, None):
        for precision in ("fp32", None):
            for options in (None, '{"a": 1}'):
                for accumulation in (None, 1, 4):
                    speed += 1
                    case = {"gpus": gpus, "precision": precision, "options": options}
                    ledger.run(speed, gradient_accumulation=accumulation, **case)


@given(cases_with_and_without_each_fact)
def test_no_series_is_lost_by_the_layout(own: Own) -> None:
    report = report_speed(**own)

    cells = [cell for table in report.tables for row in table.frame.rows() for cell in row if cell.endswith(".00")]
    assert sorted(map(float, cells)) == [float(number) for number in range(1, 25)]


@given(
    lambda ledger: ledger.run(1.0, gpus=None, precision=None, batch_size_per_gpu=None, environment={"gpu_model": None})
)
def test_what_nobody_stated_is_unknown(own: Own) -> None:
    table = report_speed(**own).tables[0]

    assert table.facts["gpu_model"] is None
    assert table.frame.to_dicts() == [{"gpus": "unknown", "UNKNOWN(BS=unknown)": "1.00"}]
