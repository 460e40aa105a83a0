"""What the Triton kernels of the models share: dropout, fast functions, sums over rows, seeds.

Each kernel reads its input once and writes its output once. A bias is added where a matrix product is read, so that its
gradient is summed where the gradient of the product is written. What a dropout keeps is drawn again in the backward
pass, not stored. `TRITON_INTERPRET=1` runs them on a CPU, for tests.
"""

import os

import torch
import triton
import triton.language as tl
from triton.language.extra import libdevice

INTERPRETED = tl.constexpr(os.environ.get("TRITON_INTERPRET") == "1")


@triton.jit
def kept(seed, place, dropped):
    """Whether each place is kept, by Murmur3's rounds with two keys; `dropped` is a probability in 2^-32."""
    bits = place.to(tl.uint32) ^ seed.to(tl.uint32)
    bits = ((bits ^ (bits >> 16)) * 0x85EBCA6B) ^ (seed >> 32).to(tl.uint32)
    return (bits ^ (bits >> 13)) * 0xC2B2AE35 >= dropped.to(tl.uint32)


@triton.jit
def inverse(x):
    """1 / x by one instruction, where a division takes six; the interpreter has only that."""
    return 1.0 / x if INTERPRETED else libdevice.fast_dividef(1.0, x)


@triton.jit
def exponential(x):
    """exp by two instructions instead of four: the smallest results are zero."""
    return tl.exp(x) if INTERPRETED else libdevice.fast_expf(x)


@triton.jit
def _sum_rows(parts, out, width, rows: tl.constexpr, together: tl.constexpr, block: tl.constexpr):
    column = tl.program_id(0) * block + tl.arange(0, block)[None, :]
    total = tl.zeros((together, block), tl.float32)
    for first in range(0, rows, together):
        row = first + tl.arange(0, together)[:, None]
        total += tl.load(parts + row * width + column, (row < rows) & (column < width), 0.0)
    column = tl.program_id(0) * block + tl.arange(0, block)
    tl.store(out + column, tl.sum(total, 0).to(out.dtype.element_ty), column < width)


def sum_rows(parts, dtype):
    """The sums that the programs of a backward pass have left, each of its rows: (programs, width) to (width,)."""
    rows, width = parts.shape
    out = torch.empty(width, dtype=dtype, device=parts.device)
    _sum_rows[(triton.cdiv(width, 32),)](parts, out, width, rows, together=64, block=32)
    return out


def shared(rows, together, most):
    """(programs, steps of each) that go through all rows, some `together` in each step."""
    programs = min(most, triton.cdiv(rows, together))
    return programs, triton.cdiv(rows, programs * together)


def seeds(layers, each, device):
    """Seeds of each layer's dropouts, from PyTorch's generator: other ones in each step, also in a CUDA graph."""
    return [row.unbind() for row in torch.randint(2**62, (layers, each), device=device).unbind()]
