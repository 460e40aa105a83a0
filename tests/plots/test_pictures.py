"""A plot as a file, as an Altair chart and as text: what each must show."""

from __future__ import annotations

import json
import re
import sys
import xml.dom.minidom
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import benchledger
from benchledger.errors import BenchledgerError, UsageError
from benchledger.plots.charts import file_bytes
from benchledger.plots.data import Plot, plot_data
from benchledger.plots.extra import MOST
from benchledger.plots.questions import NAMES
from benchledger.plots.terminal import terminal_text
from benchledger.plots.vega import vega_lite
from tests.cli.bench import run_bench
from tests.ingestion.logs import put, run_text


@pytest.fixture(scope="module")
def plots(demo_ledger: Path) -> dict[str, Plot]:
    return {name: plot_data(name, db=demo_ledger) for name in NAMES}


def _parts(spec: Any) -> Iterator[dict[str, Any]]:
    if isinstance(spec, dict):
        yield spec
    for part in spec.values() if isinstance(spec, dict) else spec if isinstance(spec, list) else ():
        yield from _parts(part)


def _marks(spec: Any, kind: str) -> list[dict[str, Any]]:
    return [part for part in _parts(spec) if isinstance(part.get("mark"), dict) and part["mark"].get("type") == kind]


@pytest.mark.parametrize("name", NAMES)
def test_every_function_returns_a_chart_that_altair_accepts(name: str, demo_ledger: Path) -> None:
    chart = getattr(benchledger, f"plot_{name}")(db=demo_ledger)

    assert chart.to_dict()["$schema"].endswith("/v6.json")


@pytest.mark.parametrize("name", NAMES)
def test_every_plot_is_a_picture_with_units_on_its_axes_and_the_caption(name: str, plots: dict[str, Plot]) -> None:
    plot = plots[name]
    svg = file_bytes(vega_lite(plot), Path("a.svg")).decode()

    assert svg.startswith("<svg")
    words = svg.replace("&#39;", "'")
    assert plot.title in words
    assert plot.caption.split("; ")[-1] in words
    units = {"scaling": "efficiency", "loss": plot.unit, "utilization": "utilization in %", "memory": "GiB"}
    assert units.get(name, plot.unit) in words


def test_the_ending_of_the_file_says_its_form(plots: dict[str, Plot]) -> None:
    spec = vega_lite(plots["speed"])

    assert file_bytes(spec, Path("a.PNG")).startswith(b"\x89PNG")
    assert json.loads(file_bytes(spec, Path("a.json"))) == spec
    with pytest.raises(UsageError, match=r"a\.pdf: a picture ends with \.svg, \.png, \.json"):
        file_bytes(spec, Path("a.pdf"))


def test_scaling_has_an_ideal_line_and_an_efficiency_above_100_percent_is_not_cut_off(plots: dict[str, Plot]) -> None:
    above = plots["scaling"].points.with_columns(efficiency=pl.col("efficiency") * 1.5, y=pl.col("y") * 1.5)
    spec = vega_lite(replace(plots["scaling"], points=above))

    ideal = [part["data"]["values"] for part in _marks(spec, "line") if "data" in part]
    assert [(point["x"], point["y"]) for point in ideal[0]] == [(1.0, 1.0), (8.0, 8.0)]
    (scale,) = {part["scale"]["domainMax"] for part in _parts(spec) if "domainMax" in part.get("scale", {})}
    assert scale == above["efficiency"].max() > 1.1
    assert not any("clip" in part for part in _parts(spec))


def test_batch_marks_sizes_out_of_memory(plots: dict[str, Plot]) -> None:
    (panel,) = vega_lite(plots["batch"])["vconcat"]

    marked = [row for row in panel["data"]["values"] if row.get("mark") is not None]
    assert [(row["status"], row["y"]) for row in marked] == [("oom", None)]
    assert [part["mark"]["text"] for part in _marks(panel, "text")] == ["✕ out of memory"]


