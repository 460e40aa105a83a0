"""A step that is printed in micro steps, one line each, counts once: by their times together."""

import json
import subprocess
import sys
from itertools import chain, product
from pathlib import Path

import duckdb
import pytest

from benchledger.kept.statements import sql_of
from tests.cli.bench import run_bench
from tests.ingestion.logs import ask, put
from tests.kept.test_restarts import speeds
from tests.proportion import assert_in_proportion

FACTS = "[case]\ngpus = 1\nglobal_batch_size = 120\n"
OWN = """
format = "toy"
version = 1
anchors = ["toy step "]
detect.proof = [["toy step ", " micro ", " loss "]]
record = [
    { name = "step", kind = "step", templates = ["toy step {step:int} micro {micro:int}/4 loss {loss:float} at {logged_at:time}"] },
]
field = [{ name = "micro", quantity = "micro_step" }, { name = "loss", quantity = "loss" }]

[[sample]]
text = "toy step 5 micro 2/4 loss 2.5 at 2026-01-02 03:00:01.250"
expect = [{ record = "step", logged_at = "2026-01-02 03:00:01.250", step = 5, micro = 2, loss = 2.5 }]
"""
RECORDS = """
create schema kept;

create table kept.shape as
select *, 'step' as kind, 'train' as phase, quantity as name, 'global' as scope
from (values (1, 1, 'micro_step', null), (1, 2, 'step_time', 's')) as shape (shape_id, ordinal, quantity, unit);

create table again (run_id bigint, place bigint);

create table claimed_record as
select
    1 as run_id, 0 as part, 1 as shape_id, null::integer as rank, null::bigint as epoch, nth // 4 as step,
    nth * 64 as place, [nth % 4, 0.5]::double[] as "values"
from range({lines}) as line (nth)
"""
# The optimizer's turn is behind the last micro step: a step takes 0.5 s, and has 120 samples.
TIMES = (0.1, 0.1, 0.1, 0.2)


def lines(name: str, values: list[float], steps: range = range(1, 41)) -> list[str]:
    return [
        json.dumps({"step": step, "micro_step": micro, "loss": 5 / step, name: value}) + "\n"
        for step, (micro, value) in product(steps, enumerate(values, start=1))
    ]


def numbered(steps: range, of_step: int, first: int = 0) -> list[str]:
    """A line a step, with the number of micro steps since the start."""
    return [
        line.replace('"micro_step": 1', f'"micro_step": {first + of_step * step}')
        for step, line in zip(steps, lines("step_time_s", [0.5], steps), strict=True)
    ]


def dated() -> str:
    """A step each second, whose last micro step takes as long as two others."""
    return "".join(
        f"toy step {step} micro {micro}/4 loss {5 / step} at 2026-01-02 03:00:{step + sum(TIMES[:micro]) * 2:06.3f}\n"
        for step, micro in product(range(1, 41), range(1, 5))
    )


@pytest.fixture(scope="module")
def ledger(tmp_path_factory):
    folder = tmp_path_factory.mktemp("micro")
    times, rates = list(TIMES), [30 / time for time in TIMES]
    logs = {
        "times": lines("step_time_s", times),
        "rates": lines("samples_per_second", rates),
        "cut": lines("step_time_s", times)[:-2],
        "ranks": [
            line.replace('"loss": ', f'"loss": {rank}') for line in lines("step_time_s", times) for rank in (1, 2)
        ],
        # Lines of four ranks that are not named; the size of a micro batch is not its number.
        "size": [
            line.replace('"micro_step": 1', f'"micro_batch": 8, "x": {rank}')
            for line in lines("step_time_s", [0.5])
            for rank in range(4)
        ],
        "cumulative": lines("step_time_s", [0.5]),
        "rivals": list(chain(*zip(lines("step_time_s", times), lines("step_time_s", [0.3] * 4), strict=True))),
        # The last micro step of a step prints more, with what the optimizer did.
        "norms": [
            line.replace('"micro_step": 4', '"micro_step": 4, "grad_norm": 1.5') for line in lines("step_time_s", times)
        ],
        # As DeepSpeed counts them; step 20 is printed again when the run is resumed.
        "resumed": numbered(range(1, 21), 4) + numbered(range(20, 41), 4, -76),
        "other": numbered(range(1, 41), 4) + numbered(range(1, 41), 8),
        "epochs": [line.replace('{"step"', '{"epoch": 3000, "step"') for line in lines("step_time_s", [0.1, 0.2] * 4)],
        "twice": [*lines("step_time_s", times), *lines("step_time_s", [time + 0.001 for time in times])],
    }
    put(folder / "logs/facts.toml", FACTS)
    for name, found in logs.items():
        put(folder / f"logs/{name}.jsonl", "".join(found))
    assert run_bench("ingest", folder / "logs", db=folder / "bench.duckdb").exit_code == 0
    return folder / "bench.duckdb"


