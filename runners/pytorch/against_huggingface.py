"""Hugging Face's BertForPreTraining and ours in turn, in one process: same step, batch, precision, optimizer and heads.

    python runners/pytorch/against_huggingface.py --precision bf16 --batch-size 96 --head all

Prints for each pair both speeds in samples a second, as medians of steps, and at the end the median of the ratios.
"""

import io
import statistics
import sys
from contextlib import redirect_stdout

import torch
from batches import made
from clock import Clock
from models.bert import IGNORED, SIZES, Pretraining
from options import checked, parser
from training import Trainer
from transformers import BertConfig, BertForPreTraining


class Theirs(torch.nn.Module):
    """Hugging Face's model, given what ours is given; it computes its head on all positions."""

    def __init__(self, layers, width, heads, vocabulary):
        super().__init__()
        size = {
            "num_hidden_layers": layers,
            "hidden_size": width,
            "num_attention_heads": heads,
            "vocab_size": vocabulary,
        }
        self.model = BertForPreTraining(BertConfig(**size, intermediate_size=4 * width, attn_implementation="sdpa"))

    def forward(self, ids, segments, mask, positions, labels, is_next):
        labels = torch.full_like(ids, -100).scatter(1, positions, labels.masked_fill(labels == IGNORED, -100))
        places = {"input_ids": ids, "token_type_ids": segments, "attention_mask": mask}
        return self.model(**places, labels=labels, next_sentence_label=is_next).loss


def step_ms(trainer, batches, steps, skip):
    """The median time of a step, after some that are not counted."""
    clock = Clock(trainer.device)
    for step in range(steps):
        clock.mark(step, trainer.step([next(batches)]))
    return statistics.median([time for step, time, _ in clock.ended(all=True) if step >= skip])


def main():
    defaults = {"model": "bert_base", "fused_optimizer": True, "seq_len": 128, "masked": 20}
    options = parser(__doc__.splitlines()[0], "pretraining", SIZES, **defaults)
    options.add_argument("--head", choices=["masked", "all"], default="all", help="of ours")
    options.add_argument("--pairs", type=int, default=5)
    options.add_argument(
        "--steps", type=int, default=30, help="of each program in each pair; the first five do not count"
    )
    args = checked(options)

    size, programs = SIZES[args.model], []
    for model in (Theirs(**size), Pretraining(**size, head=args.head)):
        with redirect_stdout(io.StringIO()):
            trainer = Trainer(args, model)
        programs.append((trainer, made(args, size["vocabulary"], trainer.device)))
    for program in programs:
        step_ms(*program, steps=15, skip=0)
    ratios = []
    for pair in range(1, args.pairs + 1):
        theirs, ours = (args.batch_size / step_ms(*program, args.steps, skip=5) * 1000 for program in programs)
        ratios.append(ours / theirs)
        sys.stdout.write(f"pair {pair}: theirs {theirs:.1f}, ours {ours:.1f} samples/s, ratio {ours / theirs:.4f}\n")
    sys.stdout.write(f"median ratio {statistics.median(ratios):.4f}\n")


if __name__ == "__main__":
    main()
