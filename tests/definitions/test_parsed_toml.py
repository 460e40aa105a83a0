"""Shipped TOML files are parsed once: what is kept says the same, and nothing of anybody else's is kept."""

from __future__ import annotations

import math
import tomllib

import pytest

from benchledger.definitions import cache, folders, parsed_toml
from benchledger.definitions.parsed_toml import toml_data, toml_lines

TEXT = 'a = 1\nb = 1.0\nc = nan\nd = [{ "x y" = true }]\n[e.f]\ng = "ü"\n'


@pytest.fixture(autouse=True)
def kept_in(tmp_path, monkeypatch):
    monkeypatch.setenv(cache.ENVIRONMENT_VARIABLE, str(tmp_path / "cache"))
    monkeypatch.setattr(parsed_toml, "shipped_root", lambda: tmp_path / "shipped")
    parsed_toml._of_folder.cache_clear()
    yield tmp_path / "cache"
    parsed_toml._of_folder.cache_clear()


def read(path, text):
    return toml_data(path, text.encode(), text)


def end_of_process(path):
    for kind in ("toml", "toml-lines"):
        parsed_toml._of_folder(path.parent, kind).save()
    parsed_toml._of_folder.cache_clear()


def test_what_is_kept_says_what_was_parsed(tmp_path, monkeypatch):
    path = tmp_path / "shipped" / "ingest" / "names" / "a.toml"
    first = read(path, TEXT)
    end_of_process(path)
    monkeypatch.setattr(tomllib, "loads", lambda _: pytest.fail("parsed again"))

    again = read(path, TEXT)

    assert math.isnan(first.pop("c"))
    assert math.isnan(again.pop("c"))
    assert again == first
    assert [type(value) for value in again.values()] == [int, float, list, dict]
    assert list(again) == list(first)


def test_the_lines_of_places_are_kept_too(tmp_path, monkeypatch):
    path = tmp_path / "shipped" / "ingest" / "names" / "a.toml"
    first = toml_lines(path, TEXT)
    end_of_process(path)
    monkeypatch.setattr(parsed_toml, "places", lambda _: pytest.fail("looked for again"))

    assert toml_lines(path, TEXT) == first
    assert first["e.f.g"] == 6


def test_a_changed_file_is_parsed_again(tmp_path):
    path = tmp_path / "shipped" / "ingest" / "names" / "a.toml"
    read(path, TEXT)
    end_of_process(path)

    assert read(path, "a = 2\n") == {"a": 2}


def test_a_file_with_a_date_is_parsed_each_time(tmp_path):
    path = tmp_path / "shipped" / "queries" / "a.toml"
    dated = read(path, "a = 2026-11-21\n")
    end_of_process(path)

    assert read(path, "a = 2026-11-21\n") == dated


def test_nothing_of_anybody_else_is_kept(tmp_path, kept_in):
    path = tmp_path / "logs" / "facts.toml"
    assert read(path, 'note = "secret"\n') == {"note": "secret"}
    assert toml_lines(path, 'note = "secret"\n') == {"note": 1}
    end_of_process(path)

    assert not kept_in.exists() or not list(kept_in.iterdir())


def test_the_shipped_folders_are_those_that_hold_definitions():
    assert all((folders.shipped_root() / kind).is_dir() for kind in folders.KINDS)