def speed(ledger, path: str, rule: str = "steps.median_skip20") -> list[tuple]:
    question = (
        "select round(value, 6), unit, records_used from run_speed where phase = 'train' and rule = ?"
        " and run_id in (select run_id from run_log join sighting using (log_id) where path = ?)"
    )
    return ask(ledger, question, rule, path)


@pytest.mark.parametrize(
    ("path", "used"),
    [
        ("times.jsonl", 20), ("rates.jsonl", 20), ("cut.jsonl", 19), ("ranks.jsonl", 20), ("norms.jsonl", 20),
        ("resumed.jsonl", 21),
    ],
)  # fmt: skip
def test_the_speed_is_that_of_whole_steps(ledger, path: str, used: int) -> None:
    assert speed(ledger, path) == [(240.0, "samples/s", used)]


def test_the_time_from_step_to_step_is_not_that_from_line_to_line(tmp_path, monkeypatch) -> None:
    put(tmp_path / "own/ingest/formats/toy.toml", OWN)
    put(tmp_path / "logs/facts.toml", FACTS)
    put(tmp_path / "logs/dated.log", dated())
    monkeypatch.setenv("BENCH_DEFINITIONS", str(tmp_path / "own"))
    # This process knows the shipped formats only.
    subprocess.run(
        [Path(sys.executable).with_name("bench"), "--db", "bench.duckdb", "ingest", "logs"], cwd=tmp_path, check=True
    )

    # One step in a second.
    assert speed(tmp_path / "bench.duckdb", "dated.log") == [(120.0, "samples/s", 19)]


def test_one_line_per_step_is_a_whole_step(ledger) -> None:
    assert speed(ledger, "cumulative.jsonl") == [(240.0, "samples/s", 20)]
    assert speed(ledger, "size.jsonl") == [(240.0, "samples/s", 80)]


def test_micro_steps_of_two_jobs_or_of_two_runs_are_of_none(ledger) -> None:
    ((status, is_nothing, reason),) = speeds(ledger, "rivals.jsonl")

    assert (status, is_nothing) == ("ambiguous", True)
    assert "two jobs may have written" in reason
    assert speeds(ledger, "twice.jsonl") == {
        ("ambiguous", True, "the steps begin again at line 161: a second run may begin there")
    }
    assert speeds(ledger, "other.jsonl") == {
        ("ambiguous", True, "the steps begin again at line 41: a second run may begin there")
    }


def test_micro_steps_of_a_late_epoch_are_no_two_jobs(ledger) -> None:
    assert speed(ledger, "epochs.jsonl") == [(100.0, "samples/s", 20)]


def test_the_times_of_micro_steps_make_no_minutes(ledger) -> None:
    question = "select distinct seconds from run_convergence where run_id in (select run_id from run_log join sighting using (log_id) where path = 'times.jsonl')"

    assert ask(ledger, question) == [(None,)]


def test_explain_says_where_the_other_lines_are(ledger) -> None:
    found = run_bench("explain", "--rule", "steps.median_skip20", "--name", "*", db=ledger)

    assert "120 dropped: counted with the last line of its step" in found.stdout


def test_many_micro_steps_cost_time_in_proportion() -> None:
    def count(lines: int) -> None:
        with duckdb.connect() as con:
            con.execute(RECORDS.format(lines=lines))
            con.execute(sql_of("micro_steps"))

    assert_in_proportion(count, 10_000, 80_000)
