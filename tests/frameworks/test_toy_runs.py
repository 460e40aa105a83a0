"""Each framework trains a toy model on this CPU, in its own environment, and its own lines are in the ledger whole."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from statistics import fmean, median

import pytest

from tests.docs.pages import TOP
from tests.frameworks.conftest import Toy, python_of

pytestmark = pytest.mark.frameworks


@dataclass
class Case:
    """A toy case, what its log must come to, and its speed worked out from the log by hand."""

    name: str
    environment: str
    data: str
    framework: str
    implementation: str
    model: str
    batch_size: int
    steps: int
    loss: str
    rule: str
    unit: str
    by_hand: Callable[[str], float]


def numbers(pattern: str, log: str) -> list[float]:
    return [float(number) for number in re.findall(pattern, log)]


def between_19_and_119(log: str) -> float:
    """README 004's: 100 iterations over the time between two lines."""
    at = dict(re.findall(r"step: (\d+), .* (\d+\.\d+)$", log, re.MULTILINE))
    return 100 * 16 / (float(at["119"]) - float(at["19"]))


CASES = [
    # README 001: of 120 iterations the first 20 do not count, the others' mean.
    Case("bert_tiny_mxnet", "mxnet", "npz", "mxnet", "benchledger", "bert_tiny", 16, 120, "mlm_loss",
         "dlperf.mxnet_bert_tokens", "samples/s",
         lambda log: fmean(numbers(r"throughput=(\S+)K", log)[20:120]) * 1000 / 32),
    # PaddlePaddle's analysis.py: without the first ten lines.
    Case("bert_tiny_paddlepaddle", "paddlepaddle", "hdf5", "paddlepaddle", "benchledger", "bert_tiny", 16, 60, "loss",
         "paddle.bert", "samples/s",
         lambda log: fmean(numbers(r"ips: (\S+) sequences", log)[10:])),
    # DLPerf's: the third to the twelfth line.
    Case("bert_tiny_tensorflow", "tensorflow", "hdf5", "tensorflow", "benchledger", "bert_tiny", 16, 120, "total_loss",
         "dlperf.ngc_tf_bert", "samples/s",
         lambda log: fmean(numbers(r"throughput_train : (\S+)", log)[2:12])),
    Case("bert_tiny_oneflow", "oneflow", "hdf5", "oneflow", "benchledger", "bert_tiny", 16, 119, "total_loss",
         "dlperf.oneflow", "samples/s", between_19_and_119),
    # README 002: tokens a second by the mean time without the first, unstable iterations.
    Case("gpt_tiny_megatron", "megatron", "tokens", "pytorch", "benchledger_megatron", "gpt2_tiny", 8, 60, "lm loss",
         "megatron.mean", "tokens/s",
         lambda log: 8 * 32 / fmean(numbers(r"iteration \(ms\): (\S+)", log)[20:]) * 1000),
    # The median of the steps' speeds after the first 20.
    Case("bert_tiny_jax", "jax", "hdf5", "jax", "benchledger", "bert_tiny", 16, 120, "loss",
         "steps.median_skip20", "samples/s", lambda log: median(numbers(r"samples_per_s=(\S+)", log)[20:])),
    Case("gpt_tiny_jax", "jax", "tokens", "jax", "benchledger", "gpt2_tiny", 8, 60, "loss",
         "steps.median_skip20", "tokens/s", lambda log: median(numbers(r"tokens_per_s=(\S+)", log)[20:])),
]  # fmt: skip


@pytest.fixture(params=CASES, ids=lambda case: case.name)
def case(request: pytest.FixtureRequest) -> Case:
    return request.param  # type: ignore[no-any-return]


def of(case: Case) -> str:
    """The rows of the run of a case: batches of 4 are those of two processes."""
    return f"framework = '{case.framework}' and implementation = '{case.implementation}' and batch_size_per_gpu = {case.batch_size}"


def test_its_lines_are_read_without_a_reject_as_the_case_that_was_run(toy: Toy, case: Case) -> None:
    toy.run(case.name, case.environment, case.data)
    columns = "model, task, precision, batch_size_per_gpu, seq_len, gradient_accumulation, run.status, steps_done"
    rows = toy.sql(f"select {columns} from run join bench_case using (case_id) where {of(case)}")

    assert rows == [(case.model, "pretraining", "fp32", case.batch_size, 32, 1, "ok", case.steps)]
    assert toy.sql("from reject") == []
    assert toy.sql("from conflict") == []


