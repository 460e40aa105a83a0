"""A campaign is its root and the folders below it that say more than a case, a date with a time, or nothing."""

from __future__ import annotations

import itertools
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchledger import ingest
from benchledger.definitions.campaign_folders import without_moments
from benchledger.definitions.names import load_names
from benchledger.errors import DefinitionError
from tests.cli.bench import run_bench
from tests.ingestion.conftest import made
from tests.ingestion.logs import ask, put, run_text
from tests.ingestion.packing import wrapped

# Archives as their owners lay them out: the path of a log below the root, and the campaign that its owner would name.
LAID_OUT = {
    "a folder a machine, a folder a test": {
        "results/8xA100_p4/PyTorch_bert_base_squad_FP16/25-10-2022_00-08-17.txt": "8xA100_p4",
        "results/8xA100_p4/PyTorch_bert_base_squad_FP32/25-10-2022_01-09-18.txt": "8xA100_p4",
        "results/2x3090_v1/PyTorch_ncf_FP16/25-10-2022_00-08-17.txt": "2x3090_v1",
    },
    "a submitter, a system, a benchmark": {
        "NVIDIA/results/DGXA100_n8_ngc21.05/bert/result_0.txt": "NVIDIA/DGXA100_n8_ngc21.05",
        "NVIDIA/results/DGXA100_n8_ngc21.05/resnet/result_1.txt": "NVIDIA/DGXA100_n8_ngc21.05",
        "Dell/results/R750xa/maskrcnn/result_0.txt": "Dell/R750xa",
    },
    "a model, other reports, logs": {
        "Bert/OtherReports/PyTorch/logs/a.log": "",
        "ResNet50V1.5/OtherReports/TensorFlow/logs/b.log": "",
        "Bert/OtherReports/PyTorch/logs/A100_LOG/c.log": "A100_LOG",
        "Bert/OtherReports/PyTorch/logs/V100-LOG/d.log": "V100-LOG",
    },
    "a framework, batch sizes, nodes and cards": {
        "oneflow/bert/bz32/4n8g/x.log": "",
        "mxnet/bz64/1n1g/x.log": "",
    },
    "a year or a release, runs with their times": {
        "2023/h100/bert_large/run_20230405_101112/train.log": "2023/h100",
        "2023/h100/bert_large/run_20230406_101112/train.log": "2023/h100",
        "2022-10-25/12-05-13/train.log": "2022-10-25",
        "v1/tf2.4/seq128/version_3/train.log": "v1/tf2.4",
        "1666656497/exp3/checkpoint-500/train.log": "",
    },
}


KINDS = ["", "zip", "tar.gz"]


@pytest.fixture(scope="module")
def campaigns(defined_ledger: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, str]]:
    """The campaign of each log by its path, by the name of its root: each owner's folder, and archives of it."""
    home = tmp_path_factory.mktemp("owners")
    seeds = itertools.count(1)
    for kind, (owner, laid_out) in itertools.product(KINDS, enumerate(LAID_OUT.values())):
        root = home / "roots" / named(owner, kind)
        files = {path: run_text(seed=(seed := next(seeds)), at=300.0 * seed).log for path in laid_out}
        if kind:
            packed = wrapped(kind, {path: text.encode() for path, text in files.items()})
            put(root.with_name(f"{root.name}.{kind}"), packed)
        else:
            for path, text in files.items():
                put(root / path, text)
    db = made(defined_ledger, home / "ledger")
    ingest(*(home / "roots").iterdir(), db=db)
    found: dict[str, dict[str, str]] = {}
    for path, campaign in ask(db, "select coalesce(member, path), campaign from sighting where status = 'loaded'"):
        found.setdefault(campaign.partition("/")[0], {})[path] = campaign
    return found


def named(owner: int, kind: str) -> str:
    return f"archive{owner}{kind.replace('.', '')}"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("owner", LAID_OUT)
def test_folders_that_only_name_a_case_are_in_no_campaign(
    campaigns: dict[str, dict[str, str]], owner: str, kind: str
) -> None:
    root = named(list(LAID_OUT).index(owner), kind)

    expected = {path: f"{root}/{campaign}".rstrip("/") for path, campaign in LAID_OUT[owner].items()}
    assert campaigns[root] == expected


