"""How often chance fits: fabricated values are accepted no more often than is stated."""

from __future__ import annotations

import random

import pytest

from benchledger.reproducing.chance import SearchCell, at_least, chance_of, fit, search, windows


@pytest.mark.parametrize(
    ("value", "printed", "how"),
    [
        (127.0859, 127.09, "rounded"), (995.8885, 995.88, "cut"), (995.8885, 995.89, "rounded"), (995.8885, 995.87, None),
        (88.5857, 88.58, "cut"), (4207.3560, 4207.36, "rounded"),
    ],
)  # fmt: skip
def test_a_number_fits_rounded_or_cut(value: float, printed: float, how: str | None) -> None:
    assert fit(value, printed, 0.01) == how


def test_at_least_is_binomial() -> None:
    assert at_least([0.5, 0.5, 0.5], 2) == pytest.approx(0.5)
    assert at_least([0.1] * 4, 0) == 1.0
    assert at_least([0.1] * 4, 5) == 0.0


def test_a_number_with_few_digits_proves_nothing() -> None:
    assert chance_of([17.0], 17.0, 0.1) > 0.8
    assert chance_of([1018.4], 1018.4, 0.01) < 0.01


def _moved(value: float, rng: random.Random) -> float:
    return value * (1 + rng.choice((-1, 1)) * rng.uniform(0.0005, 0.004))


def test_fabricated_values_fit_no_more_often_than_stated() -> None:
    rng = random.Random(27)
    accepted = stated = 0.0
    for _ in range(20_000):
        true, step = rng.uniform(100, 5000), rng.choice((0.01, 0.1, 1.0))
        values = [true * (1 + rng.gauss(0, 0.001)) for _ in range(8)]
        printed = round(_moved(true, rng) / step) * step
        accepted += any(fit(value, printed, step) is not None for value in values)
        stated += chance_of(values, printed, step)

    assert 0 < accepted <= stated


def _run(rng: random.Random) -> list[float]:
    speed = rng.uniform(200, 4000)
    return [speed * (1 + rng.gauss(0, 0.01)) * (0.7 if step < 3 else 1) for step in range(60)]


def test_a_rule_that_two_cells_share_is_found_and_one_cell_alone_is_not() -> None:
    rng = random.Random(1)
    cells = []
    for _ in range(4):
        by_rule = windows(_run(rng))
        cells.append(
            SearchCell(
                round(by_rule["mean of the printed rates after the first 7 without the last 3"], 3), 0.001, by_rule
            )
        )

    (found,) = search(cells)
    assert found.cells == (0, 1, 2, 3)
    assert found.rule == "mean of the printed rates after the first 7 without the last 3"
    assert found.chance < 1e-6
    assert found.tried > 300
    assert search(cells[:1]) == []


def test_one_cell_is_not_found_however_many_digits_it_has() -> None:
    rng = random.Random(3)
    by_rule = [windows(_run(rng)) for _ in range(2)]
    rule = "mean of the printed rates after the first 7 without the last 3"
    cells = [SearchCell(round(by_rule[0][rule], 9), 1e-9, by_rule[0]), SearchCell(1234.5, 1e-9, by_rule[1])]

    assert search(cells) == []


@pytest.mark.parametrize("digits", [2, 0])
def test_searches_over_fabricated_tables_find_no_more_than_their_chance(digits: int) -> None:
    rng = random.Random(2)
    runs = [windows(_run(rng)) for _ in range(12)]
    found = 0
    for _ in range(500):
        cells = []
        for by_rule in rng.sample(runs, 4):
            true = by_rule["mean of the printed rates after the first 5"]
            cells.append(SearchCell(round(_moved(true, rng), digits), 10.0**-digits, by_rule))
        found += bool(search(cells))

    # MOST_CHANCE of 500.
    assert found <= 5
