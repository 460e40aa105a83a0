"""Sites of small ledgers, each written once."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from benchledger.ingestion.ingest import ingest
from benchledger.site.export import export_site

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
