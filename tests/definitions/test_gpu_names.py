"""GPU models have one name each, however programs, people and tools spell it."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchledger.definitions.vocabulary import vocabulary

# Each card's name, and other ways to spell it.
CARDS = {
    "A100-SXM4-80GB": ["A100-SXM-80GB", "NVIDIA A100-SXM4-80GB", "A100 SXM4 80 GB", "NVIDIA A100-SXM4-80GB (400W)"],
    "A100-SXM4-40GB": ["A100-SXM-40GB", "NVIDIA_A100-SXM4-40GB", "A100SXM4-40GB"],
    "A100-PCIE-80GB": ["NVIDIA A100 80GB PCIe", "A100-PCIe-80GB", "A100 PCI-E 80GB", "A100 PCIe Gen4 80GB"],
    "A100-PCIE-40GB": ["NVIDIA A100-PCIE-40GB", "A100-40GB-PCIe"],
    "A100-SXM4-40GB MIG 1g.5gb": ["NVIDIA A100-SXM4-40GB MIG 1g.5gb"],
    "A800-SXM4-80GB": ["NVIDIA A800-SXM4-80GB", "A800 SXM 80G"],
    "V100-SXM2-16GB": ["Tesla V100-SXM2-16GB", "Tesla_V100-SXM2-16GB", "V100-SXM-16GB", "V100 SXM2 16GiB"],
    "V100-SXM2-32GB": ["Tesla V100-SXM2-32GB"],
    "V100-SXM3-32GB": ["Tesla V100-SXM3-32GB"],
    "V100-PCIE-32GB": ["Tesla V100-PCIE-32GB", "V100 32GB PCIe"],
    "H100-SXM5-80GB": ["NVIDIA H100 80GB HBM3", "H100-SXM-80GB", "H100 SXM5 80GB", "NVIDIA_H100_80GB_HBM3"],
    "H100-PCIE": ["NVIDIA H100 PCIe", "H100 PCIe 80GB", "H100-80GB-PCIe5"],
    "H100-NVL": ["NVIDIA H100 NVL"],
    "H200": ["NVIDIA H200", "H200 SXM 141GB", "H200-SXM5-141GB"],
    "GH200-480GB": ["NVIDIA GH200 480GB", "NVIDIA_GH200_480GB"],
    "B200": ["NVIDIA B200", "B200 SXM"],
    "T4": ["Tesla T4", "T4 16GB"],
    "A10G": ["NVIDIA A10G", "A10G 24GB"],
    "A30": ["NVIDIA A30", "A30-24GB"],
    "L40S": ["NVIDIA L40S", "L40S PCIe 48GB"],
    "RTX 3090": ["NVIDIA GeForce RTX 3090", "GeForce_RTX_3090", "RTX3090", "RTX-3090", "RTX 3090 24GB"],
    "RTX 3080 Ti": ["GeForce RTX 3080 Ti", "RTX3080Ti", "RTX 3080TI"],
    "GTX 1060 6GB": ["GeForce GTX 1060 6GB"],
    "GTX 1060 3GB": ["GeForce GTX 1060 3GB"],
    "RTX 2080 SUPER": ["NVIDIA GeForce RTX 2080 SUPER"],
    "RTX 2080 SUPER with Max-Q Design": ["NVIDIA GeForce RTX 2080 SUPER with Max-Q Design"],
    "RTX 3070 Laptop": ["NVIDIA GeForce RTX 3070 Laptop GPU"],
    "RTX A6000": ["NVIDIA RTX A6000", "A6000", "Quadro RTX A6000", "RTX-A6000"],
    "RTX 6000 Ada Generation": ["NVIDIA RTX 6000 Ada Generation", "RTX 6000 Ada"],
    "Quadro RTX 6000": ["NVIDIA Quadro RTX 6000"],
    "TITAN V": ["NVIDIA TITAN V"],
    "TITAN X Pascal": ["NVIDIA TITAN X (Pascal)"],
    "GTX TITAN X": ["GeForce GTX TITAN X"],
    "MI250X": ["AMD Instinct MI250X"],
    "MI300X": ["AMD Instinct MI300X", "AMD Instinct MI300X OAM", "MI300X-192GB"],
    "RX 7900 XTX": ["AMD Radeon RX 7900 XTX"],
    "Data Center GPU Max 1550": ["Intel(R) Data Center GPU Max 1550"],
}
SPELLINGS = [(name, spelling) for name, spellings in CARDS.items() for spelling in (name, *spellings)]


def canonical(text: str) -> str | None:
    return vocabulary().facts["gpu_model"].canonical(text)


@pytest.mark.parametrize(("name", "spelling"), SPELLINGS)
def test_each_spelling_of_a_card_is_its_one_name(name: str, spelling: str) -> None:
    assert canonical(spelling) == name


@given(st.sampled_from(SPELLINGS), st.data())
def test_neither_case_nor_blanks_nor_the_maker_make_another_card(card: tuple[str, str], data: st.DataObject) -> None:
    name, spelling = card
    recased = "".join(data.draw(st.sampled_from([letter.lower(), letter.upper()])) for letter in spelling)
    blanks = data.draw(st.sampled_from([" ", "_", "  "]))
    maker = data.draw(st.sampled_from(["", "NVIDIA ", "nvidia_"])) if "AMD" not in spelling else ""

    assert canonical(maker + recased.replace(" ", blanks)) == name


@given(st.text(max_size=40))
def test_a_name_is_its_own_name(text: str) -> None:
    name = canonical(text)

    assert name is None or canonical(name) in (name, None)


def test_no_two_cards_have_one_name() -> None:
    assert all(one.lower() != other.lower() for one, other in combinations(CARDS, 2))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("A100-SXM4-40GB", "A100-SXM4-80GB"), ("A100-PCIE-40GB", "A100-SXM4-40GB"), ("A100-40GB", "A100-SXM4-40GB"),
        ("V100-SXM-32GB", "V100-SXM2-32GB"), ("RTX 6000 Ada", "Quadro RTX 6000"), ("RTX 3080", "RTX 3080 Ti"),
        ("GTX 1060", "GTX 1060 6GB"), ("GTX TITAN X", "TITAN X (Pascal)"), ("A10", "A100"), ("L4", "L40"),
        ("A100-SXM4-40GB", "A100-SXM4-40GB MIG 1g.5gb"), ("H100 NVL", "H100 PCIe"),
    ],
)  # fmt: skip
def test_cards_that_differ_or_may_differ_keep_two_names(one: str, other: str) -> None:
    assert canonical(one) != canonical(other)
