"""Of a run whose steps begin again no mixed number is shown: another run may have been appended to its log."""

import pytest

from tests.cli.bench import run_bench
from tests.ingestion.logs import ask, put

# A line of each program, with its step and time; no program here prints with which line a run begins.
LINES = {
    "olmo": "[2024-04-17 09:42:38] INFO     [olmo.train:816, rank=0] [step={n}/90]\n    throughput/device/tokens_per_second={rate:,}\n",
    "opennmt-py": "[2020-05-01 10:00:00,500 INFO] Step {n}/90; acc:   3.54; ppl: 9.5; xent: 9.16; lr: 0.00001; {rate}/{rate} tok/s; 12 sec\n",
    "maskrcnn-benchmark": "2019-05-27 10:48:54,461 maskrcnn_benchmark.trainer INFO: eta: 0:17:37  iter: {n}  loss: 0.5 (0.9)"
    "  time: {s} (0.5)  data: 0.0125 (0.025)  lr: 0.0025  max mem: 4358\n",
    "pytorch-imagenet": "Epoch: [0][{n}/95]\tTime {s} ({s})\tData 0.001 (0.31)\tLoss 6.9 (7.0)\tAcc@1 0.4 (0.2)\tAcc@5 1.5 (0.7)\n",
    "llm-c": "step {n}/90 | train loss 5.125000 | norm 30.5000 | lr 1.00e-04 | ({s} ms | {rate} tok/s)\n",
    "nanogpt": "iter {n}: loss 9.1250, time {s}ms, mfu 41.25%\n",
    "hf-trainer": "{{'loss': 2.5, 'grad_norm': 0.5, 'learning_rate': 2e-05, 'tokens/train_per_sec_per_gpu': {rate}, 'epoch': 0.{n}}}\n",
    "mmcv-runner": "2018-10-23 10:51:07,015 - INFO - Epoch [1][{n}/95]\tlr: 0.02, time: {s}, data_time: 0.015, loss: 0.0394\n",
    "megatron-gpt": " iteration {n:8}/      90 | consumed samples: {rate} | elapsed time per iteration (ms): {s} | learning rate: 1.0E-04"
    " | global batch size:   256 | lm loss: 7.1E+00 |\n",
    "generic-json-lines": '{{"step": {n}, "loss": 2.5, "samples_per_second": {rate}}}\n',
}  # fmt: skip
FACTS = "[case]\ngpus = 1\nglobal_batch_size = 256\nseq_len = 1024\n"


def lines(name: str, steps: range, salt: int) -> str:
    return "".join(LINES[name].format(n=n, s=f"0.{250 + salt + n}", rate=5000 + 100 * salt + n) for n in steps)


# Programs whose lines `grep -n` may number.
NUMBERED = ["llm-c", "nanogpt", "megatron-gpt"]


def numbered(text: str) -> str:
    return "".join(f"{17 * nth}:{line}" for nth, line in enumerate(text.splitlines(keepends=True), start=1))


@pytest.fixture(scope="module")
def ledger(tmp_path_factory):
    folder = tmp_path_factory.mktemp("restarts")
    put(folder / "logs/facts.toml", FACTS)
    for place, name in enumerate(LINES):
        first, again = range(10, 100, 10), range(50, 100, 10)
        put(folder / f"logs/one/{name}.log", lines(name, first, 7 * place + 1))
        put(folder / f"logs/two/{name}.log", lines(name, first, 7 * place + 2) + lines(name, first, 7 * place + 3))
        put(folder / f"logs/resumed/{name}.log", lines(name, first, 7 * place + 4) + lines(name, again, 7 * place + 5))
    for name in NUMBERED:
        both = lines(name, range(10, 100, 10), 71), lines(name, range(10, 100, 10), 400)
        put(folder / f"logs/numbered/two-{name}.log", numbered("".join(both)))
        turns = "".join(map("".join, zip(*(text.splitlines(keepends=True) for text in both), strict=True)))
        put(folder / f"logs/numbered/rivals-{name}.log", numbered(turns))
    imagenet = "pytorch-imagenet"
    epochs = lines(imagenet, range(0, 90, 10), 80) + lines(imagenet, range(0, 90, 10), 81).replace("[0][", "[1][")
    put(folder / "logs/epochs.log", epochs)
    put(folder / "logs/epochs-twice.log", epochs.replace("(0.31)", "(0.32)") + epochs.replace("(0.31)", "(0.33)"))
    put(
        folder / "logs/halves.log",
        lines("hf-trainer", range(50, 70, 10), 95) + lines("hf-trainer", range(50, 70, 10), 96),
    )
    # The summary of an epoch is counted in epochs; or each line states the epoch under a name of the program's own.
    steps = [lines("generic-json-lines", range(30 * e + 1, 30 * e + 31), 97 + e) for e in range(3)]
    put(
        folder / "logs/summaries.log",
        "".join(f'{found}{{"step": {e}, "train_loss": 2.5}}\n' for e, found in enumerate(steps)),
    )
    named = "".join(
        lines("generic-json-lines", range(9), 91 + e).replace('"step"', f'"train/epoch": {e}, "step"') for e in range(3)
    )
    put(folder / "logs/named.log", named)
    put(folder / "logs/named-twice.log", 2 * named.replace("2.5", "2.25"))
    # A step that overflowed is counted back.
    nano = [0, 1, 0, 1, 2, 3, 4, 5]
    put(folder / "logs/overflow.log", "".join(lines("nanogpt", range(n, n + 1), 90 + at) for at, n in enumerate(nano)))
    assert run_bench("ingest", folder / "logs", db=folder / "bench.duckdb").exit_code == 0
    return folder / "bench.duckdb"


