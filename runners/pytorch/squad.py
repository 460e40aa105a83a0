"""BERT fine-tuned on SQuAD: where in a text the answer to a question starts and ends.

    python runners/pytorch/squad.py --init-checkpoint FILE --batch-size 32 --precision fp16 --data DIR --log FILE

DIR holds train-v1.1.json (or other train*.json of that shape) and vocab.txt, the WordPiece vocabulary; it takes the
tokenizers library. Texts longer than --seq-len become several windows, which overlap by --doc-stride tokens. With
--evaluate the questions of DIR's dev*.json are answered at the end, and scored as SQuAD does.
"""

import json
import sys
import time

import torch
from answers import scores
from batches import counting, loader
from models.bert import SIZES, Questions
from options import checked, parser, world
from torch.utils.data import IterableDataset
from training import HALF, Trainer


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


def asked(args, part):
    """Every question of a part of the folder, train or dev, that has an answer: (question, text, answers)."""
    files = sorted(args.data.glob(f"{part}*.json"))
    if not files:
        sys.exit(f"{args.data.name} needs a {part}*.json of SQuAD's shape. Cure: `bench data make squad`")
    for article in (article for file in files for article in json.loads(file.read_text(encoding="utf-8"))["data"]):
        for text in article["paragraphs"]:
            yield from ((one["question"], text["context"], one["answers"]) for one in text["qas"] if one["answers"])


def tokens_of(args):
    """What cuts a question and its text into windows."""
    words = args.data / "vocab.txt"
    if not words.exists():
        sys.exit(f"{args.data.name} needs vocab.txt, the WordPiece vocabulary. Cure: `bench data make squad`")
    from tokenizers import BertWordPieceTokenizer

    tokenizer = BertWordPieceTokenizer(str(words))
    if tokenizer.get_vocab_size() > SIZES[args.model]["vocabulary"]:
        sys.exit(f"vocab.txt holds more words than {args.model} knows. Cure: a larger --model, or another vocab.txt")
    tokenizer.enable_truncation(args.seq_len, stride=args.doc_stride, strategy="only_second")
    tokenizer.enable_padding(length=args.seq_len)

    def cut(question, text):
        whole = tokenizer.encode(question, text)
        return [whole, *whole.overflowing]

    return cut


def windows(args, cut):
    """Every question of the folder as windows; an answer outside a window is at its first token, as BERT has it."""
    rows = []
    for question, text, (answer, *_) in asked(args, "train"):
        first, last = answer["answer_start"], answer["answer_start"] + len(answer["text"])
        rows += [row(window, first, last) for window in cut(question, text)]
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
    defaults = {"model": "bert_base", "learning_rate": 3e-5, "seq_len": 384, "dropout": 0.1}
    options = parser(__doc__.splitlines()[0], "squad", SIZES, **defaults)
    options.add_argument("--doc-stride", type=int, help="default: a third of --seq-len")
    options.add_argument("--evaluate", action="store_true", help="answer the questions of dev*.json at the end")
    args = checked(options)
    if args.evaluate and not args.data:
        options.error("--evaluate asks the questions of --data")
    args.doc_stride = args.doc_stride or args.seq_len // 3

    trainer = Trainer(args, Questions(**SIZES[args.model], dropout=args.dropout))
    if args.data:
        cut = tokens_of(args)
        columns = windows(args, cut)
        trainer.train(loader(Windows(columns, args.batch_size, args.seed), args.data_workers), len(columns[0]))
        if args.evaluate and trainer.first:
            questions = [
                (cut(question, text), text, [answer["text"] for answer in right])
                for question, text, right in asked(args, "dev")
            ]
            began = time.time()
            exact, f1 = scores(trainer, questions, HALF.get(args.precision))
            values = {"exact_match": exact, "f1": f1, "questions": len(questions)}
            trainer.log.line((), {**values, "evaluation_s": time.time() - began})
    else:
        trainer.train(made(args, SIZES[args.model]["vocabulary"], trainer.device))


if __name__ == "__main__":
    main()
