"""BERT pre-training: masked words and next sentence, phases 1 and 2, from NGC's HDF5 shards.

    python runners/pytorch/bert.py --batch-size 96 --precision bf16 --data DIR --log FILE
    python runners/pytorch/bert.py --phase 2 --optimizer lamb --batch-size 16 --gradient-accumulation 8 --data DIR
    torchrun --nproc-per-node 8 runners/pytorch/bert.py --batch-size 64 --precision fp16 --data DIR
    torchrun --nnodes 4 --nproc-per-node 8 --node-rank RANK --master-addr FIRST_NODE runners/pytorch/bert.py ...

The fastest on one GPU: --precision bf16 --fused-kernels --half-weights --compile --cuda-graph --fused-optimizer.
"""

from batches import Shards, loader, made
from models.bert import SIZES, Pretraining
from options import FUSED, checked, parser
from training import Trainer

# Length of a sequence, and how many of its positions are masked: the paper's two phases.
PHASES = {1: (128, 20), 2: (512, 80)}


def main():
    options = parser(
        __doc__.splitlines()[0], "pretraining", SIZES, model="bert_base", seq_len=None, masked=None, dropout=0.1
    )
    options.add_argument("--phase", type=int, choices=PHASES, default=1, help="its --seq-len and --masked")
    options.add_argument("--fused-kernels", action="store_true", help=FUSED)
    options.add_argument("--head", choices=["masked", "all"], default="masked", help="positions of the head over words")
    args = checked(options)
    args.seq_len, args.masked = args.seq_len or PHASES[args.phase][0], args.masked or PHASES[args.phase][1]

    model = Pretraining(**SIZES[args.model], dropout=args.dropout, head=args.head, fused=args.fused_kernels)
    trainer = Trainer(args, model)
    if args.data:
        shards = Shards(args.data, args, SIZES[args.model]["vocabulary"])
        trainer.train(loader(shards, args.data_workers), shards.rows())
    else:
        trainer.train(made(args, SIZES[args.model]["vocabulary"], trainer.device))


if __name__ == "__main__":
    main()