def test_steps_shade_what_the_rule_skips(demo_ledger: Path) -> None:
    plot = plot_data("steps", db=demo_ledger, run="4b33", rule="steps.mean_skip20")

    (shade,) = _marks(vega_lite(plot), "rect")
    assert shade["data"]["values"] == [{"from": 0.5, "to": 20.5, "says": "rule skips 20"}]


def test_loss_has_the_target(demo_ledger: Path) -> None:
    spec = vega_lite(plot_data("loss", db=demo_ledger, target="6.5"))

    (rule,) = _marks(spec, "rule")
    assert rule["data"]["values"] == [{"y": 6.5, "says": "target 6.5"}]


def test_memory_shows_the_size_of_the_gpu(plots: dict[str, Plot]) -> None:
    spec = vega_lite(plots["memory"])

    (tick,) = _marks(spec, "tick")
    assert tick["encoding"]["x"]["field"] == "card"
    assert {row["card"] for row in spec["vconcat"][0]["data"]["values"]} == {40.0}


def test_whiskers_reach_over_the_trials(plots: dict[str, Plot]) -> None:
    for name in ("scaling", "speed", "batch", "history"):
        whiskers = [
            part
            for part in _marks(vega_lite(plots[name]), "rule")
            if "y2" in part["encoding"] or "x2" in part["encoding"]
        ]

        assert len(whiskers) == 1, name


def test_ten_thousand_losses_are_thinned_to_their_shape(plots: dict[str, Plot]) -> None:
    one = plots["loss"].points.filter(label=plots["loss"].labels[0]).head(1)
    long = pl.concat([one] * 10_000).with_columns(x=pl.int_range(10_000).cast(pl.Float64))
    peak = long.with_columns(y=pl.when(pl.col("x") == 5000).then(99.0).otherwise(pl.col("y")))

    (panel,) = vega_lite(replace(plots["loss"], points=peak))["vconcat"]
    drawn = panel["data"]["values"]
    assert len(drawn) == MOST
    assert [row["x"] for row in drawn if row["y"] == 99.0] == [5000.0]
    assert [drawn[0]["x"], drawn[-1]["x"]] == [0.0, 9999.0]


def test_a_loss_that_is_no_number_is_not_drawn(plots: dict[str, Plot]) -> None:
    points = plots["loss"].points.with_columns(y=pl.when(pl.col("x") > 0).then(float("nan")).otherwise(pl.col("y")))

    spec = vega_lite(replace(plots["loss"], points=points))
    assert "NaN" not in json.dumps(spec)


@pytest.mark.parametrize("name", ["speed", "loss"])
def test_text_of_a_log_cannot_act_in_a_picture(name: str, plots: dict[str, Plot]) -> None:
    # Each control character aborts Vega's renderer, or is no XML.
    plot = replace(plots[name], facts={"model": "<script>alert(1)</script>", "loss_name": "\x1b \uffff"})
    if "campaign" in plot.points:
        plot = replace(plot, points=plot.points.with_columns(campaign=pl.lit("\x1b \uffff")))

    svg = file_bytes(vega_lite(plot), Path("a.svg")).decode()
    assert r"\x1b \uffff" in svg
    assert "<script" not in svg
    assert "&lt;script&gt;alert(1)" in svg


LONG = [
    "y" * 1_000_000,
    "\U0001f600" * 200,
    "a\x01",
    "a\\x01",
    "{x.y}",
    "datum['a']",
    "' \"",
    "\\" * 500,
    "%s",
    "\u202e",
]


@pytest.mark.parametrize("name", ["speed", "scaling", "history", "loss"])
def test_names_of_any_length_and_characters_are_drawn_each_as_a_line_of_its_own(name: str, tmp_path: Path) -> None:
    db = tmp_path / "b.duckdb"
    for number, campaign in enumerate(LONG[: 8 if name == "loss" else None]):
        for gpus in (1, 8):
            text = run_text(seed=10 * number + gpus, at=1000 * number + gpus, gpus=gpus, speed=200.0 + number).log
            put(tmp_path / f"{number}" / f"{gpus}.log", text)
        benchledger.ingest(tmp_path / f"{number}", db=db, campaign_name=campaign)
    plot = plot_data(name, db=db)

    svg = file_bytes(vega_lite(plot), tmp_path / "a.svg")

    assert len(plot.labels) == plot.points["line"].n_unique() > 1
    assert max(map(len, plot.labels)) < 400
    xml.dom.minidom.parseString(svg)
    assert terminal_text(plot, 80, coloured=False)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("width", [80, 140])
