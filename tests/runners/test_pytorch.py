"""The PyTorch programs learn, fail with a cure, and print what their format reads."""

from __future__ import annotations

import math
import os
import subprocess
from contextlib import closing
from pathlib import Path

import duckdb
import pytest

from benchledger import data_make, ingest, sql
from tests.runners.conftest import PROGRAMS, Start, losses

TINY_BERT = "--model bert_tiny --seq-len 32 --masked 5 --batch-size 32 --learning-rate 3e-3 --log-interval 20 "
TINY_GPT = "--model gpt2_tiny --seq-len 32 --batch-size 16 --learning-rate 3e-3 --log-interval 20 "
# Of the made-up rows' 200 ids a program that does not look at the neighbours can know no more than how often each occurs.
UNTAUGHT_WORDS = math.log(200)


def good(run: subprocess.CompletedProcess[str]) -> str:
    """What a run printed that ended well."""
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout


# Two shards of NGC's schema, rows that count up, the last two slots of each row unused.
SHARDS = """
import h5py, numpy as np
random = np.random.default_rng(1)
for shard in range(2):
    ids = 110 + (random.integers(0, 40, (512, 1)) + np.arange(32)) % 40
    places = np.sort(1 + random.permuted(np.tile(np.arange(31), (512, 1)), axis=1)[:, :5], axis=1)
    places[:, 3:] = 0
    labels = np.where(places > 0, np.take_along_axis(ids, places, 1), 0)
    np.put_along_axis(ids, np.where(places > 0, places, 31), 103, 1)
    with h5py.File(f"shard{shard}.hdf5", "w") as file:
        for name, values in {
            "input_ids": ids, "input_mask": ids > 0, "segment_ids": ids * 0, "masked_lm_positions": places,
            "masked_lm_ids": labels, "next_sentence_labels": np.zeros(512),
        }.items():
            file.create_dataset(name, data=values.astype("i4"))
"""


def test_shards_of_ngcs_schema_teach_at_least_which_words_occur(
    start: Start, torch_python: str, tmp_path: Path
) -> None:
    subprocess.run([torch_python, "-c", SHARDS], cwd=tmp_path, check=True)
    log = good(
        start("bert.py", TINY_BERT + "--batch-size 64 --max-iterations 60 --dropout 0 --data . --data-workers 1")
    )

    # One that was taught nothing spreads its guesses over all 512 words.
    assert losses(log)[-1] < math.log(40) + 0.5 < math.log(512)
    wrong = start("bert.py", TINY_BERT + "--seq-len 16 --data .")
    assert "is no shard of (16, 5), but of (32, 5). Cure: --seq-len 32 --masked 5" in wrong.stderr
    # Two shards of 512 rows, 64 at a time: the 17th step begins the second epoch.
    assert "Epoch: 1 Iteration: 20 " in log
    assert "Epoch: 2 Iteration: 40 " in log


def test_bert_learns_hidden_words_from_their_neighbours(start: Start) -> None:
    log = good(start("bert.py", TINY_BERT + "--max-iterations 240 --dropout 0"))

    # Next sentence adds ln 2 to what one who guesses loses.
    assert losses(log)[0] > UNTAUGHT_WORDS - 1
    assert losses(log)[-1] < 2.5 < UNTAUGHT_WORDS


def test_gpt_learns_the_next_word(start: Start) -> None:
    log = good(start("gpt.py", TINY_GPT + "--max-iterations 100"))

    assert losses(log)[-1] < 1 < UNTAUGHT_WORDS


def test_resnet_learns_to_tell_bright_from_dark(start: Start) -> None:
    options = "--model resnet_tiny --image-size 32 --batch-size 16 --max-iterations 60 --log-interval 10"
    log = good(start("resnet.py", options))

    assert losses(log)[-1] < 1.4 < math.log(10)


def test_answers_are_found_with_what_pre_training_saved(start: Start) -> None:
    good(start("bert.py", TINY_BERT + "--max-iterations 20 --save-checkpoint taught.pt"))
    options = (
        "--model bert_tiny --seq-len 32 --batch-size 16 --learning-rate 3e-3 --max-iterations 60 --log-interval 20 "
    )
    log = good(start("squad.py", options + "--init-checkpoint taught.pt"))

    assert losses(log)[-1] < 1 < math.log(24)


