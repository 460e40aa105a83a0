"""What heads, row heads, notes and units of published tables say."""

from __future__ import annotations

import pytest

from benchledger.reproducing.units import Unit, is_no_rate, unit_of
from benchledger.reproducing.words import Facts, facts_of, key_of, printed_number


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("GPU=1,BS=96", {"gpus": 1, "batch_size_per_gpu": 96}),
        ("FP32(BS=32)", {"precision": "fp32", "batch_size_per_gpu": 32}),
        ("AMP(O2)", {"precision": "fp16", "mode": "amp"}),
        ("AMP(BS=max)", {"precision": "fp16", "mode": "amp", "batch_size_per_gpu": "max"}),
        ("4n8g", {"nodes": 4, "gpus": 32}),
        ("N1C8", {"nodes": 1, "gpus": 8}),
        ("4机32卡", {"nodes": 4, "gpus": 32}),
        ("2 nodes x 8 GPUs", {"nodes": 2, "gpus": 16}),
        ("单机8卡", {"nodes": 1, "gpus": 8}),
        ("单卡 bs=96、FP32", {"gpus": 1, "batch_size_per_gpu": 96, "precision": "fp32"}),
        ("32<sup>[W/O AccGrad]</sup>", {"gradient_accumulation": 1}),
        ("8x A100 SXM4 80GB", {"gpus": 8, "gpu_family": "A100"}),
        ("[NGC TensorFlow 1.15](./Bert/OtherReports/TensorFlow)", {"framework": "tensorflow"}),
        ("ResNet50 V1.5 batch szie = 128", {"model": "resnet50", "batch_size_per_gpu": 128}),
        ("max_seq_len: 128", {"seq_len": 128}),
        # What names several values states none.
        ("本次测试关注1卡、8卡、32卡情况", {}),
        ("FP32 与 FP16", {"mode": "fp16"}),
        ("A100 80GB", {"gpu_family": "A100"}),
    ],
)
def test_a_text_states_facts(text: str, facts: Facts) -> None:
    assert facts_of(text) == facts


@pytest.mark.parametrize(
    ("head", "key"),
    [
        ("卡数", "gpus"), ("节点数", "nodes"), ("node_num", "nodes"), ("gpu_num", "gpus"), ("GPUs", "gpus"), ("#GPUs", "gpus"),
        ("Batch size", "batch_size_per_gpu"), ("Global batch size", "global_batch_size"), ("精度", "precision"),
        ("GPUs per node", "gpus_per_node"), ("gpu_num_per_node", "gpus_per_node"), ("num_gpus_per_node", "gpus_per_node"), ("GPU", "system"), ("Model", "model"), ("FP32(BS=32)", None),
        ("NGC PyTorch", None), ("线程数", "other"),
    ],
)  # fmt: skip
def test_a_head_names_the_fact_below_it(head: str, key: str | None) -> None:
    assert key_of(head) == key


@pytest.mark.parametrize(
    ("cell", "value", "step", "note"),
    [
        ("1018.40", 1018.4, 0.01, ""),
        ("**127.09**", 127.09, 0.01, ""),
        ("<sup>378599</sup>", 378599.0, 1.0, ""),
        ("1,234.5", 1234.5, 0.1, ""),
        ("34672.9 (O2)", 34672.9, 0.1, "(O2)"),
        ("1447.6<sup>[BS=192]</sup>", 1447.6, 0.1, "[BS=192"),
        ("2946.294 ]", 2946.294, 0.001, ""),
        ("12.3k", 12300.0, 100.0, ""),
        ("11345 MiB", 11345.0, 1.0, "MiB"),
        ("208.58*", 208.58, 0.01, ""),
        ("208.58 ± 1.2", 208.58, 0.01, "± 1.2"),
        ("208.58[^1]", 208.58, 0.01, "[^1"),
    ],
)
def test_a_cell_holds_a_number(cell: str, value: float, step: float, note: str) -> None:
    found = printed_number(cell)

    assert found is not None
    assert (found.value, found.note) == (pytest.approx(value), note)
    assert found.step == pytest.approx(step)


@pytest.mark.parametrize(
    "cell",
    [
        "-", "——", "—", "", "OOM", "N/A", "/", "127.09 / 126.48", "2021-05-23", "1.15.0", "45.2%", "208,58", "1.234,56",
        "1'234.5", "1 234.5", "1\u202f234", "1_234", "12,34,567", "208&#44;58", "208*8", "2.08 x 10^2", "2.08×10<sup>2</sup>",
        "1:23", "200 to 210", "208 → 220", "95 percent", "95 ％",
    ],
)  # fmt: skip
def test_an_empty_cell_holds_none_nor_one_with_two_numbers(cell: str) -> None:
    assert printed_number(cell) is None


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("训练吞吐率(images/sec)如下:", Unit("speed", "samples/s")),
        ("> 单位： words/sec", Unit("speed", "tokens/s")),
        ("samples/s(per card)", Unit("speed", "samples/s", per_gpu=True)),
        ("step time (ms)", Unit("speed", "s", 1e-3)),
        ("s/iter", Unit("speed", "s")),
        ("sequences/min", Unit("speed", "samples/s", 1 / 60)),
        ("tokens/h", Unit("speed", "tokens/s", 1 / 3600)),
        ("tokens/H100", None),  # a GPU, not an hour
        ("k tokens per second", Unit("speed", "tokens/s", 1e3)),
        ("加速比", Unit("speedup", "1")),
        ("GPU memory (GiB)", Unit("memory", "MiB", 1024.0)),
        ("accuracy", None),
    ],
)
def test_a_head_states_a_unit(text: str, unit: Unit | None) -> None:
    assert unit_of(text) == unit


@pytest.mark.parametrize(
    ("note", "is_size"),
    [
        ("h", True),
        ("(GB)", True),
        ("(H100)", False),
        ("h200", False),
        ("(GB200)", False),
        ("(M40)", False),
        ("img/s", False),
    ],
)
def test_a_note_behind_a_number_says_that_it_is_no_rate_and_a_gpu_does_not(note: str, is_size: bool) -> None:
    assert is_no_rate(note) is is_size
