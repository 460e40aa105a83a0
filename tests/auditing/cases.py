"""For each check a ledger that breaks it, and one that is as near to it as may be and does not."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from tests.views.conftest import ONE_GPU, START, Ledger, Piece

Make = Callable[[Ledger], object]
# check: (breaks it, does not)
CASES: dict[str, tuple[Make, Make]] = {}


def case(check: str, breaks: Make, sound: Make) -> None:
    """Registers the two ledgers of a check."""
    CASES[check] = (breaks, sound)


def pair(check: str, make: Callable[[Ledger, Any], object], breaks: Any, sound: Any) -> None:
    """Registers the two ledgers of a check that differ in one value."""
    case(check, lambda ledger: make(ledger, breaks), lambda ledger: make(ledger, sound))


def gpus(count: int, **columns: Any) -> dict[str, Any]:
    return {**ONE_GPU, "gpus": count, "global_batch_size": 32 * count, **columns}


def step(**values: tuple[str, float, str | None, str | None]) -> Piece:
    """A step that prints several values: name=(quantity, value, unit, scope)."""
    return Piece("step", tuple((name, q, v, u, s) for name, (q, v, u, s) in values.items()), "train", {"step": 1})


# ---- speeds


def _scaling(ledger: Ledger, speed: float) -> None:
    ledger.run(ledger.summary(100.0), case=gpus(1))
    ledger.run(ledger.summary(speed), case=gpus(8))


pair("speedup_over_gpus", _scaling, breaks=841.0, sound=839.0)
pair("slower_with_more_gpus", _scaling, breaks=99.0, sound=101.0)


def _steps_with_times(ledger: Ledger, told: list[tuple[float, str]]) -> None:
    # 8 GPUs print the speed of one: 32 samples of it in a step.
    for seconds, unit in told:
        printed = step(items_per_s=("throughput", 100.0, unit, "gpu"), cost=("step_time", seconds, "s", None))
        ledger.run(printed, printed, case=gpus(8), format="paddle")


# Items are any number a sample.
pair(
    "speed_against_step_time",
    _steps_with_times,
    breaks=[(0.34, "samples/s")],
    sound=[(0.33, "samples/s"), (34.0, "items/s")],
)


def _by_clock(ledger: Ledger, told: list[tuple[float, str]]) -> None:
    # 1000 samples/s with a global batch of 256: 0.256 s a step.
    for seconds, unit in told:
        steps = [ledger.step(n, at=n * seconds, speed=1000.0, unit=unit, name="items_per_s") for n in range(6)]
        ledger.run(*steps, case=gpus(8))


pair(
    "speed_against_clock",
    _by_clock,
    breaks=[(0.30, "samples/s")],
    sound=[(0.29, "samples/s"), (30.0, "items/s")],
)


def _ngc(ledger: Ledger, steps: int) -> None:
    closing = Piece(
        "summary",
        (
            ("training_sequences_per_second", "throughput", 67584 * 4 / 2127.19, "samples/s", "global"),
            ("raw_train_time", "train_time", 2127.19, "s", None),
        ),
    )
    scales = [Piece("parameter", (("loss_scale", "loss_scale", 2.0**-n, None, None),)) for n in range(2)]
    ledger.run(*scales, closing, case=gpus(1, global_batch_size=67584), steps_done=steps)


# Of the four steps one was skipped: a second loss scale says so.
pair("speed_against_train_time", _ngc, breaks=4, sound=3)


def _two_speeds(ledger: Ledger, others: list[tuple[float, str]]) -> None:
    for speed, unit in others:
        average = ledger.summary(3355.3, name="Average images/sec")
        ledger.run(average, ledger.summary(speed, name="Training performance", unit=unit), case=gpus(8))


# Within a thousandth; that tokens are so many times the samples is chance.
pair(
    "multiplied_twice",
    _two_speeds,
    breaks=[(8 * 3355.3 * 1.0009, "samples/s")],
    sound=[(8 * 3355.3 * 1.0011, "samples/s"), (8 * 3355.3, "tokens/s")],
)


def _precisions(ledger: Ledger, half: float) -> None:
    ledger.run(ledger.summary(100.0), case=gpus(1, precision="fp32"))
    ledger.run(ledger.summary(half), case=gpus(1, precision="fp16"))


pair("fp16_no_faster", _precisions, breaks=104.0, sound=106.0)


def _trials(ledger: Ledger, speed: float) -> None:
    ledger.run(ledger.summary(100.0), case=gpus(1))
    ledger.run(ledger.summary(speed), case=gpus(1))


pair("trials_disagree", _trials, breaks=105.1, sound=104.9)


def _same_trials(ledger: Ledger, speed: float) -> None:
    ledger.run(ledger.summary(127.0859), case=gpus(1))
    ledger.run(ledger.summary(speed), case=gpus(1))


pair("trials_identical", _same_trials, breaks=127.0859, sound=127.0858)


def _processes(ledger: Ledger, gpu_count: int) -> None:
    for number in range(4):
        log = ledger.log(ledger.summary(100.0 + number), campaigns=())
        ledger.sighting(log, "made", path=f"made/gpu{number}/train.log")
        ledger.run(log_id=log, case=gpus(gpu_count), started_at=START + timedelta(seconds=10 * number))


pair("ranks_as_trials", _processes, breaks=4, sound=3)


def _steps_of_speeds(ledger: Ledger, slow: float) -> None:
    speeds = [1.0] * 10 + [100.0] * 16 + [slow] * 4
    ledger.run(*(ledger.step(number, speed=speed) for number, speed in enumerate(speeds)), format="paddle")


pair("unsteady_speed", _steps_of_speeds, breaks=79.0, sound=81.0)


def _claimed(ledger: Ledger, speed: float) -> None:
    ledger.run(ledger.summary(speed), case=gpus(1), campaigns=("perf",))
    claim = {"section": "results", "cell": "gpus=1", "gpus": 1, "logs": "perf/*", "quantity": "speed"}
    ledger.insert("published", source="README", **claim, printed="100.00", value=100.0, unit="samples/s", url="u")


pair("against_published", _claimed, breaks=100.6, sound=100.4)


def _reproduced(ledger: Ledger, verdict: str) -> None:
    ledger.run(ledger.summary(100.0), case=gpus(1))
    row = {"section": "table 1, line 5", "cell": "line 7, column 2", "quantity": "speed", "line": 7, "verdict": verdict}
    found = {"found_value": 100.0, "found_rule": "ngc.summary"}
    ledger.insert("published", source="README.md", **row, **found, printed="90.0", value=90.0, unit="samples/s")


pair("published_contradicted", _reproduced, breaks="contradicted", sound="within")


# ---- values


def _value(name: str, quantity: str, unit: str | None, kind: str = "step") -> Callable[[Ledger, float], object]:
    return lambda ledger, value: ledger.run(Piece(kind, ((name, quantity, value, unit, None),)))


pair("percentage_out_of_range", _value("top5", "accuracy", "%"), breaks=-0.07, sound=0.0)
pair("negative_value", _value("ips", "throughput", "samples/s"), breaks=-3.0, sound=3.0)


def _loss(ledger: Ledger, text: str) -> None:
    _value("loss", "loss", None)(ledger, 9.5)
    # As a parameter DuckDB takes a float that is no number for NULL.
    ledger.write('update kept.record set "values" = [?::double]', text)


pair("loss_not_finite", _loss, breaks="nan", sound="9.25")


def _memory(ledger: Ledger, used: float) -> None:
    ledger.run(ledger.memory(used, device="0"), environment={"gpu_memory_mib": 16384})


pair("memory_over_card", _memory, breaks=16385.0, sound=16384.0)


def _other_program(ledger: Ledger, used: float) -> None:
    ledger.run(ledger.memory(5000.0, device="0"), ledger.memory(used, device="1"), case=gpus(1))


pair("memory_beyond_gpus", _other_program, breaks=1024.0, sound=1023.0)


def _allocator(ledger: Ledger, reserved: float) -> None:
    allocated = ledger.memory(900.0, "memory_allocated", "step", device="0")
    ledger.run(allocated, ledger.memory(reserved, "memory_reserved", "step", device="0"))


pair("reserved_below_allocated", _allocator, breaks=899.0, sound=900.0)


# ---- clocks and copies


def _clock(ledger: Ledger, at: float) -> None:
    ledger.run(ledger.step(1, at=10.0), ledger.step(2, at=at))


pair("clock_backwards", _clock, breaks=8.0, sound=9.0)


def _times(ledger: Ledger, ends: float) -> None:
    ledger.run(ledger.summary(1.0), started_at=START, ended_at=START + timedelta(seconds=ends))


pair("run_time_absurd", _times, breaks=-1.0, sound=1.0)


def _repeated(ledger: Ledger, second: int) -> None:
    ledger.run(*(ledger.step(number, at=10.0, speed=5.0) for number in (1, second)))


pair("records_twice", _repeated, breaks=1, sound=2)


def _names(ledger: Ledger, name: str) -> None:
    log = ledger.log(ledger.summary(1.0), campaigns=())
    ledger.sighting(log, "a", path="a/pytorch_gpu8.log")
    ledger.sighting(log, "b", "duplicate", path="b.tar", archive="b.tar", member=f"b/{name}")


pair("same_bytes_other_name", _names, breaks="pytorch_gpu32.log", sound="pytorch_gpu8.log.gz")


def _seen(ledger: Ledger, status: str) -> None:
    ledger.sighting(None, "a", status)


pair("empty_log", _seen, breaks="empty", sound="unrecognised")


# ---- facts


def _batches(ledger: Ledger, total: int) -> None:
    # Eight GPUs, of which four hold one copy of the model.
    split = {"options": '{"tensor_parallel": 2, "pipeline_parallel": 2}', "gradient_accumulation": 3}
    ledger.run(ledger.summary(1.0), case=gpus(8, global_batch_size=total, **split))


pair("batch_sizes_contradict", _batches, breaks=8 * 32 * 3, sound=2 * 32 * 3)


def _nodes(ledger: Ledger, per_node: int) -> None:
    ledger.run(ledger.summary(1.0), case=gpus(16, nodes=2), environment={"gpus_per_node": per_node})


pair("gpus_contradict", _nodes, breaks=4, sound=8)


def _stated(ledger: Ledger, source: str, value: str) -> None:
    run = ledger.run(ledger.summary(1.0), case=gpus(8))
    ledger.insert("fact", run_id=run, name="gpus", value="8", source="log", used=True)
    ledger.insert("fact", run_id=run, name="gpus", value=value, source=source, used=False)


case("name_against_content", lambda ledger: _stated(ledger, "name", "1"), lambda ledger: _stated(ledger, "name", "8"))
case("facts_contradict", lambda ledger: _stated(ledger, "sidecar", "1"), lambda ledger: _stated(ledger, "name", "1"))
pair("case_incomplete", lambda ledger, n: ledger.run(ledger.summary(1.0), case=gpus(8) | {"gpus": n}), None, 8)


def _campaign(ledger: Ledger, campaign: str | None) -> None:
    ledger.run(ledger.summary(1.0), campaigns=(campaign,))


pair("no_campaign", _campaign, breaks=None, sound="c")


def _no_speed(ledger: Ledger, status: str) -> None:
    ledger.run(ledger.step(1), status=status)


pair("finished_without_speed", _no_speed, breaks="ok", sound="failed")


def _drivers(ledger: Ledger, other: str | None) -> None:
    for driver in ("550.90", other):
        ledger.run(ledger.summary(1.0), environment={"gpu_model": "H200", "driver_version": driver})


pair("series_mixed", _drivers, breaks="560.35", sound=None)


def _stated_trials(ledger: Ledger, trial: int) -> None:
    for number in (1, trial):
        ledger.run(ledger.summary(1.0), trial=number)


pair("trial_stated_twice", _stated_trials, breaks=1, sound=2)


# ---- what was read and stored


def _rejected(ledger: Ledger, count: int) -> None:
    log = ledger.log(ledger.summary(1.0))
    for line in range(count):
        ledger.insert("reject", log_id=log, line=line + 1, byte_offset=0, reason="no number", text="speed: x")


pair("pieces_rejected", _rejected, breaks=1, sound=0)


def _told(ledger: Ledger, text: str) -> None:
    run = ledger.run(ledger.summary(1.0))
    ledger.insert("fact", run_id=run, name="image", value=text, source="log", line=1, used=False)


kept = "CUDA 11.0.3.1 on ip-1f2e3d4c, master 127.0.0.1"
pair("private_text", _told, breaks="made on 10.78.119.14", sound=kept)


def _stored(ledger: Ledger, statement: str) -> None:
    ledger.run(ledger.summary(1.0))
    ledger.write(statement)


pair("inconsistent", _stored, breaks="delete from bench_case", sound="update sighting set modified_at = null")
