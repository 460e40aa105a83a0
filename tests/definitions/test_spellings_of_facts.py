"""The spellings that programs, names and people use for one and the same thing."""

from __future__ import annotations

import pytest

from benchledger.definitions.vocabulary import vocabulary


@pytest.mark.parametrize(
    ("fact", "logged", "value"),
    [
        ("precision", "AMP", "fp16"),
        ("precision", "O2", "fp16"),
        ("precision", "mixed", "fp16"),
        ("precision", "torch.float16", "fp16"),
        ("precision", "float32", "fp32"),
        ("precision", "bfloat16", "bf16"),
        ("precision", "FP8", "fp8"),
        ("precision", "int8", None),
        ("model", "bert-base-uncased", "bert_base"),
        ("model", "gpt", "gpt2_345m"),
        ("model", "gpt345m", "gpt2_345m"),
        ("model", "rn50", "resnet50"),
        ("model", "wide_deep", "wide_deep"),
        ("gpu_model", "NVIDIA A100-SXM4-80GB", "A100-SXM4-80GB"),
        ("gpu_model", "Tesla_V100-SXM2-16GB", "V100-SXM2-16GB"),
        ("gpu_model", "NVIDIA_GeForce_RTX_3090", "RTX 3090"),
        ("gpu_model", "Quadro RTX 6000", "Quadro RTX 6000"),
        ("gpu_model", "TITAN V", "TITAN V"),
        ("memory_mib", "1782579.2", "1782579"),
        ("memory_mib", "0.2", None),
        ("gpus", "8.0", "8"),
        ("gpus", "8.5", None),
        ("started_at", "2026-01-02T03:04:05.5+08:00", "2026-01-02 03:04:05.500000"),
        ("started_at", "yesterday", None),
    ],
)
def test_a_spelling_is_the_value_that_the_ledger_has_for_it(fact: str, logged: str, value: str | None) -> None:
    assert vocabulary().facts[fact].canonical(logged) == value


@pytest.mark.parametrize("maker", ["", "NVIDIA", "nvidia", "NVIDIA Corporation"])
@pytest.mark.parametrize("between", [" ", "_", "-", "", " - "])
@pytest.mark.parametrize(
    "family", ["GeForce", "RTX", "Tesla", "Quadro", "GeForce{}RTX", "Quadro(R){}RTX", "geforce{}gtx"]
)
def test_a_gpu_name_cut_to_its_family_is_unknown(maker: str, between: str, family: str) -> None:
    name = maker + between + family.format(between)

    assert vocabulary().facts["gpu_model"].canonical(name) is None
    assert vocabulary().facts["gpu_model"].canonical(f"{name} 3090") is not None


@pytest.mark.parametrize("cut", ["Tesla V100-SXM2...", "GeForce RTX 208..", "NVIDIA A100-SXM…"])
def test_a_gpu_name_that_ends_in_dots_is_unknown(cut: str) -> None:
    assert vocabulary().facts["gpu_model"].canonical(cut) is None
