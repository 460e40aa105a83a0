"""Made-up language that can be learned: each word is followed by one of a few, so that neighbours tell a hidden one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from runners.make_data.examples import Masker, Vocabulary

# A word's followers and how often each comes: about 1.2 nats are left to guess, of the ln(size) at the start.
_FOLLOWERS = np.array([0.6, 0.2, 0.1, 0.1])
# As in the wild: a tenth of the examples is shorter than they may be.
_SHORT = 0.1
_BLOCK = 4096


class Chain:
    """A language of one seed; its words, sentences and examples are the same wherever it is made."""

    def __init__(self, vocabulary: Vocabulary, seed: int) -> None:
        self.vocabulary = vocabulary
        words = vocabulary.size - vocabulary.first
        # Few words, met often, are learned in minutes; a model's whole vocabulary stays in its softmax all the same.
        self.words = min(words, 2000)
        self.next = np.random.default_rng([seed, 0]).integers(0, self.words, (self.words, len(_FOLLOWERS)))

    def sentences(self, starts: np.ndarray, length: int, random: np.random.Generator) -> np.ndarray:
        """Rows of word numbers that begin with `starts`."""
        choice = random.choice(len(_FOLLOWERS), (len(starts), length), p=_FOLLOWERS)
        found = np.empty((len(starts), length), np.int64)
        found[:, 0] = starts
        for place in range(1, length):
            found[:, place] = self.next[found[:, place - 1], choice[:, place]]
        return found

    def pairs(self, rows: int, seq_len: int, most_masked: int, random: np.random.Generator) -> dict[str, np.ndarray]:
        """BERT's examples: in half of them the second part goes on from the first."""
        words = self.vocabulary
        room = seq_len - 3
        lengths = np.where(random.random(rows) < _SHORT, random.integers(min(4, room), room + 1, rows), room)
        first = np.maximum(1, (lengths * random.uniform(0.3, 0.7, rows)).astype(np.int64))
        text = self.sentences(random.integers(0, self.words, rows), room, random)
        other = self.sentences(random.integers(0, self.words, rows), room, random)
        is_random = random.random(rows) < 0.5
        place = np.arange(room)
        text = np.where(is_random[:, None] & (place >= first[:, None]), other, text) + words.first
        tokens = np.full((rows, seq_len), words.pad, np.int64)
        # [CLS] A [SEP] B [SEP]: what stands behind A moves by two, what stands in it by one.
        row = np.broadcast_to(np.arange(rows)[:, None], text.shape)
        inside = place < lengths[:, None]
        moved = place + 1 + (place >= first[:, None])
        tokens[row[inside], moved[inside]] = text[inside]
        tokens[:, 0] = words.cls
        tokens[np.arange(rows), first + 1] = words.sep
        tokens[np.arange(rows), lengths + 2] = words.sep
        return Masker(words, seq_len, most_masked, random).rows(tokens, first + 2, lengths + 3, is_random)

    def stream(self, tokens: int, random: np.random.Generator) -> np.ndarray:
        """One long text as word ids, for GPT: texts of a thousand words, one after the other."""
        length = min(1024, tokens)
        rows = -(-tokens // length)
        text = self.sentences(random.integers(0, self.words, rows), length, random)
        return (text + self.vocabulary.first).reshape(-1)[:tokens]


def shards(
    chain: Chain, rows: int, count: int, seq_len: int, most_masked: int, seed: int
) -> Iterator[dict[str, np.ndarray]]:
    """The columns of each shard; a shard's rows depend on the seed and its number alone."""
    for number in range(count):
        random = np.random.default_rng([seed, 1, number])
        mine = rows // count + (number < rows % count)
        blocks = [
            chain.pairs(min(_BLOCK, mine - start), seq_len, most_masked, random) for start in range(0, mine, _BLOCK)
        ]
        yield {name: np.concatenate([block[name] for block in blocks]) for name in blocks[0]}


def questions(folder: Path, count: int, seed: int) -> None:
    """train-v1.1.json and dev-v1.1.json in SQuAD's shape, and vocab.txt: each text states who keeps what where, and is
    asked for it. For each ten questions to learn from there is one to answer.
    """
    random = np.random.default_rng([seed, 2])
    names = [
        "".join(random.choice(list("aeiou") if odd else list("bdfgklmnprstvz")) for odd in (0, 1, 0, 1, 0, 1))
        for _ in range(120)
    ]
    names = list(dict.fromkeys(names))
    things = ["the lamp", "a map", "the red box", "a clock", "the key", "a book", "the glass", "a coin"]
    rooms = ["the kitchen", "the hall", "the cellar", "the garden", "the attic", "the study"]

    def paragraph(number: int) -> dict[str, object]:
        keepers = random.choice(names, 3, replace=False)
        facts = [(str(name).capitalize(), str(random.choice(things)), str(random.choice(rooms))) for name in keepers]
        context, asked = "", []
        for place, (name, thing, room) in enumerate(facts):
            context += f"{name} keeps {thing} in "
            answer = {"text": room, "answer_start": len(context)}
            context += f"{room}. "
            asked.append(
                {"id": f"{number:08d}{place}", "question": f"Where does {name} keep {thing}?", "answers": [answer]}
            )
        return {"context": context.strip(), "qas": asked[: count - 3 * number] if number < texts else asked}

    texts = -(-count // 3)
    for part, numbers in (("train", range(texts)), ("dev", range(texts, texts + max(1, texts // 10)))):
        data = {"version": "1.1", "data": [{"title": "Made up", "paragraphs": [paragraph(one) for one in numbers]}]}
        (folder / f"{part}-v1.1.json").write_text(json.dumps(data, indent=1), encoding="utf-8")
    words = sorted(
        {word for text in (*names, *things, *rooms, "where does keep keeps in . ?") for word in text.split()}
    )
    (folder / "vocab.txt").write_text("\n".join([*special_words(), *words, *_letters()]) + "\n", encoding="utf-8")


def special_words() -> list[str]:
    """The first ids as BERT's vocabulary has them, so that [CLS], [SEP] and [MASK] are 101, 102 and 103."""
    return ["[PAD]", *(f"[unused{number}]" for number in range(99)), "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


def _letters() -> list[str]:
    letters = "abcdefghijklmnopqrstuvwxyz"
    return [*letters, *(f"##{letter}" for letter in letters)]
