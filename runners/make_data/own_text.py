"""BERT's examples from one's own text: a sentence a line, a blank line between documents, as NGC's scripts take it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from runners.make_data.examples import Masker, Vocabulary
from runners.make_data.made_up import special_words

_SHORT = 0.1


def read_documents(files: Sequence[Path]) -> list[list[str]]:
    """Documents as lists of sentences."""
    documents: list[list[str]] = [[]]
    for file in files:
        for line in file.read_text(encoding="utf-8").splitlines():
            if line.strip():
                documents[-1].append(line.strip())
            elif documents[-1]:
                documents.append([])
        if documents[-1]:
            documents.append([])
    found = [document for document in documents if document]
    if len(found) < 2:
        raise SystemExit(
            f"the text holds {len(found)} document; a sentence that does not follow comes from another. "
            "Cure: a blank line between documents, at least two of them"
        )
    return found


def learn_vocabulary(documents: list[list[str]], size: int, folder: Path) -> Path:
    """A WordPiece vocabulary of the text, written as vocab.txt; the first ids are those of BERT's."""
    from tokenizers import BertWordPieceTokenizer
    from tokenizers.normalizers import BertNormalizer

    tokenizer = BertWordPieceTokenizer(lowercase=True)
    sentences = [sentence for document in documents for sentence in document]
    letters = sorted({letter for line in sentences for letter in BertNormalizer().normalize_str(line) if letter != " "})
    # The library numbers the pieces within words as a hash table gives them, and of two equally frequent pairs takes
    # that of the lower numbers: with numbers given beforehand, the same text has the same vocabulary.
    beforehand = [*special_words(), *letters, *(f"##{letter}" for letter in letters)]
    tokenizer.train_from_iterator(
        sentences,
        vocab_size=max(size, len(beforehand)),
        min_frequency=2,
        special_tokens=beforehand,
        show_progress=False,
    )
    tokenizer.save_model(str(folder))
    return folder / "vocab.txt"


class Text:
    """The tokenized text, whose examples are drawn as often as the dupe factor says, each time masked anew."""

    def __init__(self, documents: list[list[str]], words: Path) -> None:
        from tokenizers import BertWordPieceTokenizer

        tokenizer = BertWordPieceTokenizer(str(words), lowercase=True)
        ids = {name: tokenizer.token_to_id(name) for name in ("[PAD]", "[CLS]", "[SEP]", "[MASK]")}
        if missing := [name for name, number in ids.items() if number is None]:
            raise SystemExit(
                f"{words.name} has no {', '.join(missing)}. Cure: a vocabulary of BERT's, or none: it is learned"
            )
        self.vocabulary = Vocabulary(
            tokenizer.get_vocab_size(), ids["[PAD]"], ids["[CLS]"], ids["[SEP]"], ids["[MASK]"], max(ids.values()) + 1
        )
        coded = [[tokenizer.encode(line, add_special_tokens=False).ids for line in document] for document in documents]
        self.documents = [found for document in coded if (found := [sentence for sentence in document if sentence])]

    def pairs(self, seq_len: int, random: np.random.Generator) -> Iterator[tuple[list[int], list[int], bool]]:
        """(A, B, whether B is from elsewhere) once over all documents: neighbouring sentences, cut somewhere in two."""
        room = seq_len - 3
        for number, document in enumerate(self.documents):
            place = 0
            while place < len(document):
                target = int(random.integers(2, room + 1)) if random.random() < _SHORT else room
                chunk, place = self._chunk(document, place, target)
                cut = int(random.integers(1, len(chunk))) if len(chunk) > 1 else 1
                first, rest = [word for line in chunk[:cut] for word in line], chunk[cut:]
                is_random = not rest or random.random() < 0.5
                if is_random:
                    # What was not used stays for the next example.
                    place -= len(rest)
                    second = self._elsewhere(number, target - len(first), random)
                else:
                    second = [word for line in rest for word in line]
                yield (*_cut(first, second, target, random), is_random)

    def _chunk(self, document: list[list[int]], place: int, target: int) -> tuple[list[list[int]], int]:
        chunk: list[list[int]] = []
        length = 0
        while place < len(document) and (length < target or not chunk):
            chunk.append(document[place])
            length += len(document[place])
            place += 1
        return chunk, place

    def _elsewhere(self, number: int, target: int, random: np.random.Generator) -> list[int]:
        other = int(random.integers(0, len(self.documents) - 1))
        document = self.documents[other + (other >= number)]
        start = int(random.integers(0, len(document)))
        found: list[int] = []
        for line in document[start:]:
            found += line
            if len(found) >= target:
                break
        return found

    def columns(self, seq_len: int, most_masked: int, dupe_factor: int, seed: int) -> dict[str, np.ndarray]:
        """All examples, shuffled, as NGC's columns."""
        random = np.random.default_rng([seed, 3])
        pairs = [pair for _ in range(dupe_factor) for pair in self.pairs(seq_len, random)]
        pairs = [pairs[place] for place in random.permutation(len(pairs))]
        words = self.vocabulary
        tokens = np.full((len(pairs), seq_len), words.pad, np.int64)
        for row, (first, second, _) in enumerate(pairs):
            whole = [words.cls, *first, words.sep, *second, words.sep]
            tokens[row, : len(whole)] = whole
        firsts = np.array([len(first) + 2 for first, _, _ in pairs])
        lengths = np.array([len(first) + len(second) + 3 for first, second, _ in pairs])
        is_random = np.array([pair[2] for pair in pairs])
        masker = Masker(words, seq_len, most_masked, random)
        return masker.rows(tokens, firsts, lengths, is_random)


def _cut(first: list[int], second: list[int], room: int, random: np.random.Generator) -> tuple[list[int], list[int]]:
    """Both short enough together: words go from the longer one, at either end."""
    first, second = list(first), list(second)
    while len(first) + len(second) > room:
        longer = first if len(first) > len(second) else second
        del longer[0 if random.random() < 0.5 else -1]
    return first, second
