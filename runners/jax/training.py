"""What the JAX programs share: layers, one training step compiled whole, and the lines of a run."""

import os
import statistics
import sys
import time
from collections import deque
from datetime import datetime
from pathlib import Path

# Memory is taken as it is needed, so that what a sampler sees of it says something.
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
import jax
import jax.numpy as jnp
import optax
from jax.sharding import Mesh, NamedSharding, PartitionSpec

# What the frameworks' programs share stands beside this folder; these are started as files.
sys.path.append(str(Path(__file__).resolve().parents[1]))
from common.options import known, learning_rate

# Imports come before: bench run knows when the process was made.
STARTED = float(os.environ.get("BENCH_STARTED_AT", time.time()))
# So far may the loop run ahead of the device.
AHEAD = 2


def linear(x, layer):
    """x times weights, and the bias."""
    return x @ layer["weight"] + layer["bias"]


def norm(x, layer, eps):
    """Layer norm; means and variances in fp32."""
    y = x.astype(jnp.float32)
    y = (y - y.mean(-1, keepdims=True)) * jax.lax.rsqrt(y.var(-1, keepdims=True) + eps)
    return (y * layer["weight"] + layer["bias"]).astype(layer["weight"].dtype)


def dropout(x, rate, key):
    """Zero with the probability `rate`, in 2^-16; larger otherwise."""
    if not rate:
        return x
    kept = jax.random.bits(key, x.shape, jnp.uint16) >= round(rate * 2**16)
    return jnp.where(kept, x / (1 - rate), 0)


def attention(x, layer, heads, hidden, rate, key):
    """Softmax over the keys that `hidden`, added to the scores, leaves; weights with dropout, as published."""
    rows, length, width = x.shape
    q, k, v = jnp.moveaxis(linear(x, layer).reshape(rows, length, 3, heads, width // heads), 2, 0)
    scores = jnp.einsum("rqhd,rkhd->rhqk", q, k).astype(jnp.float32) * (width // heads) ** -0.5
    weights = dropout(jax.nn.softmax(scores + hidden, axis=-1).astype(x.dtype), rate, key)
    return jnp.einsum("rhqk,rkhd->rqhd", weights, v).reshape(rows, length, width)


def weights(key, **shapes):
    """Weights as the papers have them: normal, 0.02; biases of zero where a shape is a pair of widths; norms of one."""
    made = {}
    for (name, shape), own in zip(shapes.items(), jax.random.split(key, len(shapes)), strict=True):
        if isinstance(shape, int):
            made[name] = {"weight": jnp.ones(shape), "bias": jnp.zeros(shape)}
        else:
            made[name] = {"weight": 0.02 * jax.random.normal(own, shape), "bias": jnp.zeros(shape[1])}
    return made


def say(text, **values):
    """A line with the time, and values by their names."""
    shown = "".join(f", {name}={value}" for name, value in values.items() if value is not None)
    print(f"JAX {datetime.now()} - {text}{shown}", flush=True)


def devices(args):
    """The GPUs that this process sees, or the CPU; a missing GPU ends the run."""
    if args.device == "cpu":
        jax.config.update("jax_platforms", "cpu")
    found = jax.devices()
    if args.device == "cuda" and found[0].platform != "gpu":
        sys.exit("JAX finds no GPU. Cure: jax[cuda13], a driver that `nvidia-smi` answers; or --device cpu")
    return found


def train(args, found, weights, loss, batches, speed="samples_per_s", units_per_sample=1):
    """Trains on batches of numpy arrays that never end; `loss(weights, key, *batch)` is the model."""
    gpus = len(found) if found[0].platform == "gpu" else None
    say("settings", implementation="benchledger", program=Path(sys.argv[0]).name, framework_version=jax.__version__,
        gpus=gpus, gpu_model=found[0].device_kind if gpus else None, devices=len(found), cpu_count=os.cpu_count(),
        model_weights=sum(weight.size for weight in jax.tree.leaves(weights)),
        **{name: value for name, value in vars(args).items() if name not in ("data", "log", "device")})  # fmt: skip
    # fp32 is fp32: no TF32.
    jax.config.update("jax_default_matmul_precision", "highest" if args.precision == "fp32" else "default")
    half = {"fp32": jnp.float32, "bf16": jnp.bfloat16}[args.precision]
    decays = jax.tree.map(lambda weight: weight.ndim > 1, weights)
    optimizer = optax.inject_hyperparams(optax.adamw, static_args=("mask",))(
        learning_rate=0.0, eps=1e-6, weight_decay=0.01, mask=decays
    )
    mesh = Mesh(found, ("data",))
    everywhere, spread = NamedSharding(mesh, PartitionSpec()), NamedSharding(mesh, PartitionSpec("data"))
    weights, state = jax.device_put((weights, optimizer.init(weights)), everywhere)
    # Random bits by the hardware's own generator: JAX's default takes longer than the network.
    key = jax.random.key(args.seed, impl="rbg")

    def step(weights, state, rate, iteration, batch):
        def of(weights):
            halved = jax.tree.map(lambda weight: weight.astype(half), weights)
            return loss(halved, jax.random.fold_in(key, iteration), *batch)

        value, gradients = jax.value_and_grad(of)(weights)
        state.hyperparams["learning_rate"] = rate
        updates, state = optimizer.update(gradients, state, weights)
        return optax.apply_updates(weights, updates), state, value

    step = jax.jit(step, donate_argnums=(0, 1))
    samples, waiting, times, began = args.batch_size * len(found), deque(), [], None
    for iteration in range(1, args.max_iterations + 1 + AHEAD):
        if iteration <= args.max_iterations:
            batch = jax.device_put(next(batches), spread)
            weights, state, value = step(weights, state, learning_rate(args, iteration), iteration, batch)
            waiting.append((iteration, value))
        if began is None:
            # The first step holds the compilation.
            value.block_until_ready()
            say("train", startup_s=round(time.time() - STARTED, 3))
            began = last = time.time()
        if iteration > AHEAD and waiting:
            done, value = waiting.popleft()
            final = known(float(value), done)
            now = time.time()
            times.append(now - last)
            last = now
            if done % args.log_interval == 0 or done == args.max_iterations:
                mean_s = statistics.fmean(times[-args.log_interval :])
                measured = {"step_ms": round(mean_s * 1000, 4), speed: round(samples * units_per_sample / mean_s, 2)}
                say(f"step {done}/{args.max_iterations}", loss=final,
                    learning_rate=learning_rate(args, done), **measured)  # fmt: skip
    stats = found[0].memory_stats() or {}
    peak = stats.get("peak_bytes_in_use")
    say("end", train_s=round(last - began, 4), final_loss=final, memory_peak_mib=peak and round(peak / 2**20, 2))