def test_the_rule_of_its_readme_gives_the_speed_that_one_works_out_by_hand(toy: Toy, case: Case) -> None:
    by_hand = case.by_hand(toy.run(case.name, case.environment, case.data))
    speeds = "select value, unit, run_speed.status from run_speed join bench_case using (case_id)"
    ((value, unit, status),) = toy.sql(f"{speeds} where rule = '{case.rule}' and {of(case)}")

    assert (status, unit) == ("ok", case.unit)
    assert value == pytest.approx(by_hand, rel=1e-4)
    assert by_hand > 0


def test_its_loss_falls(toy: Toy, case: Case) -> None:
    toy.run(case.name, case.environment, case.data)
    values = "select value from measurement join run using (run_id) join bench_case using (case_id)"
    losses = [
        loss for (loss,) in toy.sql(f"{values} where measurement.name = '{case.loss}' and {of(case)} order by line")
    ]

    # Some print their first line after 20 steps.
    assert losses[-1] < losses[0] - 0.3


# Half of the rows each, so that two processes do together what one does.
@pytest.mark.parametrize(
    ("name", "environment", "data"),
    [
        ("bert_tiny_paddlepaddle", "paddlepaddle", "hdf5"),
        ("bert_tiny_oneflow", "oneflow", "hdf5"),
        ("gpt_tiny_megatron", "megatron", "tokens"),
    ],
)
def test_two_processes_share_a_batch_and_one_of_them_prints(toy: Toy, name: str, environment: str, data: str) -> None:
    log = toy.run(name, environment, data, sweep=["gpus=2", "batch_size=4", "max_iterations=24"])
    framework = "pytorch" if environment == "megatron" else environment

    rows = toy.sql(
        "select global_batch_size, gpus, run.status from run join bench_case using (case_id) "
        f"where framework = '{framework}' and batch_size_per_gpu = 4"
    )
    assert rows == [(8, 2, "ok")]
    assert len(re.findall(r"global step: 24,|^step: 23,|iteration +24/", log, re.MULTILINE)) == 1


def test_npz_parts_of_another_length_end_the_run_with_the_cure(toy: Toy) -> None:
    with pytest.raises(AssertionError, match="the training data cannot be read"):
        toy.run("bert_tiny_mxnet", "mxnet", "npz", sweep=["seq_len=16"])

    (log,) = toy.folder.glob("staging/*/mxnet/NLP/*/logs/train_log/*_data/nlp_*.log")
    assert "is no shard of (16, 5), but of (32, 5). Cure: --seq-len 32 --masked 5" in log.read_text(encoding="utf-8")


# Two devices of one process, which this CPU has to play, as it has no GPUs; all else is the program as it is.
TWO = {
    "mxnet": """
import mxnet, bert
bert.contexts = lambda args: [mxnet.cpu(0), mxnet.cpu(1)]
""",
    "tensorflow": """
import functools, tensorflow as tf
halves = [tf.config.LogicalDeviceConfiguration()] * 2
tf.config.set_logical_device_configuration(tf.config.list_physical_devices("CPU")[0], halves)
tf.distribute.MirroredStrategy = functools.partial(tf.distribute.MirroredStrategy, devices=["/cpu:0", "/cpu:1"])
import bert
bert.devices = lambda args: [0, 1]
""",
}
TINY = "--model bert_tiny --device cpu --seq-len 32 --masked 5 --max-iterations 30 --learning-rate 1e-3 --log-interval 10 --dropout 0"
LOSS = {"mxnet": r"mlm_loss=(\S+)", "tensorflow": r"mlm_loss : (\S+)"}


@pytest.mark.parametrize("framework", TWO)
def test_one_process_with_two_devices_learns_as_one_device_does_from_twice_the_batch(framework: str) -> None:
    def losses(before: str, batch_size: int) -> list[float]:
        start = f"import sys\nsys.path.insert(0, {str(TOP / 'runners' / framework)!r})\n{before}\nbert.main()"
        words = [python_of(framework), "-c", start, *TINY.split(), "--batch-size", str(batch_size)]
        done = subprocess.run(words, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr
        return numbers(LOSS[framework], done.stdout)

    two, one = losses(TWO[framework], 8), losses("import bert", 16)
    assert two[-1] == pytest.approx(one[-1], rel=0.05)
    assert two[-1] < two[0] - 0.1
