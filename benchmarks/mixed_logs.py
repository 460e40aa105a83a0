"""How seven programs print their steps: each a head, a step line and an end, filled with invented numbers.

Deterministic: the same seed prints the same log, and no two seeds the same one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

START = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Program:
    """`head` by seed and steps, `step` by seed and step, `end` by seed and steps; `stem` names the file by seed."""

    stem: Callable[[int], str]
    head: Callable[[int, int], str]
    step: Callable[[int, int], str]
    end: Callable[[int, int], str]

    def log(self, size: int, seed: int) -> str:
        """A log of about `size` bytes: as many steps as fit."""
        room = size - len(self.head(seed, size)) - len(self.end(seed, size))
        steps = max(2, room // len(self.step(seed, 1000)))
        lines = [
            self.head(seed, steps),
            *(self.step(seed, step) for step in range(1, steps + 1)),
            self.end(seed, steps),
        ]
        return "".join(lines)


def at(seed: int, step: int) -> datetime:
    """When a step ended."""
    return START + timedelta(seconds=seed + step * pace(seed), microseconds=seed * 31 % 1000)


def pace(seed: int) -> float:
    """Seconds of a step."""
    return 0.25 + seed % 83 / 100


def loss(seed: int, step: int) -> float:
    """A loss that falls, and is no other log's."""
    return 11.2 - (step + seed % 7) % 1000 / 997 + seed / 1e7


def batch_size(seed: int) -> int:
    return (16, 32, 48, 64)[seed % 4]


