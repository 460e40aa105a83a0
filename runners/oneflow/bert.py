"""BERT pre-training in OneFlow, as a graph. Prints the lines of OneFlow-Benchmark's LanguageModeling/BERT.

python runners/oneflow/bert.py --batch-size 32 --data DIR
python -m oneflow.distributed.launch --nproc_per_node 8 runners/oneflow/bert.py --batch-size 64 --precision fp16
"""

import sys
import time
from pathlib import Path

import oneflow as flow
import oneflow.nn.functional as F
from oneflow import nn

# What the frameworks' programs share stands beside this folder; this one is started as a file.
sys.path.append(str(Path(__file__).resolve().parents[1]))
from common.bert import DEFAULTS, SIZES, batches
from common.options import Clock, checked, known, parser


class Layer(nn.Module):
    """Attention and feed-forward, each followed by dropout, residual and norm."""

    def __init__(self, width, heads, dropout):
        super().__init__()
        self.heads, self.drop = heads, nn.Dropout(dropout)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.norm1, self.norm2 = nn.LayerNorm(width, eps=1e-12), nn.LayerNorm(width, eps=1e-12)

    def forward(self, x, bias):
        rows, length, width = x.shape
        each = width // self.heads
        q, k, v = (
            part.reshape(rows, length, self.heads, each).permute(0, 2, 1, 3) for part in self.qkv(x).chunk(3, dim=2)
        )
        scores = flow.matmul(q, k.transpose(2, 3)) * each**-0.5 + bias
        y = flow.matmul(self.drop(F.softmax(scores, dim=-1)), v).permute(0, 2, 1, 3).reshape(rows, length, width)
        x = self.norm1(x + self.drop(self.out(y)))
        return self.norm2(x + self.drop(self.down(F.gelu(self.up(x)))))


class Pretraining(nn.Module):
    """Masked words and next sentence: a batch to its two losses."""

    def __init__(self, layers, width, heads, vocabulary, dropout, longest=512):
        super().__init__()
        self.words, self.segments = nn.Embedding(vocabulary, width), nn.Embedding(2, width)
        self.places = nn.Parameter(flow.empty(longest, width))
        self.norm, self.norm2 = nn.LayerNorm(width, eps=1e-12), nn.LayerNorm(width, eps=1e-12)
        self.drop = nn.Dropout(dropout)
        self.layers = nn.ModuleList([Layer(width, heads, dropout) for _ in range(layers)])
        self.pooler, self.next_sentence = nn.Linear(width, width), nn.Linear(width, 2)
        self.transform, self.bias = nn.Linear(width, width), nn.Parameter(flow.zeros(vocabulary))
        for weight in self.parameters():
            if weight.dim() > 1:
                nn.init.normal_(weight, std=0.02)

    def forward(self, ids, segments, mask, positions, labels, weights, is_next):
        length = ids.shape[1]
        x = self.drop(self.norm(self.words(ids) + self.places[:length] + self.segments(segments)))
        bias = ((1.0 - mask) * -10000.0).unsqueeze(1).unsqueeze(1)
        for layer in self.layers:
            x = layer(x, bias)
        next_sentence = self.next_sentence(flow.tanh(self.pooler(x[:, 0])))
        x = flow.gather(x, 1, positions.unsqueeze(2).expand(-1, -1, x.shape[2]))
        words = flow.matmul(self.norm2(F.gelu(self.transform(x))), self.words.weight, transpose_b=True) + self.bias
        each = F.cross_entropy(words.reshape(-1, words.shape[2]), labels.reshape(-1), reduction="none")
        return (each * weights.reshape(-1)).sum() / weights.sum(), F.cross_entropy(next_sentence, is_next)


class Training(nn.Graph):
    """One step: forward, backward, optimizer."""

    def __init__(self, args, model, optimizer, schedule):
        super().__init__()
        self.model = model
        self.add_optimizer(optimizer, lr_sch=schedule)
        if args.precision == "fp16":
            self.config.enable_amp(True)
            self.set_grad_scaler(flow.amp.GradScaler(init_scale=2.0**16, growth_factor=2.0, growth_interval=2000))

    def build(self, *batch):
        masked, is_next = self.model(*batch)
        (masked + is_next).backward()
        return masked, is_next


def settings(args, processes, nodes, kind):
    """The block of settings, by the names that OneFlow's program has for them."""
    size = SIZES[args.model]
    values = {
        "oneflow_version": flow.__version__, "model": args.model, "batch_size_per_device": args.batch_size,
        "total_batch_size": args.batch_size * processes, "num_accumulation_steps": 1, "iter_num": args.max_iterations,
        "seq_length": args.seq_len, "max_predictions_per_seq": args.masked, "num_hidden_layers": size["layers"],
        "num_attention_heads": size["heads"], "hidden_size_per_head": size["width"] // size["heads"],
        "optimizer_type": args.optimizer, "learning_rate": args.learning_rate, "hidden_dropout_prob": args.dropout,
        "use_fp16": args.precision == "fp16", "use_xla": False, "loss_print_every_n_iter": args.log_interval,
    }  # fmt: skip
    if kind == "cuda":
        values |= {"gpu_num_per_node": processes // nodes, "num_nodes": nodes}
    print("=" * 66, "Running bert: implementation = benchledger", sep="\n")
    print(*(f"{name} = {value}" for name, value in values.items()), "-" * 66, sep="\n")
    print(f"Time stamp: {time.strftime('%Y-%m-%d-%H:%M:%S')}", flush=True)


def main():
    args = checked(parser(__doc__.splitlines()[0], SIZES, precisions=("fp32", "fp16"), **DEFAULTS))
    kind = "cuda" if flow.cuda.is_available() and args.device != "cpu" else "cpu"
    rank, processes, nodes = flow.env.get_rank(), flow.env.get_world_size(), flow.env.get_node_size()
    if rank == 0:
        settings(args, processes, nodes, kind)
    if args.device == "cuda" and kind == "cpu":
        sys.exit("OneFlow finds no GPU. Cure: its build for CUDA, a driver that `nvidia-smi` answers; or --device cpu")
    flow.manual_seed(args.seed)
    everywhere = flow.placement.all(kind)
    model = Pretraining(**SIZES[args.model], dropout=args.dropout).to_global(everywhere, flow.sbp.broadcast)
    optimizer = (flow.optim.LAMB if args.optimizer == "lamb" else flow.optim.AdamW)(
        model.parameters(), lr=args.learning_rate, weight_decay=0.01
    )
    falling = flow.optim.lr_scheduler.PolynomialLR(optimizer, decay_batch=args.max_iterations, end_learning_rate=0.0)
    warm = max(1, round(args.warmup * args.max_iterations))
    schedule = flow.optim.lr_scheduler.WarmupLR(
        falling, warmup_factor=1 / warm, warmup_iters=warm, warmup_method="linear"
    )
    step, clock = Training(args, model, optimizer, schedule), Clock(args)
    for iteration, batch in clock.steps(batches(args, rank, processes)):
        parts = (flow.tensor(column).to_global(everywhere, flow.sbp.split(0)) for column in batch)
        losses = step(*parts)
        if clock.due(iteration):
            masked, is_next = (loss.to_global(sbp=flow.sbp.broadcast).to_local().item() for loss in losses)
            total = known(masked + is_next, iteration)
            clock.mark(iteration)
            if rank == 0:
                speed = args.batch_size * processes / clock.step_s
                print(
                    f"step: {iteration - 1}, total_loss: {total:.3f}, mlm_loss: {masked:.3f}, nsp_loss: {is_next:.3f}, "
                    f"throughput: {speed:.3f} {clock.last}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