# Hugging Face's BERT, as it is and in the names of NVIDIA's program, beside ours with its weights.
SAME_LOSS = """
import sys
from pathlib import Path
import torch
from transformers import BertConfig, BertForPreTraining
from models.bert import SIZES, Pretraining
from models.checkpoint import load
torch.manual_seed(1)
# A vocabulary that ours rounds up.
size, words = SIZES["bert_tiny"], 505
config = BertConfig(vocab_size=words, hidden_size=64, num_hidden_layers=2, num_attention_heads=2, intermediate_size=256)
theirs = BertForPreTraining(config).eval()
for weight in theirs.parameters():
    torch.nn.init.normal_(weight, std=0.3)
known = theirs.state_dict()
torch.save(known, "theirs.pt")
ends = {name: name.replace(f"{end}.dense.", f"{end}.dense_act.") for end in ("intermediate", "pooler", "transform")
        for name in known if f"{end}.dense." in name}
torch.save({"model": {f"module.{ends.get(name, name)}": weight for name, weight in known.items()}, "epoch": 1}, "ngc.pt")
ids, labels = torch.randint(5, words, (2, 4, 32))
segments, mask = torch.randint(0, 2, (4, 32)), (torch.arange(32) < 25).long().expand(4, 32)
positions, is_next = torch.tensor([[1, 4, 9]] * 4), torch.tensor([0, 1, 1, 0])
places = torch.full((4, 32), -100).scatter(1, positions, labels)
loss = theirs(ids, mask, segments, labels=places, next_sentence_label=is_next).loss.item()
for name in ("theirs.pt", "ngc.pt"):
    ours = Pretraining(**size).eval()
    fresh = load(ours, Path(name))
    # The words that only we have would count in the softmax.
    ours.bias.data[words:] = -1e4
    mine = ours(ids, segments, mask, positions, labels[:, :3], is_next).item()
    assert fresh == [] and abs(mine / loss - 1) < 1e-5, (name, fresh, mine, loss)
print("the same")
"""


def test_weights_in_others_names_give_others_losses(torch_python: str, tmp_path: Path) -> None:
    asked = [torch_python, "-c", "import transformers"]
    if subprocess.run(asked, capture_output=True).returncode:
        pytest.skip("no Hugging Face transformers beside PyTorch")
    environment = {**os.environ, "PYTHONPATH": str(PROGRAMS), "OMP_NUM_THREADS": "1"}
    words = [torch_python, "-c", SAME_LOSS]

    assert good(subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True)) == "the same\n"


def test_questions_are_answered_and_scored_as_squad_does(start: Start, tmp_path: Path) -> None:
    data_make("squad", output=tmp_path / "squad", rows=300)
    options = "--model bert_tiny --seq-len 48 --batch-size 16 --max-iterations 20 --log-interval 10 --log run.json "
    log = good(start("squad.py", options + "--data squad --evaluate"))
    (tmp_path / "run.log").write_text(log)
    result = ingest(tmp_path / "run.log", tmp_path / "run.json", db=tmp_path / "x.duckdb")

    assert (result.files, result.rejects) == ({"loaded": 2}, 0)
    said = (
        "select name, unit from measurement where kind = 'summary' and phase = 'validation' and quantity = 'accuracy'"
    )
    assert sql(said + " order by name", db=tmp_path / "x.duckdb").rows() == [("exact_match", "%"), ("f1", "%")]


def test_scores_are_those_of_squads_own_arithmetic(torch_python: str) -> None:
    code = "from answers import normal, overlap; print(normal(' The  U.S. dollar!'), overlap(['us', 'dollar'], ['dollar']))"
    environment = {**os.environ, "PYTHONPATH": str(PROGRAMS)}
    run = subprocess.run([torch_python, "-c", code], env=environment, capture_output=True, text=True)

    # One word of two is right, and all that was asked for is said: 2 * 1 / (2 + 1).
    assert good(run) == f"us dollar {2 / 3}\n"


