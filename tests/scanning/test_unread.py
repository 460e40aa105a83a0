"""Lines that no template matches and that hold a measurement are counted, by both readers alike."""

from __future__ import annotations

import pytest

from benchledger.definitions.log_format import LogFormat
from benchledger.scanning.log_reader import LogReader
from benchledger.scanning.unread import MOST_LAYOUTS, is_measurement
from tests.scanning.reading import assert_conserved, line_format, read_by_reference, read_by_scanner, readers

STEP = b"toytrain step 1 | speed: 51.5\n"


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> LogFormat:
    return line_format(
        tmp_path_factory.mktemp("toy"),
        """pairs = { assign = ": ", between = [", "] }
[detect]
proof = [["toytrain step "]]
[[record]]
name = "step"
kind = "step"
templates = ["toytrain step {step:int} | {pairs}"]
[[ignore]]
templates = ["best {*}"]
reason = "repeated"
""",
    )


@pytest.fixture(scope="module")
def both(toy: LogFormat) -> list[LogReader]:
    return readers({"made": toy})


@pytest.mark.parametrize(
    "text",
    [
        b"validation loss 0.31",
        b"val_loss=0.31",
        b"'eval_accuracy': 0.71",
        b"| valid ppl | 12.5 |",
        b"Loss nan",
        b"bbox_mAP_50: 0.41",
        b"top1_acc -1",
        b"time: 0:00:12",
        b"held: AP=.41",
        b"1,234.5 img/s on each",
        b"51samples/sec",
        b"loss_cls: 0.25 weight: 3",
    ],
)
def test_a_word_of_measurement_beside_a_number_makes_an_unread_line(both: list[LogReader], text: bytes) -> None:
    for reader in both:
        found, read = read_by_scanner(reader, STEP + text + b"\n" + STEP)

        assert_conserved(found)
        assert read.scanned.unread.lines == 1
        assert [layout.text for layout in found.unread.values()] == [text]
        assert [layout.line for layout in found.unread.values()] == [2]


@pytest.mark.parametrize(
    "text",
    [
        b"saving checkpoint 300",
        b"the loss of focus",
        b"gloss 3",
        b"mapping 12 files, timeouts 3",
        b"accumulate 4",
        b"loss_weight=1.0",
        b"SCORE_THRESH_TEST: 0.05",
        b"time 2020-08-22",
        b"ips: 127.0.0.1",
        b"auto_mixed_precision.cc:1343] No whitelist",
        b"python train.py --memory 32 --loss_scale 128",
        b"Namespace(dropout=0.1, loss=3)",
        b"epoch 3 of 9",
        b"files/s",
    ],
)
def test_settings_places_and_other_words_make_none(both: list[LogReader], text: bytes) -> None:
    assert not is_measurement(text)
    for reader in both:
        found, _ = read_by_scanner(reader, STEP + text + b"\n" + STEP)

        assert found.unread == {}


def test_what_is_a_record_ignored_or_a_reject_is_not_unread(toy: LogFormat, both: list[LogReader]) -> None:
    log = STEP + b"best loss 3\nrank 0: toytrain step 2 | loss: 3\ntoytrain step 3 | loss 3\n"
    for found in (read_by_reference(toy, log), *(read_by_scanner(reader, log)[0] for reader in both)):
        assert found.unread == {}


def test_lines_that_differ_in_numbers_are_one_layout_and_of_many_layouts_the_rest_is_one(both: list[LogReader]) -> None:
    lines = [b"fold %c%c: loss 0.%d\r" % (65 + fold // 26, 65 + fold % 26, fold) for fold in range(MOST_LAYOUTS + 10)]
    log = STEP + b"eval  loss 3\neval loss 1.5e-3\n" + b"".join(lines) + b"\n"
    for reader in both:
        found, read = read_by_scanner(reader, log)

        assert_conserved(found)
        layouts = read.scanned.unread.layouts
        assert layouts[b"eval loss 0"].lines == 2
        assert len(layouts) == MOST_LAYOUTS + 1
        assert (layouts[b""].lines, layouts[b""].line) == (11, 4)


def test_an_end_of_the_log_is_no_end_of_a_number(both: list[LogReader]) -> None:
    for reader in both:
        for text in (b"loss 3", b"loss ", b"loss", b"los", b"3 img/s", b"loss -", b"loss +.", b"loss n"):
            found, _ = read_by_scanner(reader, STEP + text)

            assert bool(found.unread) == is_measurement(text) == text.endswith((b"3", b"/s"))
