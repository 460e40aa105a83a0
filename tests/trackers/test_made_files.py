"""Files of trackers, whole and damaged: what is whole is read, the rest is told, and nothing is invented."""

from __future__ import annotations

import math
import random
import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from benchledger.scanning.columns import RecordColumns
from benchledger.scanning.log_reader import LogReader, ReadLog
from benchledger.scanning.samples import known_formats
from benchledger.scanning.trackers import frames
from benchledger.scanning.trackers.frames import crc32c
from benchledger.scanning.trackers.named_files import name_within
from benchledger.scanning.trackers.yaml_files import yaml_pairs
from tests.trackers.made import (
    event,
    event_file,
    part,
    scalar,
    scalars,
    tf_record,
    wandb_file,
    wandb_history,
    wandb_logs,
    wandb_run,
)

LOSSES = [8.0 / (step + 1) for step in range(200)]
RUN = "0123456789abcdef0123456789abcdef"


@pytest.fixture(scope="module")
def reader() -> LogReader:
    return LogReader(known_formats())


Found = tuple[ReadLog, list[tuple[int, str, float]]]


def read(reader: LogReader, content: bytes, name: str = "") -> Found:
    """The log, and step, name and value of each of its numbers."""
    columns = RecordColumns()
    log = reader.read_content(content, columns, lambda _: False, name=name)
    layouts = columns.layouts()
    rows = columns.to_arrow([log.log_id]).to_pylist()
    values = [
        (row["step"], named.name, value)
        for row in rows
        for named, value in zip(layouts[row["shape_id"]].values, row["values"], strict=True)
        if value is not None
    ]
    return log, values


def test_crc32c_is_that_of_its_standard() -> None:
    # RFC 3720, B.4.
    assert crc32c(bytes(32)) == 0x8A9136AA
    assert crc32c(bytes(range(32))) == 0x46DD794E


def test_each_scalar_of_an_event_file_is_a_value(reader: LogReader) -> None:
    log, values = read(reader, scalars({"train/loss": LOSSES, "lr": [0.5] * 200}))

    assert log.format == "tensorboard"
    assert [v for v in values if v[1] == "lr"] == [(step, "lr", 0.5) for step in range(200)]
    floats = [struct.unpack("<f", struct.pack("<f", loss))[0] for loss in LOSSES]
    assert [v for v in values if v[1] == "train/loss"] == [(s, "train/loss", loss) for s, loss in enumerate(floats)]
    assert log.scanned.pieces == 401
    assert not log.scanned.rejects


def test_a_tensor_of_one_value_is_a_scalar(reader: LogReader) -> None:
    def tensor(kind: int, *fields: bytes) -> bytes:
        return part(1, part(1, f"t{kind}") + part(8, part(1, kind) + b"".join(fields)))

    summary = tensor(1, part(5, struct.pack("<f", 0.5))) + tensor(2, part(4, struct.pack("<d", 0.1)))
    summary += tensor(9, part(10, -3)) + tensor(3, part(7, b"\x05"))
    _, values = read(reader, event_file(event(summary, 7)))

    assert values == [(7, "t1", 0.5), (7, "t2", 0.1), (7, "t9", -3.0), (7, "t3", 5.0)]


@pytest.mark.parametrize(
    ("whole", "cut"),
    [
        (scalars({"loss": LOSSES[:20]}), 30),
        (wandb_logs("a1", {"loss": LOSSES[:20]}), 30),
    ],
)
def test_a_file_that_is_cut_anywhere_keeps_what_is_whole(reader: LogReader, whole: bytes, cut: int) -> None:
    _, all_values = read(reader, whole)
    for end in range(cut + 40, len(whole), 7):
        log, values = read(reader, whole[:end])
        steps = [value for value in values if value[1] == "loss"]
        assert steps == [value for value in all_values if value[1] == "loss"][: len(steps)]
        assert len(log.scanned.rejects) <= 1
        assert log.scanned.pieces == log.scanned.records + sum(log.scanned.ignored.values()) + len(log.scanned.rejects)


@pytest.mark.parametrize("made", [scalars, lambda values: wandb_logs("a1", values)], ids=["tensorboard", "wandb"])
def test_no_changed_byte_makes_a_value(reader: LogReader, made: Callable[[dict[str, list[float]]], bytes]) -> None:
    whole = made({"loss": LOSSES})
    _, expected = read(reader, whole)
    chance = random.Random(5)
    for _ in range(60):
        damaged = bytearray(whole)
        for _ in range(chance.choice([1, 3])):
            damaged[chance.randrange(80, len(whole))] ^= 1 << chance.randrange(8)
        log, values = read(reader, bytes(damaged))
        assert set(values) <= set(expected)
        assert log.scanned.rejects or damaged == whole
        # A record, a block or a length was damaged, and what follows is read again.
        assert len(values) >= (len(expected) - 3 if made is scalars else 1)


def test_a_damaged_length_is_told_once_and_the_next_event_is_read(reader: LogReader) -> None:
    damaged = b"\xff" * 12 + event(scalar("loss", 2.0), 2)[12:]
    log, values = read(reader, event_file(event(scalar("loss", 1.0), 1), damaged, event(scalar("loss", 3.0), 3)))

    assert [step for step, _, _ in values] == [1, 3]
    assert [reject.reason for reject in log.scanned.rejects] == [frames.BAD_RECORD]


