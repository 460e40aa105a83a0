"""BERT pre-training in PaddlePaddle. Prints the lines of PaddleNLP's run_pretrain.py.

python runners/paddlepaddle/bert.py --batch-size 96 --precision fp16 --data DIR
python -m paddle.distributed.launch --devices 0,1,2,3 runners/paddlepaddle/bert.py --batch-size 96 --data DIR
"""

import logging
import os
import sys
from pathlib import Path

import paddle
import paddle.nn.functional as F
from paddle import nn

# What the frameworks' programs share stands beside this folder; this one is started as a file.
sys.path.append(str(Path(__file__).resolve().parents[1]))
from common.bert import DEFAULTS, SIZES, batches
from common.options import Clock, checked, known, learning_rate, namespace, parser


class Layer(nn.Layer):
    """Attention and feed-forward, each followed by dropout, residual and norm."""

    def __init__(self, width, heads, dropout):
        super().__init__()
        self.heads, self.dropout = heads, dropout
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.norm1, self.norm2, self.drop = nn.LayerNorm(width, 1e-12), nn.LayerNorm(width, 1e-12), nn.Dropout(dropout)

    def forward(self, x, bias):
        rows, length, width = x.shape
        q, k, v = self.qkv(x).reshape([rows, length, 3, self.heads, width // self.heads]).unbind(2)
        y = F.scaled_dot_product_attention(
            q, k, v, attn_mask=bias.astype(q.dtype), dropout_p=self.dropout, training=self.training
        )
        x = self.norm1(x + self.drop(self.out(y.reshape([rows, length, width]))))
        return self.norm2(x + self.drop(self.down(F.gelu(self.up(x)))))


class Pretraining(nn.Layer):
    """Masked words and next sentence: a batch to its loss."""

    def __init__(self, layers, width, heads, vocabulary, dropout, longest=512):
        super().__init__()
        self.words, self.places = nn.Embedding(vocabulary, width), nn.Embedding(longest, width)
        self.segments, self.norm, self.drop = nn.Embedding(2, width), nn.LayerNorm(width, 1e-12), nn.Dropout(dropout)
        self.layers = nn.LayerList(Layer(width, heads, dropout) for _ in range(layers))
        self.pooler, self.next_sentence = nn.Linear(width, width), nn.Linear(width, 2)
        self.transform, self.norm2 = nn.Linear(width, width), nn.LayerNorm(width, 1e-12)
        self.bias = self.create_parameter([vocabulary], is_bias=True)
        for weight in self.parameters():
            if weight.ndim > 1:
                nn.initializer.Normal(0.0, 0.02)(weight)

    def forward(self, ids, segments, mask, positions, labels, weights, is_next):
        rows, length = ids.shape
        x = self.drop(self.norm(self.words(ids) + self.places.weight[:length] + self.segments(segments)))
        bias = ((1 - mask) * -10000.0).reshape([rows, 1, 1, length]).expand([rows, 1, length, length]).astype(x.dtype)
        for layer in self.layers:
            x = layer(x, bias)
        is_next_logits = self.next_sentence(F.tanh(self.pooler(x[:, 0])))
        places = positions + length * paddle.arange(rows, dtype=positions.dtype).unsqueeze(1)
        hidden = self.norm2(F.gelu(self.transform(x.reshape([-1, x.shape[-1]]).gather(places.flatten()))))
        words = paddle.matmul(hidden, self.words.weight, transpose_y=True) + self.bias
        each = F.cross_entropy(words.astype("float32"), labels.flatten(), reduction="none").flatten()
        masked = (each * weights.flatten()).sum() / weights.sum()
        return masked + F.cross_entropy(is_next_logits.astype("float32"), is_next)


def settings(args, processes):
    """The options, by the names that PaddleNLP's program has for them."""
    return namespace(
        args, implementation="benchledger", framework="paddlepaddle", framework_version=paddle.__version__,
        model_type="bert", model_name_or_path=args.model, max_predictions_per_seq=args.masked,
        max_seq_length=args.seq_len, max_steps=args.max_iterations, use_amp=args.precision != "fp32",
        amp_dtype={"fp32": None, "fp16": "float16", "bf16": "bfloat16"}[args.precision], gradient_merge_steps=1,
        device=paddle.device.get_device(), global_batch_size=args.batch_size * processes,
    )  # fmt: skip


def logger(rank):
    """Lines with a time before them; of several processes only the first prints."""
    log, handler = logging.getLogger("bert"), logging.StreamHandler(sys.stdout)
    handler.setFormatter(logging.Formatter("[%(asctime)s] [%(levelname)8s] - %(message)s"))
    log.addHandler(handler)
    log.setLevel(logging.INFO if rank == 0 else logging.CRITICAL)
    log.propagate = False
    return log


def main():
    args = checked(parser(__doc__.splitlines()[0], SIZES, **DEFAULTS))
    if args.device == "cpu":
        paddle.device.set_device("cpu")
        os.environ["PADDLE_DISTRI_BACKEND"] = "gloo"
    elif args.device == "cuda" and not paddle.device.cuda.device_count():
        sys.exit(
            "PaddlePaddle finds no GPU. Cure: paddlepaddle-gpu, a driver that `nvidia-smi` answers; or --device cpu"
        )
    rank, processes = paddle.distributed.get_rank(), paddle.distributed.get_world_size()
    log = logger(rank)
    log.info(settings(args, processes))
    if processes > 1:
        paddle.distributed.init_parallel_env()
    paddle.seed(args.seed + rank)
    model = Pretraining(**SIZES[args.model], dropout=args.dropout)
    parallel = paddle.DataParallel(model) if processes > 1 else model
    kind = paddle.optimizer.Lamb if args.optimizer == "lamb" else paddle.optimizer.AdamW
    optimizer = kind(args.learning_rate, parameters=model.parameters())
    half = {"fp16": "float16", "bf16": "bfloat16"}.get(args.precision)
    scaler = paddle.amp.GradScaler(enable=half == "float16")
    clock = Clock(args)
    for iteration, batch in clock.steps(batches(args, rank, processes)):
        optimizer.set_lr(learning_rate(args, iteration))
        with paddle.amp.auto_cast(half is not None, dtype=half or "float16"):
            loss = parallel(*(paddle.to_tensor(column) for column in batch))
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        optimizer.clear_grad()
        if clock.due(iteration):
            value = known(float(loss), iteration)
            clock.mark(iteration)
            log.info(
                f"global step: {iteration}, epoch: 0, batch: {iteration - 1}, loss: {value:.6f}, "
                f"lr: {optimizer.get_lr():.9f}, avg_reader_cost: {clock.read_s:.5f} sec, "
                f"avg_batch_cost: {clock.step_s:.5f} sec, avg_samples: {args.batch_size:.5f}, "
                f"ips: {args.batch_size / clock.step_s:.5f} sequences/sec{memory()}"
            )


def memory():
    """The most that the allocator held, and had reserved, on a GPU."""
    if not paddle.device.get_device().startswith("gpu"):
        return ""
    reserved, allocated = paddle.device.cuda.max_memory_reserved(), paddle.device.cuda.max_memory_allocated()
    return f", max_mem_reserved: {reserved >> 20} MB, max_mem_allocated: {allocated >> 20} MB"


if __name__ == "__main__":
    main()
