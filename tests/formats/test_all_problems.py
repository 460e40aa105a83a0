"""`bench formats check` tells all mistakes of a file at once, and writes what a sample reads."""

from __future__ import annotations

import tomllib
from pathlib import Path

from benchledger.scanning.samples import check_files

GOOD = """format = "toy"
version = 1
pairs = { assign = ": ", between = [", "] }
detect.proof = [["toy step "]]

[[record]]
name = "step"
kind = "step"
templates = ["toy step {step:int} {pairs}"]

[[sample]]
text = \"\"\"
toy step 5 loss: 1.5, lr: nan
[toy step 6 loss: 1.25, a_long_name_of_a_value: 12345.678, another_long_name_of_a_value: 12345.678, more: None, s: 1.5s\"\"\"

# This one states what it reads.
[[sample]]
text = "toy step 7 loss: 1.5"
expect = [{ record = "step", step = 7, loss = 1.5 }]
"""
BAD = """format = "bad"
version = "1"
record = [
    { name = "step", kind = "stepp", templates = ["toy step {step:int}"] },
    { name = "other", kind = "step", templates = ["toy {x:flaot}"] },
]
field = [{ name = "loss", quantity = "losss" }, { nam = "loss" }]
fact = [{ name = "gpu", from = "x" }]
sample = [{ text = "toy", expect = [{ x = 1 }] }]
anchor = ["toy"]
detect.proof = ["toy"]
pairs = { assign = ": " }
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "toy.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_all_mistakes_of_a_file_are_told_at_once(tmp_path: Path) -> None:
    problems = check_files([written(tmp_path, BAD)])

    assert [problem.split(": ", 1)[0].rpartition(":")[2] for problem in problems] == [
        "10",
        "12",
        "2",
        "11",
        "4",
        "5",
        "7",
        "7",
        "8",
        "9",
    ]
    assert [
        word
        for word in ("'stepp'", "'flaot'", "'losss'", "'nam'", "'gpu'", "did you mean 'anchors'")
        if word not in "".join(problems)
    ] == []


def test_what_a_sample_reads_is_shown_as_toml_that_proves_it(tmp_path: Path) -> None:
    problems = check_files([written(tmp_path, GOOD)])

    assert len(problems) == 2
    expect = problems[1].partition("TOML:\n")[2]
    assert all(len(line) <= 120 for line in expect.splitlines())
    assert len(tomllib.loads(expect)["expect"]) == 2
    assert check_files([written(tmp_path, GOOD.replace('1.5s"""\n', f'1.5s"""\n{expect}\n'))]) == []


def test_fill_writes_it_and_leaves_all_else_as_it_was(tmp_path: Path) -> None:
    path = written(tmp_path, GOOD)

    assert check_files([path], fill=True) == []
    filled = path.read_text(encoding="utf-8")
    added = [line for line in filled.splitlines() if line not in GOOD.splitlines()]
    assert [line for line in filled.splitlines() if line not in added] == GOOD.splitlines()
    assert added[0] == "expect = ["


def test_fill_does_not_touch_a_sample_that_states_something_else(tmp_path: Path) -> None:
    wrong = GOOD.replace("step = 7, loss = 1.5", "step = 7, loss = 1.25")
    path = written(tmp_path, wrong)

    problems = check_files([path], fill=True)

    assert [problem.rpartition(": ")[2] for problem in problems if "piece" in problem] == ["loss is 1.5, expected 1.25"]
    assert "loss = 1.25 }]" in path.read_text(encoding="utf-8")


def test_a_line_that_no_template_matches_is_told_with_the_place_where_the_nearest_ends(tmp_path: Path) -> None:
    template = "toy epoch {epoch:int} | {speed:float} img/s | {took:duration} min"
    text = GOOD.replace('["toy step {step:int} {pairs}"]', f'["toy step {{step:int}} {{pairs}}", "{template}"]')
    text = (
        text.replace("version = 1", 'version = 1\nanchors = ["toy"]')
        + """
[[sample]]
text = "toy epoch 1 | 812.5 img/s | 01:01.3 min"
"""
    )
    said = "matches up to 'toy epoch 1 | 812.5 img/s | ', but {took:duration} does not match '01:01.3 min'"
    path = written(tmp_path, text)

    assert any(said in problem for problem in check_files([path]))
    assert any(said in problem for problem in check_files([path], fill=True))
