"""GPT pre-training on megatron-core. Prints the lines of Megatron-LM's pretrain_gpt.py.

    python runners/megatron/gpt.py --batch-size 16 --precision fp16 --data DIR
    torchrun --nproc-per-node 8 runners/megatron/gpt.py --batch-size 8 --precision fp32 --data DIR

DIR holds tokens in *.npy, as for runners/pytorch/gpt.py. Megatron-core knows no CPU: `--device cpu` is for rehearsals.
"""

import os
import sys
import warnings
from contextlib import nullcontext
from datetime import datetime
from pathlib import Path

import torch
import torch.distributed as dist
from torch.overrides import TorchFunctionMode

# Each time, of what is not installed beside it.
warnings.filterwarnings("ignore", module="megatron")
from megatron.core import __version__, parallel_state, tensor_parallel
from megatron.core.distributed import DistributedDataParallel, DistributedDataParallelConfig, finalize_model_grads
from megatron.core.models.gpt.gpt_layer_specs import get_gpt_layer_local_spec
from megatron.core.models.gpt.gpt_model import GPTModel
from megatron.core.optimizer import OptimizerConfig, get_megatron_optimizer
from megatron.core.pipeline_parallel import get_forward_backward_func
from megatron.core.transformer.module import Float16Module
from megatron.core.transformer.transformer_config import TransformerConfig

# What programs share stands beside this folder, the tokens with PyTorch's GPT; this one is started as a file.
RUNNERS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(RUNNERS / "pytorch"), str(RUNNERS)]
from batches import loader
from common.options import Clock, checked, known, learning_rate, parser
from gpt import SIZES, Tokens, made

TYPES = {"fp32": torch.float32, "fp16": torch.float16, "bf16": torch.bfloat16}


