"""Tables of Markdown, HTML and CSV become claims with their lines; what cannot be read is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchledger.errors import UsageError
from benchledger.reproducing.claims import Claims, claims_of
from benchledger.reproducing.page import read_page

MARKDOWN = """\
# NGC PyTorch Bert Base

```bash
# fp16
| 1 | 2 |
```

## Results

> 单位： sequences/sec

|卡数 | FP32(BS=32) | AMP(BS=64) |
|:-----:|:-----:|:-----:
|1 | 127.09 | - |
|8<sup>[W/O AccGrad]</sup> | **1,018.40** | OOM |
"""
HTML = """<h2>BERT throughput, samples/s</h2>
<table>
<tr><th rowspan="2">GPUs</th><th colspan="2">PyTorch</th></tr>
<tr><th>FP32</th><th>AMP</th></tr>
<tr><td>1</td><td>127.09</td><td>511.13</td></tr>
<tr><td>8</td><td>1018.40</td><td>4063.19</td></tr>
</table>
"""


def claims(tmp_path: Path, name: str, text: str) -> Claims:
    (tmp_path / name).write_text(text, encoding="utf-8")
    return claims_of(read_page(tmp_path / name))


def test_markdown_with_a_unit_above_the_table(tmp_path: Path) -> None:
    found = claims(tmp_path, "README.md", MARKDOWN)

    assert [(claim.line, claim.printed, claim.facts) for claim in found.claims] == [
        (14, "127.09", {
            "batch_size_per_gpu": 32, "framework": "pytorch", "gpus": 1, "model": "bert_base", "precision": "fp32",
        }),
        (15, "1018.40", {
            "batch_size_per_gpu": 32, "framework": "pytorch", "gpus": 8, "gradient_accumulation": 1, "model": "bert_base",
            "precision": "fp32",
        }),
    ]  # fmt: skip
    assert {claim.unit.unit for claim in found.claims} == {"samples/s"}


def test_html_with_two_rows_of_heads(tmp_path: Path) -> None:
    found = claims(tmp_path, "page.html", HTML)

    assert [(claim.line, claim.value, claim.facts["gpus"], claim.facts["precision"]) for claim in found.claims] == [
        (5, 127.09, 1, "fp32"), (5, 511.13, 1, "fp16"), (6, 1018.4, 8, "fp32"), (6, 4063.19, 8, "fp16"),
    ]  # fmt: skip
    assert {claim.facts["framework"] for claim in found.claims} == {"pytorch"}


def test_html_tables_in_markdown_have_the_lines_of_the_page(tmp_path: Path) -> None:
    found = claims(tmp_path, "README.md", "# BERT\n\n" + HTML)

    assert [claim.line for claim in found.claims] == [7, 7, 8, 8]


def test_csv_with_systems_below_each_other(tmp_path: Path) -> None:
    found = claims(tmp_path, "pytorch-throughput-fp16.csv", "system,bert_base_squad,ssd\n8xA100_SXM4,4208,3360\n")

    assert [(claim.value, claim.facts) for claim in found.claims] == [
        (4208, {
            "framework": "pytorch", "gpu_family": "A100", "gpus": 8, "mode": "fp16", "model": "bert_base",
            "precision": "fp16", "system": "8xA100_SXM4",
        }),
        (3360, {
            "framework": "pytorch", "gpu_family": "A100", "gpus": 8, "mode": "fp16", "model": "ssd", "precision": "fp16",
            "system": "8xA100_SXM4",
        }),
    ]  # fmt: skip


def test_the_first_heading_of_a_page_is_its_title_whatever_level_the_others_have(tmp_path: Path) -> None:
    text = "# TensorFlow ResNet50\n\n# Result\n\n| GPU数 | samples/s |\n|--|--|\n| 8 | 2458.74 |\n"

    (claim,) = claims(tmp_path, "README.md", text).claims
    assert claim.facts == {"framework": "tensorflow", "gpus": 8, "model": "resnet50"}


def test_a_batch_size_for_each_precision_of_the_columns(tmp_path: Path) -> None:
    text = (
        "| GPUs | Batch size / GPU (TF32 and FP16) | TF32 (images/s) | FP16 (images/s) | Throughput speedup (TF32 to FP16) |\n"
        "|--|--|--|--|--|\n| 8 | 128 and 256 | 7248 | 16621 | 2.29 |\n"
    )
    found = claims(tmp_path, "README.md", text)

    assert [(claim.value, claim.facts["batch_size_per_gpu"]) for claim in found.claims] == [(7248, 128), (16621, 256)]
    assert ["a quantity that is not compared" in said for _, said in found.unread] == [True]


def test_nodes_and_gpus_beside_speed_and_speedup(tmp_path: Path) -> None:
    text = "### batch size = 32\n\n| node_num | gpu_num | samples/s | speedup |\n|--|--|--|--|\n| 2 | 16 | 1136.44 | 8.94 |\n"
    found = claims(tmp_path, "README.md", text)

    assert [(claim.printed, claim.unit.quantity, claim.facts) for claim in found.claims] == [
        ("1136.44", "speed", {"batch_size_per_gpu": 32, "gpus": 16, "nodes": 2}),
        ("8.94", "speedup", {"batch_size_per_gpu": 32, "gpus": 16, "nodes": 2}),
    ]


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("| gpus | result |\n|--|--|\n| 1 | 12.5 |\n", 1, "no unit"),
        (
            "images/s\n\n| gpus | fp32 |\n|--|--|\n| 1 | about 12 |\n| 8 | 96.5 |\n",
            5,
            "'about 12' under 'fp32' is no number",
        ),
        ("BatchSize选用如下：\n\n| 参数 | A |\n|--|--|\n| FP32 | 32 |\n", 3, "states settings"),
        ("images/s\n\n<table><tr><td>1</td>\n", 3, "has no end"),
        (
            "images/s\n\n| gpus | fp32 |\n|--|--|\n| 1 | 12.5 / 13 |\n| 8 | 96.5 |\n",
            5,
            "'12.5 / 13' under 'fp32' is no number",
        ),
        (
            "images/s\n\n| gpus | fp32 | fp16 |\n|--|--|--|\n| 1 | 414.9 | 2 909.16 |\n",
            3,
            "'2 909.16' cannot be read as a number",
        ),
        (
            "images/s\n\n| gpus | fp32 |\n|--|--|\n| 1 | 1.234 |\n| 8 | 208,58 |\n",
            6,
            "'208,58' has a decimal comma",
        ),
        (f"{'[' * 30_000}\n", 1, "more than 20000 characters"),
        ("images/s\n\n| gpus | OneFlow/PyTorch |\n|--|--|\n| 1 | 1.18 |\n", 3, "a quantity that is not compared"),
        ("images/s\n\n| Config | gpu num in use |\n|--|--|\n| 1n8g | 8 |\n", 3, "a quantity that is not compared"),
        ("| gpus | accuracy |\n|--|--|\n| 1 | 75.9 |\n", 1, "a quantity that is not compared"),
    ],
)
def test_what_is_not_read_is_said_with_place_and_reason(tmp_path: Path, text: str, line: int, reason: str) -> None:
    found = claims(tmp_path, "README.md", text)

    assert [at for at, said in found.unread if reason in said] == [line]


def test_rows_may_name_quantities(tmp_path: Path) -> None:
    text = (
        "| | 1 GPU | 8 GPUs |\n|--|--|--|\n| throughput (images/s) | 938 | 7248 |\n| top-1 accuracy | 76.1 | 76.2 |\n"
    )
    found = claims(tmp_path, "README.md", text)

    assert [(claim.value, claim.facts, claim.unit.unit) for claim in found.claims] == [
        (938, {"gpus": 1}, "samples/s"), (7248, {"gpus": 8}, "samples/s"),
    ]  # fmt: skip
    assert [(line, "a quantity that is not compared" in said) for line, said in found.unread] == [(4, True), (4, True)]


def test_cells_over_several_rows_stand_in_each(tmp_path: Path) -> None:
    html = """<p>samples/s</p><table><tr><th>Precision</th><th>GPUs</th><th>BERT</th></tr>
    <tr><td rowspan="3">FP16</td><td>1</td><td>10.5</td></tr><tr><td>4</td><td>40.5</td></tr><tr><td>8</td><td>80.5</td></tr>
    <tr><td>FP32</td><td>1</td><td>3.5</td></tr></table>"""
    found = claims(tmp_path, "page.html", html)

    assert [(claim.facts["precision"], claim.facts["gpus"], claim.value) for claim in found.claims] == [
        ("fp16", 1, 10.5), ("fp16", 4, 40.5), ("fp16", 8, 80.5), ("fp32", 1, 3.5),
    ]  # fmt: skip


def test_a_page_that_is_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "page.md").write_bytes(b"\xff\xfe\x00")

    with pytest.raises(UsageError, match="is not UTF-8 text"):
        read_page(tmp_path / "page.md")


def test_decimal_commas_move_no_cell_of_a_csv_file(tmp_path: Path) -> None:
    quoteless = claims(tmp_path, "speed.csv", "gpus,images/s\n1,127.09\n8,208,58\n")
    semicolons = claims(tmp_path, "speed.csv", "gpus;images/s\n1;127.09\n8;1,234.5\n")

    assert [(claim.printed, claim.facts) for claim in quoteless.claims] == [("127.09", {"gpus": 1})]
    assert quoteless.unread == [(3, "the row has 3 cells, the head has 2")]
    assert [claim.value for claim in semicolons.claims] == [127.09, 1234.5]
