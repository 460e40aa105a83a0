"""What a run is set up with: the device, the optimizer, the profiler."""

import os
import sys
from contextlib import nullcontext
from pathlib import Path

import torch
from models.adamw import FlatAdamW
from models.lamb import Lamb

HALF = {"fp16": torch.float16, "bf16": torch.bfloat16}


def device(args, local):
    """The GPU of this process, or the CPU; a missing GPU ends the run."""
    if args.device == "cpu" or (args.device == "auto" and not torch.cuda.is_available()):
        return torch.device("cpu")
    if local >= torch.cuda.device_count():
        seen = torch.cuda.device_count()
        sys.exit(f"process {local} of this node finds no GPU of its own: {seen} seen. Cure: fewer processes, a driver "
                 "that `nvidia-smi` answers, CUDA_VISIBLE_DEVICES; or --device cpu")  # fmt: skip
    torch.cuda.set_device(local)
    return torch.device("cuda", local)


def environment(device):
    """Versions and hardware, as far as PyTorch knows them."""
    values = {"framework_version": torch.__version__, "omp_threads": torch.get_num_threads(), "device": device.type}
    values["cpu_count"] = os.cpu_count()
    if device.type == "cuda":
        card = torch.cuda.get_device_properties(device)
        # What CUDA hands out; nvidia-smi's total, which the ledger calls gpu_memory_mib, is some hundred MiB more.
        values |= {"gpu_model": card.name, "cuda_memory_mib": card.total_memory // 2**20}
    return values


def libraries():
    """NVIDIA's, on a line of their own that begins with CUDA's: 13.0 is a version there, and no number."""
    nccl = ".".join(map(str, torch.cuda.nccl.version()))
    return {"cuda_version": torch.version.cuda, "cudnn_version": torch.backends.cudnn.version(), "nccl_version": nccl}


def optimizer(args, model, rate):
    """Norms and biases do not decay."""
    weights = list(model.parameters())
    groups = [
        {"params": [weight for weight in weights if weight.dim() > 1], "weight_decay": args.weight_decay},
        {"params": [weight for weight in weights if weight.dim() <= 1], "weight_decay": 0.0},
    ]
    if args.optimizer == "lamb":
        return Lamb(groups, rate, fused=args.fused_optimizer)
    if args.optimizer == "sgd":
        return torch.optim.SGD(groups, rate, momentum=0.9, fused=args.fused_optimizer or None)
    if args.half_weights:
        half, passes = HALF[args.precision], args.gradient_accumulation
        return FlatAdamW(groups, rate, half, fused=args.fused_optimizer, passes=passes)
    # With a rate that is a tensor, on a GPU, the update must not ask the host for it.
    kind = {"fused": True} if args.fused_optimizer else {"foreach": rate.is_cuda}
    return torch.optim.AdamW(groups, rate, eps=1e-6, capturable=rate.is_cuda, **kind)


def profiler(args):
    """Opened after --start-iteration and closed with --stop-iteration."""
    if args.profile == "cuda":
        return torch.cuda.profiler.profile()
    if args.profile != "torch":
        return nullcontext()
    stem = args.log or Path("profile.log")

    def keep(profile):
        profile.export_chrome_trace(str(stem.with_suffix(".trace.json")))
        table = profile.key_averages().table(sort_by="self_cuda_time_total", row_limit=50)
        stem.with_suffix(".profile.txt").write_text(table, encoding="utf-8")

    return torch.profiler.profile(on_trace_ready=keep, record_shapes=False)


def compiled(model, fused_kernels):
    """Compiles the model, or what is beside the kernels.

    Kernels that draw their own random numbers wait for them: with PyTorch's, a step is 2.5 % shorter.
    """
    options = {"fallback_random": True}
    if not fused_kernels:
        model.compile(options=options)
        return
    for owner, name in model.parts():
        setattr(owner, name, torch.compile(getattr(owner, name), options=options))
