"""Of which format, role and status every real file is: no family's file is taken for another's. Needs the real logs."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

from benchledger.redaction.redactor import Redactor
from benchledger.redaction.samples import known_redaction
from benchledger.scanning.samples import load_formats
from benchledger.store.private_file import PrivateFile
from tests.ingestion.logs import ask
from tests.ingestion.published import manifest_rows

# Family: its format, how many files are loaded, and how many are a loaded one's bytes again.
FAMILIES = {
    "benchmark.para": ("lambda-benchmark-para", 61, 63),
    "dllogger-text(ncf)": ("ngc-ncf", 22, 0),
    "dllogger-text(ngc-pytorch-convnets)": ("ngc-pytorch-convnets", 48, 3),
    "dllogger-text(ngc-tf-convnets)": ("ngc-tf-convnets", 24, 3),
    "dllogger-text(tacotron2)": ("ngc-tacotron2", 44, 0),
    "dllogger-text-tqdm(ngc-pytorch-bert)": ("ngc-pytorch-bert", 82, 4),
    "dlperf-result-json": ("dlperf-result", 3, 0),
    "gluon-nlp-bert-finetune": ("gluon-nlp-bert-finetune", 6, 0),
    "gluon-nlp-bert-pretrain": ("gluon-nlp-bert-pretrain", 1, 0),
    "gluoncv-cls": ("gluon-cv-classification", 2, 0),
    "gpu-monitor-jsonl": ("superbench-monitor", 1, 0),
    "hf-trainer-json": ("hf-trainer-state", 2, 0),
    "hf-trainer-stdout": ("hf-trainer", 2, 0),
    "lambda-run-summary": ("lambda-summary", 6, 0),
    "lambda-sysinfo": ("lambda-system", 7, 0),
    "megatron": ("megatron-gpt", 6, 0),
    "megatron-golden-json": ("megatron-golden-json", 7, 0),
    "mlperf-mllog": ("mlperf-mllog", 71, 0),
    "mmseg": ("mmseg", 24, 8),
    "mxnet-ngc-dll-mpi": ("ngc-mxnet-rn50", 13, 2),
    "ncu-csv": ("ncu-csv", 1, 0),
    "ngc-gnmt-text": ("ngc-gnmt", 22, 0),
    "ngc-maskrcnn-text": ("ngc-maskrcnn", 2, 0),
    "ngc-ssd-text": ("ngc-ssd", 22, 0),
    "ngc-transformer(fairseq)": ("ngc-transformer", 17, 6),
    "ngc-transformerxl-text": ("ngc-transformer-xl", 49, 0),
    "nvidia-smi-csv(headered)": ("nvidia-smi-csv", 2, 0),
    "nvidia-smi-csv(headerless)": ("nvidia-smi-csv", 24, 0),
    "oneflow-wdl-csv": ("oneflow-wdl-csv", 20, 2),
    "paddle-index-json": ("paddle-index", 1, 0),
    "paddle-ips(bert)": ("paddle-bert", 32, 3),
    "paddle-ips(clas)": ("paddle-clas", 21, 3),
    "paddle-ips(seg)": ("paddle-seg", 16, 0),
    "paddle-ips(transformer)": ("paddle-transformer", 18, 4),
    "paddle-ps-cpu(ctr)": ("paddle-ps", 9, 6),
    "tf-ngc-bert": ("tf-ngc-bert", 39, 3),
    "tf2-keras-timehistory": ("tf2-timehistory", 15, 0),
    "word2vec-paddle": ("paddle-ps", 10, 0),
}
# The results of a Trainer that repeat its state; `Avg = 907.118`, eight times; what is expected of an inference; no byte at all.
BESIDE = {
    ("hf-trainer-json", "hf-results", "loaded"): 2,
    ("mxnet-ngc-dll-mpi", None, "unrecognised"): 1,
    ("megatron-golden-json", None, "unrecognised"): 1,
    ("dllogger-text-tqdm(ngc-pytorch-bert)", None, "empty"): 3,
}
ROLES = {
    "train": {
        "gluon-cv-classification", "gluon-nlp-bert-finetune", "gluon-nlp-bert-pretrain", "hf-trainer",
        "megatron-golden-json", "megatron-gpt", "mlperf-mllog", "mmseg", "ngc-gnmt", "ngc-maskrcnn", "ngc-mxnet-rn50", "ngc-ncf",
        "ngc-pytorch-bert", "ngc-pytorch-convnets", "ngc-ssd", "ngc-tacotron2", "ngc-tf-convnets", "ngc-transformer",
        "ngc-transformer-xl", "oneflow-wdl-csv", "paddle-bert", "paddle-clas", "paddle-ps", "paddle-seg", "paddle-transformer",
        "tf-ngc-bert", "tf2-timehistory", "dlperf-extract", "paddle-index",
    },
    "telemetry": {"nvidia-smi-csv", "nvidia-smi-dmon", "nvidia-smi-pmon", "superbench-monitor"},
    "profile": {"ncu-csv", "torch-profiler-table", "torch-trace"},
    "sidecar": {"dlperf-result", "hf-results", "lambda-benchmark-para", "lambda-summary", "lambda-system"},
    "duplicate_stream": {"hf-trainer-state", "ngc-pytorch-bert-json"},
}  # fmt: skip
# A README is no log, but for the trials that DLPerf's print. The logs of own runs beside them: benchmark scripts that print
# no line of a known program.
OTHERS = {
    ("h200", "hf-results", "loaded"): 3,
    ("h200", "hf-trainer", "loaded"): 1,
    ("h200", "hf-trainer-state", "loaded"): 1,
    ("h200", "megatron-gpt", "loaded"): 3,
    ("h200", "ncu-csv", "loaded"): 2,
    ("h200", "ngc-pytorch-bert", "loaded"): 8,
    ("h200", "ngc-pytorch-bert-json", "loaded"): 8,
    ("h200", "nvidia-smi-csv", "loaded"): 3,
    ("h200", "nvidia-smi-dmon", "loaded"): 2,
    ("h200", "nvidia-smi-pmon", "loaded"): 1,
    ("h200", "torch-profiler-table", "loaded"): 3,
    ("h200", "torch-trace", "loaded"): 1,
    ("h200", None, "unrecognised"): 2,
    ("tables", "dlperf-extract", "loaded"): 1,
    ("tables", None, "unrecognised"): 98,
    ("tables", None, "duplicate"): 9,
    ("seeds", "dlperf-extract", "loaded"): 1,
    ("seeds", None, "unrecognised"): 4,
}


@pytest.mark.long
def test_every_file_is_of_its_family_s_format(archives_ledger: Path, shared: Path) -> None:
    with closing(PrivateFile(archives_ledger)) as private:
        redactor = Redactor(known_redaction(), private.key)
    family = {redactor.path(row["path"]): row["format_family"] for row in manifest_rows(shared)}
    rows = ask(archives_ledger, "select archive, member, format, status from sighting left join log using (log_id)")
    found: Counter[tuple[str, str | None, str]] = Counter()
    for archive, member, log_format, status in rows:
        source = archive.removesuffix(".tar.xz") if archive else "seeds"
        found[family[member] if source == "logs" else source, log_format, status] += 1

    of_families = {
        (family, log_format, status): count
        for family, (log_format, loaded, again) in FAMILIES.items()
        for status, count in (("loaded", loaded), ("duplicate", again))
        if count
    }
    assert found == of_families | BESIDE | OTHERS
    assert sum(found.values()) == 869 + 107 + 39 + 5


@pytest.mark.long
def test_every_format_has_its_role(archives_ledger: Path) -> None:
    formats = load_formats()
    seen = {name for (name,) in ask(archives_ledger, "select distinct format from log where format is not null")}

    assert {name: formats[name].role for name in seen} == {name: role for role, of in ROLES.items() for name in of}


@pytest.mark.long
def test_no_unrecognised_file_lacks_a_reason(archives_ledger: Path) -> None:
    assert ask(archives_ledger, "select path from sighting where status = 'unrecognised' and reason is null") == []
