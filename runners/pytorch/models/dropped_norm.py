"""Dropout of a product, its sum with the residual, and the norm of that: one kernel each way; in Triton."""

import torch
import triton
import triton.language as tl
from models.kernels import kept, shared, sum_rows

# How each is launched: rows that a program reads at once, its warps; and programs that share a backward pass.
FORWARD, BACKWARD = {"together": 1, "num_warps": 4}, {"together": 1, "num_warps": 4}
PROGRAMS = 528


@triton.jit
def both(a, b, c, d):
    return a + c, b + d


@triton.jit
def add_norm_forward(
    product, bias, residual, weight, shift, seed, out, total, stats, rows, width, dropped, scale, eps,
    together: tl.constexpr, block: tl.constexpr,
):  # fmt: skip
    """total = residual + dropout(product + bias), out = norm(total)."""
    row, column = tl.program_id(0) * together + tl.arange(0, together)[:, None], tl.arange(0, block)[None, :]
    inside, within, place = (row < rows) & (column < width), column < width, row * width + column
    z = tl.load(product + place, inside, 0.0).to(tl.float32) + tl.load(bias + column, within, 0.0).to(tl.float32)
    z = tl.where(kept(tl.load(seed), place, dropped), z * scale, 0.0)
    z += tl.load(residual + place, inside, 0.0).to(tl.float32)
    # The backward pass reads what is stored: the norm is that of the rounded sum.
    stored = z.to(total.dtype.element_ty)
    tl.store(total + place, stored, inside)
    z = stored.to(tl.float32)
    mean = (tl.sum(z, 1) / width)[:, None]
    centered = tl.where(within, z - mean, 0.0)
    inverse = tl.rsqrt(tl.sum(centered * centered, 1) / width + eps)[:, None]
    tl.store(stats + 2 * row, mean, row < rows)
    tl.store(stats + 2 * row + 1, inverse, row < rows)
    normal = centered * inverse
    normal = normal * tl.load(weight + column, within, 0.0).to(tl.float32)
    normal += tl.load(shift + column, within, 0.0).to(tl.float32)
    tl.store(out + place, normal.to(out.dtype.element_ty), inside)


@triton.jit
def add_norm_backward(
    total, stats, weight, seed, d_out, d_second, d_product, d_residual, parts, rows, width, dropped, scale,
    before: tl.constexpr, steps: tl.constexpr, together: tl.constexpr, block: tl.constexpr,
):  # fmt: skip
    """Gradients of product and residual, and this program's sums for those of weight, shift and bias."""
    column, seed = tl.arange(0, block)[None, :], tl.load(seed)
    within = column < width
    gain = tl.load(weight + column, within, 0.0).to(tl.float32)
    d_weight = tl.zeros((together, block), tl.float32)
    d_shift, d_bias = d_weight, d_weight
    for step in range(steps):
        row = (step * tl.num_programs(0) + tl.program_id(0)) * together + tl.arange(0, together)[:, None]
        inside, place = (row < rows) & within, row * width + column
        z = tl.load(total + place, inside, 0.0).to(tl.float32)
        given = tl.load(d_out + place, inside, 0.0).to(tl.float32)
        second = tl.load(d_second + place, inside, 0.0).to(tl.float32)
        given = given if before else given + second
        inverse = tl.load(stats + 2 * row + 1, row < rows, 0.0)
        normal, d_normal = (z - tl.load(stats + 2 * row, row < rows, 0.0)) * inverse, given * gain
        # Both sums over a row at once: programs wait for each other's threads half as often.
        along, straight = tl.reduce((d_normal * normal, d_normal), 1, both)
        d_z = (d_normal - normal * (along / width)[:, None] - (straight / width)[:, None]) * inverse
        d_z = d_z + second if before else d_z
        tl.store(d_residual + place, d_z.to(d_residual.dtype.element_ty), inside)
        d_y = tl.where(inside & kept(seed, place, dropped), d_z * scale, 0.0)
        tl.store(d_product + place, d_y.to(d_product.dtype.element_ty), inside)
        d_weight, d_shift, d_bias = d_weight + given * normal, d_shift + given, d_bias + d_y
    own = parts + tl.program_id(0) * 3 * width + tl.arange(0, block)
    within = tl.arange(0, block) < width
    tl.store(own, tl.sum(d_weight, 0), within)
    tl.store(own + width, tl.sum(d_shift, 0), within)
    tl.store(own + 2 * width, tl.sum(d_bias, 0), within)


class _AddNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, product, bias, residual, norm_weight, norm_shift, eps, dropout, seed, before):
        width = product.shape[-1]
        rows, out, total = product.numel() // width, torch.empty_like(product), torch.empty_like(residual)
        stats = torch.empty(rows, 2, dtype=torch.float32, device=product.device)
        ctx.save_for_backward(total, stats, norm_weight, seed, bias)
        ctx.shape = rows, width, round(dropout * 2**32), 1 / (1 - dropout)
        ctx.before, ctx.kind = before, product.dtype
        add_norm_forward[(triton.cdiv(rows, FORWARD["together"]),)](
            product, bias, residual, norm_weight, norm_shift, seed, out, total, stats, *ctx.shape, eps,
            block=triton.next_power_of_2(width), **FORWARD,
        )  # fmt: skip
        # What two ways lead on from, has two gradients: they are added where they are read.
        return out, total if before else out.view_as(out)

    @staticmethod
    def backward(ctx, d_out, d_second):
        *saved, bias = ctx.saved_tensors
        total = saved[0]
        d_product, d_residual = torch.empty_like(total, dtype=ctx.kind), torch.empty_like(total)
        rows, width = ctx.shape[:2]
        programs, steps = shared(rows, BACKWARD["together"], PROGRAMS)
        parts = torch.empty(programs, 3 * width, dtype=torch.float32, device=total.device)
        add_norm_backward[(programs,)](
            *saved, d_out.contiguous(), d_second.contiguous(), d_product, d_residual, parts, *ctx.shape,
            before=ctx.before, steps=steps, block=triton.next_power_of_2(width), **BACKWARD,
        )  # fmt: skip
        d_weight, d_shift, d_bias = sum_rows(parts, bias.dtype).split(width)
        return d_product, d_bias, d_residual, d_weight, d_shift, None, None, None, None


def add_norm(product, bias, residual, norm, dropout, seed, before=False):
    """norm(residual + dropout(product + bias)), and what the next residual is: that again, or the sum `before` it."""
    return _AddNorm.apply(product, bias, residual, norm.weight, norm.bias, norm.eps, dropout, seed, before)
