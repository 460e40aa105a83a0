"""Compares the Triton kernels with float64, gradients and dropout too, and tells how long they take; on a GPU.

    python runners/pytorch/check_kernels.py --batch-size 96 --seq-len 128

With `TRITON_INTERPRET=1` and small sizes: on a CPU, in fp32. Exit code 1 where one differs by more than rounding.
"""

import argparse
import sys

import torch
import torch.nn.functional as F
from models.attention import attention
from models.causal import causal, word_loss
from models.dropped_norm import add_norm
from models.gelu import gelu
from models.kernels import seeds

FURTHEST = {torch.bfloat16: 8e-3, torch.float32: 1e-5}


def kept(product, dropout, seed):
    """What a dropout before a norm makes of ones: zero, or what is kept is multiplied with."""
    norm = torch.nn.LayerNorm(product.shape[-1], device=product.device, dtype=product.dtype)
    nothing = torch.zeros_like(product)
    total = add_norm(nothing, torch.ones_like(product[0]), nothing, norm, dropout, seed, before=True)[1]
    return (total > 0).double() / (1 - dropout)


def kept_of_attention(x, mask, heads, dropout, seed):
    """The same of attention: without queries and keys all weights are equal, and values of one or zero show them."""
    rows, length, depth = len(x), x.shape[1], x.shape[2] // 3 // heads
    parts = []
    for first in range(0, length, depth):
        values = torch.zeros_like(x).view(rows, length, 3, heads, depth)
        place = torch.arange(first, min(first + depth, length), device=x.device)
        values[:, place, 2, :, place - first] = 1
        shown = attention(values.view_as(x), torch.zeros_like(x[0, 0]), torch.ones_like(mask), heads, dropout, seed)
        parts.append(shown.view(rows, length, heads, depth).transpose(1, 2)[..., : len(place)])
    return (torch.cat(parts, -1) > 0).double() / (1 - dropout)


def attended(x, bias, mask, heads, scale, before=0.0):
    """Attention in plain PyTorch."""
    rows, length, width = x.shape[0], x.shape[1], x.shape[2] // 3
    q, k, v = (x + bias).view(rows, length, 3, heads, width // heads).permute(2, 0, 3, 1, 4).unbind(0)
    hidden = torch.where(mask == 0, -10000.0, 0.0)[:, None, None, :]
    scores = q @ k.transpose(-1, -2) / (width // heads) ** 0.5 + hidden + before
    return (scores.softmax(-1) * scale @ v).transpose(1, 2).reshape(rows, length, width)


def cases(args, device, kind):
    """(name, function, its twin in float64, inputs)."""
    rows, width, one = args.batch_size * args.seq_len, args.width, seeds(1, 1, device)[0][0]

    def some(*shape, dtype=kind):
        return torch.randn(*shape, device=device).to(dtype)

    for tanh, approximate in ((False, "none"), (True, "tanh")):
        inputs = [some(rows, 4 * width), some(4 * width)]
        yield (f"gelu {approximate}", lambda x, b, tanh=tanh: (gelu(x, b, tanh),),
               lambda x, b, way=approximate: (F.gelu(x + b, approximate=way),), inputs)  # fmt: skip
    for before, dtype in ((False, kind), (True, torch.float32)):
        norm, twin = torch.nn.LayerNorm(width, device=device), torch.nn.LayerNorm(width, device=device).double()
        norm.bias.data.normal_()
        norm.weight.data.normal_()
        twin.load_state_dict(norm.to(kind).state_dict())
        inputs = [some(rows, width), some(width), some(rows, width, dtype=dtype)]
        scale = kept(inputs[0], args.dropout, one)

        def exact(x, b, r, twin=twin, scale=scale, before=before):
            total = r + (x + b) * scale
            return twin(total), total if before else twin(total)

        def ours(x, b, r, norm=norm, before=before):
            return add_norm(x, b, r, norm, args.dropout, one, before)

        yield f"norm {'before' if before else 'after'} the sum", ours, exact, inputs
    ends = torch.randint(args.seq_len * 3 // 4, args.seq_len + 1, (args.batch_size, 1), device=device)
    mask = (torch.arange(args.seq_len, device=device) < ends).long()
    inputs = [some(args.batch_size, args.seq_len, 3 * width), some(3 * width)]
    scale = kept_of_attention(inputs[0], mask, args.heads, args.dropout, one)
    yield ("attention", lambda x, b: (attention(x + b.detach(), b, mask, args.heads, args.dropout, one),),
           lambda x, b: (attended(x, b, mask, args.heads, scale),), inputs)  # fmt: skip
    later = torch.full((args.seq_len, args.seq_len), -1e4, device=device).triu(1)
    yield ("causal attention", lambda x, b: (causal(x + b.detach(), b, args.heads, 0.0),),
           lambda x, b: (attended(x, b, mask * 0 + 1, args.heads, 1.0, later),), inputs)  # fmt: skip
    labels = torch.randint(50000, (rows,), device=device)
    inputs = [some(rows, width), some(50304, width) * 0.02]
    yield ("loss of words", lambda x, w: (word_loss(x, w, labels),),
           lambda x, w: (F.cross_entropy(x @ w.t(), labels),), inputs)  # fmt: skip


def distances(function, exact, inputs):
    """How far results and gradients are from those in float64, relative to their length."""
    mine = [value.detach().clone().requires_grad_() for value in inputs]
    theirs = [value.detach().double().requires_grad_() for value in inputs]
    outs, exacts = function(*mine), exact(*theirs)
    given = [torch.randn_like(out) for out in outs]
    torch.autograd.backward(outs, given)
    torch.autograd.backward(exacts, [one.double() for one in given])
    pairs = [*zip(outs, exacts, strict=True), *((a.grad, b.grad) for a, b in zip(mine, theirs, strict=True))]
    return [((a.double() - b).norm() / b.norm()).item() for a, b in pairs]


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name, default in {"batch_size": 96, "seq_len": 128, "width": 768, "heads": 12}.items():
        options.add_argument(f"--{name.replace('_', '-')}", type=int, default=default)
    options.add_argument("--dropout", type=float, default=0.1)
    args = options.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    kind, bad = torch.bfloat16 if device.type == "cuda" else torch.float32, 0
    torch.manual_seed(1)
    product = torch.zeros(args.batch_size * args.seq_len, args.width, dtype=kind, device=device)
    share = (kept(product, args.dropout, seeds(1, 1, device)[0][0]) > 0).double().mean().item()
    print(f"dropout of {args.dropout} keeps {share:.5f}")
    bad += abs(share - (1 - args.dropout)) > 5 * (args.dropout * (1 - args.dropout) / product.numel()) ** 0.5
    for name, function, exact, inputs in cases(args, device, kind):
        far = distances(function, exact, inputs)
        bad += not max(far) < FURTHEST[kind]
        print(f"{name:22s} from float64: {' '.join(f'{one:.1e}' for one in far)}", flush=True)
        if device.type == "cuda":
            from triton.testing import do_bench

            inputs = [value.requires_grad_() for value in inputs]
            given = [torch.randn_like(out) for out in function(*inputs)]
            runs = lambda: function(*inputs), lambda: torch.autograd.grad(function(*inputs), inputs, given)  # noqa: B023
            forward, both = (do_bench(run, return_mode="median") * 1000 for run in runs)
            print(f"{name:22s} {forward:.1f} us forward, {both:.1f} us with gradients", flush=True)
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
