"""BERT fine-tuned on SQuAD: where in a text the answer to a question starts and ends.

    python runners/pytorch/squad.py --init-checkpoint FILE --batch-size 32 --precision fp16 --data DIR --log FILE

DIR holds train-v1.1.json (or other train*.json of that shape) and vocab.txt, the WordPiece vocabulary; it takes the
tokenizers library. Texts longer than --seq-len become several windows, which overlap by --doc-stride tokens.
"""

import json
import sys

import torch
from batches import counting, loader
from models.bert import SIZES, Questions
from options import checked, parser, world
from torch.utils.data import IterableDataset
from training import Trainer


class Windows(IterableDataset):
    """Windows of questions and texts, shuffled: batches of (ids, segments, mask, start, end), for ever."""

    def __init__(self, columns, batch_size, seed):
        self.columns, self.batch_size, self.seed = columns, batch_size, seed

    def __iter__(self):
        worker, (rank, processes, *_) = torch.utils.data.get_worker_info(), world()
        place, readers = rank, processes
        if worker:
            place, readers = rank * worker.num_workers + worker.id, processes * worker.num_workers
        random = torch.Generator().manual_seed(self.seed)
        while True:
            order = torch.randperm(len(self.columns[0]), generator=random)[place::readers]
            for rows in order.split(self.batch_size):
                if len(rows) == self.batch_size:
                    yield [column[rows] for column in self.columns]


def windows(args):
    """Every question of the folder as windows; an answer outside a window is at its first token, as BERT has it."""
    files, words = sorted(args.data.glob("train*.json")), args.data / "vocab.txt"
    if not files or not words.exists():
        sys.exit(f"{args.data.name} needs a train*.json of SQuAD's shape and vocab.txt. Cure: `bench data make`")
    from tokenizers import BertWordPieceTokenizer

    tokenizer = BertWordPieceTokenizer(str(words))
    if tokenizer.get_vocab_size() > SIZES[args.model]["vocabulary"]:
        sys.exit(f"vocab.txt holds more words than {args.model} knows. Cure: a larger --model, or another vocab.txt")
    tokenizer.enable_truncation(args.seq_len, stride=args.doc_stride, strategy="only_second")
    tokenizer.enable_padding(length=args.seq_len)
    rows = []
    for article in (article for file in files for article in json.loads(file.read_text(encoding="utf-8"))["data"]):
        for text in article["paragraphs"]:
            for question in (question for question in text["qas"] if question["answers"]):
                answer = question["answers"][0]
                first, last = answer["answer_start"], answer["answer_start"] + len(answer["text"])
                whole = tokenizer.encode(question["question"], text["context"])
                rows += [row(window, first, last) for window in [whole, *whole.overflowing]]
    columns = [torch.tensor(column) for column in zip(*rows, strict=True)]
    if len(columns[0]) < args.batch_size:
        sys.exit(
            f"{len(columns[0])} windows make no batch of {args.batch_size}. Cure: more data or a smaller --batch-size"
        )
    return columns


def row(window, first, last):
    """One window with the places of the tokens that cover the characters from first to last."""
    tokens = [
        place
        for place, (kind, (start, end)) in enumerate(zip(window.sequence_ids, window.offsets, strict=True))
        if kind == 1 and start < last and end > first
    ]
    places = tokens or [0]
    return window.ids, window.type_ids, window.attention_mask, places[0], places[-1]


def made(args, vocabulary, device, count=8):
    """A few batches whose answer is where a marked id stands, round and round."""
    random, shape = torch.Generator().manual_seed(args.seed + world()[0]), (args.batch_size, 1)
    batches = []
    for _ in range(count):
        ids = counting(args.batch_size, args.seq_len, vocabulary, random)
        start = torch.randint(args.seq_len // 4, args.seq_len - 3, shape, generator=random)
        ids = ids.scatter(1, start, 104).scatter(1, start + 2, 105)
        segments = (torch.arange(args.seq_len) >= args.seq_len // 4).long().expand_as(ids).contiguous()
        columns = ids, segments, torch.ones_like(ids), start.flatten(), start.flatten() + 2
        batches.append([column.to(device) for column in columns])
    while True:
        yield from batches


def main():
    options = parser(__doc__.splitlines()[0], "squad", SIZES, model="bert_base", learning_rate=3e-5)
    options.add_argument("--seq-len", type=int, default=384)
    options.add_argument("--doc-stride", type=int, help="default: a third of --seq-len")
    options.add_argument("--dropout", type=float, default=0.1)
    args = checked(options)
    args.doc_stride = args.doc_stride or args.seq_len // 3

    trainer = Trainer(args, Questions(**SIZES[args.model], dropout=args.dropout))
    if args.data:
        columns = windows(args)
        trainer.train(loader(Windows(columns, args.batch_size, args.seed), args.data_workers), len(columns[0]))
    else:
        trainer.train(made(args, SIZES[args.model]["vocabulary"], trainer.device))


if __name__ == "__main__":
    main()
