"""What paths tell of the real logs is what their collector noted of them. Needs ../shared."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import pytest

from benchledger.definitions.names import load_names
from benchledger.definitions.vocabulary import vocabulary

FAMILIES = {
    "dllogger-text-tqdm(ngc-pytorch-bert)": 89,
    "tf-ngc-bert": 42,
    "paddle-ips(bert)": 35,
    "megatron": 6,
    "gluon-nlp-bert-finetune": 6,
    "gluon-nlp-bert-pretrain": 1,
    "gluoncv-cls": 2,
    "tf2-keras-timehistory": 15,
    "paddle-index-json": 1,
    "dllogger-text(ngc-pytorch-convnets)": 51,
    "dllogger-text(ngc-tf-convnets)": 27,
    "mxnet-ngc-dll-mpi": 15,
    "ngc-ssd-text": 22,
    "ngc-gnmt-text": 22,
    "ngc-transformerxl-text": 49,
    "paddle-ips(clas)": 24,
    "paddle-ips(transformer)": 22,
    "paddle-ips(seg)": 16,
    "paddle-ps-cpu(ctr)": 15,
    "word2vec-paddle": 10,
    "mmseg": 32,
    "ngc-transformer(fairseq)": 23,
    "hf-trainer-stdout": 2,
    "mlperf-mllog": 68,
    "oneflow-wdl-csv": 22,
}
# What a folder tells: the others lie where their convention has one rule a file.
OF_FOLDERS = {
    "benchmark.para",
    "dllogger-text(ncf)",
    "dllogger-text(tacotron2)",
    "hf-trainer-json",
    "lambda-run-summary",
    "lambda-sysinfo",
    "ngc-maskrcnn-text",
    "nvidia-smi-csv(headerless)",
}
# Results beside logs, a monitor's and a profiler's test data, one card's memory: their paths tell nothing of a run.
SILENT = {
    "dlperf-result-json": 3,
    "gpu-monitor-jsonl": 1,
    "ncu-csv": 1,
    "nvidia-smi-csv(headered)": 2,
}
COLUMNS = ("nodes", "gpus", "batch_size_per_gpu", "precision", "model")
# The collector's names of models hold the task, the release, or stand for a template.
MODELS = {
    "bert_base_squad": "bert_base", "bert_large_squad": "bert_large", "resnet50_v1.5": "resnet50", "template": "modelName",
    "transformerxlbase": "transformer_xl_base", "transformerxllarge": "transformer_xl_large",
    "whisper-large-v2": "whisper_large_v2", "maskrcnn": "mask_rcnn", "ctr-dnn": "ctr_dnn", "wide&deep": "wide_deep",
}  # fmt: skip


@pytest.fixture(scope="module")
def rows(shared: Path) -> list[dict[str, str]]:
    with (shared / "corpus" / "manifest.csv").open(encoding="utf-8", newline="") as file:
        return [
            row for row in csv.DictReader(file) if row["format_family"] in FAMILIES.keys() | OF_FOLDERS | SILENT.keys()
        ]


def test_every_path_of_these_families_follows_a_known_convention(rows: list[dict[str, str]]) -> None:
    known = Counter(
        row["format_family"]
        for row in rows
        if row["format_family"] in FAMILIES and load_names().match(row["path"]).parts
    )

    assert known == FAMILIES


def test_every_source_is_told_something_by_its_paths_or_stated_to_be_silent(rows: list[dict[str, str]]) -> None:
    silent = Counter(row["format_family"] for row in rows if not load_names().match(row["path"]).facts)

    assert silent == SILENT
    # The collector calls Megatron-LM's tests, eight, by their kind alone: gpt.
    assert len(rows) == 869 - 8


def test_no_name_contradicts_what_is_known_of_its_log(rows: list[dict[str, str]]) -> None:
    facts = vocabulary().facts
    told, wrong = Counter[str](), []
    for row in rows:
        for fact in load_names().match(row["path"]).facts:
            if fact.name in COLUMNS and row[fact.name]:
                noted = MODELS.get(row[fact.name], row[fact.name])
                told[fact.name] += 1
                if facts[fact.name].canonical(noted) != fact.value:
                    wrong.append((row["path"], fact.name, fact.value, noted))

    assert wrong == []
    assert told == {"nodes": 100, "gpus": 685, "batch_size_per_gpu": 296, "precision": 700, "model": 607}
