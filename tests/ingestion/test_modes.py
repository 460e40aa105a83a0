"""A mode that a program states is the phase of its speeds in each spelling; one in unknown words is none, and never a training."""

from __future__ import annotations

import io
import itertools
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchledger import ingest, leaderboard, query, report_speed, report_speedup
from benchledger.definitions.format_file import read_formats
from benchledger.definitions.vocabulary import vocabulary
from benchledger.scanning.columns import RecordColumns
from benchledger.scanning.log_reader import LogReader
from tests.ingestion.logs import ask, put
from tests.scanning.reading import SCANNERS

# What the programs of these formats print of their mode, and then of their speed.
SPEEDS = {
    "tf-cnn-benchmarks": (
        "Model:       resnet50\nMode:        {}\nBatch size:  64 global\nDevices:     ['/gpu:0']\n",
        "10\timages/sec: 31.2 +/- 1.2 (jitter = 3.1)\t7.812\ntotal images/sec: 31.50\n",
    ),
    "ngc-tf-convnets": (
        "DLL 2022-12-12 06:16:37.818306 - PARAMETER arch : resnet50  mode : {}  batch_size : 256  num_iter : 500  iter_unit : batch \n",
        "DLL 2022-12-12 06:17:05.754763 - (0, 200) total_ips : 3392.5 \nDLL 2022-12-12 06:18:37.618463 - () train_throughput : 3421.5 images/s\n",
    ),
    "ngc-ssd": (
        "DLL 2022-11-19 22:20:01.022656 - PARAMETER dataset path : /data  batch size : 448  mode : {}  backbone : resnet50  AMP : True \n",
        ("DLL 2022-11-19 22:25:54.309023 - () avg_img/sec : 33.5 images/s med_img/sec : 33.25 images/s min_img/sec : 27.5 images/s "
        "max_img/sec : 34.5 images/s\nDone benchmarking. Total images: 7168\ttotal time: 213.465\tAverage images/sec: 33.500\t"
        "Median images/sec: 33.250\nDLL 2022-11-19 22:25:54.310694 - () total time : 334.25 \n"),
    ),
    "ngc-ncf": (
        ("DLL 2022-11-19 23:38:12.446377 - PARAMETER data : /data  mode : {}  batch_size : 800  negative_samples : 4  topk : 10  "
        "grads_accumulated : 1  world_size : 8  local_rank : 0 \n"),
        "DLL 2022-11-19 23:38:23.543693 - () best_train_throughput : 27562.5 samples/s time_to_target : 6.45 s\n",
    ),
    "ngc-ncf by NVLOG": (
        ':::NVLOGv0.1.0 ncf 1604528388.927026510 (ncf.py:174) args: {{"batch_size": 320, "negative_samples": 4, "mode": "{}"}}\n',
        ":::NVLOGv0.1.0 ncf 1604528401.033927679 (ncf.py:356) best_train_throughput: 19003.5\n",
    ),
    "ngc-mxnet-rn50": (
        ("INFO: Start with arguments Namespace(amp=False, arch='resnetv15', batch_size=192, fuse_bn_relu=1, gpus=[0], "
        "kv_store='horovod', mode='{}', num_layers=50)\n"),
        "INFO: Epoch[0] Batch [220-239]\tSpeed: 929.5 samples/sec\tLR: 0\t\n",
    ),
    "ngc-mxnet-rn50 by DLLogger": (
        ("DLL 2022-06-07 09:13:35.206620 - PARAMETER arch : resnetv15  num_layers : 50  mode : {}  fuse_bn_relu : 0  gpus : [0]  "
        "kv_store : horovod  batch_size : 512 \n"),
        ("DLL 2022-06-07 09:13:56.594374 - Epoch: 0 Iteration: 19  train.loss : 7.09  train.ips : 249.5  train.lr : 0.007 \n"
        "DLL 2022-06-07 09:14:23.251841 - Epoch: 0  train.loss : 6.40  train.ips : 256.5 \n"),
    ),
}  # fmt: skip
# The modes of their sources, and of those that were made from them.
MODES = {
    "train": ["training", "train", "benchmark training", "training benchmark", "train and evaluate", "train val"],
    "validation": ["evaluation", "eval", "val"],
    "inference": ["forward only", "inference", "inference benchmark", "benchmark inference", "predict", "pred", "test"],
}