def test_a_terminal_shows_every_plot_in_its_width_without_escape_codes(
    name: str, width: int, plots: dict[str, Plot]
) -> None:
    plot = plots[name]
    text = terminal_text(plot, width, coloured=False)

    lines = text.splitlines()
    assert lines[0] == plot.title
    assert plot.caption.split("; ")[-1] in text.replace("\n", " ")
    assert "whiskers" not in text
    assert "\x1b" not in text
    assert any(sign in text for sign in "┤█")
    assert max(map(len, lines)) <= width


@pytest.mark.parametrize("name", ["speed", "scaling"])
def test_a_terminal_shows_long_labels_whole(name: str, plots: dict[str, Plot]) -> None:
    plot = plots[name]
    long = plot.points.with_columns(label=pl.col("label") + ", a rather long name of the campaign, and its end")
    text = terminal_text(replace(plot, points=long), 60, coloured=False)

    shown = " ".join(text.split())
    assert all(label in shown for label in long["label"])
    assert max(map(len, text.splitlines())) <= 60


def test_a_terminal_names_the_lines_that_lie_on_another(plots: dict[str, Plot]) -> None:
    plot = plots["scaling"]
    points = plot.points.filter(label=plot.labels[0])
    twice = replace(plot, points=pl.concat([points, points.with_columns(label=pl.lit("twin"))]))

    assert re.search(r"twin \(same points as .\)", terminal_text(twice, 80, coloured=False))
    assert "same points" not in terminal_text(replace(plot, points=points), 80, coloured=False)


def test_the_command_writes_what_the_function_draws(demo_ledger: Path, tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    done = run_bench("--db", demo_ledger, "plot", "scaling", "--precision", "fp16", "--output", file)

    assert done.exit_code == 0, done.output
    assert json.loads(file.read_text()) == vega_lite(plot_data("scaling", db=demo_ledger, precision="fp16"))


def test_what_is_not_installed_names_the_line_to_type(demo_ledger: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "altair", None)

    needed = r"plots need altair, which is not installed\. Install it with:\n  .*install.*benchledger\[plot\]"
    with pytest.raises(UsageError, match=needed):
        benchledger.plot_scaling(db=demo_ledger)


def test_a_file_that_is_no_picture_is_refused_before_anything_is_drawn(demo_ledger: Path, tmp_path: Path) -> None:
    done = run_bench("--db", demo_ledger, "plot", "loss", "--output", tmp_path / "a.gif")

    assert (done.exit_code, len(done.stderr.splitlines())) == (2, 1)
    assert "a picture ends with .svg, .png, .json" in done.stderr


@pytest.mark.parametrize("size", [float("inf"), float("nan")])
def test_a_number_that_is_not_finite_has_no_bar(plots: dict[str, Plot], size: float) -> None:
    odd = plots["speed"].points.with_columns(y=pl.lit(size))

    assert "█" not in terminal_text(replace(plots["speed"], points=odd), 80, coloured=False)


def test_too_few_addresses_are_told_where_the_process_would_be_ended(
    plots: dict[str, Plot], monkeypatch: pytest.MonkeyPatch
) -> None:
    resource = pytest.importorskip("resource", reason="no limits on this system")
    monkeypatch.setattr(resource, "getrlimit", lambda _: (8 << 30, 8 << 30))
    spec = vega_lite(plots["speed"])

    with pytest.raises(BenchledgerError, match=r"needs 80 GiB of addresses.*ulimit -v allows 8"):
        file_bytes(spec, Path("x.svg"))
    assert file_bytes(spec, Path("x.json"))
