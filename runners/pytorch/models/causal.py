"""What GPT has beside BERT's kernels: gradients of attention side by side, and the loss of words; in Triton."""

import torch
import torch.nn.functional as F
import triton
import triton.language as tl
from models.kernels import exponential, shared, sum_rows

# How `pack` is launched: rows that a program reads at once, its warps; and programs that share the rows.
PACK, PROGRAMS = {"together": 2, "num_warps": 4}, 264


@triton.jit
def pack(q, k, v, out, parts, rows, width, steps: tl.constexpr, together: tl.constexpr, block: tl.constexpr):
    """Gradients of queries, keys and values side by side, and this program's sums for that of their bias."""
    column = tl.program_id(1) * block + tl.arange(0, block)[None, :]
    source = q if tl.program_id(2) == 0 else (k if tl.program_id(2) == 1 else v)
    total = tl.zeros((together, block), tl.float32)
    for step in range(steps):
        row = (step * tl.num_programs(0) + tl.program_id(0)) * together + tl.arange(0, together)[:, None]
        inside = (row < rows) & (column < width)
        value = tl.load(source + row * width + column, inside, 0.0)
        tl.store(out + (row * 3 + tl.program_id(2)) * width + column, value, inside)
        total += value.to(tl.float32)
    place = tl.program_id(1) * block + tl.arange(0, block)
    tl.store(parts + (tl.program_id(0) * 3 + tl.program_id(2)) * width + place, tl.sum(total, 0), place < width)


@triton.jit
def cross_entropy(logits, labels, losses, rows, vocabulary: tl.constexpr, block: tl.constexpr):
    """The loss of a row, and in place of its logits their gradient of the mean loss."""
    own, label = logits + tl.program_id(0).to(tl.int64) * vocabulary, tl.load(labels + tl.program_id(0))
    column, most, total = tl.arange(0, block), -float("inf"), 0.0
    for first in range(0, vocabulary, block):
        x = tl.load(own + first + column, first + column < vocabulary, -float("inf")).to(tl.float32)
        more = tl.maximum(most, tl.max(x))
        total = total * exponential(most - more) + tl.sum(exponential(x - more))
        most = more
    most += tl.log(total)
    tl.store(losses + tl.program_id(0), most - tl.load(own + label).to(tl.float32))
    # No thread may write before all have read.
    tl.debug_barrier()
    for first in range(0, vocabulary, block):
        inside = first + column < vocabulary
        p = exponential(tl.load(own + first + column, inside, 0.0).to(tl.float32) - most)
        p = (tl.where(first + column == label, p - 1.0, p) / rows).to(logits.dtype.element_ty)
        tl.store(own + first + column, p, inside)


class _Causal(torch.autograd.Function):
    @staticmethod
    def forward(ctx, packed, bias, heads, dropout):
        rows, length, width = packed.shape
        with torch.enable_grad():
            parts = packed.detach().view(rows, length, 3, heads, width // 3 // heads).unbind(2)
            ctx.parts = [part.requires_grad_() for part in parts]
            q, k, v = (part.transpose(1, 2) for part in ctx.parts)
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True, dropout_p=dropout).transpose(1, 2)
        ctx.y, ctx.kind = y, bias.dtype
        return y.detach().reshape(rows, length, width // 3)

    @staticmethod
    def backward(ctx, d_out):
        q, k, v = (d.contiguous() for d in torch.autograd.grad(ctx.y, ctx.parts, d_out.view_as(ctx.y)))
        ctx.y = ctx.parts = None
        (rows, length), width = q.shape[:2], q[0, 0].numel()
        out, block = (
            torch.empty(rows, length, 3 * width, dtype=q.dtype, device=q.device),
            min(1024, triton.next_power_of_2(width)),
        )
        programs, steps = shared(rows * length, PACK["together"], PROGRAMS)
        sums = torch.empty(programs, 3 * width, dtype=torch.float32, device=q.device)
        grid = programs, triton.cdiv(width, block), 3
        pack[grid](q, k, v, out, sums, rows * length, width, steps=steps, block=block, **PACK)
        return out, sum_rows(sums, ctx.kind), None, None


class _Head(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, labels):
        logits = x @ weight.t()
        losses = torch.empty(len(x), dtype=torch.float32, device=x.device)
        cross_entropy[(len(x),)](logits, labels, losses, *logits.shape, block=4096, num_warps=8)
        ctx.save_for_backward(logits @ weight, logits.t() @ x)
        return losses.mean()

    @staticmethod
    def backward(ctx, d_loss):
        d_x, d_weight = ctx.saved_tensors
        return d_x * d_loss, d_weight * d_loss, None


def causal(packed, bias, heads, dropout):
    """Attention to what is before: (rows, length, 3 x width), `bias` already added, to (rows, length, width)."""
    return _Causal.apply(packed, bias, heads, dropout)


def word_loss(x, weight, labels):
    """Mean cross entropy of x @ weight.T, (rows, width). Gradients are made at once, in place of the logits."""
    half = torch.get_autocast_dtype(x.device.type) if torch.is_autocast_enabled(x.device.type) else x.dtype
    if half == torch.float16:
        # Gradients of a mean are too small for it before they are scaled.
        return F.cross_entropy(F.linear(x, weight), labels)
    return _Head.apply(x.to(half), weight.to(half), labels.contiguous())
