"""The options that every PyTorch runner has beside those of all, and what the launcher says of the processes."""

import os
import sys
from pathlib import Path

import torch

# What all frameworks' runners share stands beside this folder; a runner is started as a file.
sys.path.append(str(Path(__file__).resolve().parents[1]))
from common.options import learning_rate, parsed
from common.options import parser as common_parser

__all__ = ["FUSED", "checked", "learning_rate", "parser", "world"]
FUSED = "Triton kernels of ours for attention, GELU, and dropout with residual and norm"


def parser(about, task, models, **defaults):
    """Options of all runners; a runner adds its own."""
    kinds = ["adamw", "lamb", "sgd"], ["fp32", "tf32", "fp16", "bf16"]
    options = common_parser(about, models, *kinds, task, **{"max_iterations": 300, **defaults})
    add = options.add_argument
    add("--gradient-accumulation", type=int, default=1, help="forward passes for one step of the optimizer")
    add("--weight-decay", type=float, default=0.01)
    add("--fused-optimizer", action="store_true")
    add("--compile", action="store_true", help="all of the model, or what is beside --fused-kernels")
    add("--cuda-graph", action="store_true", help="one CUDA graph of the whole step; several GPUs: with --half-weights")
    add("--half-weights", action="store_true", help="weights in fp16 or bf16, beside those in fp32 of one flat AdamW")
    add("--data-workers", type=int, default=0)
    add("--start-iteration", type=int, help="throughput and profile begin after this one; default: 20, or half of few")
    add("--stop-iteration", type=int, help="and end with this one; default: the last")
    profile = "torch: trace and tables beside the log; cuda: marks for ncu, nsys"
    add("--profile", choices=["torch", "cuda"], help=profile)
    checkpoint = "weights to begin with: of --save-checkpoint, or NVIDIA's or Hugging Face's"
    add("--init-checkpoint", type=Path, help=checkpoint)
    add("--save-checkpoint", type=Path)
    return options


def checked(options, arguments=None):
    """The options as given, or an end that says what is wrong and what to do."""
    args = parsed(options, arguments)
    if args.stop_iteration is None:
        args.stop_iteration = args.max_iterations
    if args.start_iteration is None:
        args.start_iteration = min(20, args.stop_iteration // 2)
    if not 0 <= args.start_iteration < args.stop_iteration <= args.max_iterations:
        options.error("need 0 <= --start-iteration < --stop-iteration <= --max-iterations")
    if args.cuda_graph and world()[1] > 1 and not args.half_weights:
        options.error("--cuda-graph is for one GPU; leave it out, add --half-weights, or start one process")
    if args.half_weights and (args.precision != "bf16" or args.optimizer != "adamw"):
        options.error("--half-weights is for --precision bf16 and --optimizer adamw")
    if args.cuda_graph and args.precision == "fp16" and not (args.fused_optimizer or args.optimizer == "lamb"):
        options.error(
            f"{args.optimizer} waits in fp16 for the device, which no graph can; add --fused-optimizer, or take bf16"
        )
    args.fused_kernels = vars(args).get("fused_kernels", False)
    torch.manual_seed(args.seed)
    return args


def world():
    """(rank, processes, rank on this node, processes on this node), as torchrun sets them."""
    names = {"RANK": "0", "WORLD_SIZE": "1", "LOCAL_RANK": "0", "LOCAL_WORLD_SIZE": "1"}
    return tuple(int(os.environ.get(name, default)) for name, default in names.items())
