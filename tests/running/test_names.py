"""Runs are named and laid out as READMEs 000 and 002 do it, and every case file is sound."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchledger.definitions.names import load_names
from benchledger.errors import DefinitionError, UsageError
from benchledger.running.case_file import find_case, load_cases, read_case, read_sweep
from benchledger.running.job import matrix
from tests.docs.pages import TOP


def names(case: str, **sweep: list[object]) -> list[str]:
    return [job.name for job in matrix(find_case(case), sweep)]  # type: ignore[arg-type]


def test_the_points_of_a_case_are_the_columns_of_readme_000() -> None:
    assert names("bert_base", gpus=[1, 8]) == [
        "nlp_bert_base_sp_bs32_fp32_1",
        "nlp_bert_base_mp_bs32_fp32_8",
        "nlp_bert_base_sp_bs48_fp32_1",
        "nlp_bert_base_mp_bs48_fp32_8",
        "nlp_bert_base_sp_bs64_fp16_1",
        "nlp_bert_base_mp_bs64_fp16_8",
        "nlp_bert_base_sp_bs96_fp16_1",
        "nlp_bert_base_mp_bs96_fp16_8",
    ]


def test_a_sweep_takes_the_place_of_the_points() -> None:
    assert names("bert_base", batch_size=[16]) == ["nlp_bert_base_sp_bs16_fp32_1", "nlp_bert_base_sp_bs16_fp16_1"]


def test_what_else_was_chosen_stands_behind_the_name() -> None:
    swept = names("bert_base", precision=["bf16"], batch_size=[96], compile=[True], gradient_accumulation=[4])

    assert swept == ["nlp_bert_base_sp_bs96_bf16_1_compile_gradient_accumulation4"]
    assert names("bert_base_phase2", precision=["fp32"], batch_size=[8]) == ["nlp_bert_base_sp_bs8_fp32_1_phase2"]
    assert names("bert_base_convergence") == ["nlp_bert_base_sp_bs64_fp16_1_convergence"]


def test_a_run_on_a_cpu_claims_no_gpu() -> None:
    (job,) = matrix(find_case("bert_tiny"), {"gpus": [2]})

    assert job.name == "nlp_bert_tiny_mp_bs4_fp32_cpu2"
    assert "gpus" not in job.facts()


def test_logs_lie_where_export_index_writes_beside_them() -> None:
    (job, *_) = matrix(find_case("squad"), {})

    assert str(job.folder) == "pytorch/NLP/bert_base_squad/logs/train_log"


def test_the_rules_for_names_read_what_a_run_is_called() -> None:
    path = "c/pytorch/NLP/bert_base/logs/train_log/x/nlp_bert_base_mp_bs96_fp16_8.log"
    told = {fact.name: fact.value for fact in load_names().match(path).facts}

    assert {name: told[name] for name in ("model", "batch_size_per_gpu", "precision", "gpus")} == {
        "model": "bert_base",
        "batch_size_per_gpu": "96",
        "precision": "fp16",
        "gpus": "8",
    }


@pytest.mark.parametrize("case", load_cases().values(), ids=lambda case: case.name)
def test_a_case_file_is_sound(case) -> None:
    jobs = matrix(case, {})

    assert len({job.name for job in jobs}) == len(jobs) > 0
    assert case.program.startswith("$") or (TOP / "runners" / case.program).exists() or not _pytorch_is_there()


def _pytorch_is_there() -> bool:
    return (TOP / "runners" / "pytorch").is_dir()


def test_cases_of_one_kind_stand_for_each_reference_readme() -> None:
    kinds = {case.kind for case in load_cases().values()}

    assert kinds == {"performance", "convergence"}
    assert {"bert_base", "bert_base_throughput", "bert_base_max", "gpt", "squad"} <= set(load_cases())


def test_gpus_that_nodes_do_not_divide_are_refused() -> None:
    with pytest.raises(UsageError, match="3 GPUs cannot be spread evenly over 2 nodes"):
        names("bert_base", gpus=[3], nodes=[2])


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("batch_size", "NAME=VALUE"),
        ("batchsize=3", "no setting 'batchsize'; did you mean 'batch_size'\\?; known: batch_size"),
        ("batch_size=0", "must be at least 1"),
        ("batch_size=big", "must be a whole number, not 'big'"),
        ("precision=fp12", "must be one of fp32, tf32"),
        ("compile=perhaps", "must be true or false"),
    ],
)
def test_a_sweep_that_cannot_be_says_why(text: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        read_sweep(text)


def test_a_sweep_takes_the_words_of_the_readmes() -> None:
    assert read_sweep("fp_item=fp32,fp16") == ("precision", ("fp32", "fp16"))
    assert read_sweep("max_iter=500") == ("max_iterations", (500,))
    assert read_sweep("batch_size=32,max") == ("batch_size", (32, "max"))


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("batchsize = 3", "unknown key 'batchsize'"),
        ('batch_size = "many"', "batch_size must be a whole number"),
        ("gpus = true", "gpus must be a whole number"),
    ],
)
def test_a_mistake_in_a_case_file_is_told_with_its_line(tmp_path: Path, line: str, says: str) -> None:
    path = tmp_path / "cases" / "x.toml"
    path.parent.mkdir()
    path.write_text(f'about = "x"\nprogram = "x.py"\nframework = "pytorch"\n[settings]\n{line}\n')

    with pytest.raises(DefinitionError, match=rf"x\.toml:5: {says}"):
        read_case(path)
