"""For each check a ledger that breaks it, and one that is as near to it as may be and does not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.views.conftest import ONE_GPU, Ledger

Make = Callable[[Ledger], object]
# check: (breaks it, does not)
CASES: dict[str, tuple[Make, Make]] = {}


def case(check: str, sound: Make) -> Callable[[Make], Make]:
    """Registers a function that breaks a check, beside one that does not."""

    def register(breaks: Make) -> Make:
        CASES[check] = (breaks, sound)
        return breaks

    return register


def gpus(count: int, **columns: Any) -> dict[str, Any]:
    return {**ONE_GPU, "gpus": count, "global_batch_size": 32 * count, **columns}


def _scaling(ledger: Ledger, speed: float) -> None:
    ledger.run(ledger.summary(100.0), case=gpus(1))
    ledger.run(ledger.summary(speed), case=gpus(8))


@case("speedup_over_gpus", sound=lambda ledger: _scaling(ledger, 839.0))
def _faster_than_its_gpus(ledger: Ledger) -> None:
    _scaling(ledger, 841.0)


@case("clock_backwards", sound=lambda ledger: ledger.run(ledger.step(1, at=10.0), ledger.step(2, at=9.0)))
def _backwards(ledger: Ledger) -> None:
    ledger.run(ledger.step(1, at=10.0), ledger.step(2, at=8.0))


def _text(ledger: Ledger, text: str) -> None:
    run = ledger.run(ledger.summary(1.0))
    ledger.insert("fact", run_id=run, name="image", value=text, source="log", line=1, used=False)


@case("private_text", sound=lambda ledger: _text(ledger, "CUDA 11.0.3.1 on node address-1f2e3d4c5b6a7988, 127.0.0.1"))
def _address(ledger: Ledger) -> None:
    _text(ledger, "made on 10.78.119.14")
