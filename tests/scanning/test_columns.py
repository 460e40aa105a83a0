"""Columns between blanks: nvidia-smi dmon and pmon, in whichever choice, and cut, and appended to."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest

from tests.scanning.found import find

HEAD = "# gpu    pwr     fb\n# Idx      W     MB\n"


def test_the_columns_may_stand_in_any_choice_and_order() -> None:
    found = find("#    fb   gpu   pwr\n#    MB   Idx     W\n   998     1   105\n")

    assert found.log.format == "nvidia-smi-dmon"
    assert [(row["device"], row["stated"]) for row in found.rows] == [("1", {"fb": 998, "pwr": 105})]


def test_commas_between_cells_are_as_good_as_blanks() -> None:
    found = find("#gpu, pwr, fb\n#Idx, W, MB\n0, 105, 998\n1, -, 999\n")

    assert [(row["device"], row["stated"]) for row in found.rows] == [
        ("0", {"pwr": 105, "fb": 998}), ("1", {"pwr": None, "fb": 999}),
    ]  # fmt: skip


def test_a_table_may_stand_further_in_as_in_a_quotation() -> None:
    found = find("    # gpu    pwr     fb\n    # Idx      W     MB\n        0    105    998\n")

    assert [(row["device"], row["stated"]) for row in found.rows] == [("0", {"pwr": 105, "fb": 998})]
    assert found.rows[0]["units"] == {"pwr": "W", "fb": "MiB"}


def test_what_is_not_stated_is_absent_and_not_zero() -> None:
    found = find(HEAD + "    0      -    998\n")

    assert found.rows[0]["stated"] == {"pwr": None, "fb": 998}


def test_the_header_is_repeated_and_may_change() -> None:
    found = find(
        HEAD
        + "    0    105    998\n"
        + HEAD
        + "    0    106    999\n# gpu     sm    mem\n# Idx      %      %\n    0     50     40\n"
    )

    assert [row["stated"] for row in found.rows] == [
        {"pwr": 105, "fb": 998}, {"pwr": 106, "fb": 999}, {"sm": 50, "mem": 40},
    ]  # fmt: skip
    assert found.rows[2]["units"] == {"sm": "%", "mem": "%"}


def test_a_date_and_a_time_are_a_moment_and_a_time_alone_a_clock() -> None:
    dated = find(
        "#Date       Time        gpu    fb\n#YYYYMMDD   HH:MM:SS    Idx    MB\n 20261121   03:49:20      0   998\n"
    )
    undated = find("#Time        gpu    fb\n#HH:MM:SS    Idx    MB\n 03:49:20      0   998\n")

    assert dated.rows[0]["logged_at"] == datetime(2026, 11, 21, 3, 49, 20)
    assert (undated.rows[0]["logged_at"], undated.rows[0]["clock_s"]) == (None, 13760)


def test_memory_of_the_device_and_of_a_process_are_two_quantities() -> None:
    device = find(HEAD + "    0    105    998\n")
    process = find(
        "# gpu   pid  type    fb   command\n# Idx     #   C/G    MB   name\n    0  1493     C  1184   python3 train.py\n"
    )

    assert device.rows[0]["quantities"]["fb"] == "memory_used"
    assert (process.log.format, process.rows[0]["quantities"]["fb"]) == ("nvidia-smi-pmon", "memory_process")
    assert (process.rows[0]["label"], process.rows[0]["stated"]) == (
        "python3 train.py", {"pid": 1493, "type": "C", "fb": 1184},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("    0    105", "cut row"),
        ("    0    105    998    7", "cut row"),
        ("1 " * 40_000, "too long"),
    ],
)
def test_a_line_that_is_no_row_is_refused(line: str, reason: str) -> None:
    found = find(HEAD + "    0    105    998\n" + line + "\n")

    assert (len(found.rows), found.rejects) == (1, [reason])


@pytest.mark.parametrize("time", ["03:49:61", "25:00:00", "noon", "1:2", "03:49:2x"])
def test_an_hour_that_does_not_exist_is_refused(time: str) -> None:
    found = find(
        f"#Date       Time        gpu    fb\n#YYYYMMDD   HH:MM:SS    Idx    MB\n 20261121   {time}   0   998\n"
    )

    assert (found.rows, found.rejects) == ([], ["no such time"])


def test_what_the_monitor_says_beside_its_rows_is_no_row() -> None:
    found = find(HEAD + "    0    105    998\nTerminated\n\n")

    assert (len(found.rows), found.rejects) == (1, [])


def test_a_huge_number_is_kept_as_a_text_and_not_rounded() -> None:
    found = find(HEAD + f"    0    {'9' * 40}    998\n")

    assert found.rows[0]["stated"]["pwr"] == "9" * 40


@pytest.mark.parametrize(
    "text",
    [
        "# gpu gpu fb\n# Idx Idx MB\n0 0 998\n",
        "# comment of a script about a gpu\n0 1\n",
        "gpu fb\n0 998\n",
        "#\n",
        "# gpu\n# Idx\n 0\n",
    ],
)
def test_other_text_is_none_of_ours(text: str) -> None:
    assert find(text).log.status == "unrecognised"


def test_a_header_alone_is_a_log_without_rows() -> None:
    found = find(HEAD)

    assert (found.log.status, found.rows, found.rejects) == ("loaded", [], [])


def test_the_real_monitors_lose_nothing(h200: Path) -> None:
    counts = {}
    for path in sorted((h200 / "nvidia_smi").glob("*.txt")):
        text = path.read_text()
        found = find(text)
        rows = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
        assert (len(found.rows), found.rejects) == (len(rows), [])
        counts[path.stem] = max(row["stated"].get("fb") or 0 for row in found.rows)

    # What nvidia-smi --query-gpu says at the same time; pmon was asked for no memory.
    assert counts == {"nvsmi_dmon": 10628, "nvsmi_dmon_x2": 58136, "nvsmi_pmon": 0}
