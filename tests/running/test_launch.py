"""Command lines as text: one GPU, several, several machines; torchrun, mpirun, Slurm, docker."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from benchledger.errors import UsageError
from benchledger.running.case_file import Case, find_case
from benchledger.running.job import Job
from benchledger.running.launch import Launch, command, environment_of, shell_text
from tests.docs.pages import TOP

BERT = f"{TOP}/runners/pytorch/bert.py"


def case(framework: str, **more: object) -> Case:
    values = {
        "name": "c", "about": "c", "kind": "performance", "suffix": None, "program": "x/bert.py", "framework": framework,
        "implementation": "benchledger", "environment": framework, "one_process": False, "data": None, "points": ({},), "arguments": (),
        "when": {}, "folder": Path("/b/runners"),
        "settings": {"model": "bert_base", "task": "pretraining", "precision": "fp16", "batch_size": 64},
    }  # fmt: skip
    return Case(**(values | more))  # type: ignore[arg-type]


def line(job: Job, launch: Launch) -> str:
    """The command up to the runner's options."""
    words = command(job, launch, None, None)
    return shell_text(words[: next(place for place, word in enumerate(words) if word.endswith(".py")) + 1])


def bert(**settings: object) -> Job:
    found = find_case("bert_base")
    return Job(found, {**found.settings, "precision": "fp16", "batch_size": 64, **settings})  # type: ignore[arg-type]


def test_one_gpu_is_one_process() -> None:
    assert line(bert(), Launch("python")) == f"python {BERT}"


def test_several_gpus_are_started_by_torchrun() -> None:
    assert line(bert(gpus=8), Launch("python")) == (
        f"python -m torch.distributed.run --standalone --nproc_per_node=8 -- {BERT}"
    )


def test_several_machines_meet_at_the_first_whose_address_no_command_holds() -> None:
    assert line(bert(gpus=32, nodes=4), Launch("python")) == (
        "python -m torch.distributed.run --nnodes=4 --nproc_per_node=8 --rdzv_backend=c10d "
        f"--rdzv_endpoint=$MASTER_ADDR:29500 --rdzv_id=nlp_bert_base_mp_bs64_fp16_32_4nodes -- {BERT}"
    )


def test_slurm_starts_one_launcher_a_machine() -> None:
    assert line(bert(gpus=32, nodes=4), Launch("python", "slurm")).startswith(
        "srun --nodes=4 --ntasks-per-node=1 --gpus-per-node=8 --kill-on-bad-exit=1 python -m torch.distributed.run --nnodes=4 "
    )


def test_mpirun_starts_one_launcher_a_machine() -> None:
    assert line(bert(gpus=32, nodes=4), Launch("python", "mpirun")).startswith(
        "mpirun -np 4 --npernode 1 --hostfile $HOSTFILE -x MASTER_ADDR -x PYTHONPATH -x OMP_NUM_THREADS python -m torch"
    )


@pytest.mark.parametrize(
    ("framework", "settings", "wanted"),
    [
        ("mxnet", {"gpus": 8}, "mpirun -np 8 python /b"),
        ("tensorflow", {"gpus": 16, "nodes": 2}, "mpirun -np 16 --npernode 8 --hostfile $HOSTFILE -x MASTER_ADDR"),
        ("paddlepaddle", {"gpus": 2}, "python -m paddle.distributed.launch --devices=0,1 --log_dir=/"),
        ("paddlepaddle", {"gpus": 2, "device": "cpu"}, "python -m paddle.distributed.launch --nproc_per_node=2 --log"),
        ("oneflow", {"gpus": 8}, "python -m oneflow.distributed.launch --nproc_per_node=8 -- "),
        (
            "oneflow",
            {"gpus": 16, "nodes": 2},
            "python -m oneflow.distributed.launch --nnodes=2 --node_rank=$NODE_RANK --master_addr=$MASTER_ADDR --nproc_per_node=8 -- ",
        ),
    ],
)
def test_each_framework_is_started_as_it_is_used_to(framework: str, settings: dict[str, int], wanted: str) -> None:
    mine = case(framework)
    # The program of the case is ours only where it is there.
    got = line(Job(mine, {**mine.settings, **settings}), Launch("python"))

    assert got.startswith(wanted.removesuffix("/b"))


