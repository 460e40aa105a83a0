"""GELU of a product and its bias, by erf as BERT has it or by tanh as GPT-2 has it; in Triton."""

import torch
import triton
import triton.language as tl
from models.kernels import exponential, inverse, shared, sum_rows

# How each is launched: rows that a program reads at once, its warps; and programs that share a backward pass.
FORWARD, BACKWARD = {"together": 2, "num_warps": 4}, {"together": 2, "num_warps": 4}
PROGRAMS = 264


@triton.jit
def value_and_slope(x, tanh: tl.constexpr):
    """GELU and its derivative: GPT-2's by tanh, BERT's by erf (Abramowitz and Stegun 7.1.26, to 1.5e-7)."""
    if tanh:
        # (1 + tanh(u)) / 2 is the logistic function of 2 u.
        share = inverse(1.0 + exponential(-1.5957691216 * (x + 0.044715 * x * x * x)))
        slope = share + x * share * (1.0 - share) * 1.5957691216 * (1.0 + 0.134145 * x * x)
    else:
        t, e = inverse(1.0 + 0.23164189 * tl.abs(x)), exponential(-0.5 * x * x)
        series = ((0.5307027145 * t - 0.7265760135) * t + 0.7107068705) * t - 0.142248368
        tail = (series * t + 0.127414796) * t * e
        share = tl.where(x < 0.0, tail, 1.0 - tail)
        slope = share + x * 0.3989422804 * e
    return x * share, slope


@triton.jit
def gelu_forward(product, bias, out, rows, width, tanh: tl.constexpr, together: tl.constexpr, block: tl.constexpr):
    """out = gelu(product + bias)."""
    row = tl.program_id(0) * together + tl.arange(0, together)[:, None]
    column = tl.program_id(1) * block + tl.arange(0, block)[None, :]
    inside, place = (row < rows) & (column < width), row * width + column
    x = tl.load(product + place, inside, 0.0).to(tl.float32)
    value, _slope = value_and_slope(x + tl.load(bias + column, column < width, 0.0).to(tl.float32), tanh)
    tl.store(out + place, value.to(out.dtype.element_ty), inside)


@triton.jit
def gelu_backward(
    product, bias, d_out, d_product, parts, rows, width,
    tanh: tl.constexpr, steps: tl.constexpr, together: tl.constexpr, block: tl.constexpr,
):  # fmt: skip
    """The gradient of product, and this program's sums for that of bias."""
    column = tl.program_id(1) * block + tl.arange(0, block)[None, :]
    within, d_bias = column < width, tl.zeros((together, block), tl.float32)
    added = tl.load(bias + column, within, 0.0).to(tl.float32)
    for step in range(steps):
        row = (step * tl.num_programs(0) + tl.program_id(0)) * together + tl.arange(0, together)[:, None]
        inside, place = (row < rows) & within, row * width + column
        _value, slope = value_and_slope(tl.load(product + place, inside, 0.0).to(tl.float32) + added, tanh)
        d_x = tl.load(d_out + place, inside, 0.0).to(tl.float32) * slope
        tl.store(d_product + place, d_x.to(d_product.dtype.element_ty), inside)
        d_bias += d_x
    place = tl.program_id(1) * block + tl.arange(0, block)
    tl.store(parts + tl.program_id(0) * width + place, tl.sum(d_bias, 0), place < width)


class _Gelu(torch.autograd.Function):
    @staticmethod
    def forward(ctx, product, bias, tanh):
        width, out = product.shape[-1], torch.empty_like(product)
        rows = product.numel() // width
        ctx.save_for_backward(product, bias)
        ctx.tanh, block = tanh, min(1024, triton.next_power_of_2(width))
        grid = triton.cdiv(rows, FORWARD["together"]), triton.cdiv(width, block)
        gelu_forward[grid](product, bias, out, rows, width, tanh=tanh, block=block, **FORWARD)
        return out

    @staticmethod
    def backward(ctx, d_out):
        product, bias = ctx.saved_tensors
        d_product, width = torch.empty_like(product), product.shape[-1]
        rows = product.numel() // width
        programs, steps = shared(rows, BACKWARD["together"], PROGRAMS)
        parts = torch.empty(programs, width, dtype=torch.float32, device=product.device)
        d_out, block = d_out.contiguous(), min(1024, triton.next_power_of_2(width))
        gelu_backward[(programs, triton.cdiv(width, block))](
            product, bias, d_out, d_product, parts, rows, width,
            tanh=ctx.tanh, steps=steps, block=block, **BACKWARD,
        )  # fmt: skip
        return d_product, sum_rows(parts, bias.dtype), None


def gelu(product, bias, tanh=False):
    """GELU of product + bias, by erf or as GPT-2 has it by tanh."""
    return _Gelu.apply(product, bias, tanh)
