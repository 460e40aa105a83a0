"""What needs no closer look stays as it is: the quick search for suspects misses nothing that a rule would change."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest

from benchledger.redaction import rule_set
from benchledger.redaction.redactor import Redactor
from benchledger.redaction.samples import known_redaction


def redacted_where_suspected(redactor: Redactor, text: str) -> str:
    suspects, start, lines = redactor.lines_to_check(text), 0, []
    for line in text.split("\n"):
        lines.append(redactor.fresh(line) if start in suspects else line)
        start += len(line) + 1
    return "\n".join(lines)


def redacted(redactor: Redactor, text: str) -> str:
    return "\n".join(map(redactor.fresh, text.split("\n")))


def test_every_sample_is_suspected_in_any_surroundings() -> None:
    rules = known_redaction()
    redactor = Redactor(rules, b"k" * 32)
    texts = [sample.text for sample in rules.samples]
    # Half a sample lacks what stands around its names; a mixture has its signs elsewhere.
    cut = random.Random(7)
    for text in list(texts):
        texts += [text[cut.randrange(len(text)) :] for _ in range(20)]
        texts += [text.upper(), text.replace(" ", "\t"), f"caf\xe9 {text}\r"]
    for join in ("\n", "\nplain 1.25 words\n", "\n\u0130\n", "\n\n"):
        text = join.join(texts)
        assert redacted_where_suspected(redactor, text) == redacted(redactor, text) != text


def test_without_the_library_the_same_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = known_redaction()
    text = "\n".join(f"{sample.text}\nplain 1.25 words" for sample in rules.samples)
    quick = Redactor(rules, b"k" * 32)
    monkeypatch.setitem(sys.modules, "ahocorasick_rs", None)
    monkeypatch.setattr(rule_set, "_hint_search", rule_set._hint_search.__wrapped__)  # not the search of `quick`
    plain = Redactor(rules, b"k" * 32)

    assert isinstance(plain._names.rule_set._search, rule_set.EachLiteral)
    assert plain.lines_to_check(text) == quick.lines_to_check(text)
    assert redacted(plain, text) == redacted(quick, text)


def test_most_lines_of_a_log_need_no_closer_look() -> None:
    redactor = Redactor(known_redaction(), b"k" * 32)
    line = "DLL 2021-05-23 10:11:12.345678 - Training Iteration: 12 step_loss : 10.5 learning_rate : 2.9e-06\n"

    assert redactor.lines_to_check(line * 100 + "at 10.1.2.3:99\n" + line) == {len(line) * 100}


def test_no_line_of_the_real_logs_is_missed(corpus: Path) -> None:
    redactor = Redactor(known_redaction(), b"k" * 32)
    logs = sorted(path for path in corpus.rglob("*") if path.is_file() and path.stat().st_size < 200_000)
    for log in logs[::25]:
        text = log.read_bytes().decode("utf-8", "surrogateescape")
        assert redacted_where_suspected(redactor, text) == redacted(redactor, text), log
