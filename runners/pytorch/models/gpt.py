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

    def forward(self, x):
        rows, length, width = x.shape
        packed = self.qkv(self.norm1(x)).view(rows, length, 3, self.heads, width // self.heads)
        q, k, v = packed.permute(2, 0, 3, 1, 4).unbind(0)
        dropout = self.dropout if self.training else 0.0
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True, dropout_p=dropout)
        x = x + self.drop(self.out(y.transpose(1, 2).reshape(rows, length, width)))
        return x + self.drop(self.down(F.gelu(self.up(self.norm2(x)), approximate="tanh")))


class GPT(nn.Module):
    """(rows, length + 1) of tokens to the mean loss over all but the first."""

    def __init__(self, layers, width, heads, vocabulary, dropout=0.1, longest=1024):
        super().__init__()
        self.words, self.positions = nn.Embedding(vocabulary, width), nn.Parameter(torch.empty(longest, width))
        self.blocks = nn.ModuleList(Block(width, heads, dropout) for _ in range(layers))
        self.norm, self.drop = nn.LayerNorm(width), nn.Dropout(dropout)
        for name, weight in self.named_parameters():
            if "norm" not in name:
                nn.init.zeros_(weight) if name.endswith("bias") else nn.init.normal_(weight, std=0.02)
            if name.endswith(("out.weight", "down.weight")):
                nn.init.normal_(weight, std=0.02 / (2 * layers) ** 0.5)

    def forward(self, tokens):
        ids, nexts = tokens[:, :-1], tokens[:, 1:]
        x = self.drop(self.words(ids) + self.positions[: ids.shape[1]])
        for block in self.blocks:
            x = block(x)
        words = F.linear(self.norm(x), self.words.weight)
        return F.cross_entropy(words.view(-1, words.shape[-1]), nexts.flatten())
