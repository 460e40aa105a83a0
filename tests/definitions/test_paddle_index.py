"""What PaddlePaddle's index says of a model."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchledger.definitions.folders import use_definitions
from benchledger.definitions.paddle_index import find_indexed_model, load_paddle_index
from benchledger.errors import DefinitionError


@pytest.fixture
def own(tmp_path: Path):
    (tmp_path / "queries" / "index").mkdir(parents=True)
    yield tmp_path / "queries" / "index" / "own.toml"
    use_definitions()


def test_gpt_is_semantic_representation_of_nlp() -> None:
    gpt = find_indexed_model("gpt2_345m", "pretraining")

    assert gpt is not None
    assert (gpt.mission_name, gpt.direction, gpt.direction_id, gpt.repo, gpt.name) == (
        "语义表示",
        "NLP",
        1,
        "nlp",
        "gpt",
    )


def test_the_fields_are_numbered_as_readme_002_has_them() -> None:
    assert {one.direction: one.direction_id for one in load_paddle_index().values()} == {"NLP": 1, "CV": 0}


def test_a_file_of_ones_own_adds_a_model(own: Path) -> None:
    own.write_text('[[model]]\nmodel = "dlrm"\nrepo = "rec"\nname = "DLRM"\nmission = "推荐模型"\n')
    use_definitions(own.parent.parent.parent)

    dlrm = find_indexed_model("dlrm", None)

    assert dlrm is not None
    assert (dlrm.direction, dlrm.direction_id) == ("Rec", 2)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            '[[model]]\nmodel = "x"\nrepo = "nlp"\nname = "x"\nmission = "翻译"\n',
            "own.toml:5: no mission '翻译'; did you mean '机器翻译'?; known: ",
        ),
        ('[missions]\n"a" = "XX"\n', "no direction 'XX'; known: CV, NLP, Rec"),
        ('[directions]\nXX = "3"\n', "own.toml:2: XX must be a whole number"),
        ('[[model]]\nmodel = "x"\nmision = "y"\n', "own.toml:3: unknown key 'mision'"),
    ],
)
def test_a_mistake_is_said_with_its_line(own: Path, text: str, said: str) -> None:
    own.write_text(text)
    use_definitions(own.parent.parent.parent)

    with pytest.raises(DefinitionError) as refused:
        load_paddle_index()
    assert said in str(refused.value)
