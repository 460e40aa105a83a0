"""GPT-2 pre-training: each token from those before it, sequences of 1,024.

    python runners/pytorch/gpt.py --batch-size 16 --precision bf16 --data DIR --log FILE
    torchrun --nproc-per-node 8 runners/pytorch/gpt.py --batch-size 8 --precision fp32 --data DIR

DIR holds tokens in *.npy, whole numbers in one dimension, as many files as you like.
"""

import sys

import torch
from batches import counting, loader
from models.gpt import GPT, SIZES
from options import FUSED, checked, parser, world
from torch.utils.data import IterableDataset
from training import Trainer


class Tokens(IterableDataset):
    """Sequences cut anywhere out of the files' tokens: batches of (rows, length + 1), for ever."""

    def __init__(self, folder, batch_size, length, vocabulary, seed):
        import numpy as np

        files = sorted(folder.glob("*.npy"))
        if not files:
            sys.exit(f"no *.npy in {folder.name}. Cure: save the tokens of each text with numpy.save")
        self.parts = [np.load(file, mmap_mode="r") for file in files]
        for file, part in zip(files, self.parts, strict=True):
            if part.ndim != 1 or part.dtype.kind not in "iu" or len(part) <= length or int(part.max()) >= vocabulary:
                sys.exit(f"{file.name} must hold more than {length} whole numbers below {vocabulary}, in one dimension")
        self.batch_size, self.length, self.seed = batch_size, length, seed

    def __iter__(self):
        worker = torch.utils.data.get_worker_info()
        random = torch.Generator().manual_seed(self.seed + world()[0] * 1000 + (worker.id if worker else 0))
        sizes = torch.tensor([float(len(part)) for part in self.parts])
        while True:
            rows = []
            for part in torch.multinomial(sizes, self.batch_size, replacement=True, generator=random).tolist():
                start = int(torch.randint(len(self.parts[part]) - self.length, (1,), generator=random))
                rows.append(torch.from_numpy(self.parts[part][start : start + self.length + 1].astype("int64")))
            yield [torch.stack(rows)]


def made(args, vocabulary, device, count=8):
    """A few batches that count up from anywhere, round and round."""
    random = torch.Generator().manual_seed(args.seed + world()[0])
    batches = [[counting(args.batch_size, args.seq_len + 1, vocabulary, random).to(device)] for _ in range(count)]
    while True:
        yield from batches


def main():
    defaults = {"model": "gpt2_124m", "batch_size": 8, "seq_len": 1024, "dropout": 0.1}
    options = parser(__doc__.splitlines()[0], "pretraining", SIZES, **defaults)
    options.add_argument("--fused-kernels", action="store_true", help=FUSED)
    args = checked(options)

    size = SIZES[args.model]
    model = GPT(**size, dropout=args.dropout, longest=args.seq_len, fused=args.fused_kernels)
    trainer = Trainer(args, model, "tokens_per_s", args.seq_len)
    if args.data:
        tokens = Tokens(args.data, args.batch_size, args.seq_len, size["vocabulary"], args.seed)
        trainer.train(loader(tokens, args.data_workers))
    else:
        trainer.train(made(args, size["vocabulary"], trainer.device))


if __name__ == "__main__":
    main()