def test_a_program_that_takes_all_gpus_of_a_machine_needs_no_launcher_and_no_second_machine() -> None:
    mine = find_case("bert_base_mxnet")

    got = shell_text(command(Job(mine, {**mine.settings, **mine.points[0], "gpus": 4}), Launch("python"), None, None))
    assert got.startswith(f"python {TOP}/runners/mxnet/bert.py --model bert_base ")
    with pytest.raises(UsageError, match="bert_base_mxnet: its program is one process"):
        line(Job(mine, {**mine.settings, "batch_size": 8, "gpus": 16, "nodes": 2}), Launch("python", "slurm"))


def test_a_container_sees_the_same_paths_and_passes_signals_on() -> None:
    got = line(bert(), Launch("python", image="img:1", mounts=(Path("/data"),)))

    assert got == (
        f"docker run --rm --init --gpus all --ipc=host --net=host -v {TOP}:{TOP} -v /data:/data "
        f"-e CUDA_VISIBLE_DEVICES -e PYTHONPATH -e PYTHONUNBUFFERED img:1 python {BERT}"
    )


def test_in_a_container_under_slurm_srun_stands_outside() -> None:
    got = line(bert(gpus=8), Launch("python", "slurm", image="img:1"))

    assert got.index("srun") < got.index("docker run") < got.index("torch.distributed.run")


def test_settings_are_options_of_the_runner_but_for_the_launchers() -> None:
    words = command(bert(gpus=2, omp_threads=4, compile=True), Launch("python"), Path("d"), Path("l.json"))

    assert shell_text(words[words.index(BERT) + 1 :]) == (
        "--model bert_base --task pretraining --device cuda --seq-len 128 --masked 20 --head all --max-iterations 120 "
        "--optimizer lamb --fused-optimizer --data-workers 4 --precision fp16 --batch-size 64 --compile "
        "--data d --log l.json"
    )


def test_threads_and_gpus_stand_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    env = environment_of(bert(gpus=16, nodes=2, omp_threads=4))

    assert (env["OMP_NUM_THREADS"], env["CUDA_VISIBLE_DEVICES"]) == ("4", "0,1,2,3,4,5,6,7")
    assert environment_of(bert(device="cpu"))["CUDA_VISIBLE_DEVICES"] == ""
    paddle = find_case("bert_tiny_paddlepaddle")
    assert environment_of(Job(paddle, {**paddle.settings, "gpus": 2}))["CUDA_VISIBLE_DEVICES"] == "-1,-1"


def test_gpus_that_the_user_chose_stay_theirs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "5")

    assert "CUDA_VISIBLE_DEVICES" not in environment_of(bert())


def test_another_s_program_gets_the_arguments_that_the_case_states(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEGATRON", "/opt/megatron")
    found = find_case("megatron_gpt")
    job = Job(found, {**found.settings, "precision": "fp16", "batch_size": 16, "gpus": 8})
    words = command(job, Launch("python"), Path("d"), Path("l.json"))

    assert "/opt/megatron/pretrain_gpt.py" in words
    assert words[-1] == "--fp16"
    assert words[words.index("--global-batch-size") + 1] == "128"
    assert words[words.index("--data-path") + 1] == "d/my-gpt2_text_document"


def test_a_checkout_that_nobody_named_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MEGATRON", raising=False)
    found = find_case("megatron_gpt")

    with pytest.raises(UsageError, match=r"\$MEGATRON is not set; set it to the checkout that holds pretrain_gpt.py"):
        command(Job(found, {**found.settings, **found.points[0]}), Launch("python"), None, None)


def test_runners_import_nothing_of_the_engine() -> None:
    imported = {
        name.split(".")[0]
        for path in (TOP / "runners").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }

    assert "json" in imported
    assert imported & {"benchledger", "click", "duckdb", "polars", "pyarrow"} == set()


def test_a_machine_that_makes_runs_needs_no_library_but_click() -> None:
    libraries = [
        "ahocorasick_rs",
        "backports",
        "duckdb",
        "isal",
        "polars",
        "pyarrow",
        "rich",
        "xlsxwriter",
        "xxhash",
        "yaml",
    ]
    blocked = f"import sys; sys.modules.update(dict.fromkeys({libraries})); sys.argv[0] = 'bench'; "
    words = [
        sys.executable,
        "-c",
        blocked + "from benchledger.cli.main import main; main()",
        "run",
        "bert_base",
        "--dry-run",
    ]
    run = subprocess.run(words, cwd=TOP, capture_output=True, text=True)

    assert (run.returncode, run.stderr) == (0, "")
    assert "runners/pytorch/bert.py --model bert_base" in run.stdout
