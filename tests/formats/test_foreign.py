"""Logs of programs that nobody described stay unrecognised, however much they look like a known one."""

from __future__ import annotations

import json

import pytest

from tests.scanning.found import find

# One or two lines as each program prints them.
LINES = {
    "webserver": '192.0.2.1 - - [10/Oct/2023:13:55:36 +0000] "GET /i.html HTTP/1.1" 200 2326',
    "pip": "Downloading torch-2.1.0-cp311-cp311-manylinux1_x86_64.whl (670.2 MB)",
    "pytest": "=== 1 failed, 11 passed in 0.52s ===\nTraceback (most recent call last):",
    "kubectl": "NAME        READY   STATUS    RESTARTS   AGE\ntrainer-0   1/1     Running   0          5m",
    "dmesg": "[  124.456789] Out of memory: Killed process 1234 (python3) total-vm:12345kB",
    "slurm": "slurmstepd: error: *** JOB 1234 ON node CANCELLED AT 2026-01-01T00:00:00 DUE TO TIME LIMIT ***",
    "hf trainer": " 33%|███▎      | 200/600 [01:11<01:58,  3.37it/s]{'train_samples_per_second': 62.7, 'epoch': 3.0}",
    "fairseq": "2021-05-01 12:00:00 | INFO | train_inner | epoch 001:  100 / 1000 loss=9.123, wps=12345.6, wall=40",
    "deepspeed": "[2023-05-01 12:00:01,123] [INFO] [timer.py:199:stop] global_step=10, RunningAvgSamplesPerSec=37.5",
    "nemo": "Epoch 0:   2%|▏  | 2/100 [00:10<08:10, reduced_train_loss=10.90, consumed_samples=32.00]",
    "mllog": ':::MLLOG {"namespace": "", "time_ms": 1588000000000, "key": "run_stop", "value": null}',
    "horovod": "Iter #0: 345.6 img/sec per GPU\nTotal img/sec on 4 GPU(s): 1384.4 +-4.0",
    "tf_cnn_benchmarks": "1\timages/sec: 350.1 +/- 0.0 (jitter = 0.0)\t8.108\ntotal images/sec: 351.98",
    "keras": "1875/1875 [==============================] - 4s 2ms/step - loss: 0.2965 - accuracy: 0.9135",
    "lightning": "Epoch 0: 100%|██████████| 938/938 [00:05<00:00, 160.1it/s, loss=0.25, v_num=3]",
    "timm": "Train: 0 [   0/1251 (  0%)]  Loss: 6.94 (6.94)  Time: 5.123s,  149.9/s  LR: 1.000e-06",
    "ultralytics": "      1/100      2.67G      1.123      2.345         47        640: 100%|██████████| 8/8",
    "detectron2": "[05/23 10:58:40 d2.utils.events]:  eta: 1 day  iter: 19  total_loss: 2.5  time: 0.5  lr: 0.001",
    "yolox": "yolox.core.trainer:261 - epoch: 2/300, iter: 10/14786, iter_time: 0.222s, total_loss: 11.5, lr: 5e-05",
    "ssd": "SSD.trainer INFO: iter: 000050, lr: 0.00040, total_loss: 13.840 (16.049), eta: 1 day, 9:24:06",
    "libai": "iteration: 99/220  consumed_samples: 2400  total_loss: 8.1  total_throughput: 46.91 samples/s",
    "torchtitan": "[rank0]:INFO - step: 10  loss: 7.1  memory: 30.1GiB(31.7%)  tps: 1,444  tflops: 300.32",
    "nanogpt": "iter 10: loss 3.2, time 123.4ms, mfu 12.3%",
    "aws albert": "INFO     Train step 1040 -- Loss: 11.174, MLM: 10.479, SOP: 0.695 -- It/s: 1.69",
    "google bert": "I0826 00:45:58.006054 140 run_pretraining.py:133]   name = input_ids, shape = (32, 128)",
    "paddle gpt": "global step 1, epoch: 0, batch: 0, loss: 11.0, avg_batch_cost: 1.6 sec, speed: 0.63 step/s, "
    "ips_total: 5132 tokens/s, ips: 5132 tokens/s, learning rate: 5.5e-09",
    "paddle glue": "global step 10/1000, epoch: 0, batch: 9, rank_id: 0, loss: 0.69, lr: 0.00001, speed: 4.1 step/s",
    "paddle squad": "global step 100, epoch: 1, batch: 100, loss: 2.3, avg_batch_cost: 0.2 sec, ips: 40.1 sequences/sec",
    "paddle images": "[Epoch 0, iter: 10] avg_batch_cost: 0.41 sec, avg_samples: 64.0, avg_ips: 154.7 images/sec.",
    "gluon classifier": "INFO:root:[Epoch 0 Batch 100/1000] loss=0.5, lr=0.00001, throughput=12.3K tks/s",
    "paddle detection": "[02/04 22:46:24] ppdet.engine INFO: Epoch: [0] [20/40] learning_rate: 0.1 loss: 4.5 "
    "eta: 1 day, 10:28:48 batch_cost: 0.1664 data_cost: 0.0034 ips: 96.1758 images/s",
    "paddle ocr": "[2026/01/30 01:23:26] ppocr INFO: epoch: [1/200], global_step: 5, lr: 0.000000, loss: 75.56, "
    "avg_reader_cost: 0.14362 s, avg_batch_cost: 0.82421 s, avg_samples: 64.0, ips: 77.65025 samples/s",
    "paddle3d": "2023-01-01 10:00:00,000 - INFO - [TRAIN] epoch=1/20, iter=10/9280, loss=1.5, lr=0.001 | ETA 02:00:00",
    "paddle server": "I0220 14:37:14.234276  6479 communicator.h:205] communicator_is_sgd_optimizer: 1\n"
    "I0220 14:37:14.234302  6479 communicator.h:205] trainers: 16",
    "list of toolkits": "PaddleSeg: image segmentation\nPaddleClas: image classification",
    "paddle launcher": "ips: 127.0.0.1\n    |    PADDLE_TRAINERS_NUM      8      |",
    "mmdet": "2021-05-31 00:15:15,967 - mmdet - INFO - Epoch [1][50/7330]\tlr: 1.0e-02, eta: 0:00:24, time: 0.881, "
    "data_time: 0.044, memory: 3907, loss: 2.5670",
    "mmengine": "2023/03/01 10:00:00 - mmengine - INFO - Iter(train) [   50/20000]  lr: 9.9e-03  time: 0.42  loss: 2.1",
    "accelerate": "09/01/2023 10:00:00 - INFO - __main__ - ***** Running training *****\n"
    "09/01/2023 10:00:00 - INFO - __main__ -   Total train batch size (w. parallel, distributed & accumulation) = 64",
    "fairseq of its day": "| training on 8 GPUs\n| max tokens per GPU = 4000 and max sentences per GPU = None\n"
    "| epoch 001:   1000 / 8000 loss=9.1, nll_loss=8.3, ppl=320.1, wps=60123, ups=2, wpb=28000",
    "mxnet module": "INFO:root:Epoch[0] Batch [40]\tSpeed: 27.98 samples/sec\taccuracy=0.000781",
    "mxnet module's epoch": "INFO:root:Epoch[0] Train-accuracy=0.61\nINFO:root:Epoch[0] Time cost=50.885",
    "mlperf of 2018": ":::MLPv0.5.0 gnmt 1541710000.123 (train.py:12) run_start",
    "hugectr": "[19037.71, run_start, ]\n[HUGECTR][04:46:32][INFO][RANK0]: Warm-up done",
    "a csv of steps": "task,step,loss,latency\ntrain,1,0.69,12.5\ntrain,2,0.68,11.5",
    "a json of losses": '{"loss": {"values": {"1": 10.5, "2": 10.25}}, "iteration-time": {"values": {"1": 0.5}}}',
    "ngc unet": "DLL 2022-05-12 14:09:13.825000 - () throughput_train : 37.348  latency_train_mean : 53.551",
    "ngc fastpitch": "DLL 2021-05-12 14:09:13.825000 - PARAMETER mel_fmax : 8000.0\n"
    "DLL 2021-05-12 14:10:13.825000 - epoch    1 | iter   1/24 | loss 40.97 | mel loss 35.04 |  5091.0 frames/s | took 1.8 s",
    "ngc paddle resnet": "DLL 2022-05-12 14:09:13.825000 - Epoch: 0 Iteration: 10  train.data_time : 0.0 s "
    "train.compute_time : 0.1 s train.lr : 0.1  train.loss : 6.9  train.ips : 2793.7 images/s",
    "ngc mask r-cnn": "DLL 2022-05-12 14:09:13.825000 - (0, 10) loss : 1.25  learning_rate : 0.01",
    "ngc efficientdet": "DLL 2022-05-12 14:09:13.825000 - PARAMETER model : efficientdet_d0  batch_size : 60  amp : True",
    "transformer-xl": "| epoch   1 step      200 |    200 batches | lr 0.00025 | ms/batch 1023.19 | loss  7.92 | ppl  2751.267",
    "pytorch imagenet": "Epoch: [0][  10/5005]\tTime  0.405 ( 0.912)\tData  0.000 ( 0.310)\tLoss 6.9e+00 (7.0e+00)",
    "xlnet": "Namespace(batch_size=32, clamp_len=-1, mem_len=384, model_name='xlnet_cased_l12_h768_a12')",
    "settings of any program": "max_predictions_per_seq = 20\nmax_seq_length = 128",
    "arguments of any program": "------------------------ arguments ------------------------\n  lr ............. 0.1",
    "prose": "The line prints `elapsed time per iteration (ms): X` and `iteration N/M`.",
    "csv of results": "name,samples_per_second,loss,step\nbert,123.4,7.1,10",
    "csv of hosts": "host,driver_version,note\ngpu01,535.104,ok",
    "csv of redis": "timestamp,used_memory,connected_clients\n2024-01-01 10:00:00,1048576,3",
    "csv of google benchmark": 'name,iterations,real_time,cpu_time,time_unit\n"BM_a",100,1.2,1.1,ns',
    "csv of rocprof": '"Name","Calls","TotalDurationNs","AverageNs","Percentage"\n"gemm.kd",10,1000,100,55.5',
    "csv of profiles": "Name,Calls,Avg,Time(%)\nfoo,1,2,3",
    "vmstat": " r  b   swpd   free   buff  cache   si   so\n 1  0      0 123456  12345 234567    0    0",
    "pidstat": "#      Time   UID       PID    %usr   CPU  Command\n 1700000000     0      1234    1.00     3  python3",
    "dcgmi": "#Entity   GPUTL  MCUTL  POWER\nID\nGPU 0     97     50     400.1",
    "markdown": "| gpu_num | samples/s | speedup |\n| ------- | --------- | ------- |\n| 1       | 127.05    | 1.00    |",
}
DOCUMENTS = {
    "training state of any program": {"global_step": 60, "log_history": [{"loss": 1.0}]},
    "results of any program": {"eval_loss": 0.4, "train_loss": 0.5, "epoch": 3},
    "hf config": {"architectures": ["BertForMaskedLM"], "model_type": "bert", "vocab_size": 30522, "gpu_num": 8},
    "any config": {"model_name": "bert-base", "hidden_size": 768, "run_mode": "train"},
    "web manifest": {"name": "app", "short_name": "a", "icons": []},
    "browser trace": {"traceEvents": [{"cat": "devtools.timeline", "dur": 12, "name": "RunTask", "ph": "X", "ts": 1}]},
    "tensorflow trace": {"displayTimeUnit": "ns", "traceEvents": [{"ph": "X", "name": "MatMul", "ts": 1, "dur": 2}]},
}


@pytest.mark.parametrize("program", LINES)
def test_a_log_of_another_program_is_of_no_format(program: str) -> None:
    found = find(LINES[program] + "\n")

    assert (found.log.format, found.rows) == (None, []), found.log.evidence


@pytest.mark.parametrize("program", DOCUMENTS)
def test_a_json_document_of_another_program_is_of_no_format(program: str) -> None:
    assert find(json.dumps(DOCUMENTS[program])).log.format is None


def test_a_header_of_nvidia_smi_is_known_by_its_blanks_or_by_its_units() -> None:
    assert find("name, driver_version\nTesla V100, 440.33.01\n").log.format == "nvidia-smi-csv"
    assert find("index,memory.used [MiB]\n0,998\n").log.format == "nvidia-smi-csv"
