"""What is kept between starts: it comes back as it was or not at all, and spares no changed definition its proof."""

from __future__ import annotations

import os
import shutil
import time

import pytest

from benchledger.definitions import definition_cache, folders, names, rules
from benchledger.definitions.definition_cache import Proofs, read_entry, write_entry
from benchledger.errors import DefinitionError
from benchledger.scanning import samples

# One with its bases.
FEW = ("early-stop", "events", "launcher", "tbd-throughput")
MONTH_S = 31 * 24 * 3600


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv(definition_cache.ENVIRONMENT_VARIABLE, str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def definitions(tmp_path, monkeypatch):
    """A copy of the definitions, as a checkout has them, with few formats."""
    root = tmp_path / "checkout"
    for kind in folders.KINDS:
        shutil.copytree(folders.shipped_root() / kind, root / kind)
    for path in (root / "ingest" / "formats").glob("*.toml"):
        if path.stem not in FEW:
            path.unlink()
    monkeypatch.setattr(folders, "shipped_root", lambda: root)
    monkeypatch.delenv(folders.ENVIRONMENT_VARIABLE, raising=False)
    forget_definitions()
    yield root
    forget_definitions()


def forget_definitions() -> None:
    """As a new process begins."""
    samples.known_formats.cache_clear()
    samples.load_formats.cache_clear()
    names.load_names.cache_clear()


def test_what_is_kept_comes_back(folder):
    write_entry("thing", b"content")

    assert read_entry("thing") == b"content"
    assert read_entry("another") is None
    assert folder.stat().st_mode & 0o077 == 0


def test_a_damaged_content_is_none(folder):
    write_entry("thing", b"content")
    path = next(folder.iterdir())

    path.write_bytes(path.read_bytes()[:-1])

    assert read_entry("thing") is None


def test_the_content_of_another_name_is_none(folder):
    write_entry("a", b"content")
    write_entry("b", b"other")
    (folder / "a.cache").write_bytes((folder / "b.cache").read_bytes())

    assert read_entry("a") is None


def test_what_another_user_kept_is_not_used(folder, monkeypatch):
    write_entry("thing", b"content")

    if os.getuid() == 0:
        os.chown(folder / "thing.cache", 12345, -1)
    else:
        monkeypatch.setattr(definition_cache.os, "getuid", lambda: folder.stat().st_uid + 1)

    assert read_entry("thing") is None


@pytest.fixture
def placed(tmp_path, monkeypatch):
    """Lets the cache be at another place, with an entry in it."""

    def place(folder):
        monkeypatch.setenv(definition_cache.ENVIRONMENT_VARIABLE, str(folder))
        write_entry("thing", b"content")
        assert read_entry("thing") == b"content"
        return folder / "thing.cache"

    return place


@pytest.mark.parametrize("mode", [0o770, 0o707, 0o777])
@pytest.mark.parametrize("above", [0, 1, 2])
def test_what_others_may_have_written_is_neither_used_nor_written(placed, tmp_path, mode, above):
    path = placed(tmp_path / "a" / "b")
    (path, *path.parents)[above].chmod(mode)

    assert read_entry("thing") is None
    write_entry("another", b"content")
    (path, *path.parents)[above].chmod(0o700)
    assert (read_entry("another") is None) == (above > 0)


@pytest.mark.parametrize("linked", ["folder", "file", "twice"])
def test_links_through_folders_that_others_may_write_are_not_followed(placed, tmp_path, monkeypatch, linked):
    path = placed(tmp_path / "own" / "cache")
    open_folder, cache = tmp_path / "open", tmp_path / "cache"
    open_folder.mkdir(mode=0o700)
    (open_folder / "link").symlink_to(path if linked == "file" else path.parent)
    if linked == "file":
        cache.mkdir()
        (cache / "thing.cache").symlink_to(open_folder / "link")
    else:
        cache.symlink_to("open/../open/link" if linked == "folder" else tmp_path / "second")
        (tmp_path / "second").symlink_to(open_folder / "link")
    monkeypatch.setenv(definition_cache.ENVIRONMENT_VARIABLE, str(cache))
    assert read_entry("thing") == b"content"

    open_folder.chmod(0o770)

    assert read_entry("thing") is None


def test_a_cycle_of_links_is_no_cache(tmp_path, monkeypatch):
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    monkeypatch.setenv(definition_cache.ENVIRONMENT_VARIABLE, str(tmp_path / "a"))

    write_entry("thing", b"content")

    assert read_entry("thing") is None


def test_a_pipe_is_no_entry(folder):
    folder.mkdir(mode=0o700)
    os.mkfifo(folder / "thing.cache")

    assert read_entry("thing") is None


def test_an_entry_is_not_written_by_the_group_whatever_the_umask_says(folder):
    before = os.umask(0o002)
    try:
        write_entry("thing", b"content")
    finally:
        os.umask(before)

    assert read_entry("thing") == b"content"


def test_formats_are_read_again_only_once_a_file_that_they_were_read_from_has_changed(definitions, monkeypatch):
    first = samples.known_formats()
    read = samples.read_formats
    monkeypatch.setattr(samples, "read_formats", lambda: pytest.fail("read again"))
    forget_definitions()

    assert samples.known_formats() == first

    monkeypatch.setattr(samples, "read_formats", read)
    path = definitions / "ingest" / "formats" / "events.toml"
    path.write_text(path.read_text().replace("version = 1", "version = 2"))
    forget_definitions()

    assert samples.known_formats()["events"].version == first["events"].version + 1


def test_rules_are_read_again_only_once_a_file_that_they_were_read_from_has_changed(definitions, monkeypatch):
    first = rules.load_rules()
    read = rules._read
    monkeypatch.setattr(rules, "_read", lambda: pytest.fail("read again"))

    assert rules.load_rules() == first

    monkeypatch.setattr(rules, "_read", read)
    path = definitions / "queries" / "rules" / "summary.toml"
    path.write_text(path.read_text().replace('"last"', '"latest"', 1))

    assert "summary.latest" in {rule.rule for rule in rules.load_rules()}


def test_rules_of_names_are_read_again_only_once_a_file_that_they_were_read_from_has_changed(definitions, monkeypatch):
    first = names.load_names()
    read = names._read_names
    monkeypatch.setattr(names, "_read_names", lambda: pytest.fail("read again"))
    forget_definitions()

    known = names.load_names()
    assert (known.rules, known.folders, known.definitions_hash) == (first.rules, first.folders, first.definitions_hash)
    assert known.match("bert_fp16_gpu8.log") == first.match("bert_fp16_gpu8.log")

    monkeypatch.setattr(names, "_read_names", read)
    for part in ("ingest/names/tbd.toml", "ingest/redact.toml"):
        path = definitions / part
        path.write_text(path.read_text() + "\n# changed\n")
        forget_definitions()
        changed = names.load_names()
        assert changed.definitions_hash != first.definitions_hash
        first = changed


def test_formats_with_ones_own_beside_them_are_kept_too_and_read_again_once_these_change(
    definitions, tmp_path, monkeypatch
):
    own = [tmp_path / name / "ingest" / "formats" / "mine.toml" for name in ("a", "b")]
    for version, path in enumerate(own, start=1):
        path.parent.mkdir(parents=True)
        text = (definitions / "ingest" / "formats" / "tbd-throughput.toml").read_text()
        text = text.replace('format = "tbd-throughput"', 'format = "mine"')
        path.write_text(text.replace("version = 1", f"version = {version}"))
    read = samples.read_formats

    def version_of(folder, read_formats):
        monkeypatch.setenv(folders.ENVIRONMENT_VARIABLE, str(folder))
        monkeypatch.setattr(samples, "read_formats", read_formats)
        forget_definitions()
        return samples.known_formats()["mine"].version

    def fail():
        pytest.fail("read again")

    assert [version_of(tmp_path / name, read) for name in ("a", "b")] == [1, 2]
    assert [version_of(tmp_path / name, fail) for name in ("a", "b", "a")] == [1, 2, 1]

    own[0].write_text(own[0].read_text().replace("version = 1", "version = 3"))

    assert version_of(tmp_path / "a", read) == 3
    own[0].unlink()
    with pytest.raises(KeyError):
        version_of(tmp_path / "a", read)


def test_without_a_folder_nothing_is_kept_and_nothing_fails(tmp_path, monkeypatch):
    (tmp_path / "a file").write_text("")

    for place in ("", str(tmp_path / "a file")):
        monkeypatch.setenv(definition_cache.ENVIRONMENT_VARIABLE, place)
        write_entry("thing", b"content")
        assert read_entry("thing") is None


def test_what_nobody_used_for_a_month_goes_and_nothing_of_others(folder):
    write_entry("old", b"")
    (folder / "notes.txt").write_text("somebody's own")
    for path in folder.iterdir():
        os.utime(path, (0, time.time() - MONTH_S))

    write_entry("new", b"")

    assert sorted(path.name for path in folder.iterdir()) == ["new.cache", "notes.txt"]


def test_what_is_used_stays(folder):
    write_entry("used", b"content")
    os.utime(folder / "used.cache", (0, time.time() - MONTH_S))

    read_entry("used")
    write_entry("new", b"")

    assert read_entry("used") == b"content"


def test_proofs_hold_for_the_engine_that_made_them(monkeypatch):
    Proofs("formats").add(["abc"])

    assert "abc" in Proofs("formats")
    assert "abc" not in Proofs("redaction")
    monkeypatch.setattr(definition_cache, "engine_hash", lambda: "another")
    assert "abc" not in Proofs("formats")


def test_a_format_is_proved_once_and_again_when_it_has_changed(definitions, monkeypatch):
    proved: list[str] = []
    check = samples.check_format
    monkeypatch.setattr(samples, "check_format", lambda known: proved.append(known.name) or check(known))

    for _ in range(2):
        forget_definitions()
        samples.load_formats()
    assert sorted(proved) == sorted(FEW)
    path = definitions / "ingest" / "formats" / "tbd-throughput.toml"
    path.write_text(path.read_text() + "\n")
    forget_definitions()
    samples.load_formats()

    assert sorted(proved) == sorted([*FEW, "tbd-throughput"])


def test_a_format_that_is_broken_later_is_refused(definitions):
    samples.load_formats()
    path = definitions / "ingest" / "formats" / "tbd-throughput.toml"
    broken = path.read_text().replace("[[sample]]", '[[sample]]\ntext = "nothing"\nexpect = [{ record = "none" }]\n\n[[sample]]', 1)  # fmt: skip
    path.write_text(broken)
    forget_definitions()

    with pytest.raises(DefinitionError, match=r"tbd-throughput\.toml"):
        samples.load_formats()


def test_leads_that_are_broken_later_are_refused(definitions):
    samples.load_formats()
    path = definitions / "ingest" / "leads.toml"
    path.write_text(path.read_text() + '\n[[sample]]\ntext = "x"\ncolumns = { rank = 3 }\n')
    forget_definitions()

    with pytest.raises(DefinitionError, match=r"leads\.toml"):
        samples.load_formats()


def test_rules_of_names_that_have_proved_themselves_are_proved_again_only_when_they_or_the_vocabulary_change(
    definitions, monkeypatch
):
    checked: list[str] = []
    monkeypatch.setattr(names, "_check_samples", lambda file, _: checked.append(file.path.name))

    def start() -> int:
        checked.clear()
        names.load_names.cache_clear()
        names.load_names()
        return len(checked)

    files = len(list((definitions / "ingest" / "names").glob("*.toml")))
    assert (start(), start()) == (files, 0)
    for part in ("ingest/names", "schema/vocabulary"):
        path = next((definitions / part).glob("*.toml"))
        path.write_text(path.read_text() + "\n# changed\n")
        assert (start(), start()) == (files, 0)
