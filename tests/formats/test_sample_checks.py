"""`bench formats check`: ignored pieces may stand anywhere in a sample, and no unit of a sample is another quantity's."""

from __future__ import annotations

from pathlib import Path

from benchledger import check_formats

FORMAT = """format = "made"
version = 1
[[record]]
name = "step"
kind = "step"
templates = ["step {{step:int}} {{pairs}}"]
pairs = {{ assign = " ", between = [", "] }}
[[field]]
name = "speed"
quantity = "{quantity}"
scope = "gpu"
[[ignore]]
templates = ["params {{*}}"]
reason = "parameter count"
[[ignore]]
templates = ["saved {{*}}"]
reason = "checkpoint"
[[sample]]
text = '''
params 5
saved 1
step 5 speed 2 samples/s, lr 1
saved 2'''
expect = [
    {{ ignored = "parameter count" }},
    {{ ignored = "checkpoint" }},
    {{ record = "step", step = 5, speed = 2, lr = 1, units = {{ speed = "samples/s" }} }},
    {{ ignored = "checkpoint" }},
]
"""


def problems(folder: Path, quantity: str) -> list[str]:
    """What is wrong with the format."""
    path = folder / "made.toml"
    path.write_text(FORMAT.format(quantity=quantity))
    return [problem.removeprefix(f"{path}:") for problem in check_formats(path)]


def test_ignored_pieces_stand_in_a_sample_where_its_text_has_them(tmp_path: Path) -> None:
    assert problems(tmp_path, "throughput") == []


def test_a_logged_unit_that_a_quantity_cannot_have_is_told(tmp_path: Path) -> None:
    assert problems(tmp_path, "step_time") == [
        "18: speed is logged in samples/s, which step_time cannot be: give it another quantity, or map it in `units`"
    ]
