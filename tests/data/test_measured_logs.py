"""The logs in data/measured are read whole, hold nothing private, and say what docs/results.md says."""

from __future__ import annotations

import re
from pathlib import Path
from statistics import median

import polars as pl
import pytest

import benchledger
from tests.docs.pages import TOP

MEASURED = TOP / "data" / "measured"


def test_every_number_of_the_page_is_what_the_logs_say(measured_ledger: Path) -> None:
    page = benchledger.write_page(TOP / "docs" / "results.md", db=measured_ledger, check=True)

    assert page.diff == ""
    assert page.blocks == 34


def test_what_held_a_case_back_is_what_its_samples_say(measured_ledger: Path) -> None:
    frame = benchledger.query("noise", db=measured_ledger, campaign="h200-throughput").filter(pl.col("batch") == 4)
    folder = "h200-throughput/pytorch/NLP/bert_base/logs/train_log/nlp_bert_base_sp_bs4_fp32_1_throughput"
    files = _members(MEASURED / "h200.tar.xz")
    name = folder.rpartition("/")[2]
    steps = re.findall(r"DLL (\S+ \S+) - .*Iteration: ", files[f"{folder}_trial1/{name}.log"].decode())
    rows = [row.split(", ") for row in files[f"{folder}_trial1/gpus.csv"].decode().splitlines()[1:]]
    during = [row for row in rows if steps[0] <= row[0].replace("/", "-") <= steps[-1]]
    utilization, power, temperature, clock = (
        [float(row[place].split()[0]) for row in during] for place in (7, 9, 10, 11)
    )

    assert len(during) > 10
    assert frame["bound_by"].to_list() == ["host"]
    assert frame.select("utilization_percent", "clock_mhz", "temperature_c").rows() == [
        (round(median(utilization)), median(clock), max(temperature))
    ]
    assert frame["power_w"].item() == pytest.approx(median(power), abs=0.5)
    assert frame["certainty_percent"].item() is None


def test_the_median_of_three_trials_lies_between_them_three_times_in_four(measured_ledger: Path) -> None:
    frame = benchledger.query("noise", db=measured_ledger, campaign="h100-5-fast")

    assert frame.select("trials", "certainty_percent").unique().rows() == [(3, 75.0)]
    assert frame.filter(pl.col("framework") == "pytorch")["bound_by"].unique().to_list() == ["power or heat"]
    assert frame.filter(pl.col("framework") == "jax")["bound_by"].unique().to_list() == ["kernels"]


def test_what_log_twin_and_manifest_say_of_a_run_agrees(measured_ledger: Path) -> None:
    assert benchledger.sql("select * from conflict", db=measured_ledger).rows() == []


@pytest.mark.long
@pytest.mark.parametrize("archive", sorted(MEASURED.iterdir()), ids=lambda archive: archive.name)
def test_nothing_is_left_to_redact(tmp_path: Path, archive: Path) -> None:
    benchledger.redact(archive, out=tmp_path / "clean")

    (clean,) = (tmp_path / "clean").rglob("*.xz")
    assert _members(clean) == _members(archive)


def _members(archive: Path) -> dict[str, bytes]:
    import tarfile

    with tarfile.open(archive) as tar:
        files = [(member.name, tar.extractfile(member)) for member in tar.getmembers() if member.isfile()]
        return {name: file.read() for name, file in files if file is not None}
