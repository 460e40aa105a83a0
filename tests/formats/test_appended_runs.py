"""A log to which another run was appended holds two runs."""

from __future__ import annotations

import pytest

from benchledger.scanning.lines import LineReader
from benchledger.scanning.samples import load_formats
from benchledger.scanning.statements import SegmentCollector

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
DLL 2021-05-23 10:58:40.494617 - Training Epoch: 0 Training Iteration: 7  step_loss : 11.1875  learning_rate : 5e-05
""",
    "ngc-pytorch-convnets": b"""DLL 2022-12-09 09:51:09.972700 - PARAMETER data : /imagenet  arch : resnet50  world_size : 8
DLL 2022-12-09 09:51:09.973560 - PARAMETER model.num_classes : 1000
DLL 2022-12-09 09:51:21.005277 - Epoch: 0 Iteration: 1  train.loss : 7.11345 None train.total_ips : 301.56 images/s
DLL 2022-12-09 09:51:36.585510 - Epoch: 0  train.loss : 6.06772 None train.total_ips : 9419.17 images/s
DLL 2022-12-09 09:51:37.253068 - Summary: train.loss : 6.06772 None train.total_ips : 9419.17 images/s
Experiment ended
""",
    "ngc-maskrcnn": b"""DLL 2020-11-04 00:03:24.087313 - PARAMETER gpu_count : 8
DTYPE: float16
DLL 2020-11-04 00:03:42.087313 - PARAMETER train_start : True
DLL 2020-11-04 00:48:56.982666 -  e2e_train_time : 293.25  train_perf_fps : 136.5
Training perf is: 136.416343 FPS
""",
    "ngc-tf-convnets": b"""DLL 2022-12-12 06:16:37.818306 - PARAMETER arch : resnet50  mode : training_benchmark  batch_size : 256
Num GPUs 8
DLL 2022-12-12 06:17:57.956854 - (0, 200) total_ips : 1611.4990604832658
DLL 2022-12-12 06:18:36.981066 - () train_throughput : 2060.466126789988 images/s
""",
    "ngc-mxnet-rn50": b"""[1,0]<stdout>:DLL 2022-06-07 09:13:35.206620 - PARAMETER arch : resnetv15  gpus : [0, 1]  batch_size : 512
[1,0]<stdout>:DLL 2022-06-07 09:13:56.594374 - Epoch: 0 Iteration: 19  train.loss : 7.09  train.ips : 249.1  train.lr : 0.0
[1,0]<stdout>:DLL 2022-06-07 09:30:58.753552 - Summary: train.loss : 5.97  train.ips : 3004.5
""",
    "ngc-ncf": b"""DLL 2022-11-19 23:38:12.446377 - PARAMETER data : /data  negative_samples : 4  topk : 10  world_size : 8
DLL 2022-11-19 23:38:23.543347 - (1,) train_throughput : 2.756e+08 samples/s hr@10 : 0.76923 None
DLL 2022-11-19 23:38:23.543693 - () best_train_throughput : 275620882.0 samples/s
""",
    "ngc-tacotron2": b"""DLL 2022-10-24 23:56:42.319497 - PARAMETER model_name : WaveGlow
DLL 2022-10-24 23:56:42.319632 - PARAMETER amp : False
DLL 2022-10-24 23:56:49.177286 - (0, 0) train_items_per_sec : 36726.45361687567 items/s
DLL 2022-10-24 23:57:03.133038 - () run_time : 20.631145893000394 s
""",
    "ngc-ssd": b"""DLL 2022-11-19 22:20:01.022656 - PARAMETER dataset path : /data  batch size : 448  backbone : resnet50
DLL 2022-11-19 22:20:01.037280 - PARAMETER dataset path : /data  batch size : 448  backbone : resnet50
Done benchmarking. Total images: 716800	total time: 213.465	Average images/sec: 3357.924	Median images/sec: 3361.463
Training performance = 26879.85546875 FPS
""",
    "ngc-gnmt": b"""1: Run arguments: Namespace(len_norm_factor=0.6, math='fp16', train_batch_size=1520)
