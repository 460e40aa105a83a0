"""What the owners of the real logs got wrong is listed with its evidence, and not averaged away. Needs the real logs."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from benchledger import query, report_overview
from tests.ingestion.logs import ask

SPEED = ("used_value", "other_value", "other_source")


@pytest.fixture(scope="module")
def conflicts(corpus_ledger: Path) -> pl.DataFrame:
    return query("conflicts", db=corpus_ledger)


@pytest.fixture(scope="module")
def compared(corpus_ledger: Path) -> pl.DataFrame:
    return query("against-published", db=corpus_ledger)


def said(
    conflicts: pl.DataFrame, campaign: str, name: str, *columns: str, beside: str = ""
) -> list[tuple[str | None, ...]]:
    """The statements of one name about the runs of a campaign, whose other place has a text."""
    found = conflicts.filter(
        pl.col("campaign").str.contains(campaign, literal=True),
        pl.col("other_place").str.contains(beside, literal=True),
        name=name,
    )
    return found.select(*columns).rows()


def published(compared: pl.DataFrame, source: str, printed: str, section: str = "") -> list[tuple[str, str | None]]:
    """How a published number compares with its own logs: equal, and ours with six digits."""
    found = compared.filter(
        pl.col("source").str.ends_with(source),
        pl.col("section").str.contains(section),
        pl.col("own_logs"),
        printed=printed,
    )
    return sorted({(equal, f"{ours:.6g}") for equal, ours in found.select("equal", "our_value").rows()})


def test_the_overview_counts_what_its_command_lists(corpus_ledger: Path, conflicts: pl.DataFrame) -> None:
    attention = next(one for one in report_overview(db=corpus_ledger).tables if one.facts["list"] == "attention")
    ((number, command),) = (
        attention.frame.filter(pl.col("what").str.contains("contradict")).select("number", "command").rows()
    )

    assert command == "bench query conflicts -p kind=fact"
    assert int(number) == query("conflicts", db=corpus_ledger, kind="fact").height < conflicts.height


def test_1_a_log_of_8_gpus_named_after_one_is_a_conflict_with_its_line(conflicts: pl.DataFrame) -> None:
    (row,) = said(conflicts, "@7f02e558", "gpus", "used_value", "used_place", "other_value")

    used, place, other = row
    assert (used, other) == ("8", "1")
    # The same bytes lie under several commits, and any of their places will do.
    assert place.endswith("pytorch_gpu1_fp32_bs2560:38")


def test_1_a_log_named_fp32_at_the_speed_of_amp_contradicts_what_its_owner_published(conflicts: pl.DataFrame) -> None:
    rows = said(conflicts, "@69daa0ef", "speed", *SPEED)

    assert rows == [("27528 (convnets.tf_mean)", "11622.9", "published")]


@pytest.mark.parametrize(
    ("folder", "names"),
    [
        (
            "@aafdce17",
            [
                "CtrDnn_DataSet_16Thread_16Node", "WideDeep_DataLoader_16Thread_16Node", "WideDeep_DataLoader_16Thread_32Node",
                "WideDeep_DataSet_16Thread_16Node", "WideDeep_DataSet_16Thread_4Node",
            ],
        ),
        ("@ebb95e58", ["hrnet_c32_amp.log", "hrnet_c32_fp16.log"]),
    ],
)  # fmt: skip
def test_2_one_content_under_several_names_is_listed_with_each_name(
    conflicts: pl.DataFrame, folder: str, names: list[str]
) -> None:
    rows = said(conflicts, folder, "file_name", "other_value", "used_value")

    assert sorted(rows) == [(name, None) for name in names]


def test_2_what_the_names_of_one_content_tell_is_no_fact_where_nothing_decides(conflicts: pl.DataFrame) -> None:
    models = said(conflicts, "@aafdce17", "model", "used_value", "other_value")
    nodes = said(conflicts, "@aafdce17", "nodes", "used_value", "other_value")

    assert models == [(None, "ctr_dnn"), (None, "wide_deep")]
    assert nodes == [("32", "16"), ("32", "4")]


@pytest.mark.parametrize(
    ("source", "printed", "ours"),
    [
        ("CtrDnn/readme.md", "176246", "247490"),
        ("CtrDnn/readme.md", "1448210", "1.25187e+06"),
        ("WideDeep/readme.md", "348558", "491977"),
        ("WideDeep/readme.md", "1024367", "1.25187e+06"),
        ("Word2Vec/readme.md", "534432", "565858"),
    ],
)
def test_3_a_published_sum_is_not_one_trainer_s_speed_times_the_nodes(
    compared: pl.DataFrame, source: str, printed: str, ours: str
) -> None:
    assert published(compared, source, printed) == [("other", ours)]


def test_4_a_published_value_whose_log_is_empty_has_nothing_beside_it(corpus_ledger: Path) -> None:
    empty = ask(corpus_ledger, "select path from sighting where status = 'empty' order by path")

    assert [path.rpartition("_pretraining_")[2] for (path,) in empty] == [
        "phase1_fp16_bs64_gpu32.log", "phase1_fp16_bs96_gpu32.log", "phase1_fp32_bs48_gpu32.log",
    ]  # fmt: skip
    assert {path.partition("/")[0] for (path,) in empty} == {"PaddlePaddle+Perf@de65291b"}


def test_5_and_6_a_misprint_and_a_column_pasted_wrongly_are_conflicts(conflicts: pl.DataFrame) -> None:
    misprint = said(conflicts, "@89037820", "speed", *SPEED, beside="Bert/OtherReports/PyTorch")
    pasted = said(conflicts, "@454a0608", "speed", "other_value", beside="Bert/OtherReports/PyTorch")

    assert misprint == [("12061.6 (ngc.summary)", "112061.6", "published")]
    assert sorted(float(str(value)) for (value,) in pasted) == [590.55, 623.84, 1187.01, 1198.71, 4245.93, 4448.77]


def test_6b_two_tables_of_one_document_are_compared_each_with_the_same_log(compared: pl.DataFrame) -> None:
    source = "Perf Transformer/README.md"

    assert published(compared, source, "194040.4", "32 GPUs") == [("other", "184051")]
    assert ("rounded", "183830") in published(compared, source, "183830.0", "890d42e0")


def test_8_a_readme_and_a_json_of_one_commit_are_each_equal_by_a_rule_of_its_own(compared: pl.DataFrame) -> None:
    assert published(compared, "resnet50v1.5/readme.md", "2458.74") == [("rounded", "2458.74")]
    assert published(compared, "result/resnet50_result.json", "2458.22") == [("rounded", "2458.22")]


def test_9_a_score_that_its_own_logs_do_not_give_is_a_conflict(conflicts: pl.DataFrame) -> None:
    rows = said(conflicts, "/Inspur/nf5488a5_pytorch", "speed", *SPEED)

    assert rows == [("16.1826 (mlperf.score)", "18.83695625", "published")]


def test_9b_a_speed_of_all_gpus_that_is_multiplied_again_is_a_conflict(conflicts: pl.DataFrame) -> None:
    rows = said(conflicts, "/8xA100_80GB_SXM4_v1", "speed", "used_value", "other_value")
    every = conflicts.filter(pl.col("other_value").str.contains("times as much"))

    # The speed stands there twice: in the last line that a rank prints, and in DLLogger's last record.
    assert sorted(rows) == [
        (f"{speed} ({name})", f"{total} (training_performance), 8 times as much")
        for speed, total in (("2219.53", "17757.3"), ("3359.83", "26879.9"))
        for name in ("median_speed", "printed_median")
    ]
    # Of one release; in the older one the printed speed is of one GPU, and nothing is multiplied twice.
    assert sorted(every["campaign"].str.split("/").list.last()) == ["2x3090_v1"] * 4 + ["8xA100_80GB_SXM4_v1"] * 4


def test_10_and_13_digits_cut_off_and_windows_of_no_known_rule_are_no_conflicts(
    conflicts: pl.DataFrame, compared: pl.DataFrame
) -> None:
    shown = set(conflicts.filter(other_source="published")["other_value"])

    assert published(compared, "ResNet50V1.5/README.md", "908.244") == [("truncated", "908.245")]
    assert published(compared, "ResNet50V1.5/README.md", "1340.47") == [("within 0.5 %", "1340.59")]
    assert not shown & {"908.244", "1340.47", "995.88", "543.76"}


def test_a_folder_named_fp16_whose_logs_say_no_amp_is_a_conflict(conflicts: pl.DataFrame) -> None:
    rows = conflicts.filter(name="precision", other_source="name")

    assert rows.select("used_value", "used_source", "other_value").unique().rows() == [("fp32", "log", "fp16")]
    assert rows.height == 30
