"""What the programs of all frameworks share: options, learning rate, a clock but for PyTorch. Python 3.8 suffices."""

from __future__ import annotations

import argparse
import math
import os
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TypeVar

Batch = TypeVar("Batch")


def parser(
    about: str,
    models: Iterable[str],
    optimizers: Iterable[str] = ("adamw", "lamb"),
    precisions: Iterable[str] = ("fp32", "fp16", "bf16"),
    task: str = "pretraining",
    **defaults: object,
) -> argparse.ArgumentParser:
    """Options of all programs, by the names that bench run writes; a program adds its own.

    One that is given a default for seq_len, masked or dropout has these too; None is one that it works out itself.
    """
    options = argparse.ArgumentParser(description=about, formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    add = options.add_argument
    add("--task", choices=[task], default=task)
    add("--model", choices=list(models))
    add("--data", type=Path, help="folder of training data; without it, made-up data of the same shape")
    add(
        "--log",
        type=Path,
        help="file for the same lines as JSON, if the program has such; text goes to standard output",
    )
    add("--batch-size", type=int, default=32, help="samples of one GPU in one forward pass")
    add("--precision", choices=list(precisions), default="fp32")
    add("--max-iterations", type=int, default=120, help="steps of the optimizer")
    if "seq_len" in defaults:
        add("--seq-len", type=int, help="tokens of a sample")
    if "masked" in defaults:
        add("--masked", type=int, help="masked positions in a sequence at most")
    add("--optimizer", choices=list(optimizers), default="adamw")
    add("--learning-rate", type=float, default=1e-4)
    add("--warmup", type=float, default=0.1, help="part of the iterations in which the learning rate rises")
    if "dropout" in defaults:
        add("--dropout", type=float)
    add("--log-interval", type=int, default=1, help="iterations for each line")
    add("--seed", type=int, default=42)
    add("--device", choices=["auto", "cuda", "cpu"], default="auto")
    options.set_defaults(**defaults)
    return options


def parsed(options: argparse.ArgumentParser, arguments: list[str] | None = None) -> argparse.Namespace:
    """The options as given; an end that says what is wrong with them."""
    args = options.parse_args(arguments)
    if min(args.batch_size, args.max_iterations, args.log_interval, vars(args).get("gradient_accumulation", 1)) < 1:
        options.error("what counts samples, iterations or passes must be 1 at least")
    return args


def checked(options: argparse.ArgumentParser) -> argparse.Namespace:
    """The options as given; to be called before the framework asks CUDA for anything."""
    # Some frameworks multiply fp32 in TF32 unless NVIDIA's libraries are told not to.
    os.environ.setdefault("NVIDIA_TF32_OVERRIDE", "0")
    return parsed(options)


def learning_rate(args: argparse.Namespace, iteration: int) -> float:
    """Of an iteration, counted from 1: rises over the warm-up, then falls to zero; the first has some, the last too."""
    warm, left = max(1, round(args.warmup * args.max_iterations)), args.max_iterations + 1
    return float(args.learning_rate * min(iteration / warm, (left - iteration) / (left - warm)))


def namespace(args: argparse.Namespace, **settings: object) -> str:
    """The line in which argparse shows its options: those of the run, without its paths."""
    values = {name: value for name, value in vars(args).items() if name not in ("data", "log")}
    shown = sorted({**values, **settings}.items())
    return f"Namespace({', '.join(f'{name}={value!r}' for name, value in shown)})"


def known(loss: float, iteration: int) -> float:
    """The loss; one that is no number ends the run."""
    if math.isnan(loss):
        sys.exit(f"found NaN in the loss of iteration {iteration}. Cure: a lower --learning-rate, or --precision fp32")
    return loss


class Clock:
    """The iterations of a run, and the mean time of those since the line before."""

    def __init__(self, args: argparse.Namespace) -> None:
        self.args, self.began = args, time.time()
        self.last, self.step_s, self.read_s = self.began, 0.0, 0.0
        self.steps_done, self._marked, self._reading = 0, 0, 0.0

    def steps(self, source: Iterator[Batch]) -> Iterator[tuple[int, Batch]]:
        """Each iteration, counted from 1, with its batch."""
        for iteration in range(1, self.args.max_iterations + 1):
            began = time.time()
            batch = next(source)
            self._reading += time.time() - began
            yield iteration, batch

    def due(self, iteration: int) -> bool:
        """Whether this iteration ends with a line."""
        return bool(iteration % self.args.log_interval == 0 or iteration == self.args.max_iterations)

    def mark(self, iteration: int) -> None:
        """Call it when the device has done its work.

        Sets `last`, the time of the call; `steps_done` since the line before; a step's `step_s`, and `read_s` of that.
        """
        now = time.time()
        self.steps_done = iteration - self._marked
        self.step_s, self.read_s = (now - self.last) / self.steps_done, self._reading / self.steps_done
        self.last, self._marked, self._reading = now, iteration, 0.0
