"""What a program's own words state of its run, where no single one of them tells."""

from __future__ import annotations

from pathlib import Path

import pytest

import benchledger
from benchledger.scanning.lines import LineReader
from benchledger.scanning.samples import load_formats
from benchledger.scanning.statements import SegmentCollector
from tests.ingestion.logs import ask, put


def stated(name: str, log: str) -> list[tuple[str, str]]:
    log_format = load_formats()[name]
    notes = SegmentCollector()
    for row in LineReader(log_format).read(log.encode()).rows:
        notes.add(row, log_format)
    notes.close()
    return [(said.name, said.value) for segment in notes.segments for said in segment.statements]


@pytest.mark.parametrize(
    ("types", "model"),
    [
        (["FCN", "HRNet_W18"], "hrnet_w18"),
        (["HRNet_W48", "FCN"], "hrnet_w48"),
        (["OCRNet", "HRNet_W48"], "ocrnet"),
        (["DeepLabV3P", "HRNet_W18"], "deeplabv3p"),
    ],
)
def test_a_backbone_is_the_model_below_the_plain_head_only(types: list[str], model: str) -> None:
    log = "model:\n" + "".join(f"  type: {name}\n" for name in types)

    assert [value for name, value in stated("paddle-seg", log) if name == "model"] == [model]


@pytest.mark.parametrize(
    ("settings", "precision"),
    [
        ("amp : False  fp16 : True", "fp16"),
        ("fp16 : False  amp : True", "fp16"),
        ("fp16 : False  amp : False", "fp32"),
        ("amp : True", "fp16"),
        ("amp : False", "fp32"),
    ],
)
def test_half_precision_goes_without_amp_and_contradicts_nothing(settings: str, precision: str) -> None:
    log = f"DLL 2022-12-09 09:51:09.972700 - PARAMETER data : /imagenet  {settings}\n"

    assert [value for name, value in stated("ngc-pytorch-convnets", log) if name == "precision"] == [precision]


def test_arguments_that_are_printed_as_a_namespace_are_those_of_the_run() -> None:
    log = "Namespace(amp=False, arch='resnet50', batch_size=256, fp16=True, last_bn_0_init=True, world_size=8)\n"

    assert sorted(stated("ngc-pytorch-convnets", log)) == [
        ("batch_size_per_gpu", "256"),
        ("gpus", "8"),
        ("model", "resnet50"),
        ("precision", "fp16"),
    ]


@pytest.mark.parametrize(
    ("gpus", "counted"),
    [
        ("[0]", ["1"]),
        ("[0, 1, 2]", ["3"]),
        ("[4, 5, 6]", ["3"]),
        ("[0, 0]", []),
        ("[]", []),
        ("[0, 1, ...]", []),
        ("auto", []),
    ],
)
def test_the_devices_of_a_list_are_counted(gpus: str, counted: list[str]) -> None:
    log = f"[1,0]<stdout>:DLL 2022-11-30 03:42:37.489087 - PARAMETER gpus : {gpus}  batch_size : 192\n"

    assert [value for name, value in stated("ngc-mxnet-rn50", log) if name == "gpus"] == counted


def test_constants_are_facts_of_any_run_and_less_trusted_than_what_a_line_states() -> None:
    log_format = load_formats()["paddle-det"]
    notes = SegmentCollector()
    notes.note_record("event", 7)
    notes.close(log_format)

    (said,) = notes.segments[0].statements
    assert (said.name, said.value, said.line) == ("task", "detection", 7)
    assert (said.value_logged, said.trust) == ("constant of format paddle-det", len(log_format.facts))


@pytest.mark.parametrize(("first", "speed"), [(64, None), (128, 1000.0)])
def test_a_batch_size_that_changes_while_training_makes_no_speed(
    tmp_path: Path, first: int, speed: float | None
) -> None:
    step = " iteration {:8d}/ 100 | consumed samples: 640 | elapsed time per iteration (ms): 128.0 | learning rate: 1E-04 |"
    step += " global batch size: {:5d} | lm loss: 5.0E+00 | loss scale: 1.0 | grad norm: 1.000 |\n"
    log = "using world size: 8, data-parallel-size: 8, tensor-model-parallel size: 1, pipeline-model-parallel size: 1\n"
    log += "  global_batch_size ............................... 128\n"
    log += "".join(step.format(number, first if number < 5 else 128) for number in range(1, 31))

    db = tmp_path / "bench.duckdb"
    benchledger.ingest(put(tmp_path / "logs" / "a.log", log), db=db)

    assert ask(db, "select value from run_speed where rule = 'megatron.samples'") == [(speed,)]
