"""What is counted of repeated lines is a lower bound: the GPUs of a run are right or unknown, whatever its lines went through."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from benchledger import ingest
from tests.cli.bench import run_bench
from tests.ingestion.conftest import Files, Given, given, made
from tests.ingestion.logs import ask, later, one, put, run_text

BERT = "device: cuda:{device} n_gpu: 1, distributed training: True, 16-bits training: True"
GNMT = "{rank}: Run arguments: Namespace(beam_size=5, len_norm_factor=0.6, log_all_ranks=True, math='fp32', train_batch_size=64)"
SSD = (
    "DLL 2021-06-14 23:08:53.{rank:06} - PARAMETER dataset path : /coco  epochs : 1  batch size : 64  mode : training  "
    "backbone : resnet50  AMP : True "
)
# A program's line of each process, and what stands behind those lines.
BODY = run_text(gpus=8, precision="fp16").log.partition("DLL ")
PROGRAMS = {"bert": (BERT, f"DLL {BODY[2]}"), "gnmt": (GNMT, ""), "ssd": (SSD, "")}
GLUED = ("WARNING:root:Reached", "INFO", "Traceback (most recent call last):", "0", "device: cuda", "_x", "!")
CASE = "select gpus, nodes from run join bench_case using (case_id)"
GPUS = """
select split_part(path, '/', 1), gpus, nodes
from run join bench_case using (case_id) join run_log using (run_id) join sighting using (sighting_id) where role = 'train'
"""


def lines_of(program: str, nodes: int, gpus: int) -> list[str]:
    line = PROGRAMS[program][0]
    return [line.format(rank=rank, device=rank % gpus) for rank in range(nodes * gpus)]


def spoiled(lines: list[str], repeats: bool, noise: random.Random) -> list[str]:
    """Lines dropped, cut, glued to other words or to one another, shuffled, and maybe repeated."""
    found: list[str] = []
    for line in lines:
        what = noise.choice(("keep", "keep", "keep", "drop", "glue", "join", "cut", "repeat" if repeats else "keep"))
        if what == "join" and found:
            found[-1] += line
        elif what == "glue":
            found.append(line + noise.choice(GLUED))
        elif what == "cut":
            found.append(line[: noise.randrange(len(line))])
        else:
            found += [line] * {"drop": 0, "repeat": 2}.get(what, 1)
    noise.shuffle(found)
    return found


def say(folder: Path, total: int, noise: random.Random) -> bool:
    """Lets a file beside the log state the total, or none do so."""
    match noise.choice(("nobody", "facts", "sidecar", "manifest")):
        case "facts":
            put(folder / "facts.toml", f"[case]\ngpus = {total}\n")
        case "sidecar":
            put(folder / "benchmark.para", f"GLOBAL_BATCH {32 * total}\nGPU {total}\n")
        case "manifest":
            put(folder / "run.json", f'{{"benchledger_manifest": 1, "files": ["x.log"], "case": {{"gpus": {total}}}}}')
        case _:
            return False
    return True


def launch(nodes: int, gpus: int, noise: random.Random) -> list[str]:
    """A launcher's command line, whole, cut, glued or quoted, or none."""
    command = f"torchrun --nproc_per_node={gpus} --nnodes {nodes} train.py --lr 1"
    if nodes == 1 and noise.random() < 0.5:
        command = f"torchrun --nproc-per-node {gpus} train.py --lr 1"
    executed = "+ " * noise.randrange(2) + command
    match noise.choice(("none", "whole", "whole", "cut", "glue", "quote")):
        case "whole":
            return [executed]
        case "cut":
            return [executed[: noise.randrange(len(executed))]]
        case "glue":
            return [executed + noise.choice(GLUED)]
        case "quote":
            return [noise.choice(QUOTES).format("torchrun --nproc_per_node=3 train.py")]
    return []