0: Run arguments: Namespace(len_norm_factor=0.6, math='fp16', train_batch_size=1520)
0: Performance: Epoch: 0	Training: 935661 Tok/s	Validation: 2579030 Tok/s
0: Total training time 71 s
""",
    "ngc-transformer-xl": b"""Namespace(attn_type=0, batch_size=832, fp16=True, mem_len=192)
world size: 8
| epoch   1 step       10 | batches     10 / 647 | lr 0.000e+00 | ms/batch 1206.5 | tok/s  201954 | loss 10.09 | ppl  24126.32
Training throughput: 341796.68 tok/s
""",
    "ngc-transformer": b"""Namespace(amp=True, arch='transformer_wmt_en_de_big_t2t', fuse_layer_norm=True, max_tokens=5120, online_eval=False)
| training on 8 GPUs
Transformer | epoch 0 | step 10 |avg loss 16.120 |avg tokens 37260.500 |tokens/s 222468.820 |walltime 12.549 |
| done training in 702.4 seconds
""",
    "paddle-clas": b"""INFO 2020-12-16 19:05:29,605 launch_utils.py:471] Local start 8 processes. First process
==        PaddleClas is powered by PaddlePaddle !        ==
2020-12-16 19:05:31 INFO: TRAIN :
2020-12-16 19:05:31 INFO:     batch_size : 1664
2020-12-16 19:05:53 INFO: epoch:0   train step:10   loss:  7.1083 elapse: 0.190s ips: 1096.20147 images/sec.
2020-12-16 19:08:12 INFO: END epoch:0   train loss:  6.9776 elapse_sum: 139.853s ips: 1137.76693 images/sec.
""",
    "paddle-transformer": b"""{'alpha': 0.6,
 'batch_size': 4096,
 'd_model': 1024,
2022-06-08 16:28:23,856-INFO: step_idx: 100, epoch: 0, batch: 100, avg loss: 8.3, normalized loss: 6.9, ppl: 4036.5, ips: 30130.3 words/sec
""",
    "paddle-seg": b"""------------Environment Information-------------
GPUs used: 8
batch_size: 8
2023-07-27 12:51:40 [INFO]\t[TRAIN] epoch: 1, iter: 30/30, loss: 1.5983, batch_cost: 0.35, reader_cost: 0.00010, ips: 22.2 samples/sec | ETA 00:02:13
""",
    "paddle-ps": b"""2021-02-20 14:37:14,072 - INFO - Run Worker Begin
I0220 14:37:14.234302  6479 communicator.h:205] trainers: 16
2021-02-20 14:40:23,060 - INFO - Epoch: 0, using time 178.2 second, ips 15428.2 example/sec.
""",
    "mmseg": b"""2021-05-31 00:14:25,236 - mmseg - INFO - Environment info:
    samples_per_gpu=8,
2021-05-31 00:15:15,967 - mmseg - INFO - Iter [4/4]\tlr: 7.282e-03, eta: 0:00:24, time: 0.881, data_time: 0.044, loss: 2.5
""",
    "hf-trainer": b"""WARNING:__main__:Process rank: 0, device: cuda:0, n_gpu: 1distributed training: True, 16-bits training: True
[INFO|trainer.py:1143] 2021-05-25 06:38:26,284 >> ***** Running training *****
[INFO|trainer.py:1146] 2021-05-25 06:38:26,285 >>   Instantaneous batch size per device = 4
{'train_runtime': 273.0149, 'train_samples_per_second': 3.663, 'train_steps_per_second': 0.007, 'epoch': 1.0}
""",
    "tf2-timehistory": b"""I0826 21:31:53.573603 140540494919424 classifier_trainer.py:183] Overriding params: runtime.num_gpus=8
I0826 21:32:06.393341 140540494919424 classifier_trainer.py:310] Detected 8 devices.
I0826 21:43:05.661866 140540494919424 keras_utils.py:133] TimeHistory: 42.65 seconds, 9602.84 examples/second between steps 100 and 200
{'loss': 5.375, 'train_finish_time': 1598435348.3493102}
""",
    "llm-c": b"""| device                | NVIDIA A100-SXM4-80GB                              |
