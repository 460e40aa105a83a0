"""Of two jobs that write into one log at the same time no number is shown: each line may be of either job."""

from collections.abc import Iterable
from itertools import chain, cycle, zip_longest

import pytest

from tests.cli.bench import run_bench
from tests.ingestion.logs import ask, put
from tests.kept.test_restarts import FACTS, LINES, format_of, speeds

# The step and the last line of programs, with the time of a step and the speed.
STEPS = LINES | {
    "timm": "Train: 0 [{n:4}/1251 (  4%)]  Loss: 6.93 (6.94)  Time: {s}s, {rate}.44/s  (0.503s, {rate}.79/s)"
    "  LR: 1.000e-06  Data: 0.010 (0.073)\n",
    "paddle-bert": "tobal step: {n}, epoch: 0, batch: {n}, loss: 10.5, avg_reader_cost: 0.00009 sec, avg_batch_cost: {s} sec,"
    " avg_samples: 96.00000, ips: {rate}.02713 sequences/sec\n",
}  # fmt: skip
ENDS = {
    "ngc-pytorch-bert": (
        ("DLL 2021-05-23 09:03:02.809204 - Training Epoch: 0 Training Iteration: {n}  average_loss : 11.5  step_loss : 11.25"
        "  learning_rate : 0.005 \n"),
        ("DLL 2021-05-23 10:03:02.809204 -  e2e_train_time : 944.5  training_sequences_per_second : {rate}.25"
        "  final_loss : 7.5  raw_train_time : 932.5 \n"),
    ),
    "tf-cnn-benchmarks": ("{n}\timages/sec: {rate}.5 +/- 12.5 (jitter = 3.5)\t7.812\n", "total images/sec: {rate}.25\n"),
    "horovod-synthetic": ("Iter #{n}: {rate}.5 img/sec per GPU\n", "Total img/sec on 1 GPU(s): {rate}.5 +-10.2\n"),
}  # fmt: skip
SLOW, FAST = {"s": "0.412", "rate": 1590}, {"s": "0.251", "rate": 1998}
# As the processes of one job.
NEAR = {"s": "0.413", "rate": 1588}
# Of half the batch size an epoch has twice the steps; or a job prints twice as many of them.
LONGER, CLOSER, LONG = range(10, 190, 10), range(10, 100, 5), range(100, 400, 10)


def steps(line: str, job: dict, numbers: Iterable[int] = range(10, 100, 10)) -> list[str]:
    return [line.format(n=n, **job) for n in numbers]


def alternating(one: list[str], other: list[str]) -> str:
    return "".join(chain(*zip_longest(one, other, fillvalue="")))


