"""Attention with dropout over sequences that fit into one tile, from and to packed queries, keys and values; in Triton.

A program has the whole attention of one head over one sequence on the chip: nothing of its matrix is stored, and
nothing is copied to another layout.
"""

import torch
import triton
import triton.language as tl
from models.kernels import kept, sum_rows

LONGEST = 128
# With more registers, or more keys at once, two programs do not fit beside each other.
FORWARD, BACKWARD = {"num_warps": 8, "maxnreg": 128}, {"keys": 32, "num_warps": 8, "maxnreg": 128}


@triton.jit
def scored(q, k, mask, depth: tl.constexpr):
    """Scores in powers of two; keys that are padding have almost none."""
    scores = tl.dot(q, tl.trans(k), input_precision="ieee") * (depth**-0.5 * 1.4426950409)
    return scores + tl.where(tl.load(mask) != 0, 0.0, -14427.0)[None, :]


@triton.jit
def attention_forward(qkv, mask, seed, out, sums, heads, dropped, scale, length: tl.constexpr, depth: tl.constexpr):
    """One head of one sequence, and the logarithms of what its softmax divides by."""
    row, head, width = tl.program_id(0) // heads, tl.program_id(0) % heads, heads * depth
    at, column = tl.arange(0, length), head * depth + tl.arange(0, depth)[None, :]
    places = (row * length + at)[:, None] * 3 * width + column
    q, k, v = tl.load(qkv + places), tl.load(qkv + places + width), tl.load(qkv + places + 2 * width)
    scores = scored(q, k, mask + row * length + at, depth)
    most = tl.max(scores, 1)
    p = tl.exp2(scores - most[:, None])
    total = tl.sum(p, 1)
    tl.store(sums + tl.program_id(0) * length + at, most + tl.log2(total))
    place = (tl.program_id(0) * length + at)[:, None] * length + at[None, :]
    p = tl.where(kept(tl.load(seed), place, dropped), p * (scale / total)[:, None], 0.0)
    y = tl.dot(p.to(v.dtype), v, input_precision="ieee")
    tl.store(out + (row * length + at)[:, None] * width + column, y.to(out.dtype.element_ty))


@triton.jit
def attention_backward(
    qkv, mask, seed, out, sums, d_out, d_qkv, parts, heads, dropped, scale,
    length: tl.constexpr, depth: tl.constexpr, keys: tl.constexpr,
):  # fmt: skip
    """Gradients of one head of one sequence, some keys at a time, and their sums over positions."""
    row, head, width = tl.program_id(0) // heads, tl.program_id(0) % heads, heads * depth
    at, column = tl.arange(0, length), head * depth + tl.arange(0, depth)[None, :]
    places, seed = (row * length + at)[:, None] * 3 * width + column, tl.load(seed)
    q, outs = tl.load(qkv + places), (row * length + at)[:, None] * width + column
    d_y, largest = tl.load(d_out + outs), tl.load(sums + tl.program_id(0) * length + at)[:, None]
    along = tl.sum(d_y.to(tl.float32) * tl.load(out + outs).to(tl.float32), 1)[:, None]
    d_q, d_k_sum, d_v_sum = (
        tl.zeros((length, depth), tl.float32),
        tl.zeros((depth,), tl.float32),
        tl.zeros((depth,), tl.float32),
    )
    for first in range(0, length, keys):
        key = first + tl.arange(0, keys)
        there = (row * length + key)[:, None] * 3 * width + column + width
        k, v = tl.load(qkv + there), tl.load(qkv + there + width)
        p = tl.exp2(scored(q, k, mask + row * length + key, depth) - largest)
        place = (tl.program_id(0) * length + at)[:, None] * length + key[None, :]
        factor = tl.where(kept(seed, place, dropped), scale, 0.0)
        d_v = tl.dot(tl.trans((p * factor).to(v.dtype)), d_y, input_precision="ieee")
        tl.store(d_qkv + there + width, d_v.to(d_qkv.dtype.element_ty))
        d_p = tl.dot(d_y, tl.trans(v), input_precision="ieee") * factor
        d_s = (p * (d_p - along) * depth**-0.5).to(q.dtype)
        d_q = tl.dot(d_s, k, d_q, input_precision="ieee")
        d_k = tl.dot(tl.trans(d_s), q, input_precision="ieee")
        tl.store(d_qkv + there, d_k.to(d_qkv.dtype.element_ty))
        d_k_sum, d_v_sum = d_k_sum + tl.sum(d_k, 0), d_v_sum + tl.sum(d_v, 0)
    tl.store(d_qkv + places, d_q.to(d_qkv.dtype.element_ty))
    own = parts + row * 3 * width + head * depth + tl.arange(0, depth)
    tl.store(own, tl.sum(d_q, 0))
    tl.store(own + width, d_k_sum)
    tl.store(own + 2 * width, d_v_sum)


class _Attention(torch.autograd.Function):
    @staticmethod
    def forward(ctx, qkv, bias, mask, heads, dropout, seed):
        rows, length, width = qkv.shape[0], qkv.shape[1], qkv.shape[2] // 3
        out = torch.empty(rows, length, width, dtype=qkv.dtype, device=qkv.device)
        sums = torch.empty(rows, heads, length, dtype=torch.float32, device=qkv.device)
        ctx.save_for_backward(qkv, mask, seed, out, sums)
        ctx.kind = bias.dtype
        ctx.shape = heads, round(dropout * 2**32), 1 / (1 - dropout), length, width // heads
        attention_forward[(rows * heads,)](qkv, mask, seed, out, sums, *ctx.shape, **FORWARD)
        return out

    @staticmethod
    def backward(ctx, d_out):
        saved = ctx.saved_tensors
        d_qkv, (rows, length, width) = torch.empty_like(saved[0]), saved[0].shape
        parts = torch.empty(rows, width, dtype=torch.float32, device=d_qkv.device)
        attention_backward[(rows * ctx.shape[0],)](
            *saved, d_out.contiguous(), d_qkv, parts, *ctx.shape, **{**BACKWARD, "keys": min(BACKWARD["keys"], length)}
        )
        return d_qkv, sum_rows(parts, ctx.kind), None, None, None, None


def attention(qkv, bias, mask, heads, dropout, seed):
    """(rows, length, 3 x width), `bias` already added, to (rows, length, width); `mask` is 0 on padding."""
    return _Attention.apply(qkv, bias, mask, heads, dropout, seed)


def fits(length):
    """Whether a sequence is one tile."""
    return 16 <= length <= LONGEST and length & (length - 1) == 0