def gpus(seed: int) -> int:
    return (1, 8)[seed // 4 % 2]


def stem(name: str) -> Callable[[int], str]:
    return lambda seed: f"{name}_bs{batch_size(seed)}_gpu{gpus(seed)}"


def megatron_head(seed: int, _steps: int) -> str:
    return (
        f"using world size: {gpus(seed)}, data-parallel-size: {gpus(seed)}, tensor-model-parallel size: 1, "
        f"pipeline-model-parallel size: 1 \nsetting number of micro-batches to constant 1\n"
        f"> building GPT2BPETokenizer tokenizer ...\n[before the start of training step] datetime: {at(seed, 0)}\n"
    )


def megatron_step(seed: int, step: int) -> str:
    return (
        f" iteration {step:8d}/   50000 | consumed samples: {step * batch_size(seed) * gpus(seed):12d} | elapsed time "
        f"per iteration (ms): {pace(seed) * 1000 + step % 17 / 10:.1f} | learning rate: {1.5e-4 * step / 50000:.3E} | "
        f"global batch size: {batch_size(seed) * gpus(seed):5d} | lm loss: {loss(seed, step):.6E} | loss scale: 1.0 | "
        f"grad norm: {1 + step % 13 / 7:.3f} | number of skipped iterations:   0 | number of nan iterations:   0 |\n"
    )


def megatron_end(seed: int, steps: int) -> str:
    return f"[after training is done] datetime: {at(seed, steps):%Y-%m-%d %H:%M:%S.%f} \n"


def mmseg_time(seed: int, step: int) -> str:
    return f"{at(seed, step):%Y-%m-%d %H:%M:%S},{step * 7 % 1000:03d} - mmseg - INFO - "


def mmseg_head(seed: int, steps: int) -> str:
    return (
        f"{mmseg_time(seed, 0)}Environment info:\nGPU 0: Tesla MADE-32GB\nPyTorch: 1.8.0\nMMSegmentation: 0.13.0\n"
        f"{mmseg_time(seed, 0)}Distributed training: True\n    samples_per_gpu={batch_size(seed)},\n"
        f"runner = dict(type='IterBasedRunner', max_iters={steps})\n"
    )


def mmseg_step(seed: int, step: int) -> str:
    return (
        f"{mmseg_time(seed, step)}Iter [{step}/80000]\tlr: {7.3e-3 / (1 + step):.3e}, eta: 0:00:24, time: "
        f"{pace(seed):.3f}, data_time: 0.044, memory: {11000 + seed % 400}, decode.loss_seg: {loss(seed, step):.4f}, "
        f"decode.acc_seg: {33 + step % 40 + 0.7779:.4f}, loss: {loss(seed, step):.4f}\n"
    )


def mmseg_end(seed: int, steps: int) -> str:
    return f"{mmseg_time(seed, steps + 1)}Iter(val) [500]\tmIoU: 0.{seed % 9000 + 1000}, mAcc: 0.8400, aAcc: 0.9600\n"


def clas_time(seed: int, step: int) -> str:
    return f"[{at(seed, step):%Y/%m/%d %H:%M:%S}] ppcls INFO: "


def clas_head(seed: int, _steps: int) -> str:
    return f"{clas_time(seed, 0)}train with paddle 2.4.0 and device Place(gpu:0)\n"


def clas_step(seed: int, step: int) -> str:
    return (
        f"{clas_time(seed, step)}epoch:0   train step:{step * 10:<4d} lr: 0.100000, loss: {loss(seed, step):7.4f} "
        f"top1:  {step % 90 / 100:.4f} top5:  {step % 97 / 100:.4f} batch_cost: {pace(seed):.5f} s, "
        f"reader_cost: 0.00062 s, ips: {batch_size(seed) / pace(seed) + step % 29 / 10:.5f} samples/sec.\n"
    )


def clas_end(seed: int, steps: int) -> str:
    return (
        f"{clas_time(seed, steps)}END epoch:0   train  loss: {loss(seed, steps):7.4f} top1:  0.0065 top5:  0.0265 "
        f"batch_cost: {pace(seed):.5f} s, reader_cost: 0.00057 s, batch_cost_sum: {pace(seed) * steps:.5f} s,\n"
    )


def gluon_head(seed: int, steps: int) -> str:
    cards = ",".join(map(str, range(gpus(seed))))
    return (
        f"INFO:root:Namespace(accumulate=1, batch_size={batch_size(seed)}, ckpt_dir='/made/', ckpt_interval=5000, "
        f"data_eval=None, dataset_name='made', dtype='float16', gpus='{cards}', kvstore='device', log_interval=10, "
        f"num_steps={steps * 10})\n"
    )


def gluon_step(seed: int, step: int) -> str:
    return (
        f"INFO:root:[step {step * 10}]\tmlm_loss={loss(seed, step):.5f}\tmlm_acc={step % 90 + seed % 97 / 100:.5f}\t"
        f"nsp_loss={0.7 / (1 + step):.5f}\tnsp_acc={50 + step % 50}.237\t"
        f"throughput={50 + seed % 60 + step % 10 / 10:.1f}K tks/s\t"
        f"lr={1e-4 * (step % 100) / 100:.7f} time={pace(seed) * 10:.2f}\n"
    )


def gluon_end(seed: int, steps: int) -> str:
    return f"INFO:root:[step {steps * 10}] Saving checkpoints to /made/{seed}.params, /made/{seed}.states.\n"


def transformer_head(seed: int, _steps: int) -> str:
    return (
        f"| distributed init (rank 0): env://\nNamespace(adam_betas=[0.9, 0.997], amp=True, "
        f"arch='transformer_wmt_en_de_big_t2t', distributed_world_size={gpus(seed)}, fp16=False, fuse_layer_norm=True, "
        f"max_tokens={batch_size(seed) * 160}, max_update=0, online_eval=False, optimizer='adam', update_freq=[1])\n"
        f"| num. model params: 210808832\n| training on {gpus(seed)} GPUs\n"
        f"| max tokens per GPU = {batch_size(seed) * 160} and max sentences per GPU = None\n"
    )


def transformer_step(seed: int, step: int) -> str:
    return (
        f"Transformer | epoch 0 | step {step * 10} |avg loss {loss(seed, step):.3f} "
        f"|avg tokens {37000 + step % 900:.3f} |tokens/s {200000 + seed % 20000 + step % 100 / 10:.3f} "
        f"|walltime {step * pace(seed):.3f} |\n"
    )


def transformer_end(seed: int, steps: int) -> str:
    return f"Epoch time: {steps * pace(seed):.1f}\n| done training in {steps * pace(seed) + 9.5:.1f} seconds\n"


def keras_time(seed: int, step: int) -> str:
    return f"I{at(seed, step):%m%d %H:%M:%S.%f} 140540494919424 "


def keras_head(seed: int, _steps: int) -> str:
    return (
        f"{keras_time(seed, 0)}classifier_trainer.py:183] Overriding params: runtime.num_gpus={gpus(seed)}\n"
        f"{keras_time(seed, 0)}classifier_trainer.py:310] Detected {gpus(seed)} devices.\n"
        f"{keras_time(seed, 0)}classifier_trainer.py:329] Global batch size: {batch_size(seed) * gpus(seed)}\n"
    )


def keras_step(seed: int, step: int) -> str:
    speed = batch_size(seed) * gpus(seed) / pace(seed) + step % 37 / 100
    return (
        f"{keras_time(seed, step)}keras_utils.py:133] TimeHistory: {pace(seed) * 100:.2f} seconds, {speed:.2f} "
        f"examples/second between steps {step * 100 - 100} and {step * 100}\n"
    )


def keras_end(seed: int, steps: int) -> str:
    speed = batch_size(seed) * gpus(seed) / pace(seed)
    return f"{{'loss': {loss(seed, steps)}, 'train_finish_time': {1.7e9 + seed}, 'avg_exp_per_second': {speed}}}\n"


PROGRAMS = (
    Program(stem("megatron_gpt2_345m"), megatron_head, megatron_step, megatron_end),
    Program(stem("mmseg_fastscnn"), mmseg_head, mmseg_step, mmseg_end),
    Program(stem("ResNet50"), clas_head, clas_step, clas_end),
    Program(stem("gluon_bert_base"), gluon_head, gluon_step, gluon_end),
    Program(stem("transformer_big"), transformer_head, transformer_step, transformer_end),
    Program(stem("keras_resnet50"), keras_head, keras_step, keras_end),
)