@pytest.fixture(scope="module")
def readers() -> list[LogReader]:
    formats = read_formats()
    return [LogReader(formats, native=native) for native in SCANNERS]


def phases(reader: LogReader, program: str, mode: str) -> set[str | None]:
    """The phases of the speeds that follow a mode, which follows a training."""
    setting, speeds = SPEEDS[program]
    columns = RecordColumns()
    log = (setting.format("train") + setting.format(mode) + speeds).encode()
    read = reader.read(io.BytesIO(log), columns, lambda _: False)
    assert (read.format, read.scanned.rejects) == (program.split()[0], [])
    shapes = columns.to_arrow([1])["shape_id"].to_pylist()
    values = [value for shape in shapes for value in columns.layouts()[shape].values]
    return {value.phase for value in values if value.unit == "samples/s"}


def letters(mode: str) -> str:
    return "".join(letter for letter in mode.lower() if letter.isalnum())


ALL_KNOWN = {letters(mode) for modes in vocabulary().phases.values() for mode in modes}


@st.composite
def spelt(draw: st.DrawFn, mode: str) -> str:
    words = mode.split()
    text = words[0] + "".join(draw(st.sampled_from(" -_")) + word for word in words[1:])
    return "".join(draw(st.sampled_from((letter.lower(), letter.upper()))) for letter in text)


PROGRAM = st.sampled_from(sorted(SPEEDS))
KNOWN = st.sampled_from([(mode, phase) for phase, modes in MODES.items() for mode in modes])
WORDS = st.from_regex(r"[A-Za-z]{2,9}([-_ ][A-Za-z]{2,9}){0,2}", fullmatch=True)


@settings(deadline=None, max_examples=60)
@given(PROGRAM, KNOWN.flatmap(lambda known: st.tuples(spelt(known[0]), st.just(known[1]))))
def test_a_mode_is_its_phase_in_each_spelling(readers: list[LogReader], program: str, known: tuple[str, str]) -> None:
    mode, phase = known

    assert [phases(reader, program, mode) for reader in readers] == [{phase}] * len(readers)


@settings(deadline=None, max_examples=60)
@given(PROGRAM, WORDS.filter(lambda mode: letters(mode) not in {*ALL_KNOWN, "none", "null"}))
def test_a_mode_in_unknown_words_is_no_phase(readers: list[LogReader], program: str, mode: str) -> None:
    assert [phases(reader, program, mode) for reader in readers] == [{None}] * len(readers)


@pytest.mark.parametrize("program", SPEEDS)
@pytest.mark.parametrize("mode", ["not training", "training2", "trainingTrue", "1", "Training.Not", "train_eval_test"])
def test_a_mode_that_begins_or_ends_like_a_training_is_none(readers: list[LogReader], program: str, mode: str) -> None:
    assert [phases(reader, program, mode) for reader in readers] == [{None}] * len(readers)


def test_only_trainings_have_a_speed_and_all_that_was_printed_is_kept(tmp_path: Path) -> None:
    modes = {"a": "training", "b": "forward only", "c": "warp speed"}
    for (program, (setting, speeds)), (name, mode) in itertools.product(SPEEDS.items(), modes.items()):
        put(tmp_path / "logs" / program / f"{name}.log", setting.format(mode) + speeds)
    db = tmp_path / "bench.duckdb"
    ingest(tmp_path / "logs", db=db)

    fast = "select distinct run_id from run_speed where phase = 'train' and value is not null"
    of_file = "select path, run_id from sighting join run_log using (log_id)"
    shown = ask(db, f"select distinct parse_filename(path) from ({of_file}) join ({fast}) using (run_id)")
    counted = ask(db, "select count(*) from speed_table, unnest(trial_runs)")
    kept = ask(
        db, f"select count(distinct path) from ({of_file}) join measurement using (run_id) where unit = 'samples/s'"
    )

    assert shown == [("a.log",)]
    assert sorted(query("unknown-modes", db=db)["mode"].to_list()) == [modes["c"]] * len(SPEEDS)
    for report in (report_speed, report_speedup, leaderboard):
        assert (
            f"{len(SPEEDS)} runs are of a mode that no format knows, and in no table: bench query unknown-modes"
            in report(db=db).notes
        )
    assert counted == ask(
        db, f"select count(*) from speed_table, unnest(trial_runs) as t(run_id) join ({fast}) using (run_id)"
    )
    assert kept == [(len(SPEEDS) * len(modes),)]
