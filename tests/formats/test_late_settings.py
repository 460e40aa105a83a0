"""What another process prints late, when its buffer is written, begins no run; a run that was appended does."""

from __future__ import annotations

import time

import pytest

from benchledger.scanning.lines import LineReader
from benchledger.scanning.samples import load_formats
from tests.cli.bench import run_bench
from tests.formats.test_appended_runs import RUNS
from tests.ingestion.logs import ask, put, run_text
from tests.scanning.reading import SCANNERS, read_by_reference, read_by_scanner, readers

BERT_DEVICE = "device: cuda:{k} n_gpu: 1, distributed training: True, 16-bits training: True\n"
DLL = "DLL 2021-05-23 10:58:1{k}.960974 - PARAMETER "
HF_PROCESS = (
    "WARNING:__main__:Process rank: {k}, device: cuda:{k}, n_gpu: 1distributed training: True, 16-bits training: True\n"
)
HF_STEP = "{{'loss': 2.5, 'grad_norm': 0.5, 'learning_rate': 2e-05, 'epoch': 0.{n}}}\n"
# What process {k} prints, what only the first prints before the steps, and step {n}.
LATE = {
    "ngc-pytorch-bert": (
        BERT_DEVICE, DLL.format(k=3) + 'Config : ["Namespace(max_steps=4.0)"]\n',
        "DLL 2021-05-23 10:58:4{n}.494617 - Training Epoch: 0 Training Iteration: {n}  step_loss : 11.1875  learning_rate : 5e-05\n",
    ),
    "hf-trainer": (HF_PROCESS, "***** Running training *****\n  Instantaneous batch size per device = 4\n", HF_STEP),
    "deepspeed": (
        HF_PROCESS, "[2023-08-02 00:41:01,000] [INFO] [config.py:960:print]   zero_optimization_stage ...... 2\n",
        ("[2023-08-02 00:41:1{n},936] [INFO] [timer.py:215:stop] epoch=0/micro_step={n}/global_step={n},"
        " RunningAvgSamplesPerSec=220.5, CurrSamplesPerSec=222.5, MemAllocated=0.5GB, MaxMemAllocated=1.5GB\n"),
    ),
    "timm": (
        "Training in distributed mode with multiple processes, 1 GPU per process. Process {k}, total 4.\n",
        "Model resnet50 created, param count:25557032\n",
        ("Train: 0 [   {n}/1251 (  0%)]  Loss: 6.94 (6.94)  Time: 0.412s,  621.36/s  (0.425s,  602.35/s)"
        "  LR: 1.000e-05  Data: 0.012 (0.012)\n"),
    ),
    "opennmt-py": (
        "[2023-05-01 10:00:00,500 INFO] Starting training on GPU: [{k}]\n", "",
        ("[2023-05-01 10:00:0{n},500 INFO] Step {n}/100; acc:   3.54; ppl: 9512.50; xent: 9.16; lr: 0.00001;"
        " 10234/10568 tok/s;     12 sec\n"),
    ),
    "olmo": (
        "[2024-04-17 09:41:38] INFO     [train:250, rank={k}] Starting training...\n", "",
        ("[2024-04-17 09:42:38] INFO     [olmo.train:816, rank=0] [step={n}/20]\n"
        "    throughput/device/tokens_per_second=45,538\n"),
    ),
    "ngc-gnmt": (
        "{k}: Run arguments: Namespace(len_norm_factor=0.6, math='fp16', train_batch_size=1520, local_rank={k})\n", "",
        "0: Performance: Epoch: {n}	Training: 935661 Tok/s	Validation: 2579030 Tok/s\n",
    ),
    "torchvision": (
        "Namespace(amp=True, batch_size=32, distributed=True, gpu={k}, model='resnet50', rank={k}, world_size=4)\n",
        "Start training\n",
        ("Epoch: [0]  [  {n}/5004]  eta: 1:21:50  lr: 0.1  img/s: 1032.4  loss: 7.1 (7.1)  acc1: 0.0 (0.0)"
        "  acc5: 0.0 (0.0)  time: 0.98  data: 0.9  max mem: 3313\n"),
    ),
    "paddle-bert": (
        "Namespace(batch_size=64, max_predictions_per_seq=80, model_type='bert', use_amp=True, use_pure_fp16=False)\n",
        "INFO 2020-12-18 21:30:12,552 launch_utils.py:471] Local start 4 processes. First process\n",
        "tobal step: {n}, epoch: 0, batch: {n}, loss: 11.0, avg_batch_cost: 0.39 sec, ips: 183.5 sequences/sec\n",
    ),
    "gluon-nlp-bert-pretrain": (
        "[1,{k}]<stderr>:INFO:root:Namespace(accumulate=2, batch_size=16, ckpt_interval=5000, dtype='float16')\n",
        "INFO:root:overflow detected. set loss_scale = 16384.0\n",
        "[1,0]<stderr>:INFO:root:[step {n}]	mlm_loss=10.1	nsp_loss= 0.71	throughput=16.3K tks/s	lr=0.0001 time=25.10\n",
    ),
}  # fmt: skip


