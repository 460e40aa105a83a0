"""BERT (Devlin et al., 2018) for pre-training and for questions, written to be fast on one GPU.

Beside the paper: one matrix product makes queries, keys and values; the vocabulary is padded to a multiple of 64, since
matrix units want that; positions and segments are added without a look-up, whose gradient would pile thousands of rows
onto two; the head over the vocabulary can be computed on the masked positions alone, which changes no loss.
"""

import torch
import torch.nn.functional as F
from torch import nn

SIZES = {
    "bert_tiny": {"layers": 2, "width": 64, "heads": 2, "vocabulary": 512},
    "bert_base": {"layers": 12, "width": 768, "heads": 12, "vocabulary": 30528},
    "bert_large": {"layers": 24, "width": 1024, "heads": 16, "vocabulary": 30528},
}
IGNORED = -1


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

    def forward(self, x, bias):
        rows, length, width = x.shape
        q, k, v = self.qkv(x).view(rows, length, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4).unbind(0)
        dropout = self.dropout if self.training else 0.0
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=bias, dropout_p=dropout)
        x = self.norm1(x + self.drop(self.out(y.transpose(1, 2).reshape(rows, length, width))))
        return self.norm2(x + self.drop(self.down(F.gelu(self.up(x)))))


class Encoder(nn.Module):
    """Embeddings and layers: (rows, length) of ids to (rows, length, width)."""

    def __init__(self, layers, width, heads, vocabulary, dropout=0.1, longest=512):
        super().__init__()
        self.words = nn.Embedding(vocabulary, width, padding_idx=0)
        self.positions = nn.Parameter(torch.empty(longest, width))
        self.segments = nn.Parameter(torch.empty(2, width))
        self.norm, self.drop = Norm(width), nn.Dropout(dropout)
        self.layers = nn.ModuleList(Layer(width, heads, dropout) for _ in range(layers))

    def forward(self, ids, segments, mask):
        rows, length = ids.shape
        first, second = self.segments
        x = self.words(ids) + (self.positions[:length] + first) + segments[..., None] * (second - first)
        x = self.drop(self.norm(x))
        # Made once for all layers, in the type of the attention, so that no layer converts it again.
        dtype = torch.get_autocast_dtype(x.device.type) if torch.is_autocast_enabled(x.device.type) else x.dtype
        bias = torch.zeros(rows, 1, 1, length, dtype=dtype, device=x.device)
        bias = bias.masked_fill(mask[:, None, None, :] == 0, -10000.0).expand(rows, 1, length, length)
        for layer in self.layers:
            x = layer(x, bias)
        return x


class Pretraining(nn.Module):
    """Masked words and next sentence: batch to loss. head="all" computes the head on every position."""

    def __init__(self, layers, width, heads, vocabulary, dropout=0.1, head="masked"):
        super().__init__()
        self.encoder, self.head = Encoder(layers, width, heads, vocabulary, dropout), head
        self.pooler, self.next_sentence = nn.Linear(width, width), nn.Linear(width, 2)
        self.transform, self.norm = nn.Linear(width, width), Norm(width)
        self.bias = nn.Parameter(torch.zeros(vocabulary))
        initialize(self)

    def forward(self, ids, segments, mask, positions, labels, next_sentence):
        x = self.encoder(ids, segments, mask)
        is_next = self.next_sentence(torch.tanh(self.pooler(x[:, 0])))
        rows, length, width = x.shape
        if self.head == "masked":
            places = positions + length * torch.arange(rows, device=x.device)[:, None]
            x = x.reshape(-1, width).index_select(0, places.flatten())
        else:
            # Unused slots all point at position 0, which is [CLS] and never masked: the last one wins, and is ignored.
            labels = torch.full_like(ids, IGNORED).scatter(1, positions, labels)
        x = self.norm(F.gelu(self.transform(x)))
        words = F.linear(x, self.encoder.words.weight, self.bias)
        masked = F.cross_entropy(words.view(-1, words.shape[-1]), labels.flatten(), ignore_index=IGNORED)
        return masked + F.cross_entropy(is_next, next_sentence)


class Questions(nn.Module):
    """SQuAD: where an answer starts and ends."""

    def __init__(self, layers, width, heads, vocabulary, dropout=0.1):
        super().__init__()
        self.encoder, self.span = Encoder(layers, width, heads, vocabulary, dropout), nn.Linear(width, 2)
        initialize(self)

    def spans(self, ids, segments, mask):
        """How likely each position is to be the first and the last of the answer."""
        return self.span(self.encoder(ids, segments, mask)).unbind(-1)

    def forward(self, ids, segments, mask, start, end):
        starts, ends = self.spans(ids, segments, mask)
        return (F.cross_entropy(starts, start) + F.cross_entropy(ends, end)) / 2


def initialize(model):
    """Weights as the paper has them: normal, 0.02; no biases; norms of one."""
    for name, weight in model.named_parameters():
        if "norm" in name:
            continue
        if name.endswith("bias"):
            nn.init.zeros_(weight)
        else:
            nn.init.normal_(weight, std=0.02)
    with torch.no_grad():
        model.encoder.words.weight[0].zero_()