def test_a_record_that_claims_much_is_not_held(reader: LogReader) -> None:
    from benchledger.scanning.trackers.frames import masked

    size = struct.pack("<Q", 1 << 60)
    claims = size + struct.pack("<I", masked(size))
    log, values = read(reader, event_file(event(scalar("loss", 1.0), 1)) + claims + bytes(1000))

    assert values == [(1, "loss", 1.0)]
    assert [reject.reason for reject in log.scanned.rejects] == [frames.LARGE_RECORD]


def test_a_message_within_itself_ends(reader: LogReader) -> None:
    value = b""
    for _ in range(200):
        value = part(6, part(1, value))
    start = part(3, part(1, part(1, "x") + part(2, value)))
    summary = part(1, part(1, "_hparams_/session_start_info") + part(9, part(1, part(1, "hparams") + part(2, start))))
    log, values = read(reader, event_file(event(summary)))

    assert values == []
    assert [reject.reason[:12] for reject in log.scanned.rejects] == ["bad protobuf"]


def test_a_transaction_of_many_blocks_is_one_record(reader: LogReader) -> None:
    content = wandb_file(
        wandb_run("a1"), wandb_history({"loss": 0.5, "word": "x" * 60_000}, 1), wandb_history({"loss": 0.25}, 2)
    )
    log, values = read(reader, content)

    assert [value for value in values if value[1] == "loss"] == [(1, "loss", 0.5), (2, "loss", 0.25)]
    assert not log.scanned.rejects


def test_no_person_and_no_host_is_read(reader: LogReader) -> None:
    environment = part(
        26, part(1, "Linux") + part(10, "somebody@example.org") + part(12, "node7") + part(13, "somebody")
    )
    columns = RecordColumns()
    reader.read_content(wandb_file(wandb_run("a1"), environment), columns, lambda _: False)

    texts = [text for row in columns.to_arrow([1]).to_pylist() for text in row["texts"]]
    assert texts == ["a1", "benchmarks", "Linux"]


def test_equal_files_of_two_metrics_are_two_logs(reader: LogReader) -> None:
    content = b"1700000000000 1.0 1\n"
    names = [f"{RUN}/metrics/precision", f"{RUN}/metrics/recall"]
    logs = [read(reader, content, name) for name in names]

    assert [values for _, values in logs] == [[(1, "precision", 1.0)], [(1, "recall", 1.0)]]
    assert logs[0][0].content_hash != logs[1][0].content_hash


def test_a_name_says_what_a_file_holds_only_in_the_folders_of_a_tracker() -> None:
    assert name_within(f"/logs/mlruns/1/{RUN}/metrics/val/loss") == f"{RUN}/metrics/val/loss"
    assert name_within("/logs/wandb/offline-run-20260102_030000-a1/files/config.yaml") == "a1/files/config.yaml"
    assert name_within("/logs/lightning_logs/version_3/metrics.csv") == "metrics.csv"
    assert name_within("/logs/out/hparams.yaml") == "hparams.yaml"
    for other in ("/logs/metrics/loss", "/logs/files/config.yaml", "/logs/out/metrics.csv", "/logs/run.log"):
        assert name_within(other) == ""


@pytest.mark.parametrize(
    "content",
    [b"a: &x [1]\nb: *y\n", b"- 1\n- 2\n", b"a: {" * 200, b"\xff\xfe\x00", b"!!python/object/apply:os.system ['ls']",
     b"a: &a [x,x,x,x,x,x,x,x,x,x]\n" + b"".join(b"%c: &%c [*%c,*%c,*%c,*%c,*%c,*%c,*%c,*%c,*%c,*%c]\n" % (c, c, *([c - 1] * 10)) for c in b"bcdefg")],
)  # fmt: skip
def test_yaml_that_is_no_plain_mapping_is_one_reject(reader: LogReader, content: bytes) -> None:
    log, values = read(reader, content, "hparams.yaml")

    assert values == []
    assert [reject.reason[:8] for reject in log.scanned.rejects] == ["bad yaml"]


def test_yaml_scalars_are_as_they_are_written() -> None:
    found = yaml_pairs(b"a: 1e-05\nb: '12'\nc: .nan\nd: null\ne: 1:30\nf: 0x10\ng: yes\nh: 1_000\ni: {j: [1, x]}\n")

    assert math.isnan(found[2][1] or 0)
    assert [pair[:3] for pair in found if pair[0] != "c"] == [
        ("a", 1e-05, None), ("b", None, "12"), ("d", None, None), ("e", None, "1:30"), ("f", None, "0x10"),
        ("g", None, "yes"), ("h", None, "1_000"), ("i.j", None, "[1, x]"),
    ]  # fmt: skip


def test_a_file_in_parts_is_read_as_the_whole(tmp_path: Path) -> None:
    for content, cuts in (
        (scalars({"loss": LOSSES}), frames.TfRecords),
        (wandb_logs("a1", {"loss": LOSSES}), frames.LevelDbLog),
    ):
        whole = cuts()
        expected = [
            (one.number, one.offset, bytes(one.data), one.problem) for one in [*whole.feed(content), *whole.end()]
        ]
        for size in (1, 13, 1000):
            parts = cuts()
            found = [one for at in range(0, len(content), size) for one in parts.feed(content[at : at + size])]
            assert [
                (one.number, one.offset, bytes(one.data), one.problem) for one in [*found, *parts.end()]
            ] == expected


def test_an_event_that_is_no_message_is_a_reject(reader: LogReader) -> None:
    log, _ = read(reader, event_file(tf_record(b"\x07\xff\xff")))

    assert [(reject.line, reject.reason[:12]) for reject in log.scanned.rejects] == [(2, "bad protobuf")]
