"""GPT-2 pre-training in JAX: each token from those before it, sequences of 1,024.

    python runners/jax/gpt.py --batch-size 16 --precision bf16 --data DIR

DIR holds tokens in *.npy, as for runners/pytorch/gpt.py. One process trains on all GPUs that it sees.
"""

import sys
from functools import partial
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np

sys.path.append(str(Path(__file__).resolve().parents[1]))
from common.options import checked, parser
from training import attention, devices, dropout, linear, norm, train, weights

SIZES = {
    "gpt2_tiny": {"layers": 2, "width": 64, "heads": 2, "vocabulary": 512},
    "gpt2_124m": {"layers": 12, "width": 768, "heads": 12, "vocabulary": 50304},
    "gpt2_345m": {"layers": 24, "width": 1024, "heads": 16, "vocabulary": 50304},
}
norm = partial(norm, eps=1e-5)


def made(key, layers, width, vocabulary, longest):
    """The weights to begin with."""
    keys = jax.random.split(key, layers + 2)
    shape = {"qkv": (width, 3 * width), "out": (width, width), "up": (width, 4 * width), "down": (4 * width, width)}
    blocks = [weights(key, **shape, norm1=width, norm2=width) for key in keys[2:]]
    for block in blocks:
        for name in ("out", "down"):
            block[name]["weight"] /= (2 * layers) ** 0.5
    words, places = (0.02 * jax.random.normal(key, (rows, width)) for key, rows in zip(keys, (vocabulary, longest)))  # noqa: B905
    return {"words": words, "places": places, "blocks": blocks, **weights(keys[0], norm=width)}


def loss(heads, rate, model, key, tokens):
    """Mean over all tokens but the first; the sum of all layers is fp32."""
    ids, nexts = tokens[:, :-1], tokens[:, 1:]
    keys, length = jax.random.split(key, (len(model["blocks"]), 3)), ids.shape[1]
    later = jnp.where(jnp.tri(length, dtype=bool), 0.0, -jnp.inf)
    x = model["words"][ids].astype(jnp.float32) + model["places"][:length]
    x = dropout(x, rate, jax.random.fold_in(key, len(keys)))
    for block, (first, second, third) in zip(model["blocks"], keys, strict=True):
        y = attention(norm(x, block["norm1"]), block["qkv"], heads, later, rate, first)
        x = x + dropout(linear(y, block["out"]), rate, second)
        y = jax.nn.gelu(linear(norm(x, block["norm2"]), block["up"]), approximate=True)
        x = x + dropout(linear(y, block["down"]), rate, third)
    words = (norm(x, model["norm"]) @ model["words"].T).astype(jnp.float32)
    return (jax.nn.logsumexp(words, -1) - jnp.take_along_axis(words, nexts[..., None], -1)[..., 0]).mean()


def batches(args, rows, vocabulary):
    """Sequences cut anywhere out of the files' tokens, or made up: they count up from anywhere."""
    random, length = np.random.default_rng(args.seed), args.seq_len
    parts = [np.load(file, mmap_mode="r") for file in sorted(args.data.glob("*.npy"))] if args.data else []
    if args.data and not parts:
        sys.exit(f"no *.npy in {args.data.name}. Cure: save the tokens of each text with numpy.save")
    for part in parts:
        if part.ndim != 1 or part.dtype.kind not in "iu" or len(part) <= length or int(part.max()) >= vocabulary:
            sys.exit(f"each *.npy must hold more than {length} whole numbers below {vocabulary}, in one dimension")
    share = np.array([len(part) for part in parts], dtype=float)
    while True:
        if not parts:
            yield (((110 + random.integers(0, 200, (rows, 1)) + np.arange(length + 1)) % 200 + 110).astype("int32"),)
            continue
        cuts = []
        for place in random.choice(len(parts), rows, p=share / share.sum()):
            start = random.integers(len(parts[place]) - length)
            cuts.append(parts[place][start : start + length + 1])
        yield (np.stack(cuts).astype("int32"),)


def main():
    defaults = {"model": "gpt2_124m", "batch_size": 8, "seq_len": 1024, "dropout": 0.1}
    args = checked(parser(__doc__.splitlines()[0], SIZES, ("adamw",), ("fp32", "bf16"), **defaults))
    found, size = devices(args), dict(SIZES[args.model])
    heads = size.pop("heads")
    model = made(jax.random.key(args.seed), **size, longest=args.seq_len)
    source = batches(args, args.batch_size * len(found), size["vocabulary"])
    train(args, found, model, partial(loss, heads, args.dropout), source, "tokens_per_s", args.seq_len)


if __name__ == "__main__":
    main()
