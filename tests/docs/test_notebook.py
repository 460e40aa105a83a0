"""docs/notebook.py runs from logs to the three plots, and answers show themselves in it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

import benchledger
from benchledger.errors import BenchledgerError
from tests.docs.pages import TOP, known_environment, reader_s_folder

_RUN = """
import runpy, altair
app = runpy.run_path("NOTEBOOK", run_name="notebook")["app"]
_, defined = app.run()
print([type(defined[name]).__name__ for name in ("speeds", "scaling", "batch")])
print(defined["fastest"]["value"][0])
"""


def test_the_notebook_runs_from_logs_to_three_charts(tmp_path: Path) -> None:
    script = _RUN.replace("NOTEBOOK", str(TOP / "docs" / "notebook.py"))
    folder = reader_s_folder(tmp_path)

    done = subprocess.run([sys.executable, "-c", script], cwd=folder, capture_output=True, text=True,
                          env={**known_environment(), "PYTHONPATH": str(TOP), "HOME": str(tmp_path)})  # fmt: skip

    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-2:] == ["['VConcatChart', 'VConcatChart', 'VConcatChart']", "6911.636275141021"]


def test_a_report_is_a_short_text_and_a_table_in_a_notebook(demo_ledger: Path) -> None:
    report = benchledger.report_speed(db=demo_ledger)

    assert repr(report) == "<Report speed: 1 table, 9 rows in .cells>"
    assert "<th>FP16(BS=96)</th>" in report._repr_html_()
    assert "<td align=right>6911.64</td>" in report._repr_html_()


def test_an_explanation_is_its_sentences_and_frames_in_a_notebook(demo_ledger: Path) -> None:
    told = benchledger.explain(gpus=1, precision="fp32", batch_size_per_gpu=32, db=demo_ledger)

    assert repr(told).startswith("<ExplainedCell cell='s")
    assert told.sentences[0] in told._repr_html_()


def test_text_of_a_log_is_no_html(tmp_path: Path) -> None:
    from benchledger.answers.notebook import html_table

    shown = html_table(["a"], [["<script>\u202ex"]], 1)

    assert "<script>" not in shown
    assert "&lt;script&gt;\\u202ex" in shown


def test_answers_are_frames_of_pandas_polars_and_arrow(demo_ledger: Path) -> None:
    report, rows = benchledger.report_speed(db=demo_ledger), benchledger.query("speed", db=demo_ledger)

    for answer in (report, rows, benchledger.runs(db=demo_ledger), benchledger.sql("select 1 as a", db=demo_ledger)):
        assert answer.df().shape == answer.pl().shape
        assert answer.arrow().num_rows == answer.pl().height
    assert isinstance(rows, pl.DataFrame)


def test_without_pandas_the_line_to_type_is_named(demo_ledger: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)

    with pytest.raises(BenchledgerError, match=r"\.df\(\) needs pandas\. Install it with: .* pandas, or use \.pl\(\)"):
        benchledger.query("speed", db=demo_ledger).df()