@pytest.mark.parametrize("precision", ["fp32", "tf32", "fp16", "bf16"])
def test_lamb_teaches_in_every_precision(start: Start, precision: str) -> None:
    log = good(
        start(
            "bert.py", TINY_BERT + f"--optimizer lamb --learning-rate 2e-2 --max-iterations 60 --precision {precision}"
        )
    )

    assert losses(log)[-1] < losses(log)[0] - 0.2


def test_a_head_on_all_positions_loses_what_one_on_the_masked_does(start: Start) -> None:
    options = TINY_BERT + "--max-iterations 4 --log-interval 1 --dropout 0 --head "

    assert losses(good(start("bert.py", options + "all"))) == pytest.approx(
        losses(good(start("bert.py", options + "masked"))), abs=1e-4
    )


def test_gathered_gradients_are_those_of_a_batch_as_large(start: Start) -> None:
    options = TINY_GPT + "--dropout 0 --log-interval 1 "
    # Made-up batches come in turn: eight half batches are one round.
    halves = good(start("gpt.py", options + "--max-iterations 8 --gradient-accumulation 8"))
    again = good(start("gpt.py", options + "--max-iterations 8 --gradient-accumulation 16"))

    assert losses(halves) == pytest.approx(losses(again), abs=1e-4)


def test_two_processes_train_together_and_one_prints(start: Start) -> None:
    log = good(start("bert.py", TINY_BERT + "--max-iterations 40 --log-interval 20", processes=2))

    assert log.count("implementation : benchledger") == 1
    assert "processes : 2  nodes : 1" in log
    assert len(losses(log)) == 2


@pytest.mark.parametrize(
    ("options", "cure"),
    [
        ("--device cuda", "Cure: fewer processes, a driver that `nvidia-smi` answers"),
        ("--data .", "no *.hdf5 in"),
        ("--data shards", "bad.hdf5 is no shard of BERT's pre-training data"),
        ("--precision fp16 --cuda-graph", "add --fused-optimizer, or take bf16"),
        ("--start-iteration 30 --max-iterations 20", "need 0 <= --start-iteration"),
        ("--learning-rate 1e30 --max-iterations 9", "Cure: a lower --learning-rate, or bf16"),
    ],
)
def test_a_run_that_cannot_be_says_why_and_what_to_do(start: Start, tmp_path: Path, options: str, cure: str) -> None:
    (tmp_path / "shards").mkdir()
    (tmp_path / "shards" / "bad.hdf5").write_bytes(b"no HDF5")
    run = start("bert.py", TINY_BERT + options)

    assert run.returncode != 0
    assert cure in run.stderr
    assert "Traceback" not in run.stderr


@pytest.mark.parametrize(
    ("program", "options", "model"), [("bert.py", TINY_BERT, "bert_tiny"), ("gpt.py", TINY_GPT, "gpt2_tiny")]
)
def test_both_logs_are_read_whole_as_one_run(
    start: Start, tmp_path: Path, program: str, options: str, model: str
) -> None:
    log = good(start(program, options + "--max-iterations 30 --log-interval 1 --log run.json"))
    (tmp_path / "run.log").write_text(log)
    result = ingest(tmp_path, db=tmp_path / "x.duckdb")

    assert (result.files, result.rejects, result.ignored) == ({"loaded": 2}, 0, 0)
    with closing(duckdb.connect(tmp_path / "x.duckdb", read_only=True)) as con:
        facts = "status, implementation, model, task, precision, seq_len, steps_done, gpus"
        runs = con.execute(f"select {facts} from run join bench_case using (case_id)").fetchall()
        roles = con.execute("select role from run_log order by role").fetchall()
    # On a CPU no GPU is stated.
    assert runs == [("ok", "benchledger", model, "pretraining", "fp32", 32, 30, None)]
    assert roles == [("duplicate_stream",), ("train",)]


def test_programs_know_nothing_of_the_engine() -> None:
    for file in PROGRAMS.rglob("*.py"):
        text = file.read_text()

        assert "import benchledger" not in text
        assert "from benchledger" not in text
        assert len(text.splitlines()) <= 150