def drifting(slow: list[str], fast: list[str]) -> str:
    """From the third step on, the slow job prints a line after two of the fast one, and the rest at the end."""
    order = [slow[0], fast[0], slow[1], fast[1]]
    for at in range(2, len(fast), 2):
        order += [*fast[at : at + 2], slow[1 + at // 2]]
    return "".join(order + slow[1 + len(fast) // 2 :])


def whole(name: str, job: dict, numbers: range = range(10, 100, 10)) -> list[str]:
    step, end = ENDS[name]
    return [*steps(step, job, numbers), end.format(**job)]


@pytest.fixture(scope="module")
def ledger(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rivals")
    put(folder / "logs/facts.toml", FACTS)
    for name, line in STEPS.items():
        put(folder / f"logs/mixed/{name}.log", alternating(steps(line, SLOW), steps(line, FAST)))
        resumed = [*steps(line, SLOW, range(10, 80, 10)), *steps(line, FAST, range(20, 100, 10))]
        put(folder / f"logs/closer/{name}.log", alternating(steps(line, SLOW, CLOSER), steps(line, FAST)))
        put(folder / f"logs/processes/{name}.log", alternating(steps(line, SLOW), steps(line, NEAR)))
        put(folder / f"logs/resumed/{name}.log", "".join(resumed))
        # As processes that wait for each other, of which one measured some steps differently.
        uneven = [steps(line, job, [n])[0] for n, job in zip(LONG, cycle((NEAR, FAST)), strict=False)]
        put(folder / f"logs/lockstep/{name}.log", alternating(steps(line, SLOW, LONG), uneven))
        put(folder / f"logs/long/{name}.log", drifting(steps(line, SLOW, LONG), steps(line, FAST, LONG)))
    for name, (step, end) in ENDS.items():
        put(folder / f"logs/ends/{name}.log", steps(step, SLOW)[0] + end.format(**SLOW) + end.format(**FAST))
        fast, slow = whole(name, FAST), whole(name, SLOW)
        put(folder / f"logs/alternating/{name}.log", alternating(slow, fast))
        put(folder / f"logs/drifting/{name}.log", drifting(slow, fast))
        put(folder / f"logs/longer-end/{name}.log", alternating(whole(name, SLOW, LONGER), fast))
        put(folder / f"logs/near/{name}.log", alternating(slow, whole(name, NEAR)))
        put(folder / f"logs/went-on/{name}.log", "".join(slow + whole(name, FAST, range(100, 200, 10))))
    json = LINES["generic-json-lines"]
    for kind, job in (("kinds", FAST), ("near-kinds", NEAR)):
        other = steps(json.replace('"loss"', '"kd_term"'), job)
        put(folder / f"logs/{kind}.log", alternating(steps(json, SLOW), other))
    batch = "TensorFlow:  1.15\nMode:        training\nBatch size:  {n} global\n"
    settings = alternating(*([*steps(batch, {}, [n]), *whole("tf-cnn-benchmarks", SLOW)] for n in (32, 64)))
    put(folder / "logs/settings.log", settings)
    assert run_bench("ingest", folder / "logs", db=folder / "bench.duckdb").exit_code == 0
    return folder / "bench.duckdb"


def told(first: int, second: int) -> set[tuple]:
    reason = (
        f"lines {first} and {second} state different speeds for the same steps: two jobs may have written into this log"
    )
    return {("ambiguous", True, reason)}


@pytest.mark.parametrize("name", STEPS)
@pytest.mark.parametrize("kind", ["mixed", "closer"])
def test_steps_with_two_speeds_each_are_of_no_run(ledger, kind: str, name: str) -> None:
    count = STEPS[name].count("\n")  # The last of them has the speed.
    if (kind, name) == ("closer", "generic-json-lines"):
        # A number that goes back this often is not taken for a step.
        assert format_of(ledger, f"{kind}/{name}.log") is None
        return

    assert format_of(ledger, f"{kind}/{name}.log") == name
    assert speeds(ledger, f"{kind}/{name}.log") == told(count, 2 * count)


def test_two_kinds_of_lines_with_one_speed_are_compared(ledger) -> None:
    assert speeds(ledger, "kinds.log") == told(1, 2)
    assert ("ok", False, None) in speeds(ledger, "near-kinds.log")


@pytest.mark.parametrize("name", sorted(STEPS.keys() - {"generic-json-lines"}))
def test_a_long_log_of_two_jobs_is_of_no_run(ledger, name: str) -> None:
    assert speeds(ledger, f"long/{name}.log") == told(*(STEPS[name].count("\n") * at for at in (1, 2)))


@pytest.mark.parametrize("name", ENDS)
def test_of_two_ends_none_is_the_speed(ledger, name: str) -> None:
    assert format_of(ledger, f"ends/{name}.log") == name
    assert speeds(ledger, f"ends/{name}.log") == told(2, 3)


@pytest.mark.parametrize("name", ENDS)
@pytest.mark.parametrize("kind", ["alternating", "drifting", "longer-end"])
def test_of_two_jobs_the_one_that_ended_last_is_not_the_run(ledger, kind: str, name: str) -> None:
    (status, is_nothing, reason), *others = speeds(ledger, f"{kind}/{name}.log")

    assert (status, is_nothing, others) == ("ambiguous", True, [])
    assert "two jobs may have written" in reason


@pytest.mark.parametrize("name", STEPS)
@pytest.mark.parametrize("kind", ["processes", "resumed", "lockstep"])
def test_processes_of_a_job_and_a_resumed_job_keep_their_speed(ledger, kind: str, name: str) -> None:
    assert ("ok", False, None) in speeds(ledger, f"{kind}/{name}.log")


@pytest.mark.parametrize("name", ENDS)
@pytest.mark.parametrize("kind", ["near", "went-on"])
def test_ends_of_processes_and_of_a_run_that_went_on_are_no_rivals(ledger, kind: str, name: str) -> None:
    assert ("ok", False, None) in speeds(ledger, f"{kind}/{name}.log")


def test_batch_sizes_of_two_equally_fast_jobs_are_a_contradiction(ledger) -> None:
    question = (
        "select distinct other_value from conflict where name = 'global_batch_size'"
        " and run_id in (select run_id from run_log join sighting using (log_id) where path = 'settings.log')"
    )

    # 256 is that of facts.toml.
    assert sorted(ask(ledger, question)) == [("256",), ("32",), ("64",)]
