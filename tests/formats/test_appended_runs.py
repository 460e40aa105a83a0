"""A log to which another run was appended holds two runs."""

from __future__ import annotations

import pytest

from benchledger.scanning.lines import LineReader
from benchledger.scanning.samples import load_formats
from benchledger.scanning.statements import SegmentNotes

# As each program prints them: what it was told, and its steps.
RUNS = {
    "megatron-gpt": b"""using world size: 8, data-parallel size: 8
setting number of microbatches to constant 4
building GPT model ...
 iteration       10/      20 | elapsed time per iteration (ms): 500.0 | lm loss: 7.1E+00 |
setting number of microbatches to constant 8
 iteration       20/      20 | elapsed time per iteration (ms): 500.0 | lm loss: 6.1E+00 |
""",
    "paddle-bert": b"""INFO 2020-12-18 21:30:12,552 launch_utils.py:471] Local start 8 processes. First process
Namespace(batch_size=64, max_predictions_per_seq=80, model_type='bert', use_amp=True, use_pure_fp16=False)
NCCL version 2.8.4+cuda11.0
tobal step: 10, epoch: 0, batch: 9, loss: 11.0, avg_batch_cost: 0.39 sec, ips: 183.5 sequences/sec
tobal step: 20, epoch: 0, batch: 19, loss: 11.0, avg_batch_cost: 0.39 sec, ips: 183.5 sequences/sec
""",
    "gluon-nlp-bert-pretrain": b"""INFO:root:Namespace(accumulate=2, batch_size=16, ckpt_interval=5000, dtype='float16')
INFO:root:overflow detected. set loss_scale = 16384.0
[1,1]<stderr>:INFO:root:[step 20]\tmlm_loss=10.1\tnsp_loss= 0.71\tthroughput=16.3K tks/s\tlr=0.0001 time=25.10
""",
    "oneflow-bert": b"""gpu_num_per_node = 8
num_nodes = 2
hidden_size_per_head = 64
step: 19, total_loss: 9.725, mlm_loss: 8.960, nsp_loss: 0.766, throughput: 54.982
98 %, 6205 MiB
""",
    "tf-ngc-bert": b"""INFO:tensorflow:  max_predictions_per_seq: 20
INFO:tensorflow:  train_batch_size: 96
DLL 2020-12-17 15:06:18.814933 - Iteration: 3  throughput_train : 4459.937 seq/s mlm_loss : 10.3779
INFO:tensorflow:  Num steps = 10
INFO:tensorflow:Throughput Average (sentences/sec) = 3351.06
""",
    "ngc-pytorch-bert": b"""device: cuda:0 n_gpu: 1, distributed training: True, 16-bits training: True
device: cuda:1 n_gpu: 1, distributed training: True, 16-bits training: True
DLL 2021-05-23 10:58:13.960974 - PARAMETER Config : ["Namespace(max_steps=4.0)"]
DLL 2021-05-23 10:58:40.494617 - Training Epoch: 0 Training Iteration: 7  step_loss : 11.1875
""",
}


@pytest.mark.parametrize("name", RUNS)
def test_a_run_that_was_appended_is_a_run_of_its_own(name: str) -> None:
    log_format = load_formats()[name]
    notes = SegmentNotes()
    for row in LineReader(log_format).read(RUNS[name] * 2).rows:
        notes.add(row, log_format)

    assert [segment.first_line for segment in notes.segments] == [1, 1 + RUNS[name].count(b"\n")]
