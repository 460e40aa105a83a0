"""Training data: the same seed gives the same bytes, in the layouts that programs read, masked as NGC masks."""

from __future__ import annotations

import hashlib
import json
from itertools import pairwise
from pathlib import Path

import pytest

import benchledger
from benchledger.errors import UsageError
from tests.cli.bench import run_bench
from tests.exports.test_whole_files import files_no_longer_than

np = pytest.importorskip("numpy")
h5py = pytest.importorskip("h5py")


def digest(folder: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.iterdir())}


@pytest.mark.parametrize("kind", ["hdf5", "npz", "squad", "tokens"])
def test_the_same_seed_gives_the_same_bytes_and_another_gives_others(tmp_path: Path, kind: str) -> None:
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        benchledger.data_make(kind, output=tmp_path / name, rows=60, files=2, seq_len=64, seed=seed)

    assert digest(tmp_path / "a") == digest(tmp_path / "b")
    assert digest(tmp_path / "a") != digest(tmp_path / "c")


def test_tokens_that_do_not_fit_on_the_disk_are_an_error(tmp_path: Path) -> None:
    # 60 rows of 64 tokens in two files: each is short by less than a buffer.
    with files_no_longer_than(3000):
        done = run_bench("data", "make", "tokens", "--rows", 60, "--seq-len", 64, "--files", 2, "--output", tmp_path)

    assert done.exit_code == 1
    assert "File too large" in done.output


@pytest.fixture(scope="module")
def shard(tmp_path_factory: pytest.TempPathFactory) -> dict[str, np.ndarray]:
    folder = tmp_path_factory.mktemp("hdf5")
    benchledger.data_make("hdf5", output=folder, rows=3000, files=1)
    with h5py.File(folder / "part_0000.hdf5") as file:
        return {name: column[:] for name, column in file.items()}


def test_a_shard_has_ngc_s_columns_and_types(shard: dict[str, np.ndarray]) -> None:
    assert {name: (column.shape[1:], column.dtype.str) for name, column in shard.items()} == {
        "input_ids": ((128,), "<i4"),
        "input_mask": ((128,), "|i1"),
        "segment_ids": ((128,), "|i1"),
        "masked_lm_positions": ((20,), "<i4"),
        "masked_lm_ids": ((20,), "<i4"),
        "next_sentence_labels": ((), "|i1"),
    }


def test_fifteen_of_a_hundred_words_are_hidden_four_fifths_of_them_behind_the_mask(
    shard: dict[str, np.ndarray],
) -> None:
    hidden = shard["masked_lm_positions"] > 0
    shown = np.take_along_axis(shard["input_ids"], shard["masked_lm_positions"], 1)[hidden]
    labels = shard["masked_lm_ids"][hidden]

    assert hidden.sum() / shard["input_mask"].sum() == pytest.approx(0.15, abs=0.005)
    assert (shown == 103).mean() == pytest.approx(0.8, abs=0.01)
    assert (shown == labels).mean() == pytest.approx(0.1, abs=0.01)
    assert not np.isin(labels, [0, 101, 102, 103]).any()
    assert (shard["masked_lm_ids"][~hidden] == 0).all()


def test_a_row_is_two_parts_between_marks_and_then_padding(shard: dict[str, np.ndarray]) -> None:
    inside, segments = shard["input_mask"] == 1, shard["segment_ids"] == 1
    lengths = inside.sum(1)
    positions = shard["masked_lm_positions"]

    assert (shard["input_ids"][:, 0] == 101).all()
    assert ((shard["input_ids"] == 102).sum(1) >= 2).all()
    assert (shard["input_ids"][np.arange(len(lengths)), lengths - 1] == 102).all()
    assert not (segments & ~inside).any()
    assert (shard["input_ids"][~inside] == 0).all()
    # Sorted, the padding of the list behind.
    assert all((np.diff(row[row > 0]) > 0).all() for row in positions)
    assert shard["next_sentence_labels"].mean() == pytest.approx(0.5, abs=0.03)
    assert (lengths < 128).mean() == pytest.approx(0.1, abs=0.03)


