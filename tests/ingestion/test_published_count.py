"""Every published value that its collector recomputed comes out at its printed digits: one table over all families. Needs the real logs.

A lost row fails, and so does a row that the default rule of its format no longer gives.
"""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest

from tests.ingestion.published import Numbers, Row, is_sure, manifest_rows, numbers_of, rule_of

# Family: how many of its rows are sure, and how many of them the format's default rule gives; None where it is no speed.
FAMILIES = {
    "benchmark.para": (84, None),
    "dllogger-text(ncf)": (8, 8),
    "dllogger-text(ngc-pytorch-convnets)": (44, 9),
    "dllogger-text(ngc-tf-convnets)": (20, 13),
    "dllogger-text(tacotron2)": (40, 40),
    "dllogger-text-tqdm(ngc-pytorch-bert)": (82, 82),
    "dlperf-result-json": (1, None),
    "gluon-nlp-bert-finetune": (4, None),
    "hf-trainer-json": (2, None),
    "hf-trainer-stdout": (2, 0),
    "megatron": (3, 0),
    "mlperf-mllog": (50, None),
    "mxnet-ngc-dll-mpi": (13, 8),
    "ngc-gnmt-text": (20, 20),
    "ngc-ssd-text": (20, 20),
    "ngc-transformer(fairseq)": (5, 3),
    "ngc-transformerxl-text": (20, 20),
    "paddle-ips(bert)": (17, 7),
    "paddle-ips(clas)": (10, 8),
    "paddle-ips(transformer)": (6, 3),
    "tf-ngc-bert": (28, 15),
    "tf2-keras-timehistory": (15, None),
}
# Published by cutting the last digits off instead of rounding; docs/rules.md and docs/published-values.md name them.
CUT = {"1542.296", "5055.56", "543.76", "4208.12", "995.88", "908.244", "44544", "88.58", "81.26"}
# The collector found no published cell for these: they stand in the table of the same commit, with a note beside them.
OVERLOOKED = {
    "PaddlePaddle+Perf@9e39535f/ResNet50V1.5/OtherReports/TensorFlow/logs/tf_gpu1_fp32_bs128.txt": "410.55",
    "PaddlePaddle+Perf@9e39535f/ResNet50V1.5/OtherReports/TensorFlow/logs/tf_gpu1_amp_bs128.txt": "1194.14",
    "PaddlePaddle+Perf@9e39535f/ResNet50V1.5/OtherReports/TensorFlow/logs/tf_gpu8_amp_bs254.txt": "9525.40",
    "PaddlePaddle+Perf@88e03412/ResNet50V1.5/OtherReports/PyTorch/logs/pytorch_gpu8_amp_bs244.txt": "5687.99",
    "PaddlePaddle+Perf@88e03412/ResNet50V1.5/OtherReports/TensorFlow/logs/tf_gpu8_amp_bs254.txt": "9229.42",
}
# The logs of which the result JSON tells.
LOGS_OF_RESULT = "Oneflow-Inc+DLPerf@e36df2ea/Tensorflow/resnet50v1.5/logs/tensorflow/resnet50"
CASES_WITH_LOGS = ("1n1g", "1n8g", "4n8g")


@pytest.fixture(scope="module")
def rows(shared: Path) -> list[Row]:
    return manifest_rows(shared)


@pytest.fixture(scope="module")
def numbers(corpus_ledger: Path, rows: list[Row]) -> Numbers:
    return numbers_of(corpus_ledger, rows)


def printed_digits(number: str) -> int:
    return len(number.partition(".")[2])


def rounds_to(value: float, number: str, digits: int) -> bool:
    """Rounded half away from zero, as tables are."""
    return abs(value - float(number)) <= 0.5 * 10**-digits * (1 + 1e-9)


def is_cut_to(value: float, number: str) -> bool:
    digits = printed_digits(number)
    return math.trunc(value * 10**digits) == round(float(number) * 10**digits)


