"""`bench formats new` on real logs, the format of which is hidden: what is drafted from one log reads another."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchledger import sql
from benchledger.definitions.folders import definition_files
from benchledger.definitions.format_file import read_formats
from benchledger.definitions.log_format import LogFormat
from benchledger.definitions.redaction import read_redaction
from benchledger.drafting.draft import Draft, Drafter
from benchledger.drafting.sampling import read_excerpt
from benchledger.redaction.redactor import Redactor
from benchledger.scanning.lines import LineReader
from benchledger.scanning.samples import check_files, known_formats

REDACTOR = Redactor(read_redaction(), b"k" * 32)
# The format, a log that it is drafted from, and another of the same program.
FAMILIES = {
    "mmseg": (
        "PaddlePaddle+Perf@13b79b89/DeepLabV3P/OtherReports/PyTorch/logs/pytorch/deeplabv3p_c1_fp16.log",
        "PaddlePaddle+Perf@37b23ba7/DeepLabV3P/OtherReports/PyTorch/logs/pytorch/deeplabv3p_c1_fp16.log",
    ),
    "ngc-pytorch-convnets": (
        "PaddlePaddle+Perf@9e39535f/ResNet50V1.5/OtherReports/PyTorch/logs/pytorch_gpu8_amp_bs244.txt",
        "PaddlePaddle+Perf@76c46877/ResNet50V1.5/OtherReports/PyTorch/logs/pytorch_gpu1_fp32_bs128.txt",
    ),
    "ngc-transformer": (
        "PaddlePaddle+Perf@7f02e558/Transformer/OtherReports/PyTorch/logs/pytorch_gpu8_fp32_bs2560",
        "PaddlePaddle+Perf@f6b38300/Transformer/logs/pytorch_gpu8_fp32_bs2560",
    ),
    "ngc-transformer-xl": (
        "lambdal+deeplearning-benchmark@aa5addb6/pytorch/results/LambdaCloud_V100_16GB_v1/PyTorch_transformerxlbase_FP32/16-12-2022_03-19-17.txt",
        "lambdal+deeplearning-benchmark@aa5addb6/pytorch/results/LambdaCloud_V100_16GB_v1/PyTorch_transformerxllarge_FP32/16-12-2022_05-39-44.txt",
    ),
    "paddle-clas": (
        "PaddlePaddle+Perf@0815d423/ResNet50V1.5/logs/paddle_gpu1_fp32_bs256.txt",
        "PaddlePaddle+Perf@0815d423/ResNet50V1.5/logs/paddle_gpu1_pure_fp16_bs256.txt",
    ),
    "paddle-seg": (
        "PaddlePaddle+Perf@0b6e04fc/HRNetW18/logs/paddle/Hrnet_FP16_BS8-N1.log",
        "PaddlePaddle+Perf@0b2dd801/DeepLabV3P/logs/paddle/Deeplabv3_FP32_BS4-N32.log",
    ),
    "ngc-tf-convnets": (
        "PaddlePaddle+Perf@0815d423/ResNet50V1.5/OtherReports/TensorFlow/logs/tf_gpu1_amp_bs256.txt",
        "PaddlePaddle+Perf@8d0ca2f4/ResNet50V1.5/OtherReports/TensorFlow/logs/A100_LOG/tf_gpu1_amp_bs256.txt",
    ),
    "tf-ngc-bert": (
        "PaddlePaddle+Perf@8707ba8b/Bert/OtherReports/TensorFlow/logs/V100_LOG/tf_bert_pretraining_lamb_base_fp32_bs96_gpu32.log",
        "PaddlePaddle+Perf@9881d049/Bert/OtherReports/TensorFlow/logs/tf_bert_pretraining_lamb_base_fp32_bs96_gpu32.log",
    ),
}


@pytest.fixture(scope="module")
def texts(corpus: Path, corpus_ledger: Path) -> list[tuple[str | None, Path, bytes]]:
    """Format, place and content of each log of the corpus."""
    seen = sql("select path, format from sighting left join log using (log_id)", db=corpus_ledger).rows()
    return [(known, corpus / path, (corpus / path).read_bytes()) for path, known in seen if (corpus / path).is_file()]


@pytest.mark.parametrize("family", FAMILIES)
def test_a_draft_from_one_log_reads_another_and_proves_no_other_program(
    family: str, corpus: Path, texts: list[tuple[str | None, Path, bytes]], tmp_path: Path
) -> None:
    example, other = (corpus / path for path in FAMILIES[family])
    log_format = format_of(drafted(family, example), tmp_path)
    real, found = steps(known_formats()[family], other), steps(log_format, other)

    assert len(real) > 3
    assert real <= found
    assert len(texts) > 600
    assert [path for known, path, text in texts if known != family and proves(log_format, text)] == []


def drafted(family: str, example: Path) -> Draft:
    """The draft of a log, made without the format that knows it."""
    others = {name: known for name, known in known_formats().items() if name != family}
    with example.open("rb") as stream:
        excerpt = read_excerpt(stream, example.name)
    return Drafter("draft", [excerpt], others, REDACTOR).draft()


def format_of(draft: Draft, folder: Path) -> LogFormat:
    """The format that a draft defines, once it has been found sound."""
    path = folder / "draft.toml"
    path.write_text(draft.text, encoding="utf-8")
    assert check_files([path]) == []
    return read_formats([*definition_files("ingest/formats", ".toml"), path])["draft"]


def steps(log_format: LogFormat, log: Path) -> set[int]:
    """The numbers of the lines that are steps."""
    return {row.line for row in LineReader(log_format).read(log.read_bytes()).rows if row.layout.record.kind == "step"}


def proves(log_format: LogFormat, text: bytes) -> bool:
    """Whether a line of a text holds all literals of a proof, in order."""
    for proof in log_format.proofs:
        literals = [literal.encode() for literal in proof]
        if all(literal in text for literal in literals) and any(
            in_order(literals, line) for line in text.splitlines() if literals[0] in line
        ):
            return True
    return False


def in_order(literals: list[bytes], line: bytes) -> bool:
    position = 0
    for literal in literals:
        at = line.find(literal, position)
        if at < 0:
            return False
        position = at + len(literal)
    return True
