"""Sites of small ledgers, each written once."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from benchledger.answers.filters import Filters
from benchledger.answers.rows import reading
from benchledger.ingestion.ingest import ingest
from benchledger.site.export import export_site
from benchledger.site.files import data_file
from benchledger.site.numbers import packed_numbers, rows_of_quantity
from tests.ingestion.logs import put, run_text
from tests.ledger_rows import ledger_rows

MADE = Path(__file__).resolve().parents[2] / "data" / "made"
# Markup, quotes, an override of the direction of writing, and a key that JavaScript treats differently.
HOSTILE = "<script>document.title='owned'<img src=x onerror=document.title='owned'>\u202egpj.\"'&amp;__proto__"


@pytest.fixture(scope="session")
def demo_site(demo_ledger: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of data/made. Read only."""
    folder = tmp_path_factory.mktemp("site") / "demo"
    export_site(folder, db=demo_ledger)
    return folder


@pytest.fixture(scope="session")
def odd_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tie of two GPU models, and a run out of memory. Read only."""
    top = tmp_path_factory.mktemp("odd")
    with ledger_rows(top / "bench.duckdb") as ledger:
        for gpu_model, speed in (("A100", 127.09), ("H100", 127.09), ("V100", 101.5)):
            ledger.run(speed, environment={"gpu_model": gpu_model})
        ledger.run(status="oom", reason="out_of_memory", text="CUDA out of memory", precision="bf16")
    export_site(top / "site", db=top / "bench.duckdb")
    return top / "site"


@pytest.fixture(scope="session")
def mixed_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A series of two trials that differ in their names and lie apart. Read only."""
    top = tmp_path_factory.mktemp("mixed")
    for number, (name, speed) in enumerate((("bert_warm.log", 300.0), ("bert_cold.log", 200.0))):
        put(top / "logs" / name, run_text(seed=number, at=300.0 * number, speed=speed).log)
    ingest(top / "logs", db=top / "bench.duckdb")
    export_site(top / "site", db=top / "bench.duckdb")
    return top / "site"


@pytest.fixture(scope="session")
def large_site(demo_ledger: Path, demo_site: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site whose table of speeds has 10,000 rows, written as every other. Read only."""
    folder = tmp_path_factory.mktemp("large") / "site"
    shutil.copytree(demo_site, folder)
    with reading(demo_ledger) as con:
        made = rows_of_quantity(con, Filters(), "speed")
    rows = []
    for number in range(10_000):
        row = made[number % len(made)]
        own = {
            "series_id": number,
            "case_id": number,
            "cell": f"s{number:010x}",
            "campaign": f"campaign-{number // 50}",
        }
        own |= {"gpus": 2 ** (number % 7), "batch_size_per_gpu": 4 * (number % 24 + 1), "runs": [number]}
        own["value"] = None if row["value"] is None else row["value"] * (1 + number / 20_000)
        rows.append({**row, **own})
    (folder / "data" / "speed.js").write_bytes(data_file("speed", packed_numbers(rows)))
    return folder


@pytest.fixture(scope="session")
def hostile_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of a log whose path and facts try to be markup. Read only."""
    top = tmp_path_factory.mktemp("hostile")
    logs = top / "logs" / HOSTILE.replace("/", "")
    shutil.copytree(MADE / "run3", logs / "run3")
    quoted = HOSTILE.replace('"', '\\"')
    (logs / "facts.toml").write_text(
        f'campaign = "{quoted}"\n[case]\nmodel = "{quoted}"\n[environment]\ngpu_model = "{quoted}"\nsystem = "a/b"\n',
        encoding="utf-8",
    )
    ingest(top / "logs", db=top / "bench.duckdb")
    export_site(top / "site", db=top / "bench.duckdb", title=HOSTILE)
    return top / "site"
