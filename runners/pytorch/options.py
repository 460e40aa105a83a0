"""The options that every PyTorch runner has, and what the launcher says of the processes."""

import argparse
import os
from pathlib import Path

import torch


def parser(about, task, models, **defaults):
    """Options of all runners; a runner adds its own."""
    options = argparse.ArgumentParser(description=about, formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    add = options.add_argument
    add("--task", choices=[task], default=task)
    add("--model", choices=models)
    add("--data", type=Path, help="folder of training data; without it, made-up data of the same shape")
    add("--log", type=Path, help="file for the same lines as JSON; the text goes to standard output")
    add("--batch-size", type=int, default=32, help="samples of one GPU in one forward pass")
    add("--precision", choices=["fp32", "tf32", "fp16", "bf16"], default="fp32")
    add("--max-iterations", type=int, default=300, help="steps of the optimizer")
    add("--gradient-accumulation", type=int, default=1, help="forward passes for one step of the optimizer")
    add("--optimizer", choices=["adamw", "lamb", "sgd"], default="adamw")
    add("--learning-rate", type=float, default=1e-4)
    add("--warmup", type=float, default=0.1, help="part of the iterations in which the learning rate rises")
    add("--weight-decay", type=float, default=0.01)
    add("--fused-optimizer", action="store_true")
    add("--compile", action="store_true")
    add("--cuda-graph", action="store_true", help="one CUDA graph of the whole step; one GPU only")
    add("--data-workers", type=int, default=0)
    add("--seed", type=int, default=42)
    add("--device", choices=["auto", "cuda", "cpu"], default="auto")
    add("--log-interval", type=int, default=1, help="iterations for each line")
    add("--start-iteration", type=int, help="throughput and profile begin after this one; default: 20, or half of few")
    add("--stop-iteration", type=int, help="and end with this one; default: the last")
    add(
        "--profile", choices=["torch", "cuda"], help="torch: trace and tables beside the log; cuda: marks for ncu, nsys"
    )
    add(
        "--init-checkpoint",
        type=Path,
        help="weights to begin with: of --save-checkpoint, or NVIDIA's or Hugging Face's",
    )
    add("--save-checkpoint", type=Path)
    options.set_defaults(**defaults)
    return options


def checked(options, arguments=None):
    """The options as given, or an end that says what is wrong and what to do."""
    args = options.parse_args(arguments)
    if args.stop_iteration is None:
        args.stop_iteration = args.max_iterations
    if args.start_iteration is None:
        args.start_iteration = min(20, args.stop_iteration // 2)
    if not 0 <= args.start_iteration < args.stop_iteration <= args.max_iterations:
        options.error("need 0 <= --start-iteration < --stop-iteration <= --max-iterations")
    if args.cuda_graph and world()[1] > 1:
        options.error("--cuda-graph is for one GPU; leave it out, or start one process")
    if args.cuda_graph and args.precision == "fp16" and not (args.fused_optimizer or args.optimizer == "lamb"):
        options.error(
            f"{args.optimizer} waits in fp16 for the device, which no graph can; add --fused-optimizer, or take bf16"
        )
    torch.manual_seed(args.seed)
    return args


def world():
    """(rank, processes, rank on this node, processes on this node), as torchrun sets them."""
    names = {"RANK": "0", "WORLD_SIZE": "1", "LOCAL_RANK": "0", "LOCAL_WORLD_SIZE": "1"}
    return tuple(int(os.environ.get(name, default)) for name, default in names.items())
