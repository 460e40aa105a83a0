"""A template with `{name}` stands for one template a name: what is read is as if each had been written out."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchledger.definitions.format_file import read_formats
from benchledger.definitions.template import with_name
from benchledger.scanning.samples import check_files

HEAD = 'format = "made"\nversion = 1\n'
ARGUMENTS = (
    HEAD
    + """
[[record]]
name = "argument"
kind = "parameter"
names = { int = ["world_size", "layers"], word = ["dtype"] }
templates = ["{name} ..{*} {value}..{*}", "{name} ..{*} {value}", "torch {torch:word}"]
"""
)
WRITTEN_OUT = (
    HEAD
    + """
[[record]]
name = "argument"
kind = "parameter"
templates = [
    "world_size ..{*} {world_size:int}..{*}", "layers ..{*} {layers:int}..{*}", "dtype ..{*} {dtype:word}..{*}",
    "world_size ..{*} {world_size:int}", "layers ..{*} {layers:int}", "dtype ..{*} {dtype:word}",
    "torch {torch:word}",
]
"""
)


def test_names_are_read_as_if_each_template_were_written_out(tmp_path: Path) -> None:
    short, long = tmp_path / "short.toml", tmp_path / "long.toml"
    short.write_text(ARGUMENTS)
    long.write_text(WRITTEN_OUT)

    assert read_formats([short])["made"].records == read_formats([long])["made"].records


@pytest.mark.parametrize(
    ("source", "expected"),
    {
        "{name}: {value}": "a.b: {a.b:float}",
        "{name} ({value.min}, {value.max})": "a.b ({a.b.min:float}, {a.b.max:float})",
        "{{name}} {name}{*} {other:int} {value}": "{{name}} a.b{*} {other:int} {a.b:float}",
        "{names:int} {value:int} {pairs}": "{names:int} {value:int} {pairs}",
    }.items(),
)
def test_a_name_stands_where_name_stands_and_its_hole_where_value_stands(source: str, expected: str) -> None:
    assert with_name(source, "a.b", "float") == expected


def test_a_template_is_proved_by_one_name_and_a_name_by_one_template(tmp_path: Path) -> None:
    path = tmp_path / "made.toml"
    path.write_text(
        ARGUMENTS
        + '[[sample]]\ntext = "world_size .... 8...default\\nlayers .... 24\\ndtype .... half\\ntorch 2.1"\n'
        + 'expect = [{ record = "argument", each = { world_size = 8, layers = 24, dtype = "half", torch = "2.1" } }]\n'
    )

    assert check_files([path]) == []


def test_each_states_one_piece_a_value_and_units_that_of_all(tmp_path: Path) -> None:
    path = tmp_path / "made.toml"
    head = HEAD + '[[record]]\nname = "timer"\nkind = "summary"\nunit = ["s", 0.001]\ntemplates = ["{name}: {value}"]\n'
    expect = 'expect = [{ record = "timer", rank = 0, each = { go = 0.5, stop = 1.5 }, units = "s" }]\n'
    path.write_text(
        head + 'names = { float = ["go", "stop"] }\n[[sample]]\ntext = "0: go: 500\\n0: stop: 1500"\n' + expect
    )

    assert check_files([path]) == []
    path.write_text(path.read_text().replace("stop = 1.5", "stop = 1.25"))
    wrong, reads = check_files([path])
    assert wrong == f"{path}:9: piece 2: stop is 1.5, expected 1.25"
    assert reads.startswith(f"{path}:9: the sample reads, as TOML:")


def test_formats_given_together_are_one_anothers_base_in_any_order(tmp_path: Path) -> None:
    names = ("top", "middle", "low")
    files = [tmp_path / f"{name}.toml" for name in names]
    for path, name, base in zip(files, names, ("middle", "low", None), strict=True):
        path.write_text(
            f'format = "{name}"\nversion = 1\n' + (f'base = "{base}"\n' if base else "")
            + f'[[record]]\nname = "{name}"\nkind = "step"\ntemplates = ["{name} {{step:int}}"]\n'
            + f'[[sample]]\ntext = "{name} 5\\nlow 7"\n'
            + f'expect = [{{ record = "{name}", step = 5 }}, {{ record = "low", step = 7 }}]\n'
        )  # fmt: skip

    assert check_files(files) == []
    assert check_files(files[::-1]) == []
    assert check_files([files[0], files[2]])[0].startswith(f"{files[0]}:3: no format 'middle'; known: ")


def test_a_broken_base_is_told_once(tmp_path: Path) -> None:
    base, user = tmp_path / "base.toml", tmp_path / "user.toml"
    base.write_text('format = "base"\nversion = "one"\n')
    user.write_text('format = "user"\nversion = 1\nbase = "base"\n')

    assert [problem.partition(": ")[0] for problem in check_files([user, base])] == [f"{base}:2"]


def test_a_record_of_the_base_keeps_a_style_of_its_own(tmp_path: Path) -> None:
    base, user = tmp_path / "base.toml", tmp_path / "user.toml"
    base.write_text(
        'format = "base"\nversion = 1\npairs = { assign = "=", between = [", "] }\nrecord = [\n'
        '    { name = "own", kind = "step", pairs = { assign = ":", between = [";"] }, templates = ["own {pairs}"] },\n'
        '    { name = "common", kind = "step", templates = ["common {pairs}"] },\n]\n'
    )
    user.write_text('format = "user"\nversion = 1\nbase = "base"\npairs = { assign = "->", between = ["|"] }\n')
    assigns = {
        record.name: record.pairs.assign for record in read_formats([base, user])["user"].records if record.pairs
    }

    assert assigns == {"own": ":", "common": "->"}


def test_what_all_json_tables_have_is_said_once(tmp_path: Path) -> None:
    path = tmp_path / "made.toml"
    path.write_text(
        HEAD + 'json = { label = "key", values = {}, where = { kind = "a" } }\nrecord = [\n'
        '    { name = "a", kind = "event", templates = ["LOG {json}"], json = { named = ["key", "value"] } },\n'
        '    { name = "b", kind = "event", templates = ["LOG {json}"], json = { where = { kind = "b" } } },\n]\n'
        "[[sample]]\n"
        """text = 'LOG {"kind": "a", "key": "lr", "value": 5}LOG {"kind": "b", "key": "end"}'\n"""
        'expect = [{ record = "a", label = "lr", lr = 5 }, { record = "b", label = "end" }]\n'
    )  # fmt: skip

    assert check_files([path]) == []
