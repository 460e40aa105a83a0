"""A closing speed of all planned steps, in the time of some, is no speed of a run that was resumed or ended early."""

import json

import pytest

from benchledger import ingest
from tests.ingestion.logs import ask, put

# Each step is 16 samples and takes 0.1 s: 160 samples/s.
STEPS = 200
REFUSED = (None, "ambiguous")
SETTINGS = """***** Running training *****
  Instantaneous batch size per device = 16
  Total train batch size (w. parallel, distributed & accumulation) = 16
  Gradient Accumulation steps = 1
  Total optimization steps = 200
  Number of trainable parameters = 21,176,320
"""
RESUMED = (
    "  Continuing training from checkpoint, will skip to saved global_step\n  Continuing training from global step {}\n"
)
PADDLE = "[2023-06-01 10:00:00,000] [    INFO] - "
MASK = "DLL 2020-11-04 00:03:24.087313 - "


def steps(first: int, last: int = STEPS, *, salt: float = 0.0) -> str:
    return "".join(
        f"{{'loss': {2.5 - step / 100 + salt:.4f}, 'grad_norm': 0.5, 'learning_rate': 2e-05, 'epoch': {step / STEPS}}}\n"
        for step in range(first, last + 1, 10)
    )


def closing(done: int, epoch: float = 1.0) -> dict[str, float]:
    """What the program prints after so many steps of this start."""
    runtime, speed = done / 10, STEPS / (done / 10)
    speeds = {"train_samples_per_second": round(16 * speed, 3), "train_steps_per_second": round(speed, 3)}
    return {"train_runtime": runtime, **speeds, "train_loss": 0.9, "epoch": epoch}


def state(reached: int, done: int, *history: dict[str, float], salt: float = 0.0) -> str:
    logged = [
        {"epoch": step / STEPS, "loss": 2.5 - step / 100 + salt, "step": step} for step in range(10, reached + 1, 10)
    ]
    log_history = [*logged, *history, {"step": reached, "total_flos": 1e12, **closing(done, reached / STEPS)}]
    top = {"epoch": reached / STEPS, "global_step": reached, "is_world_process_zero": True, "max_steps": STEPS}
    return json.dumps({**top, "log_history": log_history})


def paddle(begun: int, said: str = "") -> str:
    lines = [
        f"loss: {10 - step / 100}, learning_rate: 1e-06, global_step: {step}, interval_runtime: 1.0, "
        f"interval_samples_per_second: 160.0, interval_steps_per_second: 10.0, epoch: {step / STEPS}"
        for step in range(begun + 10, STEPS + 1, 10)
    ]
    lines.append(", ".join(f"{name}: {value}" for name, value in closing(STEPS - begun).items()))
    return "".join(f"{PADDLE}{line}\n" for line in (SETTINGS + said).splitlines()[:-1] + lines)


def mask(begun: int) -> str:
    # As it prints them, but for the losses of the parts.
    told = "eta : 0:15:22.95  learning_rate : 3e-05  memory : 4990  loss : 5.25 (5.5)  loss_mask : 1 (2)  time : 0.1 (0.1)  data : 0 (0.1)"
    lines = [f"{MASK}Training Iteration: {step}  {told} " for step in range(begun + 20, STEPS + 1, 20)]
    return "\n".join(
        [f"{MASK}PARAMETER gpu_count : 8", *lines, f"{MASK} e2e_train_time : 6.0  train_perf_fps : 533.3 \n"]
    )


LOGS = {
    "whole/train.log": SETTINGS + steps(10) + str(closing(200)),
    "resumed/train.log": SETTINGS + RESUMED.format(140) + steps(150, salt=0.01) + str(closing(60)),
    "quiet/train.log": steps(150, salt=0.02) + str(closing(60)),
    "quiet-whole/train.log": steps(10, salt=0.03) + str(closing(200)),
    "beside/train.log": SETTINGS + RESUMED.format(140) + steps(150, salt=0.04) + str(closing(60)),
    "beside/trainer_state.json": state(200, 60, salt=0.04),
    "evaluated-twice/train.log": SETTINGS
    + steps(10, salt=0.07)
    + 2 * "{'eval_loss': 0.4, 'eval_runtime': 12.0, 'epoch': 1.0}\n"
    + str(closing(200)),
    "output/train.log": SETTINGS
    + steps(10, 100, salt=0.05)
    + f"TrainOutput(global_step=100, training_loss=0.9, metrics={closing(100)})",
    "state/trainer_state.json": state(200, 200, salt=0.06),
    "evaluated/trainer_state.json": state(200, 60, {"epoch": 0.5, "eval_loss": 0.4, "eval_runtime": 12.0, "step": 100}),
    "paddle/stated.log": paddle(140, RESUMED.format(140) + "\n"),
    "paddle/quiet.log": paddle(140),
    "paddle/whole.log": paddle(0),
    "mask/resumed.log": mask(140),
    "mask/whole.log": mask(0),
}


@pytest.fixture(scope="module")
def speeds(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, tuple[float | None, str]]]:
    """Value and status of each log by each rule."""
    folder = tmp_path_factory.mktemp("planned")
    # The state of a run is read before its log, too.
    for name in ("beside/trainer_state.json", *LOGS):
        put(folder / "logs" / name, LOGS[name])
        if name == "beside/trainer_state.json":
            ingest(folder / "logs", db=folder / "bench.duckdb")
    ingest(folder / "logs", db=folder / "bench.duckdb")
    told: dict[str, dict[str, tuple[float | None, str]]] = {}
    for path, rule, value, status in ask(
        folder / "bench.duckdb",
        "select path, rule, round(value, 3), run_speed.status from run_speed join run_log using (run_id)"
        " join sighting using (log_id) where phase = 'train' and role <> 'sidecar'",
    ):
        told.setdefault(path, {})[rule] = value, status
    return told


@pytest.mark.parametrize(
    "log", ["whole/train.log", "quiet-whole/train.log", "state/trainer_state.json", "evaluated-twice/train.log"]
)
def test_the_closing_speed_of_a_whole_run_is_its_speed(speeds, log: str) -> None:
    assert speeds[log]["hf.samples"] == (160.0, "ok")


@pytest.mark.parametrize(
    "log",
    [
        "resumed/train.log", "quiet/train.log", "beside/train.log", "beside/trainer_state.json", "output/train.log",
        "evaluated/trainer_state.json",
    ],
)  # fmt: skip
def test_the_closing_speed_of_a_resumed_or_early_ended_run_is_no_speed(speeds, log: str) -> None:
    assert {rule: speeds[log][rule] for rule in ("hf.samples", "summary.last")} == {
        "hf.samples": REFUSED,
        "summary.last": REFUSED,
    }


@pytest.mark.parametrize("log", ["paddle/stated.log", "paddle/quiet.log"])
def test_the_speed_of_its_steps_stays_though_the_closing_one_is_thrice_as_much(speeds, log: str) -> None:
    assert (speeds[log]["steps.mean_skip1"], speeds[log]["summary.last"]) == ((160.0, "ok"), REFUSED)


def test_other_programs_of_this_kind_are_read_likewise(speeds) -> None:
    assert speeds["paddle/whole.log"]["summary.last"] == (160.0, "ok")
    assert speeds["mask/whole.log"]["maskrcnn.fps"] == (533.3, "ok")
    assert speeds["mask/resumed.log"]["maskrcnn.fps"] == REFUSED
