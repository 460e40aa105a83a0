"""BERT pre-training in JAX: masked words and next sentence, from NGC's HDF5 shards.

    python runners/jax/bert.py --batch-size 96 --precision bf16 --data DIR
    CUDA_VISIBLE_DEVICES=0,1 python runners/jax/bert.py --batch-size 96 --precision bf16 --data DIR

One process trains on all GPUs that it sees; with `--device cpu`, on the CPU.
"""

import sys
from functools import partial
from pathlib import Path

import jax
import jax.numpy as jnp

sys.path.append(str(Path(__file__).resolve().parents[1]))
from common.bert import DEFAULTS, SIZES, batches
from common.options import checked, parser
from training import attention, devices, dropout, linear, norm, train, weights

norm = partial(norm, eps=1e-12)


def made(key, layers, width, vocabulary, longest=512):
    """The weights to begin with; the vocabulary is padded to a multiple of 64, since matrix units want that."""
    keys = jax.random.split(key, layers + 4)
    rows, shape = -(-vocabulary // 64) * 64, {"qkv": (width, 3 * width), "out": (width, width)}
    shape |= {"up": (width, 4 * width), "down": (4 * width, width), "norm1": width, "norm2": width}
    tables = {"words": (rows, width), "places": (longest, width), "segments": (2, width)}
    return {
        **{name: 0.02 * jax.random.normal(key, tables[name]) for name, key in zip(tables, keys, strict=False)},
        "layers": [weights(key, **shape) for key in keys[4:]],
        **weights(keys[3], norm=width, pooler=(width, width), next=(width, 2), transform=(width, width), last=width),
        "bias": jnp.zeros(rows),
    }


def loss(heads, rate, model, key, ids, segments, mask, positions, labels, used, is_next):
    """Of masked words and next sentence: the head over the vocabulary is computed on the masked positions alone."""
    keys = jax.random.split(key, (len(model["layers"]), 3))
    hidden = jnp.where(mask == 0, -10000.0, 0.0)[:, None, None, :]
    # Not looked up: the gradient of that would pile thousands of rows onto two.
    first, second = model["segments"]
    x = model["words"][ids] + (model["places"][: ids.shape[1]] + first) + segments[..., None] * (second - first)
    x = x.astype(first.dtype)
    x = dropout(norm(x, model["norm"]), rate, jax.random.fold_in(key, len(keys)))
    for layer, (first, second, third) in zip(model["layers"], keys, strict=True):
        y = attention(x, layer["qkv"], heads, hidden, rate, first)
        x = norm(x + dropout(linear(y, layer["out"]), rate, second), layer["norm1"])
        y = linear(jax.nn.gelu(linear(x, layer["up"]), approximate=False), layer["down"])
        x = norm(x + dropout(y, rate, third), layer["norm2"])
    following = linear(jnp.tanh(linear(x[:, 0], model["pooler"])), model["next"]).astype(jnp.float32)
    x = jnp.take_along_axis(x, positions[..., None], 1)
    x = norm(jax.nn.gelu(linear(x, model["transform"]), approximate=False), model["last"])
    words = (x @ model["words"].T + model["bias"]).astype(jnp.float32)
    each = jax.nn.logsumexp(words, -1) - jnp.take_along_axis(words, labels[..., None], -1)[..., 0]
    right = jnp.take_along_axis(jax.nn.log_softmax(following), is_next[:, None], -1)
    return (each * used).sum() / used.sum() - right.mean()


def main():
    defaults = {**DEFAULTS, "max_iterations": 300}
    args = checked(parser(__doc__.splitlines()[0], SIZES, ("adamw",), ("fp32", "bf16"), **defaults))
    found, size = devices(args), dict(SIZES[args.model])
    heads = size.pop("heads")
    model = made(jax.random.key(args.seed), **size)
    source = batches(args, rows=args.batch_size * len(found))
    train(args, found, model, partial(loss, heads, args.dropout), source)


if __name__ == "__main__":
    main()
