"""ResNet-50 v1.5 on images of 224 x 224.

    python runners/pytorch/resnet.py --batch-size 256 --precision bf16 --log FILE
    torchrun --nproc-per-node 8 runners/pytorch/resnet.py --batch-size 256 --precision fp16 --data DIR

DIR holds pairs NAME.images.npy (rows, height, width, 3, bytes) and NAME.labels.npy (rows); no augmentation.
"""

import sys

import torch
from batches import loader
from models.resnet import SIZES, ResNet
from options import checked, parser, world
from torch.utils.data import IterableDataset
from training import Trainer


class Images(IterableDataset):
    """Batches of images and labels out of the pairs of files, shuffled, for ever."""

    def __init__(self, folder, batch_size, seed):
        import numpy as np

        names = sorted(file.name.removesuffix(".images.npy") for file in folder.glob("*.images.npy"))
        if not names:
            sys.exit(
                f"no *.images.npy in {folder.name}. Cure: save images and labels with numpy.save, or leave out --data"
            )
        pairs = [(folder / f"{name}.images.npy", folder / f"{name}.labels.npy") for name in names]
        self.parts = [(np.load(images, mmap_mode="r"), np.load(labels)) for images, labels in pairs]
        self.batch_size, self.seed = batch_size, seed

    def rows(self):
        return sum(len(labels) for _, labels in self.parts)

    def __iter__(self):
        worker = torch.utils.data.get_worker_info()
        random = torch.Generator().manual_seed(self.seed + world()[0] * 1000 + (worker.id if worker else 0))
        while True:
            for part in torch.randperm(len(self.parts), generator=random).tolist():
                images, labels = self.parts[part]
                order = torch.randperm(len(labels), generator=random).split(self.batch_size)
                for rows in (rows.sort().values.numpy() for rows in order if len(rows) == self.batch_size):
                    pixels = torch.from_numpy(images[rows]).permute(0, 3, 1, 2)
                    yield [(pixels.float() - 128) / 64, torch.from_numpy(labels[rows].astype("int64"))]


def made(args, classes, device, count=4):
    """A few batches whose brightness tells the class, round and round, channels last."""
    random = torch.Generator().manual_seed(args.seed + world()[0])
    batches = []
    for _ in range(count):
        labels = torch.randint(0, classes, (args.batch_size,), generator=random)
        images = torch.randn(args.batch_size, 3, args.image_size, args.image_size, generator=random) / 4
        images += (labels[:, None, None, None] - classes / 2) / classes * 4
        batches.append([images.to(device, memory_format=torch.channels_last), labels.to(device)])
    while True:
        yield from batches


def main():
    options = parser(
        __doc__.splitlines()[0],
        "classification",
        SIZES,
        model="resnet50",
        optimizer="sgd",
        learning_rate=0.1,
        batch_size=64,
    )
    options.add_argument("--image-size", type=int, default=224)
    args = checked(options)

    size = SIZES[args.model]
    model = ResNet(**size).to(memory_format=torch.channels_last)
    trainer = Trainer(args, model)
    if args.data:
        images = Images(args.data, args.batch_size, args.seed)
        trainer.train(loader(images, args.data_workers), images.rows())
    else:
        trainer.train(made(args, size["classes"], trainer.device))


if __name__ == "__main__":
    main()
