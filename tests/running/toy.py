"""A training program that trains nothing: prints the lines of NGC's BERT, and ends as it is told."""

import os
import signal
import subprocess
import sys
import time
from datetime import datetime

STEPS = int(sys.argv[sys.argv.index("--max-iterations") + 1])
BATCH = int(sys.argv[sys.argv.index("--batch-size") + 1])


def say(text: str) -> None:
    print(f"DLL {datetime.now()} - {text}", flush=True)


def summary() -> None:
    say(" e2e_train_time : 1.5  training_sequences_per_second : 64.0  final_loss : 8.5  raw_train_time : 1.0 ")


def end_well(_number: int, _frame: object) -> None:
    summary()
    sys.exit(0)


say(f'PARAMETER Config : ["Namespace(max_steps={STEPS}.0, train_batch_size={BATCH}, max_predictions_per_seq=20)"] ')
how = os.environ.get("TOY_ENDS", "well")
if how in ("launched", "slow", "fails"):
    print(
        f"LAUNCH INFO master: {os.environ.get('MASTER_ADDR', '10.21.32.43')}:29500, host gpu-node-17.example.com",
        flush=True,
    )
if how == "leaves_a_pipe":
    os.mkfifo(sys.argv[sys.argv.index("--log") + 1])
if how == "fails":
    sys.exit("ConnectionError: user jdoe42@gpu-node-17.example.com, /home/jdoe42/x: password=ab12cd34")
if how == "in_summary":
    signal.signal(signal.SIGTERM, end_well)
if how == "too_large" and int(os.environ["TOY_LARGEST"]) < BATCH:
    print("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.00 GiB.", flush=True)
    sys.exit(1)
for step in range(1, STEPS + 1):
    say(f"Training Epoch: 0 Training Iteration: {step}  step_loss : {11 - step / 100}  learning_rate : 0.001 ")
    if step == 3:
        if how == "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        elif how == "full":
            with open("/dev/full", "w") as full:
                full.write("x" * 65536)
        elif how == "fills":
            for _ in range(64):
                print("x" * 65536, flush=True)
        elif how == "leaves_a_child":
            subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
        elif how == "slow":
            subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
            time.sleep(60)
        elif how == "in_summary":
            print(f"pid {os.getpid()}", flush=True)
            time.sleep(60)
summary()
