"""The points of a plot are those that its SQL gives, and those of the reports."""

from __future__ import annotations

from pathlib import Path

import duckdb
import polars as pl
import pytest

import benchledger
from benchledger.errors import NothingFoundError, UsageError
from benchledger.plots.data import plot_data
from benchledger.plots.questions import NAMES

# The statement of steps reads views that exist while the plot is made.
ASKED = [name for name in NAMES if name != "steps"]


@pytest.mark.parametrize("name", ASKED)
def test_the_points_are_those_that_the_shown_sql_gives(name: str, demo_ledger: Path) -> None:
    plot = plot_data(name, db=demo_ledger)

    with duckdb.connect(str(demo_ledger), read_only=True) as con:
        found = con.sql(plot.sql).pl()
    columns = [column for column in ("line", "x", "y", "lowest", "highest") if column in found.columns]
    assert plot.points.height > 0
    assert plot.points.select(columns).sort(columns).equals(found.select(columns).sort(columns))


def test_scaling_has_the_speedups_of_the_report(demo_ledger: Path) -> None:
    plot = plot_data("scaling", db=demo_ledger)
    report = benchledger.report_speedup(db=demo_ledger).cells.filter(pl.col("speedup").is_not_null())

    drawn = plot.points.select("cell", "y", "efficiency").sort("cell")
    assert drawn.equals(report.select("cell", pl.col("speedup").alias("y"), "efficiency").sort("cell"))


def test_speed_has_the_numbers_of_the_report(demo_ledger: Path) -> None:
    plot = plot_data("speed", db=demo_ledger, precision="fp16")
    report = benchledger.report_speed(db=demo_ledger, precision="fp16").cells.filter(pl.col("value").is_not_null())

    assert plot.points.select("cell", "y").sort("cell").rows() == report.select("cell", "value").sort("cell").rows()
    assert plot.points["y"].to_list() == sorted(plot.points["y"], reverse=True)


def test_memory_is_that_of_the_report_in_gib_beside_the_size_of_the_gpu(demo_ledger: Path) -> None:
    plot = plot_data("memory", db=demo_ledger)
    report = benchledger.report_memory(db=demo_ledger).cells.filter(pl.col("value_mib").is_not_null())

    drawn = plot.points.sort("cell")
    assert (drawn["y"] * 1024).to_list() == pytest.approx(report.sort("cell")["value_mib"].to_list())
    assert (drawn["card"] * 1024).to_list() == report.sort("cell")["gpu_memory_mib"].to_list()


def test_batch_marks_the_size_that_ran_out_of_memory_on_the_line_of_its_case(demo_ledger: Path) -> None:
    plot = plot_data("batch", db=demo_ledger, precision="fp32", gpus=1)

    assert plot.labels != []
    oom = plot.points.filter(status="oom")
    assert oom.height == 1
    assert oom["y"].to_list() == [None]
    assert plot.points.filter(pl.col("line") == oom["line"][0])["y"].drop_nulls().len() >= 1


def test_steps_has_the_readings_that_explain_lists_and_what_the_rule_skips(demo_ledger: Path) -> None:
    plot = plot_data("steps", db=demo_ledger, run="4b33", rule="steps.mean_skip20")

    asked = {"gpus": 1, "precision": "fp32", "batch_size_per_gpu": 32, "rule": "steps.mean_skip20"}
    readings = benchledger.explain(db=demo_ledger, **asked).readings
    readings = readings.filter(pl.col("run_key").str.starts_with("4b33"), pl.col("rate").is_not_null())
    # 32 samples a step.
    assert plot.points["y"].to_list() == pytest.approx((readings["rate"] * 32).to_list())
    assert plot.points["dropped"].is_null().to_list() == (readings["use"] == "kept").to_list()
    assert plot.points["dropped"].to_list()[:21] == ["skipped at the beginning"] * 20 + [None]
    assert plot.level == pytest.approx(plot.points.filter(pl.col("dropped").is_null())["y"].mean())


def test_loss_has_every_loss_of_the_run_and_the_mean(demo_ledger: Path) -> None:
    plot = plot_data("loss", db=demo_ledger, run="4b33")
    curve = benchledger.query("loss_curve", db=demo_ledger, run="4b33*")

    assert plot.points["y"].to_list() == curve["loss"].to_list()
    assert plot.points["mean_loss"].to_list() == curve["mean_loss"].to_list()


def test_without_filters_it_draws_what_has_most_data_and_says_so(demo_ledger: Path) -> None:
    plot = plot_data("loss", db=demo_ledger)

    assert len(plot.labels) == 8
    assert plot.choice == "8 of 14 runs, the longest; name another with --run KEY"
    assert plot.choice.split(";")[0] in plot.caption


def test_lines_are_named_by_what_tells_them_apart(demo_ledger: Path) -> None:
    assert plot_data("scaling", db=demo_ledger).labels == ["fp32, BS=48", "fp32, BS=32", "fp16, BS=96", "fp16, BS=64"]


def test_the_caption_names_the_rule_and_the_date_of_the_ledger(demo_ledger: Path) -> None:
    with duckdb.connect(str(demo_ledger), read_only=True) as con:
        (date,) = con.sql("select max(ingested_at)::date from sighting").fetchone() or ("",)

    caption = plot_data("speed", db=demo_ledger).caption
    assert caption == f"rule ngc.summary; whiskers: lowest to highest trial; ledger of {date}"


def test_what_cannot_be_drawn_says_what_there_is(demo_ledger: Path, tmp_path: Path) -> None:
    with pytest.raises(NothingFoundError, match="with model 'gpt'; known: bert_base"):
        plot_data("speed", db=demo_ledger, model="gpt")
    with pytest.raises(UsageError, match=r"no plot 'speedy'; did you mean 'speed'\?; known: scaling, "):
        plot_data("speedy", db=demo_ledger)
    with pytest.raises(UsageError, match="plot memory has no rule"):
        plot_data("memory", db=demo_ledger, rule="ngc.summary")
    with pytest.raises(UsageError, match="draws series, not runs"):
        plot_data("speed", db=demo_ledger, run="4b33")
    with pytest.raises(UsageError, match="only plot loss has a target"):
        plot_data("loss", db=demo_ledger, target="accuracy=0.7")