# Each run of the suite draws other logs. Hypothesis takes longer to draw them than an ingest takes to read them.
@pytest.mark.parametrize("seed", [random.randrange(2**32)], ids=["drawn"])
def test_gpus_are_right_or_unknown_whatever_became_of_the_lines(db: Path, seed: int) -> None:
    noise, truth, known = random.Random(seed), {}, {}
    for number in range(240):
        program, nodes, gpus = noise.choice(sorted(PROGRAMS)), noise.choice((1, 1, 2, 4)), noise.choice((1, 2, 8))
        repeats = noise.random() < 0.5
        lines = spoiled(lines_of(program, nodes, gpus), repeats, noise)
        folder = db.parent / "logs" / f"campaign{number}"
        put(
            folder / "x.log",
            "\n".join([f"log {number}", *launch(nodes, gpus, noise), *lines, later(PROGRAMS[program][1], number)]),
        )
        truth[f"campaign{number}"] = nodes * gpus
        # What somebody states is lost only where lines stand there more often than they were printed.
        if say(folder, nodes * gpus, noise) and not repeats:
            known[f"campaign{number}"] = nodes * gpus

    ingest(db.parent / "logs", db=db)
    found = {campaign: gpus for campaign, gpus, _ in ask(db, GPUS)}

    assert {name: gpus for name, gpus in found.items() if gpus not in (None, truth[name])} == {}, seed
    assert {name: found.get(name, gpus) for name, gpus in known.items()} == known, seed


def glued() -> Files:
    lines = lines_of("bert", 1, 8)
    lines[3] += "WARNING:root:Reached iteration 8"
    return {"x.log": "\n".join([*lines, PROGRAMS["bert"][1]]), "benchmark.para": "GPU 8\nGLOBAL_BATCH 256\n"}


@given(glued)
def test_a_line_glued_to_another_process_s_words_is_counted(own: Given) -> None:
    assert own.ask("select value, strength from fact where name = 'gpus' and source = 'log'") == [("8", "counted")]
    assert own.one(CASE) == (8, 1)
    assert own.ask("select distinct value from fact where name = 'precision'") == [("fp16",)]
    assert own.ask("select * from conflict") == []


# Lines of as many processes, a total that somebody states, and the GPUs of the run.
TOTALS = [(7, 8, 8), (8, 8, 8), (8, None, None), (9, 8, None), (1, None, None)]


