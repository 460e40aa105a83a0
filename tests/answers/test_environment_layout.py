"""The environment section as the reference READMEs print it: machines and container apart, and only what is stated."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from benchledger import ingest, report_environment
from benchledger.errors import UsageError
from tests.cli.bench import run_bench
from tests.exports.hostile import HOSTILE
from tests.ingestion.logs import put, run_text
from tests.ledger_rows import ledger_rows

# What README 000 states, section 一、环境介绍.
ONE_MACHINE = """campaign = "ngc"
[environment]
os = "CentOS release 7.5 (Final)"
gpu_model = "Tesla V100-SXM2-16GB"
gpus_per_node = 8
cpu_model = "Intel(R) Xeon(R) Gold 6148 CPU @ 2.40GHz"
cpu_count = 38
driver_version = "460.32.03"
memory_mib = 514048
image = "nvcr.io/nvidia/pytorch:20.06-py3"
framework_version = "1.6.0a0+9907a3e"
cuda_version = "11.0.167"
cudnn_version = "8.0.1"
"""
SEVERAL = """campaign = "ngc"
[correct]
reason = "the log counts the processes of one machine"
nodes = 4
[environment]
os = "CentOS release 6.3 (Final)"
gpu_model = "Tesla V100-SXM2-32GB"
gpus_per_node = 8
cpu_model = "Intel(R) Xeon(R) Gold 6271C CPU @ 2.60GHz"
cpu_count = 48
driver_version = "450.80.02"
memory_mib = 514048
image = "nvcr.io/nvidia/pytorch:20.06-py3"
framework_version = "1.6.0a0+9907a3e"
cuda_version = "11.0.167"
cudnn_version = "8.0.1"
"""


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("environment")
    put(folder / "logs" / "one" / "x.log", run_text(gpus=1, seed=1).log)
    put(folder / "logs" / "one" / "y.log", "+ torchrun --nproc_per_node=8 run.py\n" + run_text(gpus=8, seed=2).log)
    put(folder / "logs" / "one" / "facts.toml", ONE_MACHINE)
    put(
        folder / "logs" / "four" / "z.log",
        "+ torchrun --nproc_per_node=8 --nnodes=4 run.py\n" + run_text(gpus=32, seed=3).log,
    )
    put(folder / "logs" / "four" / "facts.toml", SEVERAL)
    ingest(folder / "logs", db=folder / "bench.duckdb")
    return folder / "bench.duckdb"


def printed(db: Path, *words: str) -> str:
    done = run_bench("report", "environment", *words, "--format", "markdown", db=db)
    assert done.exit_code == 0, done.stderr
    return done.stdout


def shown(text: str) -> list[str]:
    """The lines that a reader sees: the headings and items of the rendered page."""
    html = MarkdownIt("commonmark").render(text)
    plain = re.sub(r"<[^>]+>", "", re.sub(r"</(li|p|h\d|pre)>|<ul>", "\n", html))
    return [line.strip() for line in plain.replace("&amp;", "&").splitlines() if line.strip()]


def test_the_section_of_readme_000_is_rebuilt_line_by_line(db: Path, shared: Path) -> None:
    readme = next((shared / "seeds").glob("000_*")).read_text(encoding="utf-8")
    machines = readme[readme.index("- 单机（单卡、8卡）\n  - 系统") : readme.index("### 2.Docker")]
    container = readme[readme.index("- **镜像版本**") : readme.index("## 二、环境搭建")]

    assert shown(printed(db, "--layout", "paddle", "--lang", "zh")) == [
        "1.物理机环境", *shown(machines), "2.Docker 镜像", *shown(container),
    ]  # fmt: skip


def test_the_same_in_english(db: Path) -> None:
    lines = shown(printed(db, "--layout", "paddle"))

    assert lines[:3] == ["1. Machines", "Single machine (1 GPU, 8 GPUs)", "OS: CentOS release 7.5 (Final)"]
    assert "Several machines (32 GPUs)" in lines
    assert lines[-5:] == [
        "2. Docker image", "Image: nvcr.io/nvidia/pytorch:20.06-py3", "PyTorch version: 1.6.0a0+9907a3e",
        "CUDA version: 11.0.167", "cuDNN version: 8.0.1",
    ]  # fmt: skip


def test_the_layout_of_readme_001(db: Path) -> None:
    lines = shown(printed(db, "--layout", "dlperf", "--lang", "zh", "--gpus", "8"))

    assert lines == [
        "环境 Environment", "单机（8卡）", "GPU：Tesla V100-SXM2-16GB×8", "CPU：Intel(R) Xeon(R) Gold 6148 CPU @ 2.40GHz×38",
        "内存：502 GB", "驱动：Nvidia 460.32.03", "系统：CentOS release 7.5 (Final)", "容器", "镜像：nvcr.io/nvidia/pytorch:20.06-py3",
        "CUDA 11.0.167", "cuDNN 8.0.1", "PyTorch：1.6.0a0+9907a3e",
    ]  # fmt: skip


def test_what_nobody_states_has_no_line(tmp_path: Path) -> None:
    with ledger_rows(tmp_path / "bench.duckdb") as ledger:
        ledger.run(1.0, environment={"gpu_model": "V100-SXM2-16GB"})

    assert shown(printed(tmp_path / "bench.duckdb", "--layout", "paddle")) == [
        "1. Machines", "Single machine (1 GPU)", "GPU: V100-SXM2-16GB", "2. Docker image", "not stated",
    ]  # fmt: skip


def test_runs_that_state_less_are_no_machine_of_their_own(tmp_path: Path) -> None:
    with ledger_rows(tmp_path / "bench.duckdb") as ledger:
        ledger.run(1.0, gpus=1, environment={"driver_version": "460.32"})
        ledger.run(status="oom", gpus=8, environment={"gpu_model": None, "driver_version": "460.32"})
        ledger.run(1.0, gpus=4, environment={"driver_version": "470.82"})

    assert shown(printed(tmp_path / "bench.duckdb", "--layout", "paddle"))[1:-2] == [
        "Single machine (1 GPU, 8 GPUs)", "GPU: V100-SXM2-16GB", "Driver version: 460.32",
        "Single machine (4 GPUs)", "GPU: V100-SXM2-16GB", "Driver version: 470.82",
    ]  # fmt: skip


def test_an_unknown_number_of_machines_is_not_guessed(tmp_path: Path) -> None:
    with ledger_rows(tmp_path / "bench.duckdb") as ledger:
        ledger.run(1.0, gpus=32, nodes=None)
        ledger.run(1.0, gpus=1, nodes=None)

    lines = shown(printed(tmp_path / "bench.duckdb", "--layout", "paddle", "--lang", "zh"))
    assert [line for line in lines if "机" in line][1:] == ["单机（单卡）", "机器数未知（32卡）"]


def test_a_topology_is_a_block_of_its_own_however_it_is_written(tmp_path: Path) -> None:
    matrix = "\tGPU0\tGPU1\nGPU0\t X \tNV2\n```\n<!-- /bench -->\x1b[2J\n"
    with ledger_rows(tmp_path / "bench.duckdb") as ledger:
        # A fact is kept without the blanks around it; the columns stand where they were stated.
        run = ledger.run(1.0, environment={"topology": matrix.strip()})
        stated = {"name": "topology", "value": matrix.strip(), "value_logged": matrix, "source": "facts.toml"}
        ledger.insert("fact", run_id=run, used=True, **stated)

    html = MarkdownIt("commonmark").render(printed(tmp_path / "bench.duckdb", "--layout", "paddle"))
    (block,) = re.findall(r"<pre><code[^>]*>(.*?)</code></pre>", html, re.DOTALL)
    assert block.splitlines() == [
        "        GPU0    GPU1", "GPU0     X      NV2", "```", "&lt;!-- /bench --&gt;\\x1b[2J",
    ]  # fmt: skip
    assert html.rstrip().endswith("</ul>")


def test_facts_that_read_like_markup_are_text(tmp_path: Path) -> None:
    with ledger_rows(tmp_path / "bench.duckdb") as ledger:
        for text in HOSTILE:
            stated = {"os": text, "image": text, "cpu_model": "` ``" + text, "framework_version": "1 {}"}
            ledger.run(1.0, campaign=text, environment=stated, framework=text)

    for layout in ("paddle", "dlperf"):
        page = printed(tmp_path / "bench.duckdb", "--layout", layout)
        assert not re.search(r"<(script|img|a|blockquote|hr|ol|h4)\b", MarkdownIt("commonmark").render(page))
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", page)


def test_a_link_stands_in_the_place_of_the_section(db: Path) -> None:
    words = (
        "--layout",
        "paddle",
        "--lang",
        "zh",
        "--link",
        "../../README.md#1物理机环境",
        "--link-text",
        "《Paddle [1]》",
    )

    assert printed(db, *words).strip() == (
        "环境介绍（物理机环境及 Docker 环境）见[《Paddle \\[1\\]》]"
        "(../../README.md#1%E7%89%A9%E7%90%86%E6%9C%BA%E7%8E%AF%E5%A2%83)。"
    )


@pytest.mark.parametrize("address", ["javascript:alert(1)", " JavaScript:x", "data:text/html,x", "", "http://[x"])
def test_what_is_no_address_is_refused(db: Path, address: str) -> None:
    with pytest.raises(UsageError, match=r"is not a valid address|cannot be linked from a page"):
        report_environment(db=db, link=address)


@pytest.mark.parametrize("address", ["https://example.org/a b(c)", "../x) <script>", 'y" onclick="z'])
def test_an_address_does_not_end_its_link(db: Path, address: str) -> None:
    html = MarkdownIt("commonmark").render(printed(db, "--link", address, "--link-text", "there"))

    assert html.count("<a ") == 1
    assert re.search(r'<a href="[^" <>]+">there</a>\.</p>', html)


def test_several_campaigns_have_a_heading_each(tmp_path: Path) -> None:
    with ledger_rows(tmp_path / "bench.duckdb") as ledger:
        for campaign in ("autumn", "spring"):
            ledger.run(1.0, campaign=campaign)

    lines = shown(printed(tmp_path / "bench.duckdb", "--layout", "paddle"))
    assert [line for line in lines if line in ("autumn", "spring")] == ["autumn", "spring"]


def test_the_numbers_of_machines_stay_a_table_in_other_forms(db: Path) -> None:
    plain = run_bench("report", "environment", "--format", "csv", db=db).stdout

    assert run_bench("report", "environment", "--layout", "paddle", "--format", "csv", db=db).stdout == plain
    assert "sizes" not in plain


def test_an_unknown_layout_names_the_known_ones(db: Path) -> None:
    with pytest.raises(UsageError, match="no layout 'x' of environment; known: paddle, dlperf"):
        report_environment(db=db, layout="x")


def test_a_layout_of_ones_own_says_what_it_lists(db: Path, tmp_path: Path) -> None:
    put(
        tmp_path / "mine" / "queries" / "page_texts" / "environment.toml",
        "[house]\nhost = { en = 'Iron', zh = '铁' }\n[house-host]\nos = { en = 'runs {}', zh = '系统 {}' }\n"
        "[house-container]\nimage = { en = '`{}`', zh = '`{}`' }\n",
    )
    done = run_bench(
        "report",
        "environment",
        "--layout",
        "house",
        "--gpus",
        "8",
        db=db,
        env={"BENCH_DEFINITIONS": str(tmp_path / "mine")},
    )

    assert shown(done.stdout) == [
        "Iron", "Single machine (8 GPUs)", "runs CentOS release 7.5 (Final)", "2. Docker image",
        "nvcr.io/nvidia/pytorch:20.06-py3",
    ]  # fmt: skip
    put(tmp_path / "half" / "queries" / "page_texts" / "environment.toml", "[house]\nhost = { en = 'Iron' }\n")
    done = run_bench(
        "report", "environment", "--layout", "house", db=db, env={"BENCH_DEFINITIONS": str(tmp_path / "half")}
    )
    assert "environment.toml:2: host is stated in each language: en, zh; here in: en" in done.stderr


def test_what_has_no_effect_without_a_layout_or_a_link_is_refused(db: Path) -> None:
    with pytest.raises(UsageError, match="no words in 'xx'; known languages: en, zh"):
        report_environment(db=db, lang="xx")
    with pytest.raises(UsageError, match="environment table takes no lang: take it out, or give a layout: paddle, dlp"):
        report_environment(db=db, lang="zh")
    with pytest.raises(UsageError, match="link_text needs a link: add the link, or remove link_text"):
        report_environment(db=db, link_text="hi")