def text_of(name: str, first: list[int], late: list[int], steps: range = range(1, 6)) -> str:
    """A log in which processes `first` print their settings before the steps, `late` one by one between, two at the end."""
    process, own, step = LATE[name]
    text = "".join(process.format(k=k) for k in first) + own
    for n in steps:
        text += step.format(n=n)
        text += "".join(process.format(k=k) for k in late[n // 2 - 1 : n // 2] if n in (2, 4))
    return text + "".join(process.format(k=k) for k in late[2:])


def labelled(lines: list[str], rank: int) -> str:
    """The lines as mpirun writes those of a process, instead of the label that they have."""
    return "".join(f"[1,{rank}]<stdout>:{line.split('<stdout>:')[-1].split('<stderr>:')[-1]}" for line in lines)


def at_every_line(name: str) -> dict[str, str]:
    """The log of RUNS, with the settings of a second process behind each of its lines."""
    log_format, lines = load_formats()[name], RUNS[name].decode().splitlines(keepends=True)
    names = [[row.layout.record.name for row in LineReader(log_format).read(line.encode()).rows] for line in lines]
    starts = [line for line, found in zip(lines, names, strict=True) if log_format.run_starts & set(found)]
    return {
        f"{name}-{at}.log": labelled(lines[:at], 0) + labelled(starts, 1) + labelled(lines[at:], 0)
        for at in range(1, 1 + len(lines))
    }


@pytest.fixture(scope="module")
def ledger(tmp_path_factory):
    folder = tmp_path_factory.mktemp("late")
    for name in RUNS:
        for path, text in at_every_line(name).items():
            put(folder / "logs/any" / path, text)
    for name in LATE:
        put(folder / f"logs/late/{name}.log", text_of(name, [0], [1, 2, 3]))
        put(folder / f"logs/whole/{name}.log", text_of(name, [0, 1, 2, 3], []))
        put(folder / f"logs/twice/{name}.log", text_of(name, [0], [1, 2]) + text_of(name, [2, 0], [1]))
        put(folder / f"logs/larger/{name}.log", text_of(name, [0], [1]) + text_of(name, [2], [0, 1]))
        one_step = [text_of(name, [k], [], range(1, 2)) for k in (0, 1)]
        put(folder / f"logs/short/{name}.log", "".join(one_step))
        again = text_of(name, [0, 1, 2, 3], [], range(6, 9))
        put(folder / f"logs/resumed/{name}.log", text_of(name, [0, 1, 2, 3], []) + again)
    # A run on GPU 0, and one on GPU 1 that goes on from its checkpoint.
    alone = text_of("torchvision", [0], []) + text_of("torchvision", [1], [], range(6, 9))
    put(folder / "logs/alone.log", alone.replace("world_size=4", "world_size=1"))
    put(folder / "logs/bert/facts.toml", "[case]\ngpus = 4\n")
    for gpus in (1, 4):
        text = text_of("timm", [0], [], range(1, 4)).replace("total 4", f"total {gpus}")
        put(folder / f"logs/stub/{gpus}.log", text + LATE["timm"][1])
    log = run_text(gpus=4, steps=40).log.splitlines(keepends=True)
    put(folder / "logs/bert/prompt.log", "".join(log).replace("made by", "written by"))
    put(folder / "logs/bert/late.log", "".join([*log[:2], *log[5:20], log[3], *log[20:30], log[2], log[4], *log[30:]]))
    assert run_bench("ingest", folder / "logs", db=folder / "bench.duckdb").exit_code == 0
    return folder / "bench.duckdb"


def runs_in(ledger, path: str) -> list[int]:
    question = "select first_line from kept.segment join sighting using (log_id) where path = ? order by segment"
    return [line for (line,) in ask(ledger, question, path)]


@pytest.mark.parametrize("name", RUNS)
def test_settings_of_a_second_process_begin_no_run_wherever_they_stand(ledger, name: str) -> None:
    found = {path: runs_in(ledger, f"any/{path}") for path in at_every_line(name)}

    assert found == {path: [1] for path in found}


@pytest.mark.parametrize("kind", ["late", "whole"])
@pytest.mark.parametrize("name", LATE)
def test_a_run_whose_processes_print_late_is_one(ledger, name: str, kind: str) -> None:
    formats = ask(ledger, "select format from log join sighting using (log_id) where path = ?", f"{kind}/{name}.log")

    assert (formats, runs_in(ledger, f"{kind}/{name}.log")) == ([(name,)], [1])


@pytest.mark.parametrize("name", LATE)
def test_two_runs_whose_processes_print_late_are_two(ledger, name: str) -> None:
    second = text_of(name, [0], [1, 2]).count("\n") + 1

    assert runs_in(ledger, f"twice/{name}.log") == [1, second]


@pytest.mark.parametrize("name", LATE)
def test_steps_begin_again_in_another_run_whichever_process_prints_first(ledger, name: str) -> None:
    assert runs_in(ledger, f"larger/{name}.log") == [1, text_of(name, [0], [1]).count("\n") + 1]


@pytest.mark.parametrize("name", LATE)
def test_a_resumed_run_that_prints_all_settings_again_is_a_run_of_its_own(ledger, name: str) -> None:
    assert runs_in(ledger, f"resumed/{name}.log") == [1, text_of(name, [0, 1, 2, 3], []).count("\n") + 1]


@pytest.mark.parametrize("name", LATE)
def test_trials_of_one_step_that_name_another_process_are_runs_of_their_own(ledger, name: str) -> None:
    assert runs_in(ledger, f"short/{name}.log") == [1, text_of(name, [0], [], range(1, 2)).count("\n") + 1]


@pytest.mark.parametrize(("first", "runs"), [(1, [1]), (6, [1, 18]), (9, [1, 18])])
def test_a_process_that_begins_late_was_started_from_a_checkpoint(tmp_path, first: int, runs: list[int]) -> None:
    process, _, step = LATE["olmo"]
    other = process.format(k=1) + "".join(step.format(n=n) for n in range(first, 13)).replace("rank=0", "rank=1")
    put(tmp_path / "logs/run.log", text_of("olmo", [0], [], range(1, 9)) + other)
    assert run_bench("ingest", tmp_path / "logs", db=tmp_path / "bench.duckdb").exit_code == 0

    assert runs_in(tmp_path / "bench.duckdb", "run.log") == runs


def test_runs_on_one_gpu_each_are_runs_of_their_own(ledger) -> None:
    assert runs_in(ledger, "alone.log") == [1, 8]


def test_thousands_of_late_settings_take_no_longer_than_as_many_steps() -> None:
    process, own, step = LATE["paddle-bert"]
    reader, (few, many) = next(iter(readers(load_formats()))), (1_000, 12_000)

    def seconds(count: int) -> float:
        text = process + own + "".join(step.format(n=n) + process for n in range(count))
        started = time.process_time()
        assert len(read_by_scanner(reader, text.encode())[0].segments) == 1
        return time.process_time() - started

    seconds(few)
    assert seconds(many) < 4 * many / few * seconds(few)


@pytest.mark.parametrize(("gpus", "runs"), [(1, [1, 6]), (4, [1])])
def test_a_run_on_one_gpu_has_no_other_process(ledger, gpus: int, runs: list[int]) -> None:
    assert runs_in(ledger, f"stub/{gpus}.log") == runs


@pytest.mark.parametrize("name", LATE)
@pytest.mark.parametrize("kind", ["late", "twice", "resumed"])
def test_both_scanners_find_the_same_runs(name: str, kind: str) -> None:
    last = {"late": "", "twice": text_of(name, [2, 0], [1]), "resumed": text_of(name, [0, 1], [2, 3], range(6, 9))}
    text = (text_of(name, [0], [1, 2, 3]) + last[kind]).encode()
    by_reference = read_by_reference(load_formats()[name], text)

    assert [read_by_scanner(reader, text)[0].segments for reader in readers(load_formats())] == [
        by_reference.segments for _ in SCANNERS
    ]


def test_a_late_device_changes_neither_speed_nor_gpus(ledger) -> None:
    where = "join sighting using (log_id) where path = ?"
    counted = f"select value from kept.log_fact {where} and name = 'gpus'"
    speed = f"select rule, value from run_speed where run_id in (select run_id from run_log {where}) order by all"
    late, prompt = (
        [ask(ledger, asked, f"bert/{kind}.log") for asked in (counted, speed)] for kind in ("late", "prompt")
    )

    assert (runs_in(ledger, "bert/late.log"), late[0]) == ([1], [("4",)])
    assert late == prompt
    assert any(value is not None for _, value in late[1])