def claims_of(row: Row) -> list[tuple[str, str, int]]:
    """What the row's owner says: rule or name of a value, the number as printed, and how many of its digits count."""
    family, printed = row["format_family"], row["published_value"]
    if family == "benchmark.para":
        return [("global_batch_size", printed, 0)]
    if family == "tf2-keras-timehistory":
        readme, json_median = re.findall(r"median ([\d.]+)", printed)
        return [("cell dlperf.tf2_rn50", readme, 2), ("cell dlperf.tf2_rn50_time", json_median, 2)]
    if family == "hf-trainer-json":
        found = re.findall(r"[\d.]+", printed)
        steps = range(5000 - 500 * len(found) + 1000, 5001, 1000)
        return [
            (f"{name} {step}", number, 4)
            for step, pair in zip(steps, zip(found[::2], found[1::2], strict=True), strict=True)
            for name, number in zip(("eval_loss", "eval_wer"), pair, strict=True)
        ]
    if family == "gluon-nlp-bert-finetune":
        # Of MNLI two accuracies are published: on its own genres, and on others.
        first, second = {"squad1.1": ("f1", "exact_match"), "MNLI": ("accuracy", "accuracy")}.get(
            row["path"].split("_")[1], ("accuracy", "f1")
        )
        return [(second if place else first, number, 2) for place, number in enumerate(re.findall(r"[\d.]+", printed))]
    rule = rule_of(row)
    if family == "mlperf-mllog":
        return [(f"cell {rule}", printed, 9)]
    # Lambda publishes whole numbers, of the folder's trials.
    if rule.startswith("lambda."):
        return [(f"cell {rule}", printed, 0)]
    return [(rule, number, printed_digits(number)) for number in printed.split("; ")]


def comes_out(values: list[float], number: str, digits: int) -> bool:
    return any(rounds_to(value, number, digits) or (number in CUT and is_cut_to(value, number)) for value in values)


def is_failed(row: Row, found: dict[str, list[float]]) -> bool:
    """Lambda publishes a folder without a speed as 0. Here such a run has failed, and has none."""
    return (
        row["path"].startswith("lambdal+")
        and float(row["published_value"].split("; ")[0]) == 0
        and not any(found.values())
    )


def is_reached(row: Row, numbers: Numbers) -> bool:
    found = numbers[row["path"]]
    if row["format_family"] == "dlperf-result-json":
        claimed = [found[f"rn50.{case}.median_speed"] for case in CASES_WITH_LOGS]
        logs = [f"{LOGS_OF_RESULT}/{case}/rn50_b128_fp32_1.log" for case in CASES_WITH_LOGS]
        return all(claimed) and claimed == [numbers[log]["cell dlperf.tf2_rn50_time"] for log in logs]
    return is_failed(row, found) or all(
        comes_out([scale_of(row) * value for value in found[name]], number, digits)
        for name, number, digits in claims_of(row)
    )


def scale_of(row: Row) -> int:
    """100 where a metric below 1 is published in per cent."""
    return 100 if row["format_family"] == "gluon-nlp-bert-finetune" and "squad" not in row["path"] else 1


def is_default(row: Row, numbers: Numbers) -> bool:
    """Whether the format's default rule gives it: of what Lambda cuts and averages, the number of this one file."""
    found = numbers[row["path"]]
    of_the_file = re.match(r"yes: this file ([\d.]+)", row["verified"])
    printed = of_the_file[1] if of_the_file else row["published_value"]
    return is_failed(row, found) or all(
        comes_out(found["default"], number, printed_digits(number)) for number in printed.split("; ")
    )


@pytest.mark.parametrize("family", FAMILIES)
def test_every_yes_row_comes_out_at_its_printed_digits(numbers: Numbers, rows: list[Row], family: str) -> None:
    sure = [row for row in rows if row["format_family"] == family and is_sure(row)]
    wrong = [(row["path"], row["published_value"]) for row in sure if not is_reached(row, numbers)]
    count, by_default = FAMILIES[family]

    assert wrong == []
    assert len(sure) == count
    assert by_default is None or sum(is_default(row, numbers) for row in sure) == by_default


def test_no_family_with_a_yes_row_is_missing_and_all_of_them_are_494(rows: list[Row]) -> None:
    assert {row["format_family"] for row in rows if is_sure(row)} == FAMILIES.keys()
    assert sum(count for count, _ in FAMILIES.values()) == 494


@pytest.mark.parametrize(("path", "printed"), OVERLOOKED.items())
def test_a_log_whose_published_cell_was_overlooked_states_it(numbers: Numbers, path: str, printed: str) -> None:
    assert comes_out(numbers[path]["default"], printed, printed_digits(printed))