def test_neighbours_tell_a_hidden_word_so_that_a_loss_can_fall(shard: dict[str, np.ndarray]) -> None:
    followers: dict[int, dict[int, int]] = {}
    for row in shard["input_ids"]:
        for word, following in pairwise(row):
            if word > 103 and following > 103:
                counts = followers.setdefault(int(word), {})
                counts[int(following)] = counts.get(int(following), 0) + 1
    best = sum(max(counts.values()) for counts in followers.values())

    # Whoever guesses the commonest follower is right about as often as it comes: 0.6, less what masks show.
    assert best / sum(sum(counts.values()) for counts in followers.values()) > 0.5


def test_npz_parts_hold_what_gluon_nlp_reads(tmp_path: Path) -> None:
    benchledger.data_make("npz", output=tmp_path, rows=20, files=2, seq_len=64)
    with np.load(tmp_path / "part_0001.npz") as part:
        shapes = {name: part[name].shape for name in part.files}
        weights, lengths = part["masked_lm_weights"], part["valid_lengths"]

    assert shapes == {
        "input_ids": (10, 64), "segment_ids": (10, 64), "masked_lm_positions": (10, 10), "masked_lm_ids": (10, 10),
        "next_sentence_labels": (10,), "masked_lm_weights": (10, 10), "valid_lengths": (10,),
    }  # fmt: skip
    assert set(np.unique(weights)) <= {0.0, 1.0}
    assert lengths.max() <= 64


def test_each_answer_stands_where_its_question_says(tmp_path: Path) -> None:
    benchledger.data_make("squad", output=tmp_path, rows=31)
    data = json.loads((tmp_path / "train-v1.1.json").read_text())["data"]
    asked = [(text["context"], one) for article in data for text in article["paragraphs"] for one in text["qas"]]

    assert len(asked) == 31 == len({one["id"] for _, one in asked})
    for context, one in asked:
        (answer,) = one["answers"]
        assert context[answer["answer_start"] :].startswith(answer["text"])
    words = (tmp_path / "vocab.txt").read_text().splitlines()
    assert [words[place] for place in (0, 100, 101, 102, 103)] == ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


TEXT = """The cat sat on the mat.
It was warm there.
Then the dog came in.

Ships sail over the sea.
The sea is deep and cold.
A captain keeps the map.
"""


def test_own_text_becomes_examples_of_its_words(tmp_path: Path) -> None:
    pytest.importorskip("tokenizers")
    (tmp_path / "text.txt").write_text(TEXT * 3)
    folders = [tmp_path / "a", tmp_path / "b"]
    for folder in folders:
        benchledger.data_make(
            "hdf5", output=folder, text=[tmp_path / "text.txt"], vocab_size=300, seq_len=32, files=1, dupe_factor=4
        )
    words = (folders[0] / "vocab.txt").read_text().splitlines()
    with h5py.File(folders[0] / "part_0000.hdf5") as file:
        columns = {name: column[:] for name, column in file.items()}
    restored = columns["input_ids"].copy()
    for row, (positions, ids) in enumerate(zip(columns["masked_lm_positions"], columns["masked_lm_ids"], strict=True)):
        restored[row, positions[positions > 0]] = ids[positions > 0]
    text = {" ".join(words[word] for word in row if word).replace(" ##", "") for row in restored}

    assert digest(folders[0]) == digest(folders[1])
    assert any("the cat sat on the mat" in row for row in text)
    assert not any("[MASK]" in row or "[UNK]" in row for row in text)
    # Cats and ships share a row only where the second part is from elsewhere.
    assert any("cat" in row and "captain" in row for row in text)


def test_text_of_one_document_is_refused_with_the_cure(tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("One line.\nAnother line.\n")
    done = run_bench("data", "make", "hdf5", "--output", tmp_path / "x", "--text", tmp_path / "text.txt")

    assert done.exit_code == 1
    assert "Cure: a blank line between documents" in done.stderr


def test_a_python_without_the_libraries_is_told_what_to_install(tmp_path: Path) -> None:
    import venv

    venv.create(tmp_path / "bare", symlinks=True)
    done = run_bench(
        "data", "make", "tokens", "--output", tmp_path / "x", "--python", tmp_path / "bare" / "bin" / "python"
    )

    assert done.exit_code == 1
    assert "pip install 'benchledger[runners]'" in done.stderr


def test_what_makes_no_data_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="known: hdf5, npz, squad, tokens"):
        benchledger.data_make("csv", output=tmp_path)
    (tmp_path / "t.txt").write_text("a\n")
    with pytest.raises(UsageError, match="--text makes hdf5 or npz"):
        benchledger.data_make("squad", output=tmp_path / "o", text=[tmp_path / "t.txt"])
