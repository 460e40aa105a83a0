"""Logs whose lines name their values are read if no other format claims them; everything else stays unrecognised."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from benchledger.scanning.log_reader import LogReader
from benchledger.scanning.samples import load_formats
from tests.scanning.found import FoundLog, find


@pytest.fixture(scope="module")
def reader() -> LogReader:
    return LogReader(load_formats())


def lines(*objects: dict[str, Any]) -> str:
    return "".join(json.dumps(one) + "\n" for one in objects)


def stated(found: FoundLog) -> list[tuple[Any, ...]]:
    return [(row["record"], row["epoch"], row["step"], row["stated"]) for row in found.rows]


MMCV = lines(
    {"env_info": "PyTorch: 1.7.1\nGPU 0: V100", "config": "model = dict(type='X')\n", "seed": None, "exp_name": "x.py"},
    {"mode": "train", "epoch": 1, "iter": 50, "lr": 0.01, "memory": 5000, "loss": 2.5, "time": 0.25},
    {"mode": "train", "epoch": 1, "iter": 100, "lr": 0.01, "memory": 5000, "loss": 2.25, "time": 0.5},
    {"mode": "val", "epoch": 1, "iter": 20, "lr": 0.01, "mIoU": 0.5, "IoU.wall": 0.75},
    {"mode": "train", "epoch": 2, "iter": 50, "lr": 0.01, "memory": 5000, "loss": 2.0, "time": 0.25},
    {"mode": "train", "epoch": 2, "iter": 100, "lr": 0.01, "memory": 5000, "loss": 1.5, "time": 0.25},
)


def test_mmcv_s_json_is_read_with_its_settings_and_its_evaluation(reader: LogReader) -> None:
    found = find(MMCV, reader)

    assert found.log.format == "generic-json-lines"
    assert [row["record"] for row in found.rows] == [
        "settings",
        *["step_from_epoch_1"] * 2,
        "summary",
        *["step_from_epoch_1"] * 2,
    ]
    assert found.rows[0]["stated"]["env_info"] == "PyTorch: 1.7.1\nGPU 0: V100"
    assert [(row["epoch"], row["step"]) for row in found.rows[1:]] == [(1, 50), (1, 100), (1, 20), (2, 50), (2, 100)]
    assert found.rows[3]["stated"] == {"mode": "val", "lr": 0.01, "mIoU": 0.5, "IoU.wall": 0.75}
    assert found.rows[3]["quantities"] == {"mode": None, "lr": "learning_rate", "mIoU": "accuracy", "IoU.wall": None}
    # Nothing says that `time` is seconds of an iteration.
    assert (found.rows[1]["units"]["time"], found.rows[1]["quantities"]["time"]) == (None, None)


def test_steps_that_begin_anew_in_an_epoch_of_unknown_number_are_no_steps_of_the_run(reader: LogReader) -> None:
    found = find(lines(*({"epoch": 7 + at // 2, "iter": at % 2, "loss": 1.5} for at in range(6))), reader)

    assert stated(found)[:2] == [
        ("step", 7, None, {"iter": 0, "loss": 1.5}),
        ("step", 7, None, {"iter": 1, "loss": 1.5}),
    ]


def test_phases_stand_in_the_names_of_values(reader: LogReader) -> None:
    deit = {"train_lr": 1e-06, "train_loss": 6.5, "test_loss": 6.25, "test_acc1": 0.5, "n_parameters": 5}
    found = find(lines(*({**deit, "epoch": at} for at in range(3)), {"eval_loss": 2.5, "epoch": 2}), reader)
    phases = {value["name"]: value["phase"] for value in found.shapes}

    assert stated(found)[0] == ("step", 0, None, deit)
    assert stated(found)[-1] == ("summary", 2, None, {"eval_loss": 2.5})
    assert (phases["train_loss"], phases["test_acc1"], phases["eval_loss"]) == ("train", "inference", "validation")


def test_the_class_of_an_evaluation_is_no_phase_and_no_quantity(reader: LogReader) -> None:
    classes = {"mode": "val", "epoch": 2, "iter": 20, "mIoU": 0.5, "Acc.step": 0.5, "IoU.train": 0.25}
    found = find(MMCV + lines(classes), reader)
    means = {value["name"]: (value["quantity"], value["phase"]) for value in found.shapes}

    assert (means["mIoU"], means["Acc.step"]) == (("accuracy", "validation"), (None, "validation"))
    assert means["IoU.train"] == (None, "validation")


@pytest.mark.parametrize("name", ["val_loss", "val/loss", "loss/val", "Val Loss", "val.loss", "loss_val"])
def test_a_phase_stands_before_or_behind_a_name(name: str, reader: LogReader) -> None:
    found = find(lines(*({"step": at, "loss": 1.5, name: 2.5} for at in range(3))), reader)

    assert [(one["quantity"], one["phase"]) for one in found.shapes if one["name"] == name] == [("loss", "validation")]


def test_json_lines_may_lack_keys_and_nest_them(reader: LogReader) -> None:
    text = lines(
        {"iteration": 19, "total_loss": 2.5, "rpn": {"loss": 0.5, "counts": [1, 2]}, "eta_seconds": 7.5},
        {"iteration": 39, "total_loss": math.nan, "lr": None},
        {"iteration": 59, "total_loss": "1.5", "done": True},
    )
    found = find(text + '{"iteration": 79, "total_loss": 1.\n', reader)

    assert stated(found)[0] == (
        "step",
        None,
        19,
        {"total_loss": 2.5, "rpn.loss": 0.5, "rpn.counts": "[1, 2]", "eta_seconds": 7.5},
    )
    assert found.rows[0]["units"]["eta_seconds"] == "s"
    assert math.isnan(found.rows[1]["stated"]["total_loss"])
    assert found.rows[1]["stated"]["lr"] is None
    assert found.rows[2]["stated"] == {"total_loss": 1.5, "done": "True"}
    assert found.rejects == ["bad json"]


def test_a_key_that_occurs_twice_is_a_reject(reader: LogReader) -> None:
    text = lines(*({"step": at, "loss": 1.5} for at in range(4))) + '{"step": 5, "loss": 1.5, "loss": 2.5}\n'

    assert find(text, reader).rejects == ["bad json"]


def test_dicts_of_python_are_read_without_running_them(reader: LogReader) -> None:
    text = (
        "{'loss': 2.5, 'learning_rate': 5e-05, 'epoch': 0.01, 'stats': {'norm': -inf}}\n"
        "{'loss': nan, 'learning_rate': '4e-05', 'epoch': 0.02, 'at': tensor(0.5), 'path': 'a\\d'}\n"
        "loss: 2.5\n"
        "a word\n"
        "{'loss': 1.5, 'epoch': 0.03, 'shape': (1, 2), 'x': __import__('os').getcwd()}\n"
        "{'loss': 1.25, 'epoch': 0.04, 3: 5}\n"
    )
    found = find(text, reader)

    assert found.log.format == "generic-dict-lines"
    assert found.rows[0]["stated"] == {"loss": 2.5, "learning_rate": 5e-05, "epoch": 0.01, "stats.norm": -math.inf}
    assert math.isnan(found.rows[1]["stated"]["loss"])
    assert found.rows[1]["stated"]["learning_rate"] == 4e-05
    assert (found.rows[1]["stated"]["at"], found.rows[1]["stated"]["path"]) == ("tensor(0.5)", "a\\d")
    assert (found.rows[2]["stated"]["shape"], found.rows[2]["stated"]["x"]) == ("[1, 2]", "__import__('os').getcwd()")
    assert (found.rejects, found.log.scanned.unread.lines) == (["bad dict"], 1)


def test_keras_csv_is_read_by_its_header(reader: LogReader) -> None:
    text = "epoch,accuracy,loss,val_accuracy,val_loss\n0,0.5,2.5,0.25,2.75\n1,0.75,nan,0.5,2.5\n"
    found = find(f"{text}epoch,accuracy,loss,val_accuracy,val_loss\n2,0.75,1.5,0.5,2.25\n3,0.75\n", reader)

    assert found.log.format == "generic-csv"
    assert [(row["line"], row["epoch"]) for row in found.rows] == [(2, 0), (3, 1), (5, 2)]
    assert found.rows[0]["stated"] == {"accuracy": 0.5, "loss": 2.5, "val_accuracy": 0.25, "val_loss": 2.75}
    assert math.isnan(found.rows[1]["stated"]["loss"])
    assert found.rejects == ["cut row"]


def test_steps_of_a_csv_may_have_thousands_separators(reader: LogReader) -> None:
    found = find(
        "step,loss\n0,3.5\n" + "".join(f'"{step},000",2.5\n' for step in range(1, 5)) + '"5,000.5",2.5\n', reader
    )

    assert [row["step"] for row in found.rows] == [0, 1000, 2000, 3000, 4000, None]


def test_lightning_s_csv_has_rows_of_training_and_of_evaluation(reader: LogReader) -> None:
    text = "epoch,step,train_loss_step,val_loss,train_loss_epoch\n" + "".join(
        f"{epoch},{49 + 50 * epoch},2.5,,\n{epoch},{49 + 50 * epoch},,2.25,\n{epoch},{49 + 50 * epoch},,,2.0\n"
        for epoch in range(3)
    )
    found = find(text, reader)

    assert stated(found)[:3] == [
        ("step", 0, 49, {"train_loss_step": 2.5}),
        ("summary", 0, 49, {"val_loss": 2.25}),
        ("step", 0, 49, {"train_loss_epoch": 2.0}),
    ]


def test_a_unit_is_known_only_if_the_name_says_it(reader: LogReader) -> None:
    names = {
        "step_time_ms": 500,
        "wait (s)": 2,
        "mem_gib": 2,
        "mem_gb": 2,
        "rows_per_s": 2,
        "samples_per_sec": 2,
        "bias": 2,
    }
    found = find(lines(*({"step": at, "loss": 2.5, **names} for at in range(3))), reader)

    assert found.rows[0]["stated"] == {"loss": 2.5, **names, "step_time_ms": 0.5, "mem_gib": 2048}
    assert {name: unit for name, unit in found.rows[0]["units"].items() if unit} == {
        "step_time_ms": "s", "wait (s)": "s", "mem_gib": "MiB", "samples_per_sec": "samples/s",
    }  # fmt: skip
    assert found.rows[0]["quantities"]["step_time_ms"] == "step_time"


def test_a_specific_format_wins(reader: LogReader) -> None:
    text = (
        "node,device,batch_size,deep_vocab_size,iter,latency/ms,loss\n"
        + "1,1,32,16,2,17.25,0.5\n1,1,32,16,3,17.25,0.5\n" * 2
    )

    assert find(text, reader).log.format == "oneflow-wdl-csv"


def test_an_excerpt_may_be_two_lines_long_and_begin_within_a_line(reader: LogReader) -> None:
    found = find('5, "loss": 1.5}\n' + lines({"step": 1, "loss": 1.5}, {"step": 2, "loss": 1.25}), reader)

    assert [row["stated"] for row in found.rows] == [{"loss": 1.5}, {"loss": 1.25}]


OTHERS = {
    "configurations": lines(*({"lr": 10**-at, "epochs": 3, "loss": "mse"} for at in range(5))),
    "steps of a schedule": lines(*({"step": [8, 11], "lr": 0.5, "loss": 1.5} for _ in range(5))),
    "a data set": "step,label,text\n" + "".join(f"{at},{at % 2},a word {at}\n" for at in range(9)),
    "a data set with losses": lines(*({"step": at, "loss": 1.5, "prompt": f"say {at}"} for at in range(9))),
    "predictions": lines(*({"epoch": 3, "id": at, "loss": 1.5} for at in range(9))),
    "telemetry": "timestamp,index,step,utilization\n" + "".join(f"17{at},0,{at},97\n" for at in range(9)),
    "packets": "epoch,loss,latency\n" + "".join(f"{1_700_000_000 + at},0.5,12\n" for at in range(9)),
    "times": "iteration,time\n" + "".join(f"{at},0.5\n" for at in range(9)),
    "a table of results": "model,epoch,loss\n" + "".join(f"{name},3,1.5\n" for name in ("bert", "vgg", "gpt", "vit")),
    "a sweep": "epoch,lr,loss\n" + "".join(f"{at},0.5,1.5\n" for at in (90, 30, 60, 10, 50, 20)),
    "accuracies": "epoch,top1\n" + "".join(f"{at},0.5\n" for at in range(9)),
    "one line": lines({"step": 1, "loss": 1.5}),
    "two rows": "step,loss\n1,1.5\n2,1.5\n",
    "no header": "1,0.5,2\n2,0.5,2\n3,0.5,2\n4,0.5,2\n",
    "a header with a name twice": "step,loss,loss\n1,2,3\n2,2,3\n3,2,3\n4,2,3\n",
    "one object among text": "a word\n" * 9 + lines(*({"step": at, "loss": 1.5} for at in range(4))),
    "quoted within text": lines(*({"step": at, "loss": 1.5} for at in range(4))) + "a word\n" * 9,
}


@pytest.mark.parametrize("kind", OTHERS)
def test_what_is_no_log_of_training_is_of_no_format(kind: str, reader: LogReader) -> None:
    found = find(OTHERS[kind], reader)

    assert (found.log.format, found.rows) == (None, []), found.log.evidence


HOSTILE = [
    "{" * 9_000, '{"a":' * 9_000, "{'a':" * 9_000, "{'a': " + "9" * 9_000 + "}", '{"a": "\\ud800"}', "{'a': '\0'}",
    '{"a' + "._ " * 9_000 + '": 5}', '{"' + "a_" * 9_000 + '!": 5}',
]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_lines_are_rejects_or_values(text: str, reader: LogReader) -> None:
    good = "{'step': %d, 'loss': 1.5}\n" if "'" in text else '{"step": %d, "loss": 1.5}\n'
    found = find("".join(good % at for at in range(9)) + text + "\n", reader)

    assert len(found.rows) + len(found.rejects) == 10


def repeated(name: str, *words: str) -> str:
    rows = ({name: word, "step": at, "loss": 2.5, "samples_per_second": 100 + at} for at in range(5) for word in words)
    return lines(*rows)


@pytest.mark.parametrize("name", ["split", "type", "stage", "dataset"])
def test_a_value_that_is_train_or_val_states_the_phase_whatever_its_name(name: str, reader: LogReader) -> None:
    found = find(repeated(name, "train", "val", "test"), reader)

    assert [row["record"] for row in found.rows[:3]] == ["step", "summary", "summary"]
    phases = [one["phase"] for one in found.shapes if one["name"] == "samples_per_second"]
    assert sorted(phases) == ["inference", "train", "validation"]


@pytest.mark.parametrize("words", [("train", "warm"), ("val", "test"), ("fit",)])
def test_words_that_are_no_phases_or_never_training_state_none(words: tuple[str, ...], reader: LogReader) -> None:
    found = find(repeated("stage", *words), reader)

    assert {row["record"] for row in found.rows} == {"step"}


def test_a_speed_beside_the_loss_of_an_evaluation_is_not_of_training(reader: LogReader) -> None:
    both = ({"step": at, f"{phase}_loss": 2.5, "images_per_sec": 7} for at in range(5) for phase in ("train", "val"))
    mixed = ({"step": at, "loss": 2.5, "val_loss": 2.5, "images_per_sec": 7} for at in range(5))

    assert [row["record"] for row in find(lines(*both), reader).rows[:2]] == ["step", "summary"]
    assert [row["record"] for row in find(lines(*mixed), reader).rows[:2]] == ["step", "step"]


def test_the_networks_of_a_gan_have_a_loss_and_a_speed_each(reader: LogReader) -> None:
    found = find(repeated("net", "G", "D"), reader)
    means = {value["name"]: (value["quantity"], value["unit"]) for value in found.shapes}

    assert stated(found)[0] == ("step", None, 0, {"net": "G", "G: loss": 2.5, "G: samples_per_second": 100})
    assert means["D: loss"][0] == "loss"
    assert means["D: samples_per_second"] == ("throughput", "samples/s")


def test_other_words_in_the_lines_of_one_step_name_no_network(reader: LogReader) -> None:
    found = find(repeated("run", "a", "b"), reader)

    assert stated(found)[0] == ("step", None, 0, {"run": "a", "loss": 2.5, "samples_per_second": 100})
