"""BERT's pre-training examples from pairs of word ids: joined, padded, and masked as NVIDIA's NGC masks them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

# Of the hidden places, this part shows [MASK], as much as the next any word, and the rest the word itself.
SHOWS_MASK, SHOWS_ANY = 0.8, 0.1
MASKED_PART = 0.15


@dataclass(frozen=True)
class Vocabulary:
    """How many ids there are, and which of them are no words; `first` is the first that is one."""

    size: int
    pad: int = 0
    cls: int = 101
    sep: int = 102
    mask: int = 103
    first: int = 104


class Masker:
    """Turns pairs into rows of NGC's columns; the same seed gives the same rows."""

    def __init__(self, vocabulary: Vocabulary, seq_len: int, most_masked: int, random: np.random.Generator) -> None:
        self.vocabulary, self.seq_len, self.most_masked, self.random = vocabulary, seq_len, most_masked, random

    def rows(
        self, tokens: np.ndarray, first_lengths: np.ndarray, lengths: np.ndarray, is_random: np.ndarray
    ) -> dict[str, np.ndarray]:
        """The columns of examples whose `tokens` stand as [CLS] A [SEP] B [SEP], padded.

        `first_lengths` count [CLS] A [SEP], `lengths` all. Each hidden place is one of a word, chosen evenly.
        """
        count, words = len(tokens), self.vocabulary
        place = np.arange(self.seq_len)
        inside = place < lengths[:, None]
        is_word = inside & (tokens != words.cls) & (tokens != words.sep)
        hidden = np.minimum(np.maximum(1, np.round(lengths * MASKED_PART)), self.most_masked).astype(np.int64)
        hidden = np.minimum(hidden, is_word.sum(1))
        # A random order of the places, those that are no words last; the first few of it are hidden.
        order = np.argsort(np.where(is_word, self.random.random((count, self.seq_len)), 2.0), axis=1)
        chosen = order[:, : self.most_masked]
        is_hidden = np.arange(chosen.shape[1]) < hidden[:, None]
        positions = np.sort(np.where(is_hidden, chosen, self.seq_len), axis=1)
        is_hidden = positions < self.seq_len
        positions = np.where(is_hidden, positions, 0)
        labels = np.where(is_hidden, np.take_along_axis(tokens, positions, 1), 0)
        shown = self._shown(labels)
        seen = tokens.copy()
        row = np.broadcast_to(np.arange(count)[:, None], positions.shape)
        seen[row[is_hidden], positions[is_hidden]] = shown[is_hidden]
        return {
            "input_ids": seen.astype("i4"),
            "input_mask": inside.astype("i1"),
            "segment_ids": (inside & (place >= first_lengths[:, None])).astype("i1"),
            "masked_lm_positions": positions.astype("i4"),
            "masked_lm_ids": labels.astype("i4"),
            "next_sentence_labels": is_random.astype("i1"),
        }

    def _shown(self, labels: np.ndarray) -> np.ndarray:
        chance = self.random.random(labels.shape)
        anything = self.random.integers(self.vocabulary.first, self.vocabulary.size, labels.shape)
        others = np.where(chance < SHOWS_MASK + SHOWS_ANY, anything, labels)
        return np.where(chance < SHOWS_MASK, self.vocabulary.mask, others)
