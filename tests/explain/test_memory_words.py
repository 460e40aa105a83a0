"""What is told of a memory number is true of its definition."""

from __future__ import annotations

import pytest

from benchledger.explaining.explained import Check
from benchledger.explaining.memory import memory_sentences


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
        "definition": definition, "name": "bert", "campaign": "c", "system": None, "gpu_model": "V100", "value_mib": 10000.0,
        "gpu_memory_mib": 16160, "headroom_mib": 6160, "mixed": None, "gpus": 1,
    }  # fmt: skip
    trial = {"counts": True, "value": 10000.0, "devices": 1}

    sentences = memory_sentences(number, "memory", [trial], Check(10000.0, 10000.0), [])

    assert [sentence for sentence in sentences if "card" in sentence] == [said]


@pytest.mark.parametrize(("watched", "said"), [(1, True), (8, False)])
def test_it_says_where_a_monitor_watched_some_of_the_gpus_only(watched: int, said: bool) -> None:
    number = {
        "definition": "device", "name": "bert", "campaign": "c", "system": None, "gpu_model": "V100", "value_mib": 10000.0,
        "gpu_memory_mib": 16160, "headroom_mib": 6160, "mixed": None, "gpus": 8,
    }  # fmt: skip
    trial = {"counts": True, "value": 10000.0, "devices": watched}

    text = " ".join(memory_sentences(number, "memory", [trial], Check(10000.0, 10000.0), []))

    assert (f"The logs show {watched} of its 8 GPUs: another one may have been fuller." in text) is said
    assert ("were free, as far as the logs show." in text) is said