@pytest.fixture(scope="module")
def totals(defined_ledger: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ledger with a campaign of each of these."""
    home = tmp_path_factory.mktemp("totals")
    for number, (counted, stated, _) in enumerate(TOTALS):
        folder = home / "logs" / f"r{counted}of{stated}"
        lines = [*lines_of("bert", 1, 9)[:counted], later(PROGRAMS["bert"][1], number)]
        put(folder / "x.log", "\n".join(lines))
        if stated:
            put(folder / "facts.toml", f"[case]\ngpus = {stated}\n")
    db = made(defined_ledger, home / "ledger")
    ingest(home / "logs", db=db)
    return db


@pytest.mark.parametrize(("counted", "stated", "gpus"), TOTALS)
def test_a_count_is_overruled_by_a_total_that_is_no_smaller(
    totals: Path, counted: int, stated: int | None, gpus: int | None
) -> None:
    campaign = f"logs/r{counted}of{stated}"
    shown = run_bench(
        "query", "conflicts", "-p", "name=gpus", "-p", f"campaign={campaign}", "--format", "csv", db=totals
    )
    run = "select run_key, gpus from run join bench_case using (case_id) join kept.run_campaign using (run_id) where campaign = ?"
    key, found = one(totals, run, campaign)

    assert found == gpus
    assert (f",gpus,{gpus or ''}," in shown.stdout) == (stated is not None and stated != counted)
    assert f"{counted}" in run_bench("show", key, db=totals).stdout


@given(
    {
        "x.log": "\n".join([*lines_of("bert", 1, 8) * 2, PROGRAMS["bert"][1]]),
        "facts.toml": '[correct]\nreason = "each line stands there twice"\ngpus = 8\n',
    }
)
def test_correct_decides_against_a_count_too(own: Given) -> None:
    assert own.one(CASE) == (8, None)


@given(
    {"x.log": "device: cuda n_gpu: 4, distributed training: False, 16-bits training: False\n" * 2 + PROGRAMS["bert"][1]}
)
def test_one_process_without_torch_distributed_states_all_its_gpus(own: Given) -> None:
    assert own.one(CASE) == (4, 1)


@given(
    {f"{name}/x.log": "\n".join([*lines_of("bert", 1, 7), later(PROGRAMS["bert"][1], ord(name))]) for name in "ab"}
    | {f"{name}/facts.toml": f"[case]\nglobal_batch_size = {32 * gpus}\n" for name, gpus in (("a", 8), ("b", 4))}
)
def test_what_follows_from_batch_sizes_is_no_less_than_the_count(own: Given) -> None:
    assert sorted(own.ask(GPUS)) == [("a", 8, None), ("b", None, None)]


def disagreeing() -> Files:
    lines = lines_of("bert", 2, 4)
    return {
        "even/x.log": "\n".join(["even", *lines, PROGRAMS["bert"][1]]),
        "odd/x.log": "\n".join(["odd", *lines[:7], lines[0], PROGRAMS["bert"][1]]),
        "facts.toml": "[case]\ngpus = 8\n",
    }


@given(disagreeing)
def test_nodes_that_not_all_devices_agree_on_are_unknown(own: Given) -> None:
    assert sorted(own.ask(GPUS)) == [("even", 8, 2), ("odd", 8, None)]


RIGHT = {
    "torchrun --nproc_per_node=8 train.py": (8, None),
    "torchrun --standalone --nproc-per-node 4 train.py 2>&1 | tee log": (4, None),
    "python -m torch.distributed.launch --nproc_per_node 8 --nnodes=4 --node_rank=2 --master_addr=a train.py": (32, 4),
    "python3 -m torch.distributed.run --nnodes 2 --nproc-per-node=8 --rdzv_endpoint=a:1 train.py": (16, 2),
    "python -m paddle.distributed.launch --gpus 0,1,2,3 train.py": (4, None),
    "fleetrun --ips=10.0.0.1,10.0.0.2 --gpus=0,1 train.py": (4, 2),
    "deepspeed --num_gpus 8 --num_nodes 2 train.py": (16, 2),
    "accelerate launch --multi_gpu --num_processes 8 train.py": (8, None),
    "horovodrun -np 8 -H localhost:8 python train.py": (8, None),
    "mpirun --allow-run-as-root -np 32 -x PATH python train.py --num_gpus=1": (32, None),
    "srun --ntasks=32 --ntasks-per-node=8 python -u train.py": (32, None),
    "srun -N4 --ntasks-per-node=8 python train.py": (32, None),
    "srun -p x --gres=gpu:8 --ntasks=16 --ntasks-per-node=8 --cpus-per-task=5 python -u train.py": (16, None),
    "srun --gres=gpu:a100:4,nvme:1 -n4 --gpus-per-task=1 python train.py": (4, None),
}
# Commands from which the number of GPUs does not follow.
UNKNOWN = (
    "torchrun --nproc_per_node=8 --node_rank=0 train.py",
    "torchrun --nproc_per_node=8 --nnodes $N train.py",
    "torchrun --nproc_per_node=8 --nnodes=1:4 train.py",
    "torchrun --nproc_per_node=8 --master_addr 10.0.0.1 train.py",
    "torchrun --nproc_per_node=8 --rdzv_endpoint=node1:29400 train.py",
    "torchrun --nproc_per_node=gpu train.py",
    "torchrun --nproc_per_node=<N> train.py",
    "torchrun --nproc_per_node=8 \\",
    "torchrun --nproc_per_node=8 --nno",
    "torchrun --nproc_per_node=8 a.py & torchrun --nproc_per_node=8 b.py",
    "torchrun --nproc_per_node 8 --nproc_per_node 4 train.py",
    "python -m paddle.distributed.launch --gpus 0,1 --ips=$IPS train.py",
    "python -m paddle.distributed.launch --gpus 0,1 --master 10.0.0.1:80 train.py",
    "deepspeed --num_gpus 8 train.py",
    "accelerate launch --cpu --num_processes 8 train.py",
    "horovodrun --min-np 2 -np 4 python train.py",
    "mpirun -np 4 -npernode 1 python train.py",
    "mpirun -np 4 torchrun --nproc_per_node=8 train.py",
    "mpirun -np 4 bash train.sh",
    "mpirun -np 2 python train.py --num_gpus 4",
    "mpirun -np 1 python train.py",
    "srun --ntasks=8 python train.py --device cpu",
    "srun --ntasks=2 --gpus-per-task=4 python train.py",
    "srun --ntasks=2 --gpus-per-task=a100:4 python train.py",
    "srun --ntasks=8 --ntasks-per-gpu=2 python train.py",
    "srun --ntasks=4 --gpus-per-socket=2 python train.py",
    "srun --ntasks=8 --gpus=1 python train.py",
    "srun -n2 -G8 python train.py",
    "srun -N2 -n8 --gres=gpu:8 python train.py",
    "srun -n8 --gres=gpu python train.py",
    "srun -n8 --gpus-per-node=1 python train.py",
)
STEPS = f"DLL {BODY[2]}"
# The same behind lines of eight processes, which begin a run.
RUN = BODY[0] + STEPS
# Of a command that is only quoted.
QUOTES = ("# {}", "  {}", "$ {}", "usage: {}", "Run it again with: {}", "INFO - {}", "`{}`", "> {}", '"{}"')


def logs_of(texts: dict[str, str]) -> Files:
    return {f"{name}/x.log": later(text, number) for number, (name, text) in enumerate(texts.items())}


def gpus_of(own: Given) -> dict[str, tuple[int | None, int | None]]:
    return {name: (gpus, nodes) for name, gpus, nodes in own.ask(GPUS)}


TRACES = {"plain": "", "traced": "+ "}


@given(
    logs_of(
        {
            f"{how}{place}": f"{trace}{command}\n{STEPS}"
            for how, trace in TRACES.items()
            for place, command in enumerate(RIGHT)
        }
    )
)
def test_a_command_line_states_the_gpus(own: Given) -> None:
    assert gpus_of(own) == {f"{how}{place}": told for how in TRACES for place, told in enumerate(RIGHT.values())}


SILENT = {f"u{place}": f"+ {command}\n{STEPS}" for place, command in enumerate(UNKNOWN)} | {
    f"q{place}": f"{quote.format('torchrun --nproc_per_node=8 train.py')}\n{STEPS}"
    for place, quote in enumerate(QUOTES)
}


@given(logs_of(SILENT))
def test_a_command_line_that_does_not_say_it_or_is_quoted_states_nothing(own: Given) -> None:
    assert gpus_of(own) == dict.fromkeys(SILENT, (None, None))


COMMAND = f"torchrun --nproc_per_node=8 train.py\n{STEPS}"


@given({"facts.toml": "[case]\ngpus = 4\n"} | logs_of({"printed": COMMAND, "executed": f"+ {COMMAND}"}))
def test_a_command_that_is_only_printed_counts_after_every_other_source(own: Given) -> None:
    assert gpus_of(own) == {"printed": (4, None), "executed": (8, None)}
    assert own.ask("select distinct strength from fact where name = 'gpus' and source = 'log' order by all") == [
        ("quoted",), ("stated",),
    ]  # fmt: skip


def several_runs() -> Files:
    first, second = "+ torchrun --nproc_per_node=8 a.py\n", "+ torchrun --nproc_per_node=8 --nnodes=2 b.py\n"
    again = later(RUN, 60)
    texts = {"both": first + RUN + second + again, "second": RUN + second + again, "after": RUN + second}
    return logs_of(texts | {"two": first + second + RUN, "same": first + first + RUN})


@given(several_runs)
def test_a_command_states_the_gpus_of_the_run_that_follows(own: Given) -> None:
    query = GPUS.replace("select", "select segment,", 1) + " order by 2, 1"
    found: dict[str, list[int | None]] = {}
    for _, name, gpus, _ in own.ask(query):
        found.setdefault(name, []).append(gpus)
    assert found == {"both": [8, 16], "second": [None, 16], "after": [None], "two": [None], "same": [8]}


TRAINER = """  Instantaneous batch size per device = 2
  Total train batch size (w. parallel, distributed & accumulation) = 4
  Gradient Accumulation steps = 1
{'loss': 1.95, 'grad_norm': 1.2, 'learning_rate': 1e-05, 'epoch': 0.1}
{'train_runtime': 16.6667, 'train_samples_per_second': 6.0, 'train_steps_per_second': 3.0, 'epoch': 1.0}
"""
RANK = "Process rank: {0}, device: cuda:{0}, n_gpu: 1, distributed training: True, 16-bits training: False\n"
MESH = "parallelism_config=ParallelismConfig(\n \tdp_replicate_size=1,\n\ttp_size=2,\n\tcp_size=2,\n\ttotal_size=8\n"
START = "***** Running training *****\n"
# Batch sizes tell the copies of the model: two here. What else is said, and the GPUs.
COPIES: dict[str, tuple[str, int | None]] = {
    "nothing": (START, 2),
    "launched": ("+ torchrun --nproc_per_node=8 train.py --tp 4\n" + START, 8),
    "printed": ("torchrun --nproc_per_node=8 train.py --tp 4\n" + START, 8),
    "ranks": ("".join(map(RANK.format, range(8))) + START, None),
    "two-ranks": ("".join(map(RANK.format, range(2))) + START, 2),
    "mesh": (MESH + START, 8),
}


@given({f"{name}/x.log": head + TRAINER for name, (head, _) in COPIES.items()})
def test_copies_of_the_model_are_gpus_only_if_nothing_says_that_there_are_more(own: Given) -> None:
    assert {name: gpus for name, (gpus, _) in gpus_of(own).items()} == {
        name: gpus for name, (_, gpus) in COPIES.items()
    }
    assert own.ask("select * from conflict where name = 'gpus' and used_value is not null") == []