| micro batch size B    | 64                                                 |
device memory usage: 56500 MiB / 81000 MiB
step    1/2 | loss 11.0125 (+nanz)| norm 15.3125 (+nanz)| lr 8.57e-07 | 3056.25 ms | 42.5% bf16 MFU | 171554 tok/s
total average iteration time: 3050.125 ms
""",
    "modded-nanogpt": b"""Running pytorch 2.5.0 compiled for CUDA 12.4
step:0/2 val_loss:10.8258 train_time:0ms step_avg:nanms
step:1/2 train_loss:10.8258 train_time:125ms step_avg:125.00ms
peak memory consumption: 34000 MiB
""",
    "opennmt-py": b"""[2023-05-01 10:00:00,500 INFO] Starting training on GPU: [0]
[2023-05-01 10:00:00,500 INFO] Step 50/100; acc:   3.54; ppl: 9512.50; xent: 9.16; lr: 0.00001; 10234/10568 tok/s;     12 sec
[2023-05-01 10:00:00,500 INFO] Validation perplexity: 21.5
""",
    "maskrcnn-benchmark": b"""2019-05-27 10:48:54,461 maskrcnn_benchmark.trainer INFO: Start training
2019-05-27 10:48:54,461 maskrcnn_benchmark.trainer INFO: eta: 0:17:37  iter: 20  loss: 0.6125 (0.9250)  time: 0.5125 (0.5250)  data: 0.0125 (0.0250)  lr: 0.0025  max mem: 4358
2019-05-27 11:06:31,461 maskrcnn_benchmark.trainer INFO: Total training time: 0:31:15.5 (0.5125 s / it)
""",
    "olmo": b"""[2024-04-17 09:40:38] INFO     [train:76, rank=0] Configuration:
[2024-04-17 09:41:38] INFO     [train:250, rank=0] Starting training...
[2024-04-17 09:42:38] INFO     [olmo.train:816, rank=0] [step=1/20]
    throughput/device/tokens_per_second=45,538
    eval/pile/CrossEntropyLoss=3.125
""",
    "mmcv-runner": b"""2018-10-23 10:51:00,015 - INFO - Start running, host: user@node1, work_dir: /work
2018-10-23 10:51:07,015 - INFO - Epoch [1][50/2500]\tlr: 0.02, time: 1.125, data_time: 0.015, loss: 0.0394
""",
}


@pytest.mark.parametrize("name", RUNS)
def test_a_run_that_was_appended_is_a_run_of_its_own(name: str) -> None:
    log_format = load_formats()[name]
    notes = SegmentCollector()
    for row in LineReader(log_format).read(RUNS[name] * 2).rows:
        notes.add(row, log_format)
    notes.close(log_format)

    assert [segment.first_line for segment in notes.segments] == [1, 1 + RUNS[name].count(b"\n")]


# What another process of the run printed comes when its buffer is written: at the end, or between the steps.
BUFFERED = {
    "nanogpt": (
        b"tokens per iteration will be: 491,520\nnumber of parameters: 123.5M\n",
        b"iter %d: loss 9.1250, time 250.50ms, mfu 41.25%%\n",
    ),
    "pytorch-imagenet": (
        b"=> creating model 'resnet50'\n",
        b"Epoch: [0][%4d/95]\tTime 0.25 (0.3)\tData 0.001 (0.31)\tLoss 6.9 (7.0)\tAcc@1 0.4 (0.2)\tAcc@5 1.5 (0.7)\n",
    ),
}


@pytest.mark.parametrize("name", BUFFERED)
def test_what_other_processes_print_late_begins_no_run(name: str) -> None:
    head, step = BUFFERED[name]
    log_format = load_formats()[name]
    notes = SegmentCollector()
    text = head + b"".join(step % n for n in range(9)) + 3 * head + b"".join(step % n for n in range(9, 12)) + head
    for row in LineReader(log_format).read(text).rows:
        notes.add(row, log_format)

    assert [segment.first_line for segment in notes.segments] == [1]
