"""Batches that never end: from NGC's HDF5 shards, or made up. What is made up can be learned: rows of ids count up."""

import sys

import torch
from options import world
from torch.utils.data import DataLoader, IterableDataset

COLUMNS = ("input_ids", "segment_ids", "input_mask", "masked_lm_positions", "masked_lm_ids", "next_sentence_labels")
MASK, FIRST = 103, 110


class Shards(IterableDataset):
    """NGC's HDF5 shards, dealt to ranks and workers, each shuffled: batches of tensors, for ever."""

    def __init__(self, folder, args, vocabulary):
        self.files = sorted(folder.glob("*.hdf5")) + sorted(folder.glob("*.h5"))
        self.args, self.batch_size, self.seed, self.vocabulary = args, args.batch_size, args.seed, vocabulary
        if not self.files:
            sys.exit(f"no *.hdf5 in {folder.name}. Cure: `bench data make`, or --data with NGC's shards")

    def rows(self):
        """How many rows all shards hold together."""
        return sum(len(self.checked(file)[0]) for file in self.files)

    def checked(self, file):
        """A shard's columns; one that is not what the log says of this run ends it."""
        ids, _, _, positions, *_ = columns = read(file)
        shape, asked = (ids.shape[1], positions.shape[1]), (self.args.seq_len, self.args.masked)
        if shape != asked:
            sys.exit(
                f"{file.name} is no shard of {asked}, but of {shape}. Cure: --seq-len {shape[0]} --masked {shape[1]}"
            )
        if int(ids.max()) >= self.vocabulary:
            known = f"its ids reach {int(ids.max())}, the model knows {self.vocabulary}"
            sys.exit(f"{file.name} is no shard of this vocabulary: {known}. Cure: data of a smaller --vocab-size")
        return columns

    def __iter__(self):
        worker, (rank, processes, *_) = torch.utils.data.get_worker_info(), world()
        place, readers = rank, processes
        if worker:
            place, readers = rank * worker.num_workers + worker.id, processes * worker.num_workers
        shuffle, turn = torch.Generator().manual_seed(self.seed + place), place
        while True:
            # Fewer shards than readers: each then takes rows of its own by its shuffle.
            columns = self.checked(self.files[turn % len(self.files)])
            order = torch.randperm(len(columns[0]), generator=shuffle)
            if len(order) < self.batch_size:
                sys.exit(
                    f"a shard of {len(order)} rows makes no batch of {self.batch_size}. Cure: a smaller --batch-size"
                )
            for rows in order.split(self.batch_size)[: len(order) // self.batch_size]:
                yield [column[rows] for column in columns]
            turn += readers


def read(file):
    """The columns of one shard as tensors, ignored places with label -1; a file that is none ends the run."""
    import h5py

    try:
        with h5py.File(file) as shard:
            columns = [torch.from_numpy(shard[name][:]).long() for name in COLUMNS]
    except (OSError, KeyError) as error:
        sys.exit(
            f"{file.name} is no shard of BERT's pre-training data: {error}. Cure: it must hold {', '.join(COLUMNS)}"
        )
    ids, segments, mask, positions, labels, is_next = columns
    return ids, segments, mask, positions, labels.masked_fill(positions == 0, -1), is_next.flatten()


def loader(shards, workers):
    """Batches of the shards, pinned where a GPU is to take them."""
    return iter(DataLoader(shards, batch_size=None, num_workers=workers, pin_memory=torch.cuda.is_available()))


def counting(rows, length, vocabulary, random):
    """Rows of ids that count up from anywhere, by one: what is hidden is told by its neighbours."""
    span = min(vocabulary - FIRST, 200)
    start = torch.randint(0, span, (rows, 1), generator=random)
    return FIRST + (start + torch.arange(length)) % span


def made(args, vocabulary, device, count=8):
    """A few batches of BERT's shape, a tenth of it padding, round and round, on the device already."""
    random, length, masked = torch.Generator().manual_seed(args.seed + world()[0]), args.seq_len, args.masked
    batches = []
    for _ in range(count):
        ids = counting(args.batch_size, length, vocabulary, random)
        ends = torch.randint(length * 8 // 10, length + 1, (args.batch_size, 1), generator=random)
        mask = (torch.arange(length) < ends).long()
        ids, is_next = ids * mask, torch.randint(0, 2, (args.batch_size,), generator=random)
        # The second half of a row that does not follow is said by its first id.
        ids[:, 0] = FIRST - 2 + is_next
        segments = (torch.arange(length) >= length // 2).long() * mask
        order = torch.rand(args.batch_size, length * 8 // 10 - 1, generator=random).argsort(1)
        positions = order[:, :masked].sort(1).values + 1
        labels = ids.gather(1, positions)
        ids = ids.scatter(1, positions, MASK)
        batches.append([column.to(device) for column in (ids, segments, mask, positions, labels, is_next)])
    while True:
        yield from batches