def speeds(ledger, path: str) -> set[tuple]:
    question = (
        "select distinct status, value is null, reason from run_speed where phase = 'train' and status <> 'too_few_records'"
        " and run_id in (select run_id from run_log join sighting using (log_id) where path = ?)"
    )
    return set(ask(ledger, question, path))


def format_of(ledger, path: str) -> str:
    return ask(ledger, "select format from log join sighting using (log_id) where path = ?", path)[0][0]


@pytest.mark.parametrize("name", LINES)
def test_a_run_behind_another_one_makes_no_mean_of_both(ledger, name: str) -> None:
    line = 1 + 9 * LINES[name].count("\n")

    assert format_of(ledger, f"two/{name}.log") == name
    assert speeds(ledger, f"two/{name}.log") == {
        ("ambiguous", True, f"the steps begin again at line {line}: a second run may begin there")
    }


@pytest.mark.parametrize("name", LINES)
@pytest.mark.parametrize("kind", ["one", "resumed"])
def test_a_run_that_is_whole_or_was_resumed_keeps_its_speed(ledger, kind: str, name: str) -> None:
    assert ("ok", False, None) in speeds(ledger, f"{kind}/{name}.log")


def test_steps_that_begin_anew_in_each_epoch_are_one_run(ledger) -> None:
    assert ("ok", False, None) in speeds(ledger, "epochs.log")
    assert speeds(ledger, "epochs-twice.log") == {
        ("ambiguous", True, "the steps begin again at line 19: a second run may begin there")
    }


@pytest.mark.parametrize("name", ["summaries", "named"])
def test_other_lines_and_own_names_of_epochs_begin_no_run(ledger, name: str) -> None:
    assert ("ok", False, None) in speeds(ledger, f"{name}.log")


def test_a_run_with_own_names_of_epochs_begins_again(ledger) -> None:
    assert speeds(ledger, "named-twice.log") == {
        ("ambiguous", True, "the steps begin again at line 28: a second run may begin there")
    }


def test_a_run_of_two_readings_begins_again_too(ledger) -> None:
    reason = "the steps begin again at line 3: a second run may begin there"
    assert ("ambiguous", True, reason) in speeds(ledger, "halves.log")


def test_a_step_that_is_counted_back_begins_no_run(ledger) -> None:
    assert ("ok", False, None) in speeds(ledger, "overflow.log")


def runs(ledger, table: str, columns: str, path: str) -> list[tuple]:
    of_path = "run_id in (select run_id from run_log join sighting using (log_id) where path = ?)"
    return ask(ledger, f"select {columns} from {table} where {of_path}", path)


@pytest.mark.parametrize("name", LINES)
def test_nothing_is_said_of_the_end_of_two_runs_in_one_log(ledger, name: str) -> None:
    line = 1 + 9 * LINES[name].count("\n")
    reason = f"the steps begin again at line {line}: a second run may begin there"
    numbers = "final_loss, lowest_loss, last_loss, diverged_by, samples, seconds, best_value, last_value"

    assert runs(ledger, "run", "status, reason, status_line, steps_done", f"two/{name}.log") == [
        ("ambiguous", reason, line, None)
    ]
    assert runs(ledger, "run_memory", "value_mib", f"two/{name}.log") == []
    for row in runs(ledger, "run_convergence", f"outcome_reason, {numbers}", f"two/{name}.log"):
        assert row == (reason, *[None] * 8)


@pytest.mark.parametrize("kind", ["one", "resumed"])
@pytest.mark.parametrize("name", LINES)
def test_a_run_that_is_whole_or_was_resumed_keeps_its_numbers(ledger, kind: str, name: str) -> None:
    printed = runs(ledger, "run_convergence", "final_loss is not null, last_loss is not null", f"{kind}/{name}.log")

    assert runs(ledger, "run", "status = 'ambiguous'", f"{kind}/{name}.log") == [(False,)]
    assert printed == ([] if name == "olmo" else [(True, True)])
    assert bool(runs(ledger, "run_memory", "value_mib", f"{kind}/{name}.log")) == (name == "maskrcnn-benchmark")


def test_a_target_that_one_of_two_runs_reached_is_unknown(ledger) -> None:
    reached = "run_convergence_of('', 'loss', 7.0)"

    assert runs(ledger, reached, "outcome, target_step", "two/pytorch-imagenet.log") == [("unknown", None)]
    assert runs(ledger, reached, "outcome, target_step", "one/pytorch-imagenet.log") == [("reached", 20)]


@pytest.mark.parametrize("name", NUMBERED)
def test_numbers_of_lines_hide_neither_a_second_run_nor_a_second_job(ledger, name: str) -> None:
    ((_, is_nothing, reason),) = speeds(ledger, f"numbered/two-{name}.log")
    assert (is_nothing, reason) == (True, "the steps begin again at line 10: a second run may begin there")

    ((_, is_nothing, reason),) = speeds(ledger, f"numbered/rivals-{name}.log")
    assert is_nothing
    assert "two jobs may have written" in reason
