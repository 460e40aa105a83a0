"""BERT pre-training in MXNet, on gluon-nlp's model. Prints the lines of its scripts/bert/run_pretraining.py.

    python runners/mxnet/bert.py --batch-size 32 --data DIR
    CUDA_VISIBLE_DEVICES=0,1,2,3 python runners/mxnet/bert.py --batch-size 32 --data DIR

One process trains on all GPUs that it sees; none seen, on the CPU. Only fp32, as README 001 measures.
"""

import logging
import sys
import time
from pathlib import Path

import gluonnlp
import mxnet as mx
from mxnet import gluon
from mxnet.gluon.loss import SoftmaxCrossEntropyLoss

# What the frameworks' programs share stands beside this folder; this one is started as a file.
sys.path.append(str(Path(__file__).resolve().parents[1]))
from common.bert import DEFAULTS, SIZES, batches
from common.options import Clock, checked, known, learning_rate, namespace, parser


def contexts(args):
    """The GPUs that this process sees, or the CPU; a missing GPU ends the run."""
    count = 0 if args.device == "cpu" else mx.context.num_gpus()
    if args.device == "cuda" and not count:
        sys.exit("MXNet finds no GPU. Cure: mxnet-cu112, a driver that `nvidia-smi` answers; or --device cpu")
    return [mx.gpu(number) for number in range(count)] or [mx.cpu()]


def bert(args):
    """gluon-nlp's BERT with both heads, of our sizes."""
    size = SIZES[args.model]
    encoder = gluonnlp.model.BERTEncoder(
        num_layers=size["layers"], units=size["width"], hidden_size=4 * size["width"], num_heads=size["heads"],
        max_length=512, dropout=args.dropout,
    )  # fmt: skip
    return gluonnlp.model.BERTModel(
        encoder, vocab_size=size["vocabulary"], token_type_vocab_size=2, units=size["width"], embed_size=size["width"]
    )


class Pretraining(gluon.HybridBlock):
    """Masked words and next sentence: a batch to its two losses."""

    def __init__(self, args):
        super().__init__()
        with self.name_scope():
            self.bert, self.loss = bert(args), SoftmaxCrossEntropyLoss()
        self.vocabulary = SIZES[args.model]["vocabulary"]

    def forward(self, ids, segments, mask, positions, labels, weights, is_next):
        _, _, next_sentence, words = self.bert(ids, segments, mask.sum(axis=1), positions)
        used, slots = weights.sum(), weights.size
        each = self.loss(words.reshape((-1, self.vocabulary)), labels.reshape(-1), weights.reshape((-1, 1)))
        return each.mean() * slots / used, self.loss(next_sentence, is_next).mean()


def settings(args, devices):
    """The options, by the names that gluon-nlp's program has for them."""
    size = SIZES[args.model]
    gpus = ",".join(str(device.device_id) for device in devices if device.device_type == "gpu")
    return namespace(
        args, implementation="benchledger", framework="mxnet", gluonnlp=gluonnlp.__version__,
        model=f"bert_{size['layers']}_{size['width']}_{size['heads']}", dtype="float32", accumulate=1,
        gpus=gpus or None, total_batch_size=args.batch_size * len(devices), max_seq_length=args.seq_len,
        num_steps=args.max_iterations,
    )  # fmt: skip


def main():
    args = checked(parser(__doc__.splitlines()[0], SIZES, precisions=("fp32",), **DEFAULTS))
    logging.basicConfig(format="%(levelname)s:%(name)s:%(message)s", stream=sys.stdout, level=logging.INFO, force=True)
    devices = contexts(args)
    log = logging.getLogger()
    log.info(settings(args, devices))
    log.info(f"mxnet == {mx.__version__}")
    mx.random.seed(args.seed)
    model = Pretraining(args)
    model.initialize(mx.init.Normal(0.02), ctx=devices)
    model.bert.hybridize(static_alloc=True)
    kind = {"adamw": "bertadam", "lamb": "lamb"}[args.optimizer]
    trainer = gluon.Trainer(model.collect_params(), kind, {"learning_rate": args.learning_rate, "wd": 0.01})
    clock, tokens, running = Clock(args), 0, 0
    for iteration, batch in clock.steps(batches(args, rows=args.batch_size * len(devices))):
        trainer.set_learning_rate(learning_rate(args, iteration))
        parts = zip(*(gluon.utils.split_and_load(mx.nd.array(column), devices) for column in batch))  # noqa: B905
        with mx.autograd.record():
            losses = [model(*part) for part in parts]
            totals = [(masked + is_next) / len(devices) for masked, is_next in losses]
        mx.autograd.backward(totals)
        trainer.step(1)
        running, tokens = running + mx.nd.concat(*losses[0], dim=0), tokens + int(batch.mask.sum())
        if clock.due(iteration):
            mx.nd.waitall()
            clock.mark(iteration)
            masked, is_next = (known(loss, iteration) for loss in (running / clock.steps_done).asnumpy().tolist())
            interval_s = clock.step_s * clock.steps_done
            log.info(
                f"[step {iteration}]\tmlm_loss={masked:7.5f}\tnsp_loss={is_next:5.2f}\t"
                f"throughput={tokens / interval_s / 1000:.1f}K tks/s\tlr={trainer.learning_rate:.7f} "
                f"time={interval_s:.2f}, latency={clock.step_s * 1000:.1f} ms/batch"
            )
            running, tokens = 0, 0
    log.info(f"Train cost={time.time() - clock.began:.1f}s")


if __name__ == "__main__":
    main()
