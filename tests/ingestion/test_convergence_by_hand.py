"""What the real logs converge to, computed again from their raw text, and as their owners publish it."""

from __future__ import annotations

import csv
import re
from pathlib import Path
from statistics import mean
from typing import Any

import pytest

from tests.ingestion.logs import ask

PERF, LAMBDA = "PaddlePaddle+Perf@", "lambdal+deeplearning-benchmark@aa5addb6/pytorch/results"
pytestmark = pytest.mark.long
NUMBER = r"(-?[\d.]+(?:[eE][-+]?\d+)?|nan)"
# A log, and how it prints the loss by which its run is told. Of logs that print a line several times: by which group.
CURVES = {
    "ngc_bert_base_sp_bs96_fp16_run2/ngc_bert_base_sp_bs96_fp16_run2.log": rf"Training Iteration: \d+  average_loss : {NUMBER}",
    "ngc_bert_base_sp_bs32_fp32/ngc_bert_base_sp_bs32_fp32.log": rf"Training Iteration: \d+  average_loss : {NUMBER}",
    "ngc_squad_base_sp_bs32_fp16/ngc_squad_base_sp_bs32_fp16.log": rf"step_loss : {NUMBER}",
    "megatron_gpt345m_sp_bs16_bf16_li10/megatron_gpt345m_sp_bs16_bf16_li10.log": rf"iteration .*? lm loss: {NUMBER}",
    "hf_trainer_qa_fp16/hf_trainer_qa_fp16.log": rf"\{{'loss': '?{NUMBER}",
    "bigscience@9e64edec/experiments/gpt2-meg-ds-3d/meg_ds_3d_gpt2_perf_n16-ds-on.out": rf"iteration .*? lm-loss: {NUMBER}",
    f"{PERF}454a0608/Bert/logs/base_bs32_fp32_gpu1.log": rf"batch: \d+, loss: {NUMBER}",
    f"{PERF}0815d423/ResNet50V1.5/logs/paddle_gpu1_fp32_bs256.txt": rf"train step:\d+ .*?loss: +{NUMBER}",
    f"{PERF}0815d423/ResNet50V1.5/OtherReports/PyTorch/logs/pytorch_gpu1_amp_bs256.txt": rf"Iteration: \d+ .*?train.loss : {NUMBER}",
    f"{PERF}13b79b89/DeepLabV3P/OtherReports/PyTorch/logs/pytorch/deeplabv3p_c1_fp16.log": rf"Iter \[\d+/.*? loss: {NUMBER}",
    f"{PERF}0b2dd801/DeepLabV3P/logs/paddle/Deeplabv3_FP16_BS4-N1.log": rf"\[TRAIN\].*? loss: {NUMBER}",
    f"{PERF}aafdce17/CtrDnn/logs/CtrDnn_DataLoader_16Thread_16Node": rf"cost: \[{NUMBER}\]",
    f"{PERF}ee2e639c/Word2Vec/logs/W2V_DataLoader_16Thread_16Node": rf"LOSS: \[{NUMBER}\]",
    f"{PERF}103d3268/Transformer/OtherReports/PyTorch/logs/transformer_pytorch_bs5120_fp32_gpu8": rf"step \d+ \|avg loss {NUMBER} ",
    f"{PERF}454a0608/Bert/OtherReports/TensorFlow/logs/tf_bert_pretraining_lamb_base_fp16_bs64_gpu1.log": (
        rf"Iteration: \d+ .*?total_loss : {NUMBER}"
    ),
    f"{LAMBDA}/2x3090_v1/PyTorch_transformerxlbase_FP16/25-10-2022_00-12-52.txt": rf"\| loss {NUMBER} \| ppl",
    "dmlc+web-data@0818ee57/gluonnlp/logs/bert/bert_base_pretrain.log": rf"mlm_loss={NUMBER}",
    "Oneflow-Inc+OneFlow-Benchmark@a21b9832/ClickThroughRate/wdl_test_all/new_of/eval/csv/n1g1_ddp/record_32_0.csv": (
        rf"(?m)^(?:[\d.]+,){{9}}{NUMBER}"
    ),
}

COLUMNS = (
    "losses",
    "first_loss",
    "final_loss",
    "last_loss",
    "diverged_by",
    "metric",
    "best_value",
    "best_fraction",
    "seconds",
    "outcome",
)


@pytest.fixture(scope="module")
def raw(corpus: Path, h200: Path) -> Any:
    def read(name: str) -> str:
        place = next(folder / name for folder in (corpus, h200) if (folder / name).exists())
        return place.read_bytes().decode(errors="replace")

    return read


@pytest.fixture(scope="module")
def told(archives_ledger: Path) -> dict[str, list[dict[str, Any]]]:
    """What run_convergence says of the runs of each train log."""
    rows = ask(
        archives_ledger,
        f"""select distinct coalesce(member, path), {", ".join(COLUMNS)}
            from run_convergence join run_log using (run_id) join sighting using (log_id)
            where run_log.role = 'train'""",
    )
    found: dict[str, list[dict[str, Any]]] = {}
    for place, *values in rows:
        found.setdefault(place, []).append(dict(zip(COLUMNS, values, strict=True)))
    return found


