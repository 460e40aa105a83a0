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
    "gluon-nlp-bert-pretrain": 1,
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
COLUMNS = ("nodes", "gpus", "batch_size_per_gpu", "precision", "model")
# The collector's names of models hold the task, the release, or stand for a template.
MODELS = {
    "bert_base_squad": "bert_base", "bert_large_squad": "bert_large", "resnet50_v1.5": "resnet50", "template": "modelName",
    "transformerxlbase": "transformer_xl_base", "transformerxllarge": "transformer_xl_large",
    "ctr-dnn": "ctr_dnn", "wide&deep": "wide_deep",
}  # fmt: skip


@pytest.fixture(scope="module")
def rows(shared: Path) -> list[dict[str, str]]:
    with (shared / "corpus" / "manifest.csv").open(encoding="utf-8", newline="") as file:
        return [row for row in csv.DictReader(file) if row["format_family"] in FAMILIES]


def test_every_path_of_these_families_follows_a_known_convention(rows: list[dict[str, str]]) -> None:
    known = Counter(row["format_family"] for row in rows if load_names().match(row["path"]).parts)

    assert known == FAMILIES


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
    assert told == {"nodes": 80, "gpus": 322, "batch_size_per_gpu": 296, "precision": 484, "model": 321}
