"""Lines of programs that no format describes, one or two as each of them prints them."""

from __future__ import annotations

LINES = {
    "webserver": '192.0.2.1 - - [10/Oct/2023:13:55:36 +0000] "GET /i.html HTTP/1.1" 200 2326',
    "pip": "Downloading torch-2.1.0-cp311-cp311-manylinux1_x86_64.whl (670.2 MB)",
    "pytest": "=== 1 failed, 11 passed in 0.52s ===\nTraceback (most recent call last):",
    "kubectl": "NAME        READY   STATUS    RESTARTS   AGE\ntrainer-0   1/1     Running   0          5m",
    "dmesg": "[  124.456789] Out of memory: Killed process 1234 (python3) total-vm:12345kB",
    "slurm": "slurmstepd: error: *** JOB 1234 ON node CANCELLED AT 2026-01-01T00:00:00 DUE TO TIME LIMIT ***",
    "hf trainer": " 33%|███▎      | 200/600 [01:11<01:58,  3.37it/s]{'train_samples_per_second': 62.7, 'epoch': 3.0}",
    "mllog": ':::MLLOG {"namespace": "", "time_ms": 1588000000000, "key": "run_stop", "value": null}',
    "keras": "1875/1875 [==============================] - 4s 2ms/step - loss: 0.2965 - accuracy: 0.9135",
    "lightning": "Epoch 0: 100%|██████████| 938/938 [00:05<00:00, 160.1it/s, loss=0.25, v_num=3]",
    "timm": "Train: 0 [   0/1251 (  0%)]  Loss: 6.94 (6.94)  Time: 5.123s,  149.9/s  LR: 1.000e-06",
    "yolox": "yolox.core.trainer:261 - epoch: 2/300, iter: 10/14786, iter_time: 0.222s, total_loss: 11.5, lr: 5e-05",
    "ssd": "SSD.trainer INFO: iter: 000050, lr: 0.00040, total_loss: 13.840 (16.049), eta: 1 day, 9:24:06",
    "torchtitan": "[rank0]:INFO - step: 10  loss: 7.1  memory: 30.1GiB(31.7%)  tps: 1,444  tflops: 300.32",
    "aws albert": "INFO     Train step 1040 -- Loss: 11.174, MLM: 10.479, SOP: 0.695 -- It/s: 1.69",
    "google bert": "I0826 00:45:58.006054 140 run_pretraining.py:133]   name = input_ids, shape = (32, 128)",
    "paddle squad": "global step 100, epoch: 1, batch: 100, loss: 2.3, avg_batch_cost: 0.2 sec, ips: 40.1 sequences/sec",
    "paddle images": "[Epoch 0, iter: 10] avg_batch_cost: 0.41 sec, avg_samples: 64.0, avg_ips: 154.7 images/sec.",
    "gluon classifier": "INFO:root:[Epoch 0 Batch 100/1000] loss=0.5, lr=0.00001, throughput=12.3K tks/s",
    "openocr": "[2024/08/06 18:03:31] openrec INFO: epoch: [1/2], global_step: 100, lr: 0.000005, loss: 69.376022, "
    "avg_reader_cost: 0.00971 s, avg_batch_cost: 0.18023 s, avg_samples: 64.0, ips: 355.10891 samples/s, eta: 0:32:33",
    "maxdiffusion": "completed step: 18, seconds: 11.722, TFLOP/s/device: 348.548, loss: 1.540\n"
    "completed step: 19, seconds: 11.716, TFLOP/s/device: 348.750, Tokens/s/device: 6760.245, Samples/s/device: 0.0854, "
    "Frames/s/device: 7.255, loss: 1.540",
    "internevo": "2023-07-07 12:29:13,147 INFO train.py:323 in record_current_batch_training_metrics -- tflops=63.28,step=0,"
    "loss=11.64,tgs (tokens/gpu/second)=1424.64,lr=4.0e-07,loss_scale=65536.0,grad_norm=63.67,micro_num=4",
    "openpcdet": "2023-01-05 16:34:37,748   INFO  Train:    1/3 ( 33%) [   0/323 (  0%)]  Loss: 516.7 (517.)  LR: 1.000e-04  "
    "Time cost: 00:04/21:46 [00:04/1:05:18]  Acc_iter 1           Data time: 0.87(0.87)  Batch time: 4.04(4.04)",
    "paddle3d": "2023-01-01 10:00:00,000 - INFO - [TRAIN] epoch=1/20, iter=10/9280, loss=1.5, lr=0.001 | ETA 02:00:00",
    "paddle server": "I0220 14:37:14.234276  6479 communicator.h:205] communicator_is_sgd_optimizer: 1\n"
    "I0220 14:37:14.234302  6479 communicator.h:205] trainers: 16",
    "list of toolkits": "PaddleSeg: image segmentation\nPaddleClas: image classification",
    "paddle launcher": "ips: 127.0.0.1\n    |    PADDLE_TRAINERS_NUM      8      |",
    "accelerate": "09/01/2023 10:00:00 - INFO - __main__ - ***** Running training *****\n"
    "09/01/2023 10:00:00 - INFO - __main__ -   Total train batch size (w. parallel, distributed & accumulation) = 64",
    "mxnet module's epoch": "INFO:root:Epoch[0] Train-accuracy=0.61\nINFO:root:Epoch[0] Time cost=50.885",
    "hugectr": "[19037.71, run_start, ]\n[HUGECTR][04:46:32][INFO][RANK0]: Warm-up done",
    "a csv of steps": "task,step,loss,latency\ntrain,1,0.69,12.5\ntrain,2,0.68,11.5",
    "a json of losses": '{"loss": {"values": {"1": 10.5, "2": 10.25}}, "iteration-time": {"values": {"1": 0.5}}}',
    "a server": "[1/5] running throughput average: 23.1 req/s\n[2/5] running throughput average: 23.2 req/s",
    "a disk": "Running throughput average: 1.5 MB/s (disk)",
    "a script with a timm model": "Model resnet50d created, param count: 25576350\nBatch 1: loss 6.9",
    "a loop with Megatron's words": "iteration 1/100 | loss 3.1 | elapsed time per iteration (s): 2.1",
    "ngc electra": "DLL 2021-06-14 23:08:53.659718 - PARAMETER SEED : 42\n"
    "DLL 2021-06-14 23:08:54.659718 - Training Epoch: 0 Training Iteration: 10  step_loss : 5.9  train_perf : 1001.5\n"
    "DLL 2021-06-14 23:08:55.659718 -  e2e_train_time : 1000.5  training_sequences_per_second : 1100.5  final_loss : 1.5",
    "ngc unet": "DLL 2022-05-12 14:09:13.825000 - () throughput_train : 37.348  latency_train_mean : 53.551",
    "ngc fastpitch": "DLL 2021-05-12 14:09:13.825000 - PARAMETER mel_fmax : 8000.0\n"
    "DLL 2021-05-12 14:10:13.825000 - epoch    1 | iter   1/24 | loss 40.97 | mel loss 35.04 |  5091.0 frames/s | took 1.8 s",
    "ngc paddle resnet": "DLL 2022-05-12 14:09:13.825000 - Epoch: 0 Iteration: 10  train.data_time : 0.0 s "
    "train.compute_time : 0.1 s train.lr : 0.1  train.loss : 6.9  train.ips : 2793.7 images/s",
    "ngc mask r-cnn": "DLL 2022-05-12 14:09:13.825000 - (0, 10) loss : 1.25  learning_rate : 0.01",
    "ngc efficientdet": "DLL 2022-05-12 14:09:13.825000 - PARAMETER model : efficientdet_d0  batch_size : 60  amp : True",
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
    "a readme's command": "  bash scripts/run_pretraining_lamb.sh $batch_size 64 8 7.5e-4 5e-4 $precision true $num_gpus 2"
    "000 200 $train_steps 200",
    "aibench": "Epoch: [0][100/5005]\tTime 0.412\tSpeed 621.1 (599.2)\tLoss 6.91 (6.95)\tPrec@1 0.4\tPrec@5 1.2",
    "an llm trainer of ours": "Training throughput: 12345.6 tok/s",
    "apex imagenet": "Epoch: [0][10/5004]\tTime 0.310 (0.412)\tSpeed 825.231 (621.022)\tLoss 6.9512 (7.0231)\tPrec@1 0.39"
    "1 (0.231)\tPrec@5 1.172 (0.9)",
    "minimind": "Epoch:[0/19](100/2400) loss:5.251 lr:0.00020000 epoch_Time:98.0min:",
    "chainer": "epoch       iteration   main/loss   main/accuracy  elapsed_time\n"
    "1           600         0.19        0.94           3.41",
    "chainermn": "total [########..........] 42.31%\n"
    "this epoch [####...........] 11.20%\n"
    "       100 iter, 3 epoch / 90 epochs\n"
    "    3.1 iters/sec. Estimated time to finish: 1:02:11.",
    "cntk": " Epoch[ 1 of 90]-Minibatch[   1- 100, 0.31%]: CrossEntropy = 6.9 * 25600; errs = 99.8% * 25600;"
    " time = 31.2s; samplesPerSecond = 820.5",
    "colossal-ai": "[05/10/22 11:01:10] INFO     colossalai - colossalai - INFO: [Epoch 0 / Train]: Loss = 10.5 | T"
    "hroughput = 41.595 sample_per_sec",
    "colossal-ai's bar": "Epoch 0 / Train:  10%|█         | 10/100 [01:38<14:49, 98.83s/it, loss=7.12, lr=1e-4, throughpu"
    "t=41.595 sample_per_sec, 21.2 Tflops]",
    "dawnbench": "epoch\thours\ttop1Accuracy\n1\t0.0123\t11.2\n2\t0.0241\t32.9",
    "deepctr": "Epoch 1/10\n160/160 - 0s - loss: 0.7012 - binary_crossentropy: 0.7012",
    "deepspeed's flops profiler": "world size:                                                   8\n"
    "samples/second:                                               42.14\n"
    "FLOPS per GPU = MACs per GPU",
    "deepspeed-chat": "Model Parameters: 1.418 B, Latency: 1.21s, TFLOPs: 25.11, Samples/sec: 13.22, Time/seq 0.08s, B"
    "atch Size: 16, Total Seq. Length: 512",
    "dll of an own program": "DLL 2024-01-01 10:00:00.000000 - (0, 10) samples/sec : 812.1 loss : 2.1",
    "dlrm": "Finished training it 1024/306969 of epoch 0, 12.31 ms/it, loss 0.521, accuracy 78.01 %",
    "espnet": "[host] 2022-01-01 10:00:00,000 (trainer:732) INFO: 1epoch:train:1-100batch: iter_time=0.012, fo"
    "rward_time=0.21, loss=120.1, backward_time=0.1, train_time=0.512",
    "flax imagenet": "I0501 10:00:00.000000 140 logging_writer.py:48] [100] steps_per_second=4.2, train_accuracy=0.01"
    ", train_learning_rate=0.1, train_loss=6.8",
    "gluon-cv's segmentation": "Epoch 0, training loss 1.312\n"
    "Epoch 0, batch 10, training loss: 1.2, speed: 12 samples/sec",
    "gluon-nlp's machine translation": "INFO:root:[Epoch 0 Batch 100/4120] loss=8.12, ppl=3312.1, throughput=41.21K wps, wc=412.1K",
    "google bert's flags": "INFO:tensorflow:*** Features ***\n"
    "INFO:tensorflow:  name = input_ids, shape = (32, 128)\n"
    "INFO:tensorflow:***** Running training *****\n"
    "INFO:tensorflow:  Batch size = 32",
    "gpu-burn": "10.0%  proc'd: 120 (14021 Gflop/s) - 119 (14001 Gflop/s)   errors: 0 - 0   temps: 61 C - 59 C",
    "horovod's settings": "Model: ResNet50\nBatch size: 32\nNumber of GPUs: 8\nRunning warmup...\nRunning benchmark...",
    "hpcg": "Final Summary::HPCG result is VALID with a GFLOP/s rating of=812.1",
    "hpl": "T/V                N    NB     P     Q               Time                 Gflops\n"
    "WR02L2L2      264192   384     2     4             231.02              5.322e+04",
    "hugectr of today": "[HCTR][10:00:00.000][INFO][RK0][main]: Iter: 1000 Time(1000 iters): 3.12s Loss: 0.13 lr:0.001",
    "inference of gnmt": "Throughput: 12345.6 tok/s, BLEU: 24.1",
    "ips of an own program": "step: 10, loss: 2.1, ips: 812.1 samples/sec",
    "kaldi": "LOG (nnet3-train[5.5]:PrintStatsForThisPhase():nnet-training.cc:273) Average objective function"
    " for 'output' for minibatches 0-9 is -7.1 over 12800 frames.",
    "keras 3": "\x1b[1m 469/469\x1b[0m \x1b[32m━━━━━━━━━━━━\x1b[0m\x1b[37m\x1b[0m \x1b[1m3s\x1b[0m 5ms/step - accuracy: 0.88 - loss: 0."
    "41",
    "keras fit": "Epoch 1/10\n"
    " 196/1563 [==>...........................] - ETA: 4s - loss: 1.9217 - accuracy: 0.2951 - val_lo"
    "ss: 1.2",
    "litgpt": "Epoch 1 | iter 10 step 1 | loss train: 10.9, val: n/a | iter time: 312.4 ms (step) remaining ti"
    "me: 1 day, 2:01:01",
    "llama-factory": "[INFO|2024-01-01 10:00:00] llamafactory.hparams.parser:355 >> Process rank: 0, device: cuda:0, "
    "n_gpu: 1",
    "marian": "[2022-01-01 10:00:00] Ep. 1 : Up. 1000 : Sen. 95,012 : Cost 7.12 * 1,812,331 @ 17,012 after 1,8"
    "12,331 : Time 112.31s : 16132.21 words/s : L.r. 1.8750e-05",
    "megablocks": "step 10: loss 9.1 | 1021 ms | 128 samples/sec",
    "metaseq": '2023-01-01 10:00:00 | INFO | train_inner | {"epoch": 1, "actv_norm": "2.1", "loss": "9.1", "wps'
    '": "212345", "ups": "0.2", "tflops": "120.1"}',
    "milabench": 'resnet50.D0 [data] {"rate": 812.1, "units": "items/s", "task": "train"}',
    "mindformers": "2024-01-01 10:00:00,000 - mindformers[callback.py:316] - INFO - { Epoch:[  1/  1], step:[   10/"
    " 1000], loss: 10.61, per_step_time: 1012ms, lr: 1e-06, overflow cond: False, loss_scale: 65536."
    "0, global_norm: [4.1], train_throughput_per_npu: 133.2T",
    "mindspore bert": "epoch: 0.0, current epoch percent: 0.010, step: 100, outputs are (Tensor(shape=[1], dtype=Float"
    "32, value= [ 10.21]), Tensor(shape=[], dtype=Bool, value= False))\n"
    "train one step time: 0.31, fps: 412.9",
    "mllog of an own program": ':::MLLOG {"event": "step", "time_ms": 1588000000000, "samples_per_sec": 312.1}',
    "mlperf inference": ':::MLLOG {"key": "qsl_reported_total_count", "value": 5000, "time_ms": 0.027256, "namespace": "'
    'mlperf::logging", "event_type": "POINT_IN_TIME", "metadata": {"is_error": false, "file": "loadg'
    'en.cc", "line_no": 1198}}',
    "mlperf inference's summary": "================================================\n"
    "MLPerf Results Summary\n"
    "================================================\n"
    "SUT name : PySUT\n"
    "Scenario : Offline\n"
    "Mode     : PerformanceOnly\n"
    "Samples per second: 2671.1\n"
    "Result is : VALID",
    "mlperf's summariser": "MLPerf training\n"
    "Folder: training_results_v5.0/X/results/Y/llama2_70b_lora\n"
    "Score - Time to Train (minutes) for result_9.txt: 10.89865. Samples to converge: 3072",
    "mmseg like": "2023-01-01 10:00:00,000 - mmseg3d - INFO - Iter [50/20000]\tlr: 9.9e-03, time: 0.42",
    "mxnet's benchmark": "INFO:root:Batch [100]\tSpeed: 1312.1 samples/sec",
    "nanotron": "01/01/2024 10:00:00 [INFO|DP=0|PP=0|TP=0]: iteration: 10 / 100 | consumed_tokens: 655K | elapse"
    "d_time_per_iteration_ms: 1.2K | tokens_per_sec: 54.1K | tokens_per_sec_per_gpu: 6.76K | global_"
    "batch_size: 64 | lm_loss: 10.9 | lr: 1e-05 | model_tflops_per_gpu: 121",
    "nccl-tests": "#       size         count      type   redop    root     time   algbw   busbw #wrong     time  "
    " algbw   busbw #wrong\n"
    "     8388608       2097152     float     sum      -1    118.2   70.97  124.20      0    117.9  "
    " 71.15  124.51      0\n"
    "# Avg bus bandwidth    : 95.1",
    "neofetch": "OS: Ubuntu 22.04 x86_64\nGPU: NVIDIA A100\nGPU Memory: 40960 MiB\nNVIDIA driver: 535.104.05",
    "nvidia's deepspeech (jasper)": "DLL 2021-01-01 10:00:00.000000 - epoch    1 | iter   10/1024 | loss  712.31 | wer 100.00 | utts"
    "/s 312.1 | took  0.61 s | lrate 1.00e-03",
    "nvidia's dlrm": "DLL 2021-01-01 10:00:00.000000 - Epoch: 0 Iteration: 100  loss : 0.21  step_time : 0.0121  lr :"
    " 24.0",
    "nvidia's efficientdet run": "DLL 2021-01-01 10:00:00.000000 - Training Epoch: 0 Training Iteration: 10 loss : 2.1 images_per"
    "_sec : 612.2",
    "nvidia's efficientnet": "DLL 2021-01-01 10:00:00.000000 - Epoch: 0 Iteration: 10  train_loss : 6.9  train_top1 : 0.1  tr"
    "ain_throughput : 2312.1 images/s",
    "nvidia's electra": "DLL 2021-01-01 10:00:00.000000 - Step: 10 train_perf : 1023.1 samples/s total_loss : 52.1 disc_"
    "loss : 0.7 gen_loss : 10.1",
    "nvidia's fastpitch of today": "DLL 2023-01-01 10:00:00.000000 - epoch   10 | avg train loss  3.12 | avg train mel loss 2.9 |  "
    "341231.12 avg train frames/s | took 31.21 s",
    "nvidia's gpunet": "DLL 2021-01-01 10:00:00.000000 - Validation: 0 Iteration: 10 val.loss : 1.2 compute_ips : 1231."
    "1 images/s",
    "nvidia's nnunet": "DLL 2021-01-01 10:00:00.000000 - () throughput_train : 1034.2 images/s latency_train_mean : 61."
    "2 ms",
    "nvidia's quartznet": "DLL 2021-01-01 10:00:00.000000 - epoch    1 | avg train utts/s  1021.2 | took 271.2 s",
    "nvidia's se3": "DLL 2021-01-01 10:00:00.000000 - () throughput : 4012.1 molecules/s throughput_p95 : 3901.2",
    "nvidia's tft": "DLL 2021-01-01 10:00:00.000000 - Epoch: 0 Batch: 10 P10 : 0.1 P50 : 0.2 P90 : 0.1 loss : 0.4 it"
    "ems/s : 10231.1",
    "nvidia's unet 3d": "DLL 2021-01-01 10:00:00.000000 - Training epoch: 1 train_loss : 0.91 throughput_train : 5.1",
    "nvidia's vnet": "DLL 2021-01-01 10:00:00.000000 - (10,) train_ce_loss : 0.3",
    "nvidia's wide and deep": "DLL 2021-01-01 10:00:00.000000 - (100,) loss_train : 0.5 train_throughput : 312331.2 ",
    "nvlog of another": ":::NVLOGv0.2.2 transformer 1550000000.1 (/workspace/train.py:110) train_epoch_start: 0",
    "oneflow gpt": "[rank:0] iter: 100, samples: 6400, loss: 7.1, throughput: 65.2 samples/sec",
    "oneflow vision": "[rank:0] [train], epoch: 0/50, iter: 100/625, loss: 6.9, lr: 0.01, top1: 0.002, throughput: 131"
    "2.31 | 2022-01-01 10:00:00.000",
    "openseq2seq": "*** Global step 100: Train loss: 6.1  time per step = 0:00:0.312\n"
    "*** Avg objects per second: 51231.212",
    "optimum benchmark": "[2024-01-01 10:00:00][training][INFO] - \t+ overall.throughput: 12.31 samples/s",
    "orbit": "I0501 10:00:00.000000 140 controller.py:486] train | step:    100 | steps/sec:    8.3 | output:"
    " \n"
    "    {'training_loss': 0.71}",
    "paddle detection of 2020": "2020-09-25 15:11:54,840-INFO: iter: 2, lr: 0.000035, 'loss': '1264.233521', batch_cost: 20.6937"
    "6 s, eta: 6:53:11, ips: 0.38659 images/sec",
    "paddle electra": "global step 10, epoch: 0, batch: 9, avg_loss: 11.2, generator: 10.3, discriminator: 0.69, lr: 0"
    ".00001, speed: 0.31 s/it",
    "paddle gan": "[09/01 10:00:00] ppgan.engine.trainer INFO: Epoch: 1/200, iter: 10/1334 lr: 2.000e-04 D_A_loss:"
    " 0.3 batch_cost: 0.35 sec reader_cost: 0.001 sec ips: 2.8 images/s eta: 1 day",
    "paddle hapi": "step  10/938 [..............................] - loss: 1.21 - acc: 0.61 - ETA: 20s - avg_reader_"
    "cost: 0.001 sec - avg_batch_cost: 0.02 sec - ips: 3012.1 samples/sec",
    "paddle rec": "2022-01-01 10:00:00,000 - INFO - epoch: 0, batch_id: 10, auc: 0.51, avg_reader_cost: 0.001 sec,"
    " avg_batch_cost: 0.02 sec, avg_samples: 512.0, ips: 25412.3 ins/s",
    "paddle speech": "[2022-01-01 10:00:00] [INFO] [u2.py:112] Train: Rank: 0, epoch: 0, step: 10, lr: 1e-5, loss: 12"
    "0.1, batch_size: 64, accum: 1, reader_cost: 0.001 s, batch_cost: 0.61 s, ips: 104.1 sent./sec",
    "paddle video": "[09/24 14:31:12] epoch:[  1/80 ] train step:0    loss: 5.9 lr: 0.01 top1: 0.0 top5: 0.02 batch_"
    "cost: 1.31 sec, reader_cost: 0.9 sec, ips: 12.2 instance/sec, eta: 5:00:01",
    "paddle xlnet": "global step 10/1000, epoch: 0, batch: 9, loss: 0.7, lr: 0.00001, avg_reader_cost: 0.001 sec, av"
    "g_batch_cost: 0.2 sec, avg_samples: 8.0, avg_ips: 40.1 sequences/sec",
    "pytorch benchmark": "GPU Time per batch:   12.312 milliseconds\n"
    "CPU Wall Time per batch:  12.412 milliseconds\n"
    "Time to first batch: 1812.1 ms",
    "ray": "(RayTrainWorker pid=12) {'loss': 1.2, 'epoch': 0, 'samples_per_second': 312}",
    "results of any script": "Check results folder : /data/out\n10 of 10 done",
    "settings of any translator": "{'beam_size': 5,\n 'init_from_pretrain_model': '',\n 'batch_size': 64}",
    "settings with bert's words": "hidden_size_per_head = 64\nnum_layers = 24",
    "sockeye": "[INFO:sockeye.training] Epoch[0] Batch [1000]\tSpeed: 512.31 samples/sec 12013.12 tokens/sec 8.1"
    " updates/sec\tperplexity=312.1",
    "superbench": "[2024-01-01 10:00:00,000 host:12][model_base.py:200][INFO] Average train time - round: 0, model"
    ": bert-large, precision: Precision.FLOAT16, step time: 98.12 ms, throughput: 81.21",
    "t5x": "I0501 10:00:00.000000 140 trainer.py:387] [10] timing/seconds=3.1, timing/seqs_per_second=82.5,"
    " timing/steps_per_second=0.32, loss=2.1",
    "tensorpack": "[0501 10:00:00 @base.py:275] Start Epoch 1 ...\n"
    "[0501 10:10:00 @monitor.py:474] GPUUtil/0: 91.2\n"
    "[0501 10:10:00 @monitor.py:474] Throughput (samples/sec): 1023.1",
    "tf ranking": "I0501 10:00:00.000000 140 train_lib.py:120] train | step: 100 | steps/sec: 3.2 | output: {'trai"
    "ning_loss': 0.4}",
    "timm's benchmark": "Train [8/40]. 512.24 samples/sec. 499.799 ms/step.",
    "tinygrad": "   10  312.12 ms run,   10.1 ms python,  301.1 ms AMD,  6.91 loss, 0.000100 LR, 12.31 GB used, "
    " 41212.31 GFLOPS",
    "triton": "Inferences/Second vs. Client Average Batch Latency\n"
    "Concurrency: 1, throughput: 812.1 infer/sec, latency 1230 usec",
    "trtexec": "[01/01/2024-10:00:00] [I] Throughput: 812.312 qps\n"
    "[01/01/2024-10:00:00] [I] Latency: min = 1.2 ms, max = 2.1 ms, mean = 1.3 ms",
    "vit of google": "I0501 10:00:00.000000 140 train.py:200] Step: 100/10000 1.2%, img/sec/core: 310.2, ETA: 1.2h",
    "vllm": "INFO 01-01 10:00:00 metrics.py:345] Avg prompt throughput: 312.1 tokens/s, Avg generation throu"
    "ghput: 41.2 tokens/s, Running: 4 reqs",
    "vllm's benchmark": "Throughput: 12.31 requests/s, 6301.21 total tokens/s, 3152.1 output tokens/s",
    "wandb": "wandb: Run summary:\nwandb:        throughput 312.1\nwandb:    train/loss 1.2",
    "wenet": "2022-01-01 10:00:00,000 DEBUG TRAIN Batch 0/100 loss 61.2 loss_att 51.2 loss_ctc 80.1 lr 0.000004 rank 0",
    "tf_cnn_benchmarks' forerunner": "Images/sec: 2431.2 +/- 1.2 (jitter = 3.1)",
    "horovod on a processor": "Iter #0: 3.1 img/sec per CPU\nTotal img/sec on 4 CPU(s): 12.4 +-0.1",
    "a server's images": "total images/sec: 351.98 (8 workers)\nimages/sec: 351.98",
    "reid in pytorch": "Epoch[1] Batch [20]\tSpeed: 312.31 samples/sec\tloss: 0.6125\tacc: 0.5000",
    "faces in pytorch": "Epoch[1] Batch [0-20] Learning Rate: 0.100000 Speed: 312.31 samples/sec Acc=0.125 Loss=41.2",
    "one blank": "Epoch: [1] [ 10/295] eta: 0:34:17 loss: 4.6944 (4.6944) acc1: 0.0000 (0.0000) time: 6.9739 data: 1.7344",
    "pytorch mnist": "Train Epoch: 1 [640/60000 (1%)]\tLoss: 2.301250",
    "moving averages": "Epoch: [0][10/5005]\tTime 0.405 (0.912)\tLoss 6.9125 (7.0125)",
    "a reinforced learner": "Episode 3 has 50 steps, cost time: 12.500 ms, per step time: 0.250 ms",
    "a loop with mindspore's words": "epoch: 1 step: 100, loss is 4.5125\nepoch time: 12.5 s",
    "tensorflow's stages": "I1124 19:52:24.500000 140105171195712 stage.py:436] rtl Train Step: 10/1000  / loss = 9.125",
    "validation of an own program": "train: epoch 0, iter 10, loss: 6.9125, samples/s: 712.5",
    "samples of an own program": "step 10: SamplesPerSec=12.5",
    "mlperf inference of 2018": ":::MLPv0.5.0 Starting prediction timing.",
    "fastreid": "[09/01 12:00:00 fastreid.utils.events]:  eta: 0:01:00  epoch/iter: 0/199  total_loss: 8.25  loss_cls: 6.5  "
    "time: 0.3660  data_time: 0.0072  lr: 3.5e-05  max_mem: 3402M",
    "another dll": "TCAPPDLL 2025-05-01 10:00:00.123456 - Epoch: 1 Iteration: 10  rank : 0  train.loss : 6.912345  "
    "train.ips : 712.345678 imgs/s train.total_time : 0.359",
    "partial fc of 2020": "Speed 2512.50 samples/sec   Loss 41.2500   Epoch: 0   Global Step: 100   Required: 12 hours",
    "a translator's steps": "Step 50/100000; acc: 3.54; xent: 9.16; 10568 tok/s; 12 sec",
    "paddle models' test": "[Pass 0, test batch 10] \tloss 7.08125, acc1 0.00125, acc5 0.00625, elapse 0.4125 sec",
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
