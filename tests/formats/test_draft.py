"""`bench formats new`: from a log that no format knows to a definition that proves itself."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from benchledger import check_formats, draft_format
from benchledger.definitions.folders import definition_files
from benchledger.definitions.format_dependencies import GivenFormats
from benchledger.definitions.format_file import read_formats
from benchledger.definitions.log_format import LogFormat
from benchledger.drafting import sampling
from benchledger.drafting.draft import Draft
from benchledger.drafting.masks import masked
from benchledger.errors import UsageError
from benchledger.scanning.columns import RecordColumns
from benchledger.scanning.lines import LineReader
from benchledger.scanning.log_reader import LogReader
from benchledger.scanning.samples import known_formats
from tests.proportion import assert_in_proportion

TOY = """[toytrain 2026-11-20 10:00:01,100] settings | model: toy_12m, batch_size: 32, n_gpu: 8, amp: True, max_steps: 400
[toytrain 2026-11-20 10:00:41,870] step 100/400 | loss: 7.412, lr: 1e-04, speed: 51.4 seq/s/gpu
[toytrain 2026-11-20 10:01:21,870] step 200/400 | loss: 7.112, lr: 1e-04, speed: 51.9 seq/s/gpu
[toytrain 2026-11-20 10:01:41,870] step 300/400 | loss: 7.002, lr: 9e-05, speed: 52.4 seq/s/gpu
[toytrain 2026-11-20 10:02:05,014] step 400/400 | loss: 6.902, lr: 8e-05, speed: 52.9 seq/s/gpu
[toytrain 2026-11-20 10:02:05,020] saved checkpoint to out/400.pt
[toytrain 2026-11-20 10:02:05,214] done | steps: 400, mean speed: 52.2 seq/s/gpu
"""
NAMELESS = """loading data
iter 0: loss 4.3, time 900.1ms, util 10.1%
iter 10: loss 3.2, time 123.4ms, util 12.3%
iter 20: loss 3.1, time 123.9ms, util 12.3%
iter 30: loss 3.0, time 124.4ms, util 12.2%
"""


def drafted(text: str, folder: Path, **how: str) -> tuple[Draft, LogFormat]:
    """The draft of a log, and the format that it defines."""
    log = folder / "example.log"
    log.write_text(text, encoding="utf-8")
    draft = draft_format(log, **how)
    return draft, format_of(draft, folder)


def format_of(draft: Draft, folder: Path) -> LogFormat:
    """The format that a draft defines, once it has been found sound."""
    path = folder / f"{draft.name}.toml"
    path.write_text(draft.text, encoding="utf-8")
    assert check_formats(path) == []
    given = [*definition_files("ingest/formats", ".toml"), path]
    return read_formats([*GivenFormats(given).bases_of(path), path])[draft.name]


def test_a_log_that_cannot_be_read_is_told_with_the_reason(tmp_path: Path) -> None:
    for log, reason in ((tmp_path / "none.log", "No such file"), (tmp_path, "Is a directory")):
        with pytest.raises(UsageError, match=f"cannot be read: {reason}"):
            draft_format(log)


def test_a_draft_is_sound_and_reads_all_of_its_example(tmp_path: Path) -> None:
    draft, log_format = drafted(TOY, tmp_path, name="toytrain")
    found = LogReader({**known_formats(), "toytrain": log_format}).read(
        io.BytesIO(TOY.encode()), RecordColumns(), lambda _: False
    )

    assert (draft.steps, draft.records, draft.ignored, draft.rejects) == (4, 6, 1, 0)
    assert (found.format, found.scanned.records, len(found.scanned.rejects)) == ("toytrain", 6, 0)


def test_lines_that_differ_in_the_number_of_a_word_are_ignored_by_one_template(tmp_path: Path) -> None:
    steps = [f"[train] it {step} | loss {9 - step / 100} | {100 + step % 7} img/s" for step in range(1, 301)]
    saved = [f"[train] saved checkpoint to ckpt/{step}.pt" for step in range(10, 301, 10)]

    draft, _ = drafted("\n".join([*steps, *saved]) + "\n", tmp_path)

    assert (draft.ignored, draft.rejects) == (30, 0)
    assert draft.text.count('templates = ["[train] saved checkpoint to') == 1
    assert 'templates = ["[train] saved checkpoint to {*}"]' in draft.text


def test_a_unit_of_size_is_asked_about_as_it_is_logged(tmp_path: Path) -> None:
    steps = [f"[train] it {step} | loss {9 - step / 100} | mem 12.{step % 9} GB" for step in range(1, 41)]

    draft, _ = drafted("\n".join(steps) + "\n", tmp_path)

    assert "# ? the log says 'GB': which unit of schema/vocabulary/units.toml is that?" in draft.text
    assert "no unit is logged" not in draft.text


def test_a_draft_shows_one_of_each_kind_of_line_that_it_leaves_as_rejects(tmp_path: Path) -> None:
    words = ("ant", "bee", "cat", "dog", "elk", "fox")
    steps = [f"[train] it {step} | loss {9 - step / 100} | {100 + step % 7} img/s" for step in range(1, 301)]
    seen = [f"[train] saw the {word} of bob@lab.example.com {time} times" for word in words for time in (7, 8)]

    draft, _ = drafted("\n".join([*steps, *seen]) + "\n", tmp_path)

    # Private names may not stand in a template.
    assert draft.rejects == 12
    assert len(draft.rejected) == 5
    assert all(line.startswith("[train] saw the ") and line.endswith(" 7 times") for line in draft.rejected)
    assert "bob" not in "".join(draft.rejected)


def test_a_draft_says_what_values_mean_by_their_names_and_units(tmp_path: Path) -> None:
    _, log_format = drafted(TOY, tmp_path)
    speed = log_format.fields[None, "speed"]

    assert (speed.quantity, speed.units, speed.scope) == ("throughput", {"seq/s/gpu": ("samples/s", 1.0)}, "gpu")
    assert log_format.fields[None, "loss"].quantity == "loss"
    assert {fact.name: fact.source for fact in log_format.facts if fact.source in TOY} == {
        "model": "model",
        "batch_size_per_gpu": "batch_size",
        "gpus": "n_gpu",
        "precision": "amp",
        "steps_planned": "max_steps",
    }
    assert (log_format.closing, log_format.run_starts) == (("mean speed",), {"config"})


def test_a_guess_is_a_question_and_what_is_sure_is_none(tmp_path: Path) -> None:
    draft, _ = drafted(TOY, tmp_path)
    lines = draft.text.splitlines()

    assert _above(lines, 'from = "batch_size"') == "# ? of one GPU, or of all (global_batch_size)?"
    assert not _above(lines, 'from = "max_steps"').startswith("#")
    assert draft.questions == draft.text.count("# ? ") > 3


def _above(lines: list[str], entry: str) -> str:
    return lines[next(number for number, line in enumerate(lines) if entry in line) - 1].strip()


def test_values_that_only_a_blank_divides_from_their_names_are_a_list_too(tmp_path: Path) -> None:
    _, log_format = drafted(NAMELESS, tmp_path)
    row = LineReader(log_format).read(b"iter 40: loss 2.9, time 125.0ms, util 12.2%").rows[0]

    assert (row.columns, row.values) == ({"step": 40}, [2.9, 0.125, 12.2])


def test_ranks_and_epochs_that_are_glued_to_their_letter_are_numbers(tmp_path: Path) -> None:
    lines = [
        f"[r{rank}] e{epoch} it {step}/50 loss {8 - step / 50:.3f} tput {500 + step}.5 img/s"
        for epoch in range(3)
        for step in range(10, 60, 10)
        for rank in range(2)
    ]
    draft, _ = drafted("\n".join(lines), tmp_path)

    assert draft.text.count("[r{r:int}] e{e:int} it {step:int}/{planned:int} loss {loss:float} tput ") == 1
    assert 'templates = ["[r0]' not in draft.text


def test_numbers_without_a_list_become_holes_named_by_the_words_before_them(tmp_path: Path) -> None:
    lines = "".join(
        f"Fit: 0 [{n:>4}/1251 (  0%)]  Loss: 6.9{n} (6.94)  Took: 5.{n}s,  149.9/s\n" for n in range(10, 60)
    )
    _, log_format = drafted(lines, tmp_path)
    row = LineReader(log_format).read(lines.splitlines()[0].encode()).rows[0]

    assert row.columns == {"step": 10}
    assert [value.name for value in row.layout.values] == [
        "Fit",
        "planned",
        "percent",
        "Loss",
        "Loss_2",
        "Took",
        "rate",
    ]
    assert row.values == [0, 1251, 0, 6.91, 6.94, 5.1, 149.9]


def test_several_examples_show_what_is_constant_and_what_varies(tmp_path: Path) -> None:
    two = TOY.replace(", lr: 1e-04", "").replace(", lr: 9e-05", "").replace(", lr: 8e-05", "")
    (tmp_path / "one.log").write_text(TOY)
    (tmp_path / "two.log").write_text(two)
    log_format = format_of(draft_format(tmp_path / "two.log", tmp_path / "one.log"), tmp_path)

    assert not any("lr" in literal for proof in log_format.proofs for literal in proof)
    assert len(LineReader(log_format).read(two.encode()).rows) == 6


def test_nothing_private_of_the_example_stands_in_a_draft(tmp_path: Path) -> None:
    private = TOY.replace("saved checkpoint to out/", "saved checkpoint to /home/jdoe/runs/").replace(
        "model: toy_12m", "hostname: trainbox7.lab.example.edu, master_addr: 10.20.30.41, model: toy_12m"
    )
    text = drafted(private, tmp_path)[0].text

    assert [word for word in ("jdoe", "trainbox7", "10.20.30.41", str(tmp_path)) if word in text] == []


def test_a_log_that_a_format_knows_is_drafted_only_by_force(tmp_path: Path) -> None:
    known = tmp_path / "known.log"
    known.write_text(next(one for one in known_formats()["mmseg"].samples).text * 3)

    with pytest.raises(UsageError, match=r"known.log: format mmseg already reads it.* --force drafts another"):
        draft_format(known)
    assert draft_format(known, force=True).steps > 0


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "empty"),
        (b" \n\n", "empty"),
        (b"step 1: loss 2\n", "1 line of text: too few to find repeated lines"),
        (b"\x00\x01\x02" * 400, "binary"),
        (TOY.encode("utf-16"), "UTF-16 text: convert it"),
        ("步骤\n".encode("gb18030") * 30, "most of its lines are not UTF-8"),
        (b"hello world\n" * 30, "looks like a training step: .* What repeats most: 30 x 'hello world'"),
        (b"PK\x03\x04" + b"\x00" * 600, "cannot|archive"),
    ],
    ids=["empty", "blank", "one line", "binary", "utf-16", "gb18030", "no steps", "archive"],
)
def test_what_no_format_can_be_drafted_from_is_told(content: bytes, why: str, tmp_path: Path) -> None:
    log = tmp_path / "x.log"
    log.write_bytes(content)

    with pytest.raises(UsageError, match=why):
        draft_format(log)


def test_of_a_huge_log_the_beginning_and_the_end_suffice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampling, "HEAD", 60_000)
    monkeypatch.setattr(sampling, "TAIL", 5_000)
    head, _, tail = TOY.partition("[toytrain 2026-11-20 10:01:21,870]")
    steps = "".join(
        f"[toytrain 2026-11-20 10:01:00,000] step {step}/90000 | loss: 7.1, lr: 1e-04, speed: 51.4 seq/s/gpu\n"
        for step in range(5_000)
    )
    draft, log_format = drafted(f"{head}{steps}[toytrain 2026-11-20 10:01:21,870]{tail}", tmp_path)

    assert 600 < draft.steps < 700
    assert log_format.closing == ("mean speed",)


def test_a_log_of_results_alone_gives_summaries(tmp_path: Path) -> None:
    lines = [
        "resnet benchmark of toyvision", "loading data", "warming up",
        "toyvision finished 500 batches of 64 images", "toyvision throughput: 1234.5 images/sec, took: 25.9 s",
    ]  # fmt: skip
    draft, log_format = drafted("\n".join(lines) + "\n", tmp_path)

    assert (draft.steps, draft.records, log_format.default_rule) == (0, 1, "summary.last")
    assert "# ? No line was found that looks like a step, only results" in draft.text


def test_a_name_that_is_taken_or_is_none_is_refused(tmp_path: Path) -> None:
    log = tmp_path / "x.log"
    log.write_text(TOY)

    with pytest.raises(UsageError, match=r"format 'mmseg' exists already .*: choose another --name"):
        draft_format(log, name="mmseg")
    with pytest.raises(UsageError, match="'My Format' is not a valid format name"):
        draft_format(log, name="My Format")


@pytest.mark.parametrize("line", ["\x1b[36mstep: {0:2}  \x1b[32mloss: 1{0}.07\x1b[33m  tps: 1{0}44\x1b[0m"])
def test_colours_are_no_part_of_a_draft(line: str, tmp_path: Path) -> None:
    text = "".join("[toy] 2026-11-20 10:00:01,100 - root - INFO - " + line.format(n) + "\n" for n in range(1, 9))
    draft, log_format = drafted(text, tmp_path)

    assert "\\u001b" not in draft.text
    assert len(LineReader(log_format).read(text.encode()).rows) == 8


@pytest.mark.parametrize("text", ["-" * 8000, "a-" * 4000, "1:" * 4000, "[" + "1, " * 2666], ids=lambda text: text[:4])
def test_a_hostile_line_costs_time_in_proportion_to_its_length(text: str) -> None:
    assert_in_proportion(lambda line: masked(1, line), text[:1000], text, floor_s=0.0005)
