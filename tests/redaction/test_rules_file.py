"""ingest/redact.toml proves itself, and a wrong one is refused with its file and line."""

from __future__ import annotations

import pytest

from benchledger.definitions.redaction import read_redaction
from benchledger.definitions.toml_file import read_toml
from benchledger.errors import DefinitionError
from benchledger.redaction.redactor import Redactor
from benchledger.redaction.samples import known_redaction, load_redaction, prove, shown

KEY = b"k" * 32


@pytest.mark.parametrize("sample", known_redaction().samples, ids=lambda sample: sample.text[:40])
def test_each_sample_comes_out_as_it_says(sample):
    redacted = Redactor(known_redaction(), KEY).text(sample.text)

    assert shown(redacted) == (sample.expect or sample.text)


def test_the_shipped_rules_are_proved():
    assert load_redaction() is known_redaction()


REFUSED = {
    "unknown key": ('[[key]]\nkind = "hosts"\nnames = ["x"]\n', ":2: kind must be one of address, host"),
    "no names": ('[[key]]\nkind = "host"\n', ":1: names: at least one"),
    "no kind in a template": (
        '[[context]]\ntemplates = ["on {name:word}"]\n',
        ":2: template 'on {name:word}' has no hole",
    ),
    "bad template": ('[[context]]\ntemplates = ["on {host:word}{user:word}"]\n', ":2: template .* may not touch"),
    "no literal": ('[[context]]\ntemplates = ["{host:word}"]\n', ":2: template '{host:word}' needs a literal"),
    "a tail": ('[[context]]\ntemplates = ["on {host:word} {pairs}"]\n', ":2: .* no {pairs} here"),
    "shape of anything": ('[[shape]]\nkind = "host"\nshapes = ["{rest}"]\n', ":3: shape '{rest}' has no literal"),
    "shape with unknown hole": (
        '[[shape]]\nkind = "host"\nshapes = ["a{number}"]\n',
        ":3: no hole 'number'; did you mean 'name'.; known: digits",
    ),
    "shape with a blank": (
        '[[shape]]\nkind = "host"\nshapes = ["a b"]\n',
        ":3: shape 'a b': a name has neither blanks",
    ),
    "unknown top key": ('[[shapes]]\nkind = "host"\n', ":1: unknown key 'shapes'"),
}


@pytest.mark.parametrize(("text", "message"), REFUSED.values(), ids=REFUSED)
def test_a_mistake_is_refused_with_its_line(tmp_path, text, message):
    path = tmp_path / "redact.toml"
    path.write_text(text)

    with pytest.raises(DefinitionError, match=f"redact.toml{message}"):
        read_redaction([read_toml(path)])


UNPROVED = {
    "an unreached template": (
        '[[context]]\ntemplates = ["seen on {host:word}"]\n',
        ":2: no .*sample.* reaches template",
    ),
    "an unreached shape": ('[[shape]]\nkind = "host"\nshapes = ["weka-{digits}"]\n', ":3: no .*sample.* reaches shape"),
    "a sample that stays": (
        '[[sample]]\ntext = "a 2.0"\nexpect = "a <ip>"\n',
        ":1: sample .* becomes 'a 2.0'; expected",
    ),
    "a sample that does not": ('[[sample]]\ntext = "at 10.1.2.3"\n', ":1: sample .* becomes 'at <ip>'; it was to stay"),
}


@pytest.mark.parametrize(("text", "message"), UNPROVED.values(), ids=UNPROVED)
def test_rules_that_their_samples_do_not_bear_out_are_refused(tmp_path, text, message):
    path = tmp_path / "redact.toml"
    path.write_text(text)

    with pytest.raises(DefinitionError, match=f"redact.toml{message}"):
        prove(read_redaction([read_toml(path)]))


def test_a_users_rules_are_added_to_the_shipped_ones(tmp_path):
    path = tmp_path / "redact.toml"
    path.write_text(
        '[[shape]]\nkind = "host"\nshapes = ["weka-{digits}"]\n[[sample]]\ntext = "x weka-7"\nexpect = "x <host>"\n'
    )
    from benchledger.definitions.redaction import redaction_files

    rules = read_redaction([*redaction_files(), read_toml(path)])
    prove(rules)

    assert shown(Redactor(rules, KEY).text("weka-12 luna-0021")) == "<host> <host>"
