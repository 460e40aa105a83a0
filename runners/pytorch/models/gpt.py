"""GPT-2 (Radford et al., 2019): each token from those before it."""

import torch
import torch.nn.functional as F
from torch import nn

SIZES = {
    "gpt2_tiny": {"layers": 2, "width": 64, "heads": 2, "vocabulary": 512},
    "gpt2_124m": {"layers": 12, "width": 768, "heads": 12, "vocabulary": 50304},
    "gpt2_345m": {"layers": 24, "width": 1024, "heads": 16, "vocabulary": 50304},
}


class Block(nn.Module):
    """Norm, attention, residual; norm, feed-forward, residual."""

    def __init__(self, width, heads, dropout):
        super().__init__()
        self.heads, self.dropout = heads, dropout
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.norm1, self.norm2, self.drop = nn.LayerNorm(width), nn.LayerNorm(width), nn.Dropout(dropout)

    def attended(self, x):
        """What attention makes of x, before its last product."""
        rows, length, width = x.shape
        packed = self.qkv(x).view(rows, length, 3, self.heads, width // self.heads).unbind(2)
        q, k, v = (part.transpose(1, 2) for part in packed)
        dropout = self.dropout if self.training else 0.0
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True, dropout_p=dropout)
        return y.transpose(1, 2).reshape(rows, length, width)

    def forward(self, x):
        x = x + self.drop(self.out(self.attended(self.norm1(x))))
        return x + self.drop(self.down(F.gelu(self.up(self.norm2(x)), approximate="tanh")))

    def fused(self, x, residual, after, seeds):
        """The same by kernels of our own: x is the norm of residual; the next x is made by the norm `after`."""
        from models.causal import causal
        from models.dropped_norm import add_norm
        from models.gelu import gelu

        dropout = self.dropout if self.training else 0.0
        # The gradient of the bias comes from the attention, which reads what it is the sum of.
        packed = F.linear(x, self.qkv.weight, self.qkv.bias.detach())
        y = F.linear(causal(packed, self.qkv.bias, self.heads, dropout), self.out.weight)
        x, residual = add_norm(y, self.out.bias, residual, self.norm2, dropout, seeds[0], before=True)
        y = F.linear(gelu(F.linear(x, self.up.weight), self.up.bias, tanh=True), self.down.weight)
        return add_norm(y, self.down.bias, residual, after, dropout, seeds[1], before=True)


class GPT(nn.Module):
    """(rows, length + 1) of tokens to the mean loss over all but the first."""

    def __init__(self, layers, width, heads, vocabulary, dropout=0.1, longest=1024, fused=False):
        super().__init__()
        self.fused = fused
        self.words, self.positions = nn.Embedding(vocabulary, width), nn.Parameter(torch.empty(longest, width))
        self.blocks = nn.ModuleList(Block(width, heads, dropout) for _ in range(layers))
        self.norm, self.drop = nn.LayerNorm(width), nn.Dropout(dropout)
        for name, weight in self.named_parameters():
            if "norm" not in name:
                nn.init.zeros_(weight) if name.endswith("bias") else nn.init.normal_(weight, std=0.02)
            if name.endswith(("out.weight", "down.weight")):
                nn.init.normal_(weight, std=0.02 / (2 * layers) ** 0.5)

    def parts(self):
        """What is compiled beside the kernels: owners and names of functions."""
        return ((self, "embed"),)

    def embed(self, ids):
        """Words and positions; the sum of all layers, which they begin, is of the type of these weights."""
        return self.drop(self.words(ids) + self.positions[: ids.shape[1]])

    def forward(self, tokens):
        ids, nexts = tokens[:, :-1], tokens[:, 1:]
        x = self.embed(ids)
        if self.fused:
            from models.causal import word_loss
            from models.kernels import seeds

            x, residual = self.blocks[0].norm1(x), x
            norms = [*(block.norm1 for block in self.blocks[1:]), self.norm]
            places = seeds(len(self.blocks), 2, x.device)
            for block, after, two in zip(self.blocks, norms, places, strict=True):
                x, residual = block.fused(x, residual, after, two)
            return word_loss(x.flatten(0, 1), self.words.weight, nexts.flatten())
        for block in self.blocks:
            x = block(x)
        words = F.linear(self.norm(x), self.words.weight)
        return F.cross_entropy(words.view(-1, words.shape[-1]), nexts.flatten())
