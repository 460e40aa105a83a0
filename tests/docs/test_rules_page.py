"""docs/rules.md: it lists the shipped rules, and only those, and its own rule is sound."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from benchledger.definitions.rules import Rule, load_rules
from tests.docs.pages import TOP, blocks, write_file
from tests.views.test_rules import WITHOUT_LOGS

PAGE = TOP / "docs" / "rules.md"
TEXT = PAGE.read_text(encoding="utf-8")


def test_the_page_lists_the_shipped_rules_and_no_other() -> None:
    listed = re.findall(r"^\| `(\w+\.\w+)` \|", TEXT.partition("## Scores")[0], re.MULTILINE)

    assert sorted(listed) == sorted(rule.rule for rule in load_rules())


def test_the_page_lists_the_rules_of_dlperf_and_paddle_that_are_known() -> None:
    dlperf = (
        "mxnet_bert mxnet_rn50 ngc_mxnet_time arcface partialfc mindspore ngc_pt_bert ngc_pt_rn50 pt_rn50 ngc_tf_bert "
        "ngc_tf_bert_time ngc_tf_rn50 ngc_tf_rn50_time tf2_bert tf2_rn50 oneflow oneflow_face paddle_bert paddle_rn50 "
        "paddle_rn50_time wdl_latency"
    )
    wanted = [f"dlperf.{name}" for name in dlperf.split()]
    wanted += [f"paddle.mode{name}" for name in ("_minus1", "0", "1", "2", "3", "4")]

    assert [rule for rule in wanted if f"\n| `{rule}` |" not in TEXT] == []


@pytest.mark.parametrize("format_name", sorted(WITHOUT_LOGS))
def test_the_page_names_the_formats_of_which_no_log_is_known(format_name: str) -> None:
    assert f"`{format_name}`" in TEXT


@pytest.mark.parametrize("rule", load_rules(), ids=lambda rule: rule.rule)
def test_the_page_says_what_a_rule_does_over_trials(rule: Rule) -> None:
    line = next(line for line in TEXT.splitlines() if line.startswith(f"| `{rule.rule}` |"))

    assert rule.trial_statistic in line.split("|")[3]
    assert rule.statistic in line.split("|")[2]
    assert str(rule.skip or "") in line.split("|")[2] or rule.skip == 1


def test_the_rule_on_the_page_is_sound(tmp_path: Path) -> None:
    (block,) = (block for block in blocks(PAGE, "toml") if "[[rule]]" in block.text)
    write_file(block, tmp_path)
    load = "from benchledger.definitions.rules import load_rules; print(*[rule.rule for rule in load_rules()])"
    done = subprocess.run(
        [sys.executable, "-c", load], env={"BENCH_DEFINITIONS": str(tmp_path / "my-bench"), "PYTHONPATH": str(TOP)},
        capture_output=True, text=True,
    )  # fmt: skip

    assert "house.steady100" in done.stdout.split(), done.stderr


def test_the_score_on_the_page_is_sound_and_the_shipped_ones_are_listed(tmp_path: Path) -> None:
    (block,) = (block for block in blocks(PAGE, "toml") if "[[score]]" in block.text)
    write_file(block, tmp_path)
    load = "from benchledger import scores; print(*scores()['score'])"
    done = subprocess.run(
        [sys.executable, "-c", load], env={"BENCH_DEFINITIONS": str(tmp_path / "my-bench"), "PYTHONPATH": str(TOP)},
        capture_output=True, text=True,
    )  # fmt: skip

    assert "house.baseline" in done.stdout.split(), done.stderr
    assert [name for name in done.stdout.split() if name != "house.baseline" and f"| `{name}` |" not in TEXT] == []
