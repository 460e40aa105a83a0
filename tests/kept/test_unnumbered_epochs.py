"""Epochs that no line numbers are one run if the loss goes on; a second run in the log begins with the loss of the first."""

import pytest

from tests.cli.bench import run_bench
from tests.ingestion.logs import put
from tests.kept.test_restarts import FACTS, LINES, runs, speeds

STEPS = 12


def epoch(
    at: int, steps: int = STEPS, *, falls: float = 0.9, speed: float = 1.0, start: float = 1.0, noise: float = 0.0
) -> list[tuple[float, float]]:
    """The loss, relative to that of a beginning, and the speed of each step; the speed of the first is `start` times it."""
    return [
        (falls ** (at * STEPS + n), speed * (start if n == 0 else 1 - noise * ((n + at) % 4 == 1)))
        for n in range(steps)
    ]


def text(name: str, *epochs: list[tuple[float, float]]) -> str:
    line = (
        LINES[name]
        .replace("5.125000", "{loss:.6f}")
        .replace('"loss": 2.5', '"loss": {loss:.6f}')
        .replace("9.1250", "{loss:.4f}")
    )
    return "".join(
        line.format(n=n, loss=8 * loss, s=f"{0.25 / speed:.4f}", rate=round(5000 * speed))
        for one in epochs
        for n, (loss, speed) in enumerate(one, start=1)
    )


WHOLE = {
    "epochs": [epoch(0), epoch(1), epoch(2)],
    "two": [epoch(0), epoch(1)],
    "cut": [epoch(0, start=0.3), epoch(1, start=0.9), epoch(2, 5)],
    # Two jobs would state such speeds at once.
    "noisy": [epoch(at, noise=0.2) for at in range(8)],
}
MIXED = {
    "trials": [epoch(0), epoch(0), epoch(0)],
    "epochs-of-trials": [epoch(0), epoch(1), epoch(0), epoch(1)],
    "flat": [epoch(at, falls=0.999) for at in range(3)],
    "slower": [epoch(0), epoch(1, speed=0.8)],
    "longer": [epoch(0), epoch(1, STEPS + 1)],
    "low-start": [epoch(0), [(0.3, 1.0), *epoch(0)[1:]]],
    "started-again": [epoch(0, start=0.3), epoch(1, start=0.4)],
}
PROGRAMS = ["generic-json-lines", "llm-c", "nanogpt"]


@pytest.fixture(scope="module")
def ledger(tmp_path_factory):
    folder = tmp_path_factory.mktemp("epochs")
    put(folder / "logs/facts.toml", FACTS)
    for name in PROGRAMS:
        for kind, epochs in (WHOLE | MIXED).items():
            put(folder / f"logs/{kind}/{name}.log", text(name, *epochs))
    assert run_bench("ingest", folder / "logs", db=folder / "bench.duckdb").exit_code == 0
    return folder / "bench.duckdb"


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("kind", WHOLE)
def test_epochs_are_one_run_if_the_loss_goes_on(ledger, kind: str, name: str) -> None:
    assert ("ok", False, None) in speeds(ledger, f"{kind}/{name}.log")
    # Nothing tells how many steps an epoch has.
    assert runs(ledger, "run", "status, steps_done", f"{kind}/{name}.log") == [("unknown", None)]


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("kind", MIXED)
def test_a_second_run_looks_like_an_epoch_but_for_its_loss_speed_or_length(ledger, kind: str, name: str) -> None:
    assert speeds(ledger, f"{kind}/{name}.log") == {
        ("ambiguous", True, f"the steps begin again at line {STEPS + 1}: a second run may begin there")
    }


@pytest.mark.parametrize(("pause", "status"), [(0, "truncated"), (2, "truncated"), (9, "ambiguous"), (-3, "ambiguous")])
def test_without_a_falling_loss_the_time_between_the_epochs_tells(tmp_path, pause: int, status: str) -> None:
    line = " [2023-12-01 10:{minute:02}:{second:02}]" + LINES["megatron-gpt"]
    times = [at + (at // STEPS) * (pause - 1) + 60 for at in range(3 * STEPS)]
    log = "".join(
        line.format(n=1 + at % STEPS, s=250, rate=5000, minute=time // 60, second=time % 60)
        for at, time in enumerate(times)
    )
    put(tmp_path / "logs/facts.toml", FACTS)
    put(tmp_path / "logs/run.log", log)
    assert run_bench("ingest", tmp_path / "logs", db=tmp_path / "bench.duckdb").exit_code == 0

    assert {found for found, *_ in speeds(tmp_path / "bench.duckdb", "run.log")} == {status}


def test_epochs_of_two_lines_are_not_those_of_ranks(tmp_path) -> None:
    losses = [[(0.98 ** (2 * at + n), 1.0) for n in range(2)] for at in range(20)]
    put(tmp_path / "logs/facts.toml", FACTS)
    put(tmp_path / "logs/run.log", text("llm-c", *losses).replace("step 2/", "step 50/"))
    assert run_bench("ingest", tmp_path / "logs", db=tmp_path / "bench.duckdb").exit_code == 0

    used = runs(tmp_path / "bench.duckdb", "run_speed", "rule, records_used", "run.log")
    assert ("steps.median_skip20", 20) in used
