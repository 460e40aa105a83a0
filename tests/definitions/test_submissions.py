"""What suites demand of submissions: the shipped definition, one of the user's own, and mistakes."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchledger.definitions.folders import use_definitions
from benchledger.definitions.rules import load_rules
from benchledger.definitions.submissions import Demand, load_suite
from benchledger.errors import DefinitionError, UsageError

OWN = """source = "ours"
scores = ["mlperf.score"]
log = { submitter = "a", system = "b", division = "c", availability = "d", benchmark = "e", batch_size = "f", start = "g", stop = "h", factor = "i" }
counted = { epochs = "epoch" }
weak = { function = "first_start_to_last_stop" }
points = { function = "one_sided_t_test", formats = [], benchmark = "j", batch_size = "k", files = "our points" }
power = { function = "mean_power_times_run", formats = [], reading = "l", start = "m", stop = "n", switch = "o", efficiency = "p" }
[runs]
toy = 3
"""


def own(folder: Path, text: str) -> None:
    (folder / "queries" / "submissions").mkdir(parents=True)
    (folder / "queries" / "submissions" / "mlperf.toml").write_text(text)
    use_definitions(folder)


@pytest.fixture(autouse=True)
def _no_definitions_left() -> object:
    yield
    use_definitions()


def test_the_shipped_suite_demands_what_its_owner_does() -> None:
    suite = load_suite("mlperf")

    assert suite.demands["unet3d"] == Demand(40, 4)
    assert {name: suite.demands[name].runs for name in ("bert", "resnet", "gpt3", "deepcam")} == {
        "bert": 10, "resnet": 5, "gpt3": 3, "deepcam": 5,
    }  # fmt: skip
    assert set(suite.scores) <= {rule.rule for rule in load_rules()}
    assert {demand.left_out for name, demand in suite.demands.items() if name != "unet3d"} == {1}


def test_a_suite_of_ones_own_counts_instead(tmp_path: Path) -> None:
    own(tmp_path, OWN)

    assert load_suite("mlperf").demands == {"toy": Demand(3)}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (OWN + "[left_out]\nother = 2\n", "no benchmark 'other'; known: toy"),
        (OWN.replace("one_sided_t_test", "two_sided"), "no function 'two_sided'; known: one_sided_t_test"),
        (
            OWN.replace("mean_power_times_run", "first_start_to_last_stop"),
            "no function 'first_start_to_last_stop'; known: mean_",
        ),
        (OWN.replace('submitter = "a", ', ""), "submitter must be a text, not None"),
        (OWN.replace("3", "0"), "toy must be a whole number of at least 1, not 0"),
        (OWN.replace("3", '"many"'), "toy must be a whole number of at least 1, not 'many'"),
        ("runs = 3\n" + OWN.partition("[runs]")[0], "runs is a table, not 3"),
        (OWN + "[more]\n", "more"),
    ],
)
def test_a_mistake_is_told_with_its_place(tmp_path: Path, text: str, problem: str) -> None:
    own(tmp_path, text)

    with pytest.raises(DefinitionError, match=r"mlperf\.toml:[0-9]+: ") as error:
        load_suite("mlperf")
    assert problem in str(error.value)


def test_a_suite_that_is_nowhere_is_told_and_the_only_one_need_not_be_named() -> None:
    with pytest.raises(UsageError, match="no suite 'other'; known: mlperf"):
        load_suite("other")
    assert load_suite(None).name == "mlperf"
