"""Holes and pairs: what a value is, and where it ends."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest

from benchledger.definitions.log_format import LogFormat
from benchledger.scanning import rows
from benchledger.scanning.lines import LineReader
from benchledger.scanning.log_reader import LogReader
from benchledger.scanning.rows import Row
from tests.scanning.reading import (
    DLLOGGER,
    GLUON,
    MEGATRON,
    MMSEG,
    PADDLE,
    PYTHON_DICT,
    one_record,
    read_by_reference,
    read_by_scanner,
    units_of,
    values_of,
)

NAN = "nan"
PROOF = 'detect.proof = [["this is made"]]\n'


def assert_both_read(known: LogFormat, log: bytes) -> list[Row]:
    """Both readers find the same in a log; returns the rows."""
    log = b"this is made\n" + log
    assert read_by_scanner(LogReader({known.name: known}), log)[0] == read_by_reference(known, log)
    return LineReader(known).read(log).rows


def read_one(folder: Path, template: str, line: str, top: str = "") -> Row | None:
    """The record that a line is, if it is one."""
    pieces = LineReader(one_record(folder, template, top)).read(line.encode())
    assert len(pieces.rows) + len(pieces.rejects) <= 1
    return pieces.rows[0] if pieces.rows else None


def hole(folder: Path, type_: str, text: str) -> str | float | None:
    """What a hole of a type reads from a text that ends the line; "refused" if it reads nothing."""
    row = read_one(folder, f"at {{x:{type_}}}", f"at {text}")
    value = "refused" if row is None else values_of(row)["x"]
    return NAN if value != value else value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", 0),
        ("007", 7),
        ("-5", -5),
        ("+3", 3),
        ("                5", 5),
        ("\t5", 5),
        ("None", None),
        ("null", None),
        ("5 ", 5),
        ("1.5", "refused"),
        ("1,234", "refused"),
        ("0/3", "refused"),
        ("127.0.0.1", "refused"),
        ("nan", "refused"),
        ("Nonesense", "refused"),
        ("9" * 64, float("9" * 64)),
        ("9" * 65, "refused"),
    ],
)
def test_an_int_is_a_whole_number_or_stated_as_absent(tmp_path: Path, text: str, value: object) -> None:
    assert hole(tmp_path, "int", text) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1.5", 1.5),
        (".5", 0.5),
        ("5.", 5.0),
        ("-1e-05", -1e-05),
        ("1E+3", 1000.0),
        ("+3", 3.0),
        ("nan", NAN),
        ("NaN", NAN),
        ("-inf", float("-inf")),
        ("Infinity", float("inf")),
        ("1e999", "refused"),
        ("None", None),
        ("127.0.0.1", "refused"),
        ("1.5.", "refused"),
        ("0/3", "refused"),
        ("nancy", "refused"),
        ("1,234.5", "refused"),
        ("", "refused"),
        ("e5", "refused"),
        (".", "refused"),
    ],
)
def test_a_float_ends_where_no_digit_and_no_dot_and_digit_follow(tmp_path: Path, text: str, value: object) -> None:
    assert hole(tmp_path, "float", text) == value


def test_thousands_separators_are_read_only_when_asked_for(tmp_path: Path) -> None:
    assert hole(tmp_path, "int,", "1,234,567") == 1234567
    assert hole(tmp_path, "int,", "123") == 123
    assert hole(tmp_path, "int,", "1,2,3") == "refused"
    assert hole(tmp_path, "int", "1,234,567") == "refused"


def test_a_template_may_put_the_slash_or_the_dot_itself(tmp_path: Path) -> None:
    row = read_one(tmp_path, "iteration {step:int}/{planned:int} |", "iteration       20/    1000 |")

    assert row is not None
    assert (row.columns, values_of(row)) == ({"step": 20}, {"planned": 1000.0})
    assert values_of(read_one(tmp_path, "at {x:int}.", "at 5.") or pytest.fail("no record")) == {"x": 5}


@pytest.mark.parametrize("text", ["True", "cuda:0", "Größe", "x" * 128])
def test_a_word_has_no_blanks(tmp_path: Path, text: str) -> None:
    assert hole(tmp_path, "word", text) == text


@pytest.mark.parametrize("text", ["two words", "x" * 129])
def test_a_word_ends_at_a_blank_and_after_128_bytes(tmp_path: Path, text: str) -> None:
    assert hole(tmp_path, "word", text) == "refused"


def test_text_runs_to_the_next_literal_or_the_end(tmp_path: Path) -> None:
    row = read_one(tmp_path, "at {x:text} of {y:text}", "at two words of the line")

    assert row is not None
    assert values_of(row) == {"x": "two words", "y": "the line"}
    assert hole(tmp_path, "text", "x" * 4096) == "x" * 4096
    assert hole(tmp_path, "text", "x" * 4097) == "refused"


@pytest.mark.parametrize(
    "text",
    [
        "2021-05-23 10:58:40.494617",
        "2021/05/23 10:58:40,494617",
        "2021-05-23T10:58:40.494617",
        "2021-05-23 10:58:40.4946171",
    ],
)
def test_a_time_is_iso_with_dashes_or_slashes_and_dot_or_comma(tmp_path: Path, text: str) -> None:
    row = read_one(tmp_path, "at {logged_at:time}", f"at {text}")

    assert row is not None
    assert row.columns == {"logged_at": datetime(2021, 5, 23, 10, 58, 40, 494617)}


@pytest.mark.parametrize(
    "text",
    ["2021-04-31 10:58:40", "2021-02-29 00:00:00", "2021-05-23 24:00:01", "0000-01-01 00:00:00", "2021-05-23 10:58:61"],
)
def test_a_time_that_does_not_exist_is_a_reject(tmp_path: Path, text: str) -> None:
    pieces = LineReader(one_record(tmp_path, "at {logged_at:time}")).read(f"at {text}".encode())

    assert [(reject.record, reject.reason) for reject in pieces.rejects] == [("step", rows.BAD_TIME)]


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1:02:03", 3723),
        ("1:02:03.5", 3723.5),
        ("1 day, 2:03:04", 93784),
        ("2 days, 0:00:01", 172801),
        ("2 days 00:00:01", 172801),
        ("1 day 00:00:01", 86401),
    ],
)
def test_a_duration_is_in_seconds(tmp_path: Path, text: str, seconds: float) -> None:
    row = read_one(tmp_path, "at {x:duration}", f"at {text}")

    assert row is not None
    assert (values_of(row), units_of(row)) == ({"x": seconds}, {"x": "s"})


@pytest.mark.parametrize("text", ["1:02:60", "1:60:00", "75:61", "1 day, 2:03:99"])
def test_a_duration_of_sixty_minutes_or_seconds_does_not_exist(tmp_path: Path, text: str) -> None:
    pieces = LineReader(one_record(tmp_path, "at {x:duration}")).read(f"at {text}".encode())

    assert [reject.reason for reject in pieces.rejects] == [rows.BAD_TIME]


@pytest.mark.parametrize(
    ("hole", "text"),
    [
        ("x:duration", "1:02:034"),
        ("x:duration", "12:345"),
        ("x:duration", "1:02:03:04"),
        ("x:duration", "1:02:03.5.7"),
        ("logged_at:time", "2021-05-23 10:58:401"),
        ("logged_at:time", "2021-05-23 10:58:40.1234567890"),
        ("clock_s:stamp", "0526 05:25:051"),
    ],
)
def test_a_clock_that_goes_on_is_none(tmp_path: Path, hole: str, text: str) -> None:
    for behind in (" {*}", ":{*}", ".{*}", " and more"):
        known = one_record(tmp_path, f"at {{{hole}}}{behind}", PROOF)

        assert assert_both_read(known, f"at {text} and more\n".encode()) == []


@pytest.mark.parametrize("rank", ["99999999999", "2147483648", "-2147483648"])
def test_a_rank_of_more_than_31_bits_is_a_reject(tmp_path: Path, rank: str) -> None:
    pieces = LineReader(one_record(tmp_path, "at {rank:int}")).read(f"at {rank}".encode())

    assert [reject.reason for reject in pieces.rejects] == [rows.BAD_NUMBER]


def test_a_step_of_19_digits_is_a_reject(tmp_path: Path) -> None:
    reader = LineReader(one_record(tmp_path, "at {step:int}"))

    assert [row.columns["step"] for row in reader.read(b"at 999999999999999999").rows] == [10**18 - 1]
    assert [reject.reason for reject in reader.read(b"at 1000000000000000000").rejects] == [rows.BAD_NUMBER]


@pytest.mark.parametrize("number", ["1e999", "-1e999", "1e-999", "1" + "0" * 320, "0." + "0" * 330 + "1", "1e308 K"])
@pytest.mark.parametrize(
    ("template", "line"),
    [
        ("at {x:float} {*}", "at %s now"),
        ("at {pairs}", "at x=%s, y=5"),
        ("at {pairs}", "at x='%s', y=5"),
        ("at {json}", 'at {"x": %s, "y": 5}'),
    ],
)
def test_a_number_that_no_float_holds_is_a_reject_and_never_infinite_or_0(
    tmp_path: Path, template: str, line: str, number: str
) -> None:
    top = PADDLE.replace('": "', '"="') if "pairs" in template else "json.values = { x = 'x' }" * ("json" in template)
    top += '\n[[field]]\nname = "x"\nquantity = "loss"'
    known = one_record(tmp_path, template, PROOF, top)
    log = f"{line % number.partition(' K')[0]}\n{line % 7}\n"

    read = assert_both_read(known, log.encode())

    assert [values_of(row)["x"] for row in read] == ([1e308, 7] if "K" in number else [7])
    assert assert_both_read(known, (line % "0e999" + "\n").encode())[0].values[0] == 0


@pytest.mark.parametrize("number", ["1e999", "1e-999", "1" + "0" * 320, "0." + "0" * 330 + "1", "0e999"])
def test_json_with_such_a_number_is_a_reject_also_where_nothing_reads_it(tmp_path: Path, number: str) -> None:
    known = one_record(tmp_path, "at {json}", PROOF, "json.values = { x = 'x' }")

    read = assert_both_read(known, f'at {{"x": 5, "y": [{number}]}}\nat {{"x": 7}}\n'.encode())

    assert [values_of(row)["x"] for row in read] == ([5, 7] if number == "0e999" else [7])


@pytest.mark.parametrize("value", ["5e12345", "'5e12345'", "1234e-999", "5e12345abc", "12e4567-dirty", "1e999 s"])
def test_what_is_no_measurement_may_be_a_hash_that_looks_like_a_number(tmp_path: Path, value: str) -> None:
    known = one_record(tmp_path, "at {pairs}", PROOF, PADDLE)
    found = assert_both_read(known, f"at commit: {value}, y: 5\nat commit: {value}\n".encode())

    commit = value.strip("'").removesuffix(" s")
    assert [values_of(row) for row in found] == [{"commit": commit, "y": 5}, {"commit": commit}]


def test_a_number_that_its_unit_makes_infinite_is_a_reject(tmp_path: Path) -> None:
    field = '[[field]]\nname = "took"\nunits = { h = ["s", 3600] }'
    known = one_record(tmp_path, "at {pairs}", PROOF, f"{PADDLE}\n{field}")
    found = assert_both_read(known, b"at took: 1e308 h, y: 5\nat took: 1 h, y: 5\n")

    assert [values_of(row)["took"] for row in found] == [3600]


# --- blanks ----------------------------------------------------------------------------------------------------


def test_blanks_of_a_template_stand_for_as_many_or_more_blanks_or_tabs(tmp_path: Path) -> None:
    for line in ("at 5 of 6", "at  5\t\tof   6", "at" + " " * 64 + "5 of 6"):
        row = read_one(tmp_path, "at {x:int} of {y:int}", line)
        assert row is not None
        assert values_of(row) == {"x": 5, "y": 6}
    assert read_one(tmp_path, "at  {x:int}", "at 5") is None
    assert read_one(tmp_path, "at {x:int}", "at" + " " * 90 + "5") is None


def test_two_blanks_tell_a_summary_from_a_step(tmp_path: Path) -> None:
    template = "DLL -  {pairs}"

    assert read_one(tmp_path, template, "DLL -  loss : 5", DLLOGGER) is not None
    assert read_one(tmp_path, template, "DLL - (0, 5) loss : 5", DLLOGGER) is None


# --- pairs -----------------------------------------------------------------------------------------------------

STYLES = [
    (
        DLLOGGER,
        "train.loss : 5.96  train.total_ips : 52.21 img/s train.lr : 0.1  val.top1 : None % config : [1,  2]  last : 7 ",
        {
            "train.loss": 5.96,
            "train.total_ips": 52.21,
            "train.lr": 0.1,
            "val.top1": None,
            "config": "[1,  2]",
            "last": 7,
        },
        {"train.total_ips": "samples/s", "val.top1": "%"},
    ),
    (
        MEGATRON,
        "consumed samples:        51200 | lm loss: 6.1E+00 | loss scale: 131072.0 | skipped iterations:   0 |",
        {"consumed samples": 51200, "lm loss": 6.1, "loss scale": 131072, "skipped iterations": 0},
        {},
    ),
    (
        PADDLE,
        "avg_batch_cost: 0.09669 sec, avg_samples: 96.0, ips: 380.47 sequences/sec, mode: train, eta: None, lr: 1e-05",
        {"avg_batch_cost": 0.09669, "avg_samples": 96, "ips": 380.47, "mode": "train", "eta": None, "lr": 1e-05},
        {"avg_batch_cost": "s", "ips": "samples/s"},
    ),
    (
        MMSEG,
        "lr: 9.991e-03, eta: 9:01:42, date: 2021-05-23, time: 0.096s, memory: 7748, decode.acc_seg: 5 %",
        {"lr": 9.991e-03, "eta": "9:01:42", "date": "2021-05-23", "time": 0.096, "memory": 7748, "decode.acc_seg": 5},
        {"time": "s", "decode.acc_seg": "%"},
    ),
    (
        GLUON,
        "mlm_loss=2.24810\tnsp_acc=97.1\tthroughput=111.0K tks/s\tlr=0.0000960 time=125.74 s latency=5ms",
        {"mlm_loss": 2.2481, "nsp_acc": 97.1, "throughput": 111000, "lr": 0.000096, "time": 125.74, "latency": 0.005},
        {"time": "s", "latency": "s", "throughput": "tokens/s"},
    ),
    (
        PYTHON_DICT,
        "'loss': 5.25, 'train_runtime': '5.402', 'mode': 'two, words', 'epoch': 0.5, 'done': True, 'nothing': None}",
        {"loss": 5.25, "train_runtime": 5.402, "mode": "two, words", "epoch": 0.5, "done": "True", "nothing": None},
        {},
    ),
]


@pytest.mark.parametrize(
    ("style", "tail", "values", "units"), STYLES, ids=["dllogger", "megatron", "paddle", "mmseg", "gluon", "dict"]
)
def test_pairs_are_read_in_every_style(
    tmp_path: Path, style: str, tail: str, values: dict[str, object], units: dict[str, str]
) -> None:
    fields = '[[field]]\nname = "throughput"\nunits = { "tks/s" = "tokens/s" }\n'
    row = read_one(tmp_path, "DLL {pairs}", f"DLL {tail}", f"{style}\n{fields}")

    assert row is not None
    assert values_of(row) == pytest.approx(values)
    assert {name: unit for name, unit in units_of(row).items() if unit} == units
    assert row.note is None


def paddle(folder: Path, tail: str) -> tuple[dict[str, object], dict[str, str | None], str | None]:
    row = read_one(folder, "step {pairs}", f"step {tail}", PADDLE)
    assert row is not None
    return values_of(row), units_of(row), row.note


def test_a_word_that_is_no_unit_is_a_note_and_the_record_stays(tmp_path: Path) -> None:
    assert paddle(tmp_path, "scale: 134217728 INFO") == ({"scale": 134217728}, {"scale": None}, "INFO")
    assert paddle(tmp_path, "ips: 813.34 img/s/opt/conda/lib.py:Warning") == (
        {"ips": 813.34},
        {"ips": None},
        "img/s/opt/conda/lib.py:Warning",
    )


def test_a_list_with_bars_goes_on_behind_what_is_no_pair(tmp_path: Path) -> None:
    row = read_one(
        tmp_path, "step {pairs}", "step memory: 153.8GB/255.9GB | speed: 615.5 (avg 610.2) | loss: 2.1 |", MEGATRON
    )

    assert row is not None
    assert values_of(row) == {"memory": "153.8GB/255.9GB", "speed": 615.5, "loss": 2.1}
    assert row.note == "(avg 610.2)"


def test_several_numbers_are_one_value_and_a_note(tmp_path: Path) -> None:
    assert paddle(tmp_path, "mAP_all: 0.215 0.410 -1, segm_mAP: 0.2")[::2] == (
        {"mAP_all": 0.215, "segm_mAP": 0.2},
        "0.410 -1",
    )
    assert paddle(tmp_path, "loss: 2.5 3.5, 4: 1")[::2] == ({"loss": 2.5}, "3.5, 4: 1")
    assert paddle(tmp_path, "loss: 2.5 warning 3, acc: 1")[::2] == ({"loss": 2.5}, "warning 3, acc: 1")


def test_the_last_pair_of_a_closed_list_is_cut_if_it_is_not_closed(tmp_path: Path) -> None:
    style = MEGATRON.replace("] }", "], closed = true }")
    whole, cut = (
        read_one(tmp_path, "step {pairs}", f"step loss: 2.1 | time: {time}", style) for time in ("15232.8 |", "152")
    )

    assert whole is not None
    assert values_of(whole) == {"loss": 2.1, "time": 15232.8}
    assert cut is not None
    assert (values_of(cut), cut.note) == ({"loss": 2.1}, "time: 152")


def test_a_comma_in_a_warning_does_not_begin_a_pair(tmp_path: Path) -> None:
    assert paddle(tmp_path, "ips: 5 img/s/lib.py: Warning, this: 3, that: 4") == (
        {"ips": 5},
        {"ips": None},
        "img/s/lib.py: Warning, this: 3, that: 4",
    )


def test_a_unit_is_one_token_after_exactly_one_blank(tmp_path: Path) -> None:
    assert paddle(tmp_path, "ips: 5 img/s") == ({"ips": 5}, {"ips": "samples/s"}, None)
    assert paddle(tmp_path, "ips: 5  img/s") == ({"ips": 5}, {"ips": None}, "img/s")
    assert paddle(tmp_path, "ips: 5 img/s : 3") == ({"ips": 5}, {"ips": None}, "img/s : 3")


def test_a_number_of_an_address_or_a_fraction_is_text(tmp_path: Path) -> None:
    assert paddle(tmp_path, "ips: 127.0.0.1, done: 0/3")[0] == {"ips": "127.0.0.1", "done": "0/3"}


@pytest.mark.parametrize("text", ["1,139.4", "12,5", "1,2,3", "0,1"])
def test_what_a_comma_divides_is_no_number(tmp_path: Path, text: str) -> None:
    assert paddle(tmp_path, f"ips: {text}, loss: 2.5") == (
        {"ips": text, "loss": 2.5},
        {"ips": None, "loss": None},
        None,
    )


def test_a_number_before_the_full_stop_of_a_sentence_is_a_number(tmp_path: Path) -> None:
    assert paddle(tmp_path, "loss: 5.33. Done") == ({"loss": 5.33}, {"loss": None}, ". Done")


def test_scale_letters_and_units_may_be_glued_to_a_number(tmp_path: Path) -> None:
    values, units, _ = paddle(tmp_path, "a: 1.5K, b: 2M, c: 96ms, d: 5%, e: 1G, f: 7x")

    assert values == {"a": 1500, "b": 2e6, "c": 0.096, "d": 5, "e": 1e9, "f": "7x"}
    assert (units["c"], units["d"]) == ("s", "%")


def test_quoted_numbers_are_numbers_and_quoted_text_keeps_its_separators(tmp_path: Path) -> None:
    assert paddle(tmp_path, "a: '5.402', b: \"7\", c: '5, 6', d: \"x: y\"")[0] == {
        "a": 5.402,
        "b": 7,
        "c": "5, 6",
        "d": "x: y",
    }


def test_brackets_are_kept_whole(tmp_path: Path) -> None:
    assert paddle(tmp_path, "a: [1, (2, 3)], b: {x: 1}, c: 5")[0] == {"a": "[1, (2, 3)]", "b": "{x: 1}", "c": 5}


@pytest.mark.parametrize("cut", ["c: [1, d: 5", "c: {d: 5, e: 6", "c: 'x, d: 5", 'c: "x', "c: (1, [2, 3]"])
def test_a_value_that_is_not_closed_was_cut_and_ends_the_list(tmp_path: Path, cut: str) -> None:
    values, _, note = paddle(tmp_path, f"a: 1, {cut}")

    assert (values, note) == ({"a": 1}, cut)


def test_a_key_has_at_most_96_bytes(tmp_path: Path) -> None:
    assert paddle(tmp_path, f"{'k' * 96}: 5")[0] == {"k" * 96: 5}
    assert read_one(tmp_path, "step {pairs}", f"step {'k' * 97}: 5", PADDLE) is None


def test_no_pair_is_a_record_only_if_nothing_is_left(tmp_path: Path) -> None:
    assert read_one(tmp_path, "step {pairs}", "step ", PADDLE) is not None
    assert read_one(tmp_path, "[step {step:int}] {pairs}", "[step 4999] Saving checkpoints to /tmp", PADDLE) is None


def test_truth_is_text_and_none_is_absent(tmp_path: Path) -> None:
    assert paddle(tmp_path, "a: True, b: false, c: None, d: null, e: Nonesuch")[0] == {
        "a": "True",
        "b": "false",
        "c": None,
        "d": None,
        "e": "Nonesuch",
    }


def test_pairs_stop_at_the_end_of_their_style(tmp_path: Path) -> None:
    style = 'pairs = { assign = "=", between = [", "], end = ")" }'
    row = read_one(tmp_path, "Namespace({pairs}", "Namespace(a=1, b='x') and more=5", style)

    assert row is not None
    assert (values_of(row), row.note) == ({"a": 1, "b": "x"}, None)


@pytest.mark.parametrize("betas", ["(0.9, 0.999)", "'(0.9, 0.999)'", "[(1, 2), (3, 4)]", "'a) b'", '"("'])
def test_the_end_of_a_list_stands_outside_of_quotes_and_brackets(tmp_path: Path, betas: str) -> None:
    style = 'pairs = { assign = "=", between = [", "], end = ")" }'
    known = one_record(tmp_path, "Namespace({pairs}", PROOF + style)

    (row,) = assert_both_read(known, f"Namespace(betas={betas}, lr=0.5) and more=5".encode())

    assert values_of(row) == {"betas": betas.strip("'\""), "lr": 0.5}


def test_a_text_value_can_be_expanded_into_the_pairs_that_it_lists(tmp_path: Path) -> None:
    field = '[[field]]\nname = "Config"\nexpand = { after = "Namespace(", assign = "=", between = [", "], end = ")" }\n'
    line = "DLL Config : [\"Namespace(lr=0.006, fp16=True, name='a, b')\"]"
    row = read_one(tmp_path, "DLL {pairs}", line, f"{DLLOGGER}\n{field}")

    assert row is not None
    assert values_of(row) == {"lr": 0.006, "fp16": "True", "name": "a, b"}
