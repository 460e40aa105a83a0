"""What is left of a log states what it says, and not how many lines of a rank were kept."""

from __future__ import annotations

import itertools
from pathlib import Path

from benchledger import ingest
from tests.ingestion.logs import ask, one, put

GNMT_BEGINS = (
    "{rank}: Run arguments: Namespace(beam_size=5, len_norm_factor=0.6, log_all_ranks=True, math='fp32', "
    "train_batch_size=64)\n"
)
GNMT_ENDS = "{rank}: Total training time 71 s\n"
SSD_BEGINS = (
    "DLL 2021-06-14 23:08:53.{rank}59718 - PARAMETER dataset path : /coco  epochs : 1  batch size : 64  mode : {mode}  "
    "backbone : resnet50  AMP : True \n"
)
SSD_ENDS = "DLL 2021-06-14 23:18:53.{rank}59718 - () total time : 7800.{rank} \n"
TRAINER = "[INFO|trainer.py:2078] 2024-03-01 10:00:00,123 >>   "
TOTAL = "Total train batch size (w. parallel, distributed & accumulation) = "


def ranks(line: str, count: int) -> str:
    return "".join(line.format(rank=rank, mode="training") for rank in range(count))


def test_ssd_in_mode_training_ends_with_its_total_time(db: Path, tmp_path: Path) -> None:
    put(tmp_path / "logs" / "cut.log", ranks(SSD_BEGINS, 1))
    put(tmp_path / "logs" / "whole.log", ranks(SSD_BEGINS, 1) + ranks(SSD_ENDS, 1))

    ingest(tmp_path / "logs", db=db)

    assert ask(db, "select status from run order by status") == [("ok",), ("truncated",)]


def test_the_gpus_of_a_trainer_are_those_of_its_batch(db: Path, tmp_path: Path) -> None:
    process = (
        "Process rank: {rank}, device: cuda:{rank}, n_gpu: 1, distributed training: True, 16-bits training: False\n"
    )
    for kept, total in itertools.product((1, 8), (64, 66)):
        sizes = f"{TRAINER}Instantaneous batch size per device = 4\n{TRAINER}{TOTAL}{total}\n"
        log = ranks(process, kept) + sizes + f"{TRAINER}Gradient Accumulation steps = 1\n"
        put(tmp_path / "logs" / f"r{total}of{kept}" / "x.log", log)

    ingest(tmp_path / "logs", db=db)

    found = ask(
        db,
        "select split_part(campaign, '/', 2), gpus from kept.run_campaign join run using (run_id) join bench_case using (case_id) order by all",
    )
    assert found == [("r64of1", 16), ("r64of8", 16), ("r66of1", None), ("r66of8", None)]


def test_a_dict_of_another_trainer_is_not_hugging_face_s(db: Path, tmp_path: Path) -> None:
    put(tmp_path / "logs" / "x.log", "{'loss': 0.18, 'learning_rate': 4.5e-05, 'global_step': 150, 'epoch': 2.0}\n")
    put(tmp_path / "logs" / "y.log", "{'loss': 0.51, 'learning_rate': 0.1, 'accuracy': 0.3, 'epoch': 1}\n")

    assert ingest(tmp_path / "logs", db=db).files == {"unrecognised": 2}


def test_a_state_with_all_of_its_steps_is_no_cut_one(db: Path, tmp_path: Path) -> None:
    steps = '"global_step": 20, "is_world_process_zero": true, "max_steps": 20'
    history = '{"epoch": 0.5, "learning_rate": 5e-5, "loss": 1.0, "step": 10}'
    put(tmp_path / "logs" / "trainer_state.json", f'{{{steps}, "log_history": [{history}]}}')

    ingest(tmp_path / "logs", db=db)

    assert one(db, "select status, steps_done from run") == ("ok", 20)