def test_spellings_that_differ_in_case_or_separators_are_one_campaign_in_any_order(db: Path, tmp_path: Path) -> None:
    spelled = ["A100-LOG", "A100_LOG", "a100 log"]
    for number, folder in enumerate(spelled):
        put(tmp_path / "r" / folder / "x.log", run_text(seed=number, at=300.0 * number).log)
    named = "select distinct campaign from kept.run_campaign"
    for order in (spelled, spelled[::-1]):
        other = db.with_name(f"{order[0]}.duckdb")
        for place, folder in enumerate(order):
            # All of one root: the outermost folder that is named.
            run_bench("ingest", tmp_path / "r" / folder if place else tmp_path / "r", db=other)
        assert ask(other, named) == [("r/A100-LOG",)]
    run_bench("ingest", tmp_path / "r", db=db)
    assert ask(db, named) == [("r/A100-LOG",)]
    assert run_bench("forget", tmp_path / "r" / "A100-LOG" / "x.log", db=db).exit_code == 0
    assert ask(db, named) == [("r/A100_LOG",)]


def test_a_root_s_own_name_is_never_dropped(db: Path, tmp_path: Path) -> None:
    put(tmp_path / "logs" / "bert" / "x.log", run_text().log)
    run_bench("ingest", tmp_path / "logs", db=db)
    assert ask(db, "select distinct campaign from kept.run_campaign") == [("logs",)]


PARTS = st.sampled_from(
    [
        "bert",
        "Large",
        "resnet",
        "50",
        "v1",
        "5",
        "fp16",
        "bs",
        "8",
        "n",
        "gpu",
        "log",
        "A100",
        "new",
        "20230405",
        "zeta",
        "1",
    ]
)


@given(st.lists(st.tuples(PARTS, st.sampled_from(["", "_", "-", ".", " ", "+"])), min_size=1, max_size=12))
def test_a_part_that_says_something_keeps_its_folder(drawn: list[tuple[str, str]]) -> None:
    words = load_names().campaign_folders
    name = "".join(part + mark for part, mark in drawn)
    parts = [part for part, _ in drawn]
    parted = all(mark for _, mark in drawn[:-1])
    if parted and ("A100" in parts or "new" in parts or "zeta" in parts):
        assert not words.names_nothing(name)
    assert words.kept_of([name, name]) == ([] if words.names_nothing(name) else [0, 1])


@pytest.mark.parametrize(
    "name",
    ["resnet" + "1" * 240, "bs1" * 80 + "q", "1n" * 120 + "q", "_".join(["bert"] * 60) + "_q", "aB" * 120, "1_" * 120 + "q",
     "0" * 250, "2023-01-01_" * 22, "-" * 250],
)  # fmt: skip
def test_no_name_takes_long(name: str) -> None:
    began = time.process_time()
    load_names().campaign_folders.names_nothing(name)
    assert time.process_time() - began < 0.1


def test_a_date_with_a_time_goes_and_a_date_alone_stays() -> None:
    assert without_moments("A100_2022-10-25_00-08-17") == "A100"
    assert without_moments("A100_20221025T000817") == "A100"
    assert without_moments("A100_1666656497") == "A100"
    assert without_moments("A100_2022-10-25") == "A100_2022-10-25"
    assert without_moments("A100_20221025") == "A100_20221025"


def test_a_word_that_is_spelled_otherwise_than_it_is_looked_for_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from benchledger.definitions.campaign_folders import read_campaign_folders
    from benchledger.definitions.toml_file import read_toml
    from benchledger.definitions.vocabulary import vocabulary_file

    text = vocabulary_file("folders.toml").path.read_text()
    with pytest.raises(DefinitionError, match="'Res_Net' must be letters and digits in lower case: 'resnet'"):
        read_campaign_folders(
            read_toml(put(tmp_path / "folders.toml", text.replace('"bert",', '"bert", "Res_Net",', 1)))
        )
    with pytest.raises(DefinitionError, match="'A100_LOG' is not kept by these words"):
        read_campaign_folders(read_toml(put(tmp_path / "folders.toml", text.replace('"raw",', '"raw", "a100",', 1))))
