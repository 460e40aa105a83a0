"""BERT (Devlin et al., 2018) for pre-training and for questions, written to be fast on one GPU.

Beside the paper: one matrix product makes queries, keys and values; the vocabulary is padded to a multiple of 64, since
matrix units want that; positions and segments are added without a look-up, whose gradient would pile thousands of rows
onto two; the head over the vocabulary can be computed on the masked positions alone, which changes no loss.
"""

import torch
import torch.nn.functional as F
from models.bert_layer import Layer, Norm
from torch import nn

SIZES = {
    "bert_tiny": {"layers": 2, "width": 64, "heads": 2, "vocabulary": 512},
    "bert_base": {"layers": 12, "width": 768, "heads": 12, "vocabulary": 30528},
    "bert_large": {"layers": 24, "width": 1024, "heads": 16, "vocabulary": 30528},
}
IGNORED = -1


class Encoder(nn.Module):
    """Embeddings and layers: (rows, length) of ids to (rows, length, width)."""

    def __init__(self, layers, width, heads, vocabulary, dropout=0.1, longest=512, fused=False):
        super().__init__()
        self.fused = fused
        self.words = nn.Embedding(vocabulary, width, padding_idx=0)
        self.positions = nn.Parameter(torch.empty(longest, width))
        self.segments = nn.Parameter(torch.empty(2, width))
        self.norm, self.drop = Norm(width), nn.Dropout(dropout)
        self.layers = nn.ModuleList(Layer(width, heads, dropout) for _ in range(layers))

    def embed(self, ids, segments):
        """Words, positions and segments: what the first layer gets."""
        first, second = self.segments
        x = self.words(ids) + (self.positions[: ids.shape[1]] + first) + segments[..., None] * (second - first)
        return self.drop(self.norm(x))

    def forward(self, ids, segments, mask, positions=None):
        """What the layers give at all positions, or at the first and these."""
        rows, length = ids.shape
        if positions is not None:
            places = torch.cat((torch.zeros_like(positions[:, :1]), positions), 1)
            places = (places + length * torch.arange(rows, device=ids.device)[:, None]).flatten()
        x = residual = self.embed(ids, segments)
        # Made once for all layers, in the type of the attention, so that no layer converts it again.
        dtype = torch.get_autocast_dtype(x.device.type) if torch.is_autocast_enabled(x.device.type) else x.dtype
        bias = torch.zeros(rows, 1, 1, length, dtype=dtype, device=x.device)
        bias = bias.masked_fill(mask[:, None, None, :] == 0, -10000.0).expand(rows, 1, length, length)
        if not self.fused:
            for layer in self.layers:
                x = layer(x, bias)
            return x if positions is None else x.flatten(0, 1).index_select(0, places).view(rows, -1, x.shape[-1])
        from models.kernels import seeds

        for layer, three in zip(self.layers, seeds(len(self.layers), 3, x.device), strict=True):
            chosen = places if positions is not None and layer is self.layers[-1] else None
            x, residual = layer.fused(x, residual, mask, bias, three, chosen)
        return x.view(rows, -1, x.shape[-1])


class Pretraining(nn.Module):
    """Masked words and next sentence: batch to loss. head="all" computes the head on every position."""

    def __init__(self, layers, width, heads, vocabulary, dropout=0.1, head="masked", fused=False):
        super().__init__()
        self.encoder, self.head = Encoder(layers, width, heads, vocabulary, dropout, fused=fused), head
        self.pooler, self.next_sentence = nn.Linear(width, width), nn.Linear(width, 2)
        self.transform, self.norm = nn.Linear(width, width), Norm(width)
        self.bias = nn.Parameter(torch.zeros(vocabulary))
        initialize(self)

    def parts(self):
        """What is compiled beside the kernels: owners and names of functions."""
        return (self.encoder, "embed"), (self, "loss")

    def forward(self, ids, segments, mask, positions, labels, next_sentence):
        if self.head == "masked":
            return self.loss(self.encoder(ids, segments, mask, positions), labels, next_sentence)
        # Unused slots all point at position 0, which is [CLS] and never masked: the last one wins, and is ignored.
        labels = torch.full_like(ids, IGNORED).scatter(1, positions, labels)
        return self.loss(self.encoder(ids, segments, mask), labels, next_sentence)

    def loss(self, x, labels, next_sentence):
        """Of the first position and those that the labels are of: all, or those behind the first."""
        is_next = self.next_sentence(torch.tanh(self.pooler(x[:, 0])))
        x = self.norm(F.gelu(self.transform(x if self.head == "all" else x[:, 1:])))
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
