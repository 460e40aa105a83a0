"""CSV amid program output: ncu and nvprof, in old and new columns, cut and glued."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.scanning.found import find

HEAD = '"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Device","Section Name","Metric Name","Metric Unit","Metric Value"\n'


def row(number: int, metric: str = "gpc__cycles_elapsed.max", unit: str = "cycle", value: str = "16,204") -> str:
    return f'"{number}","22","python","node-17","void gemm<2, int>(T1 *)","1","7","0","Command line","{metric}","{unit}","{value}"\n'


def test_the_header_stands_anywhere_after_program_output() -> None:
    found = find("epoch 1\n" * 30_000 + "==PROF== Connected to process 22 (/usr/bin/python)\n" + HEAD + row(0))

    assert found.log.format == "ncu-csv"
    assert [(one["line"], one["step"], one["label"]) for one in found.rows] == [(30_003, 0, "void gemm<2, int>(T1 *)")]


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("16,204", 16204),
        ("1,234.5", 1234.5),
        ("1,234,567.25", 1234567.25),
        ("0", 0),
        ("n/a", None),
        ("3995313115.40", 3995313115.4),
    ],
)
def test_a_value_is_a_number_with_or_without_thousands(cell: str, value: float | None) -> None:
    found = find(HEAD + row(0, value=cell))

    assert found.rows[0]["stated"] == {"gpc__cycles_elapsed.max": value}


@pytest.mark.parametrize("cell", ["1,23", "12,34.5", "1,2345"])
def test_a_comma_elsewhere_makes_no_number(cell: str) -> None:
    found = find(HEAD + row(0, value=cell))

    assert found.rows[0]["stated"] == {"gpc__cycles_elapsed.max": cell}


def test_the_host_and_the_process_are_not_kept() -> None:
    found = find(HEAD + row(0))

    assert "node-17" not in repr(found.rows)


def test_program_output_between_before_and_glued_to_rows() -> None:
    found = find(HEAD + row(0) + "loss 7.5, step 2\n" + "loss " + row(1).rstrip() + "7.4\n" + "[1, 2]\n" + row(2))

    assert [(one["step"], one["lead"], one["note"]) for one in found.rows] == [
        (0, None, None),
        (1, "loss ", "7.4"),
        (2, None, None),
    ]
    assert found.rejects == []


@pytest.mark.parametrize("line", ["12, 5 %, 904 MiB", '"a", "b"', "1,2,3", ",,,", '"loss", 7.5'])
def test_program_output_with_commas_is_no_cut_row(line: str) -> None:
    found = find(HEAD + row(0) + line + "\n" + row(1))

    assert (len(found.rows), found.rejects) == (2, [])


def test_a_row_that_is_cut_is_refused_wherever_it_is_cut() -> None:
    whole = row(1).rstrip()
    for end in range(whole.index('","') + 4, len(whole)):
        found = find(HEAD + row(0) + whole[:end] + "\n")
        assert (len(found.rows), found.rejects) == (1, ["cut row"]), whole[:end]


def test_two_sessions_in_one_file_may_have_other_columns() -> None:
    old = '"ID","Process ID","Process Name","Host Name","Kernel Name","Kernel Time","Context","Stream","Section Name","Metric Name","Metric Unit","Metric Value"\n'
    found = find(
        HEAD
        + row(0)
        + old
        + '"0","22","python","node-17","gemm","2020-Sep-02 11:02:03","1","7","s","gpc__cycles_elapsed.max","cycle","5"\n'
    )

    assert [one["stated"] for one in found.rows] == [{"gpc__cycles_elapsed.max": 16204}, {"gpc__cycles_elapsed.max": 5}]


def test_a_header_that_names_a_column_twice_is_no_header() -> None:
    assert find(HEAD.replace('"Stream"', '"Device"') + row(0)).log.status == "unrecognised"


@pytest.mark.parametrize("number", ["9" * 18, "-1"])
def test_a_launch_number_is_a_whole_number(number: str) -> None:
    found = find(HEAD + row(0).replace('"0",', f'"{number}",', 1))

    assert found.rejects in ([], ["bad number"], ["cut row"])


def test_an_endless_row_is_refused() -> None:
    found = find(HEAD + row(0) + row(1).replace("gemm", "g" * 70_000))

    assert (len(found.rows), found.rejects) == (1, ["too long"])


def test_advice_without_a_metric_is_ignored_with_a_reason() -> None:
    found = find(HEAD + row(0) + row(0, metric="", unit="", value=""))

    assert (len(found.rows), dict(found.log.scanned.ignored)) == (1, {"a row that names no value": 1})


def test_nvprofs_units_stand_under_its_header() -> None:
    found = find(
        '==1== NVPROF is profiling\n"Type","Time(%)","Time","Calls","Avg","Min","Max","Name"\n,%,s,,ms,us,ms,\n"GPU activities",50,1.5,3,500,2,600,"gemm"\n'
    )

    assert found.log.format == "nvprof-summary-csv"
    assert found.rows[0]["stated"] == {
        "Type": "GPU activities",
        "Time(%)": 50,
        "Time": 1.5,
        "Calls": 3,
        "Avg": 0.5,
        "Min": 2e-6,
        "Max": 0.6,
    }


def test_the_real_profiles_lose_nothing(h200: Path) -> None:
    for name, rows in (("ncu_tbd_fp16", 200), ("ncu_tbd_fp16_bs4_step", 2425)):
        found = find((h200 / name / f"{name}.log").read_bytes())
        assert (len(found.rows), found.rejects) == (rows, [])
        assert {one["quantities"].popitem()[1] for one in found.rows} == {"kernel_cycles", "pipe_utilization"}
