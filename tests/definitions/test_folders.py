"""Definitions of a wheel are taken as they are; those that somebody can edit are proved each time."""

import shutil

import pytest

from benchledger.definitions import folders
from benchledger.errors import DefinitionError
from benchledger.scanning import samples

UNSOUND = """
format = "unsound"
version = 1
anchors = ["speed is "]
[detect]
proof = [["speed is ", " samples/s"]]
[[record]]
name = "step"
kind = "step"
templates = ["speed is {speed:float} samples/s"]
[[sample]]
text = "speed is 12.5 samples/s"
expect = [{ record = "step", speed = 13.0 }]
"""


@pytest.fixture
def wheel(tmp_path, monkeypatch):
    """An installation of which the definitions are packed, with one format that its sample contradicts."""
    packed = tmp_path / "_definitions"
    for kind in folders.KINDS:
        shutil.copytree(folders.shipped_root() / kind, packed / kind)
    shutil.rmtree(packed / "ingest" / "formats")
    (packed / "ingest" / "formats").mkdir()
    (packed / "ingest" / "formats" / "unsound.toml").write_text(UNSOUND)
    monkeypatch.setattr(folders, "shipped_root", lambda: packed)
    monkeypatch.setattr(folders, "_extra_roots", [])
    monkeypatch.delenv(folders.ENVIRONMENT_VARIABLE, raising=False)
    for cached in (samples.known_formats, samples.load_formats):
        cached.cache_clear()
    yield packed
    for cached in (samples.known_formats, samples.load_formats):
        cached.cache_clear()


def test_packed_formats_are_not_proved_again(wheel):
    assert list(samples.load_formats()) == ["unsound"]


def test_all_formats_are_proved_where_somebody_adds_definitions(wheel, tmp_path, monkeypatch):
    own = tmp_path / "own"
    own.mkdir()
    monkeypatch.setenv(folders.ENVIRONMENT_VARIABLE, str(own))

    with pytest.raises(DefinitionError, match=r"unsound\.toml"):
        samples.load_formats()
