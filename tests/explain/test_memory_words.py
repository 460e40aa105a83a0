"""What is told of a memory number is true of its definition."""

from __future__ import annotations

import pytest

from benchledger.answers.explaining.explained import Check
from benchledger.answers.explaining.memory_words import memory_sentences


@pytest.mark.parametrize(
    ("definition", "said"),
    [
        ("device", "The card has 16160 MiB: 6160 MiB of it were free."),
        (
            "allocated",
            "The card has 16160 MiB: 6160 MiB headroom against allocated memory; others may have held part of it.",
        ),
    ],
)
def test_only_of_a_device_s_memory_is_the_rest_called_free(definition: str, said: str) -> None:
    number = {
        "definition": definition, "name": "bert", "campaign": "c", "gpu_model": "V100", "value_mib": 10000.0,
        "gpu_memory_mib": 16160, "headroom_mib": 6160, "mixed": None,
    }  # fmt: skip

    sentences = memory_sentences(number, "memory", [{"counts": True, "value": 10000.0}], Check(10000.0, 10000.0), [])

    assert [sentence for sentence in sentences if "card" in sentence] == [said]