class OnCpu(TorchFunctionMode):
    """Whoever asks for the GPU gets the CPU: megatron-core names it wherever it makes a tensor."""

    def __torch_function__(self, function, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if str(kwargs.get("device", "")).startswith("cuda"):
            kwargs["device"] = "cpu"
        return function(*args, **kwargs)


def begin(args):
    """The process group, and the device of this process."""
    local, processes = int(os.environ.get("LOCAL_RANK", "0")), int(os.environ.get("WORLD_SIZE", "1"))
    if args.device != "cpu" and local >= torch.cuda.device_count():
        sys.exit("megatron-core finds no GPU for this process. Cure: fewer processes, a driver that `nvidia-smi` "
                 "answers; or --device cpu")  # fmt: skip
    alone = {} if processes > 1 else {"store": dist.HashStore(), "rank": 0, "world_size": 1}
    dist.init_process_group("gloo" if args.device == "cpu" else "nccl", **alone)
    parallel_state.initialize_model_parallel()
    if args.device == "cpu":
        torch.cuda.current_device = lambda: torch.device("cpu")
        tensor_parallel.get_cuda_rng_tracker().fork = lambda *_: nullcontext()
        OnCpu().__enter__()
        torch.manual_seed(args.seed)
    else:
        torch.cuda.set_device(local)
        tensor_parallel.model_parallel_cuda_manual_seed(args.seed)


def arguments(args, rows):
    """The table of arguments, by Megatron-LM's names, and what it says of its world."""
    size, world = SIZES[args.model], dist.get_world_size()
    say(f"using world size: {world}, data-parallel size: {world}, context-parallel size: 1, "
        "tensor-model-parallel size: 1, pipeline-model-parallel size: 1")  # fmt: skip
    values = {
        "implementation": "benchledger_megatron", "megatron_core": __version__, "world_size": world,
        "num_layers": size["layers"], "hidden_size": size["width"], "num_attention_heads": size["heads"],
        "seq_length": args.seq_len, "micro_batch_size": args.batch_size, "global_batch_size": rows,
        "train_iters": args.max_iterations, "params_dtype": TYPES[args.precision], "optimizer": "adam",
        "lr": args.learning_rate, "seed": args.seed, "hidden_dropout": args.dropout,
        "tensor_model_parallel_size": 1, "pipeline_model_parallel_size": 1,
    }  # fmt: skip
    say("------------------------ arguments ------------------------")
    for name, value in sorted(values.items()):
        say(f"  {name} {'.' * (48 - len(name))} {value}")
    say("-------------------- end of arguments ---------------------")
    say(f"> PyTorch version ................ {torch.__version__}")
    say(f"setting number of microbatches to constant {args.gradient_accumulation}")
    say("building GPT model ...")


def say(text):
    """A line of the first process."""
    if dist.get_rank() == 0:
        print(text, flush=True)


def build(args):
    """Megatron's GPT, wrapped for data parallelism, and its optimizer."""
    size, half = SIZES[args.model], {"fp16": args.precision == "fp16", "bf16": args.precision == "bf16"}
    cpu = args.device == "cpu"
    config = TransformerConfig(
        num_layers=size["layers"], hidden_size=size["width"], num_attention_heads=size["heads"],
        hidden_dropout=args.dropout, attention_dropout=args.dropout, params_dtype=TYPES[args.precision],
        use_cpu_initialization=cpu, masked_softmax_fusion=False, gradient_accumulation_fusion=False,
        finalize_model_grads_func=finalize_model_grads, **half,
    )  # fmt: skip
    spec = get_gpt_layer_local_spec()
    model = GPTModel(config, spec, size["vocabulary"], args.seq_len)
    model = model if cpu else model.cuda()
    model = Float16Module(config, model) if any(half.values()) else model
    model = DistributedDataParallel(config, DistributedDataParallelConfig(), model)
    # Gradients are clipped by what only knows a GPU's.
    clip = {"clip_grad": 0.0} if cpu else {}
    options = OptimizerConfig(optimizer="adam", lr=args.learning_rate, weight_decay=0.01, **half, **clip,
                              params_dtype=TYPES[args.precision])  # fmt: skip
    optimizer = get_megatron_optimizer(options, [model])
    config.grad_scale_func = optimizer.scale_loss
    return model, optimizer


def forward(batches, model):
    """One forward pass, and how its loss is made of the losses of tokens."""
    tokens = next(batches)
    places = torch.arange(tokens.shape[1] - 1, device=tokens.device).expand(len(tokens), -1)
    losses = model(tokens[:, :-1].contiguous(), places, None, labels=tokens[:, 1:].contiguous())

    def mean(losses):
        loss = losses.float().mean()
        return loss, {"lm loss": loss.detach()}

    return losses, mean


def main():
    defaults = {"model": "gpt2_124m", "batch_size": 8, "seq_len": 1024, "dropout": 0.1}
    options = parser(__doc__.splitlines()[0], SIZES, ("adamw",), **defaults)
    options.add_argument("--gradient-accumulation", type=int, default=1)
    args = checked(options)
    begin(args)
    world, passes = dist.get_world_size(), args.gradient_accumulation
    rows, vocabulary = args.batch_size * passes * world, SIZES[args.model]["vocabulary"]
    arguments(args, rows)
    model, optimizer = build(args)
    device = next(model.parameters()).device
    tokens = Tokens(args.data, args.batch_size, args.seq_len, vocabulary, args.seed) if args.data else None
    source = loader(tokens, 0) if tokens else made(args, vocabulary, device)
    batches = (batch[0].to(device) for batch in source)
    run, clock, skipped = get_forward_backward_func(), Clock(args), 0
    for iteration in range(1, args.max_iterations + 1):
        for group in optimizer.param_groups:
            group["lr"] = learning_rate(args, iteration)
        model.zero_grad_buffer()
        optimizer.zero_grad()
        losses = run(forward_step_func=forward, data_iterator=batches, model=model, num_microbatches=passes,
                     seq_length=args.seq_len, micro_batch_size=args.batch_size, forward_only=False)  # fmt: skip
        done, norm, _ = optimizer.step()
        skipped += not done
        if clock.due(iteration):
            loss = sum(part["lm loss"] for part in losses) / passes / world
            dist.all_reduce(loss)
            loss = known(loss.item(), iteration)
            clock.mark(iteration)
            say(
                f" [{datetime.now()}] iteration {iteration:8d}/{args.max_iterations:8d} | consumed samples: "
                f"{iteration * rows:12d} | elapsed time per iteration (ms): {clock.step_s * 1000:.1f} | "
                f"learning rate: {learning_rate(args, iteration):.6E} | global batch size: {rows:5d} | "
                f"lm loss: {loss:.6E} | loss scale: {optimizer.get_loss_scale().item():.1f} | "
                f"grad norm: {norm or 0:.3f} | number of skipped iterations: {skipped:3d} | "
                "number of nan iterations:   0 |"
            )
            skipped = 0
    if device.type == "cuda":
        read = {f"{most}{name}": getattr(torch.cuda, f"{most.replace(' ', '_')}memory_{name}")() / 2**20
                for name in ("allocated", "reserved") for most in ("", "max ")}  # fmt: skip
        shown = " | ".join(f"{name}: {mib}" for name, mib in read.items())
        say(f"[Rank 0] (after {args.max_iterations} iterations) memory (MB) | {shown}")
    say(f"[after training is done] datetime: {datetime.now()}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
