"""The rule model_flops and MFU: worked out by hand from the sizes in the papers, and nothing where a size is unknown."""

from __future__ import annotations

from pathlib import Path

import pytest

import benchledger
from benchledger.errors import NothingFoundError, UsageError
from tests.answers.conftest import Own
from tests.ledger_rows import ledger_rows
from tests.views.conftest import given

H200 = {"gpu_model": "H200"}


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "bench.duckdb"


def flops_of_bert_base(length: int, head_tokens: int) -> float:
    """Each matrix by itself: two FLOPs a weight and token forward, four backward; scores and weighted values likewise."""
    matrices = [(768, 3 * 768), (768, 768), (768, 4 * 768), (4 * 768, 768)] * 12
    head = [(768, 768), (768, 30528)]
    products = sum(6 * a * b * length for a, b in matrices) + sum(6 * a * b * head_tokens for a, b in head)
    return products + 12 * 2 * 6 * length * length * 768


@pytest.mark.parametrize(("options", "head_tokens"), [('{"head":"masked"}', 20), ('{"head":"all"}', 128), (None, 128)])
def test_mfu_is_the_share_that_one_works_out_by_hand(db: Path, options: str | None, head_tokens: int) -> None:
    with ledger_rows(db) as ledger:
        ledger.run(11600.0, gpus=2, precision="bf16", batch_size_per_gpu=96, options=options, environment=H200)

    frame = benchledger.report_speed(db=db, mfu=True).cells
    by_hand = 100 * 5800 * flops_of_bert_base(128, head_tokens) / 989.5e12

    assert frame["unit"].to_list() == ["% of peak"]
    assert frame["value"].to_list() == pytest.approx([by_hand], rel=1e-5)
    # Half of the matrix units' measured rate, 790 TFLOP/s, is a speed of 5,800 with the head on the masked positions.
    assert head_tokens > 20 or by_hand * 989.5 / 790 == pytest.approx(51.3, abs=0.1)


@given(
    lambda ledger: [
        ledger.run(100.0, environment=H200),
        ledger.run(200.0, model="resnet50", environment=H200),
        ledger.run(300.0, environment={"gpu_model": "A card of tomorrow"}),
        # No float holds its FLOP/s.
        ledger.run(1e300, precision="bf16", environment=H200),
    ]
)
def test_a_model_or_gpu_of_unknown_size_has_no_mfu(own: Own) -> None:
    assert len(benchledger.report_speed(**own, mfu=True).cells) == 1
    assert len(benchledger.report_speed(**own).cells) == 4
    with pytest.raises(NothingFoundError, match="no speed of a transformer"):
        benchledger.report_speed(**own, mfu=True, model="resnet50")


def test_a_share_is_not_asked_for_as_a_speed(db: Path) -> None:
    with pytest.raises(UsageError, match="leave out --trials"):
        benchledger.report_speed(db=db, mfu=True, trials=True)