@pytest.mark.parametrize("name", CURVES)
def test_the_final_loss_is_the_mean_of_the_last_losses_that_the_log_prints(
    name: str, raw: Any, told: dict[str, list[dict[str, Any]]]
) -> None:
    losses = [float(number) for number in re.findall(CURVES[name], raw(name))]
    window = max(1, min(10, len(losses) // 4))

    (run,) = next(runs for place, runs in told.items() if place.endswith(name))

    expected = [len(losses), mean(losses[:window]), mean(losses[-window:]), losses[-1]]
    assert [run[column] for column in COLUMNS[:4]] == pytest.approx(expected)


def test_a_run_of_mlperf_lasts_from_run_start_to_run_stop_and_says_itself_whether_it_reached_its_target(
    corpus: Path, told: dict[str, list[dict[str, Any]]]
) -> None:
    spoken: dict[str, tuple[Any, ...]] = {}
    for log in corpus.glob("mlcommons+training_results*/**/result_*.txt"):
        text = log.read_text(errors="replace")
        start = min(map(int, re.findall(r'"time_ms": (\d+)[^\n]*"key": "run_start"', text)))
        stop, status = max(re.findall(r'"time_ms": (\d+)[^\n]*"key": "run_stop"[^\n]*"status": "(\w+)"', text))
        best = max(map(float, re.findall(r'"key": "eval_accuracy", "value": ([\d.]+)', text)))
        outcome = {"success": "reached", "aborted": "not reached"}[status]
        spoken[str(log.relative_to(corpus))] = (outcome, (int(stop) - start) / 1000, best)

    found = {
        place: [run[column] for column in ("outcome", "seconds", "best_value")]
        for place, (run, *_) in told.items()
        if run["outcome"] is not None
    }

    assert found == {name: [row[0], *map(pytest.approx, row[1:])] for name, row in spoken.items()}
    assert len(spoken) == 71
    assert [row[0] for row in spoken.values()].count("not reached") == 1


def test_mlperf_s_bert_reaches_its_quality_at_the_evaluation_that_the_log_prints(
    corpus: Path, archives_ledger: Path
) -> None:
    log = "mlcommons+training_results_v2.0@8437fbb7/H3C/results/R4900G5x1A100-PCIE-80GB/bert/result_1.txt"
    events = re.findall(
        r'"time_ms": (\d+), [^\n]*"key": "(run_start|eval_accuracy)", "value": ([\d.]+|null)',
        (corpus / log).read_text(),
    )
    start = next(int(when) for when, key, _ in events if key == "run_start")
    reached = next(int(when) for when, key, value in events if key == "eval_accuracy" and float(value) >= 0.72)

    ((seconds,),) = ask(
        archives_ledger,
        """select distinct target_seconds
           from run_convergence_of('', 'accuracy', 0.72) join run_log using (run_id) join sighting using (log_id)
           where member = ?""",
        log,
    )

    assert seconds == pytest.approx((reached - start) / 1000)


@pytest.mark.parametrize(("log", "best"), [("SST", 0.9346), ("MRPC", 0.8873)])
def test_gluon_nlp_s_best_epochs_are_the_best_metrics(
    log: str, best: float, told: dict[str, list[dict[str, Any]]]
) -> None:
    (run,) = next(runs for place, runs in told.items() if place.endswith(f"finetune_{log}_base_mx1.6.0rc1.log"))

    assert (run["metric"], run["best_value"], run["best_fraction"]) == ("accuracy", best, best)


def test_the_evaluations_that_a_model_card_publishes_are_those_of_its_state(
    shared: Path, archives_ledger: Path
) -> None:
    with open(shared / "corpus" / "manifest.csv", newline="") as file:
        (row,) = [row for row in csv.DictReader(file) if row["path"].endswith("steps@484b1d2b/trainer_state.json")]

    found = ask(
        archives_ledger,
        """select loss.value, wer.value
           from kept.evaluation as loss join kept.evaluation as wer using (log_id, nth) join sighting using (log_id)
           where loss.name = 'eval_loss' and wer.name = 'eval_wer' and sighting.member = ?
           order by nth""",
        row["path"],
    )

    assert "; ".join(f"{loss:.4f}/{wer:.4f}" for loss, wer in found) == row["published_value"]


def test_the_logs_that_end_in_nan_are_those_that_diverged_and_no_other_does(
    corpus: Path, told: dict[str, list[dict[str, Any]]]
) -> None:
    ending = {
        str(log.relative_to(corpus))
        for log in corpus.glob("PaddlePaddle+Perf@*/Transformer/OtherReports/PyTorch/**/*")
        if log.is_file()
        and (re.findall(r"step \d+ \|avg loss (\S+) ", log.read_text(errors="replace")) or [""])[-1] == "nan"
    }

    diverged = {place: run["diverged_by"] for place, (run, *_) in told.items() if run["diverged_by"] is not None}

    assert len(ending) == 2
    assert diverged == dict.fromkeys(ending, "loss.not_finite")
