"""A layer of BERT, in plain PyTorch and by kernels of our own."""

import torch
import torch.nn.functional as F
from torch import nn


class Norm(nn.LayerNorm):
    """A layer norm that answers in the type of the matrix products, so that what layers hand on is half as many bytes.

    Means and variances are still taken in fp32.
    """

    def __init__(self, width):
        super().__init__(width, eps=1e-12)

    def forward(self, x):
        kind = x.device.type
        if not torch.is_autocast_enabled(kind):
            return super().forward(x)
        half = torch.get_autocast_dtype(kind)
        with torch.autocast(kind, enabled=False):
            return F.layer_norm(x.to(half), self.normalized_shape, self.weight.to(half), self.bias.to(half), self.eps)


class Layer(nn.Module):
    """Attention and feed-forward, each followed by dropout, residual and norm."""

    def __init__(self, width, heads, dropout):
        super().__init__()
        self.heads, self.dropout = heads, dropout
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.norm1, self.norm2 = Norm(width), Norm(width)
        self.drop = nn.Dropout(dropout)

    def attended(self, x, bias):
        """What attention makes of x, before its last product."""
        rows, length, width = x.shape
        packed = self.qkv(x).view(rows, length, 3, self.heads, width // self.heads).unbind(2)
        q, k, v = (part.transpose(1, 2) for part in packed)
        dropout = self.dropout if self.training else 0.0
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=bias, dropout_p=dropout)
        return y.transpose(1, 2).reshape(rows, length, width)

    def forward(self, x, bias):
        x = self.norm1(x + self.drop(self.out(self.attended(x, bias))))
        return self.norm2(x + self.drop(self.down(F.gelu(self.up(x)))))

    def fused(self, x, residual, mask, bias, seeds, places=None):
        """The same by kernels of our own, which add the biases of the products; x and residual are the same numbers."""
        from models.attention import attention, fits
        from models.dropped_norm import add_norm
        from models.gelu import gelu

        dropout = self.dropout if self.training else 0.0
        if fits(x.shape[1]):
            # The gradient of the bias comes from the attention, which has what it is the sum of on the chip.
            product = F.linear(x, self.qkv.weight, self.qkv.bias.detach())
            y = attention(product, self.qkv.bias, mask, self.heads, dropout, seeds[0])
        else:
            y = self.attended(x, bias)
        if places is not None:
            # Behind its attention the last layer is needed at these places alone.
            y, residual = (rows.flatten(0, 1).index_select(0, places) for rows in (y, residual))
        x, residual = add_norm(F.linear(y, self.out.weight), self.out.bias, residual, self.norm1, dropout, seeds[1])
        y = gelu(F.linear(x, self.up.weight), self.up.bias)
        return add_norm(F.linear(y, self.down.weight), self.down.bias, residual, self.norm2, dropout, seeds[2])
