from __future__ import annotations

import pytest

from benchledger.definitions.template import Hole, Literal, Skip, Tail, TemplateError, parse_template


def test_a_template_is_literals_holes_and_a_tail() -> None:
    template = parse_template("DLL {logged_at:time} - Epoch: {epoch:int} {*} of {planned:int,} {pairs}")

    assert template.parts == (
        Literal("DLL "),
        Hole("logged_at", "time"),
        Literal(" - Epoch: "),
        Hole("epoch", "int"),
        Literal(" "),
        Skip(),
        Literal(" of "),
        Hole("planned", "int,"),
        Literal(" "),
        Tail("pairs"),
    )


def test_doubled_braces_are_braces() -> None:
    assert parse_template("{{'loss': {loss:float}}}").parts == (
        Literal("{'loss': "),
        Hole("loss", "float"),
        Literal("}"),
    )


@pytest.mark.parametrize("type_", ["int", "int,", "float", "word", "text", "time", "duration"])
def test_every_type_of_hole_is_known(type_: str) -> None:
    assert parse_template(f"at {{x:{type_}}}").holes == (Hole("x", type_),)


@pytest.mark.parametrize("name", ["x", "train_loss", "train.loss", "val-top1", "_x1"])
def test_names_of_holes_are_letters_digits_and_marks(name: str) -> None:
    assert parse_template(f"at {{{name}:int}}").holes == (Hole(name, "int"),)


def test_the_head_ends_before_the_first_skip_or_tail() -> None:
    assert parse_template("step {step:int} of {*} done {pairs}").head == (
        Literal("step "),
        Hole("step", "int"),
        Literal(" of "),
    )
    assert parse_template("step {step:int} {json}").tail == "json"
    assert parse_template("step {step:int}").head == parse_template("step {step:int}").parts
    assert parse_template("step {step:int}").tail is None


def test_the_first_literal_ends_at_its_first_blank() -> None:
    assert parse_template("[step {step:int}] {pairs}").first_literal == b"[step"
    assert parse_template("Größe\t{x:int}").first_literal == "Größe".encode()


_BEGINS = (
    "a template begins with a literal of at least two non-blank characters; a record with `line_start = true` and an "
    "anchor may begin with less"
)
REFUSED = {
    "": "an empty template matches nothing",
    "{step:int}": _BEGINS,
    "  {step:int}": _BEGINS,
    "[ {step:int}]": _BEGINS,
    "{*}step {step:int}": _BEGINS,
    "at {a:int}{b:int}": "two holes may not touch: put the literal text between them",
    "at {a:bool}{b:int}": "two holes may not touch: put the literal text between them",
    "at {a:int}{*}": "two holes may not touch: put the literal text between them",
    "at {*}{pairs}": "two holes may not touch: put the literal text between them",
    "at {json}{pairs}": "{json} must end the template",
    "at {a:int} and {a:float}": "hole 'a' occurs twice",
    "at {a}": "hole {a} has no type; types: int, int,, float, float,, bool, word, text, time, duration, stamp, unix, or {*}, {pairs}, {json}",
    "at {a:number}": "hole {a:number}: no type 'number'; types: int, int,, float, float,, bool, word, text, time, "
    "duration, stamp, unix",
    "at {1a:int}": "hole {1a:int}: a name is letters, digits, '_', '.' or '-', and begins with a letter",
    "at {:int}": "hole {:int}: a name is letters, digits, '_', '.' or '-', and begins with a letter",
    "at {a b:int}": "hole {a b:int}: a name is letters, digits, '_', '.' or '-', and begins with a letter",
    "at { then": "a single '{' at column 4: write {{ for the brace itself",
    "at } then": "a single '}' at column 4: write }} for the brace itself",
    "at {a:int} }": "a single '}' at column 12: write }} for the brace itself",
    "at {a:int}\nthen": "a template is one line: it holds a line end",
    "at\r{a:int}": "a template is one line: it holds a line end",
}


@pytest.mark.parametrize("source", REFUSED)
def test_what_the_language_does_not_allow_is_refused_with_its_reason(source: str) -> None:
    with pytest.raises(TemplateError) as error:
        parse_template(source)

    assert str(error.value) == REFUSED[source]


def test_a_lead_may_begin_with_a_hole() -> None:
    assert parse_template("{rank:int}:", anywhere=True).holes == (Hole("rank", "int"),)
    with pytest.raises(TemplateError, match="an empty template"):
        parse_template("", anywhere=True)
