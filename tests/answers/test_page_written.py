"""`bench report --write`: commands in a page answered in their place, and `--check`, which finds what drifted."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt

from benchledger import write_page
from benchledger.cli import page as cli_page
from benchledger.errors import BenchledgerError
from tests.cli.bench import run_bench
from tests.ledger_rows import ledger_rows

PAGE = """# Results

<!-- bench report speed --campaign ngc -->
<!-- /bench -->

Failed:

<!-- bench report failures -->
<!-- /bench -->
"""


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("ledger") / "bench.duckdb"
    with ledger_rows(place) as ledger:
        ledger.readme_000()
        ledger.run(campaign="bad", status="failed", reason="<!-- /bench --> | <script>", gpus=2)
    return place


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "README.md"
    path.write_text(PAGE, encoding="utf-8")
    return path


def test_each_block_gets_the_answer_of_its_command(db: Path, page: Path) -> None:
    result = write_page(page, db=db)

    text = page.read_text(encoding="utf-8")
    assert (result.blocks, result.changed) == (2, (3, 8))
    assert "| 8 | 1018.40 |" in text
    assert text.startswith("# Results\n\n<!-- bench report speed --campaign ngc -->\n\n")
    assert "<!-- /bench -->\n\nFailed:\n\n<!-- bench report failures -->\n" in text


def test_writing_twice_gives_the_same_bytes_and_leaves_the_file_alone(db: Path, page: Path) -> None:
    write_page(page, db=db)
    before, written_at = page.read_bytes(), page.stat().st_mtime_ns

    assert write_page(page, db=db).changed == ()
    assert (page.read_bytes(), page.stat().st_mtime_ns) == (before, written_at)


def test_check_passes_a_page_as_the_ledger_says_it(db: Path, page: Path) -> None:
    run_bench("report", "--write", page, db=db)

    done = run_bench("report", "--write", page, "--check", db=db)

    assert (done.exit_code, done.stdout) == (0, "")
    assert "2 blocks, all equal to the ledger" in done.stderr


def test_check_fails_after_one_digit_was_changed_by_hand_and_shows_it(db: Path, page: Path) -> None:
    write_page(page, db=db)
    by_hand = page.read_text(encoding="utf-8").replace("1018.40", "1018.41")
    page.write_text(by_hand, encoding="utf-8")

    done = run_bench("report", "--write", page, "--check", db=db)

    assert done.exit_code == 1
    changed = [line for line in done.stdout.splitlines() if line[0] in "+-"][2:]
    assert [line[0] for line in changed] == ["-", "+"]
    assert "1018.41" in changed[0]
    assert "1018.40" in changed[1]
    assert "1 of 2 blocks differ from the ledger" in done.stderr
    assert page.read_text(encoding="utf-8") == by_hand


def test_every_kind_of_command_that_a_page_may_ask(db: Path, page: Path) -> None:
    commands = ["report environment --layout paddle --lang zh", "report logs --layout paddle", "export leaderboard",
                "query speed", "report max-batch"]  # fmt: skip
    page.write_text("".join(f"<!-- bench {one} -->\n<!-- /bench -->\n" for one in commands), encoding="utf-8")

    assert len(write_page(page, db=db).changed) == len(commands)
    assert write_page(page, db=db, check=True).changed == ()


def test_a_page_that_someone_saves_meanwhile_is_not_overwritten(
    db: Path, page: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = cli_page._answer

    def slow(*asked: Any) -> str:
        page.write_text(PAGE + "more\n", encoding="utf-8")
        return answer(*asked)

    monkeypatch.setattr(cli_page, "_answer", slow)
    with pytest.raises(BenchledgerError, match="another program changed the file meanwhile"):
        write_page(page, db=db)
    assert page.read_text(encoding="utf-8") == PAGE + "more\n"


def test_neither_a_marker_nor_the_command_puts_real_names_into_a_page(db: Path, page: Path) -> None:
    plain = run_bench("report", "--write", page, "--reveal", "--reveal", db=db)
    page.write_text(PAGE.replace("failures", "failures --reveal --reveal"), encoding="utf-8")

    done = run_bench("report", "--write", page, db=db)

    assert (plain.exit_code, done.exit_code) == (2, 2)
    assert f"{page}:8: bench report failures --reveal --reveal: a page shows no real names: remove" in done.stderr


@pytest.mark.parametrize("answer", ["```", "~~~~\ntext", "> ```\n```"])
def test_an_answer_that_would_hide_a_marker_is_not_written(
    db: Path, page: Path, monkeypatch: pytest.MonkeyPatch, answer: str
) -> None:
    monkeypatch.setattr(cli_page, "_answer", lambda *asked: answer)

    with pytest.raises(BenchledgerError, match="would hide a marker of the page; nothing was written"):
        write_page(page, db=db)
    assert page.read_text(encoding="utf-8") == PAGE


def test_what_stands_outside_of_the_blocks_may_change(db: Path, page: Path) -> None:
    write_page(page, db=db)
    page.write_text(page.read_text(encoding="utf-8").replace("Failed:", "Gone wrong:") + "More.", encoding="utf-8")

    assert write_page(page, db=db, check=True).changed == ()


def test_a_windows_file_stays_one(db: Path, page: Path) -> None:
    page.write_bytes(PAGE.replace("\n", "\r\n").encode())

    write_page(page, db=db)

    text = page.read_bytes()
    assert text.count(b"\n") == text.count(b"\r\n") > 20
    assert write_page(page, db=db, check=True).changed == ()


def test_a_text_of_a_log_that_looks_like_an_end_does_not_break_the_page(db: Path, page: Path) -> None:
    write_page(page, db=db)

    text = page.read_text(encoding="utf-8")
    shown = MarkdownIt("commonmark").enable("table").render(text + "\nThe end.\n")
    assert text.count("<!-- /bench -->") == 2
    assert (shown.count("<table>"), shown.count("<!-- /bench -->")) == (2, 2)
    assert "<script>" not in shown
    assert shown.endswith("<p>The end.</p>\n")
    assert write_page(page, db=db, check=True).changed == ()


def test_the_file_keeps_its_mode_and_a_link_stays_a_link(db: Path, page: Path) -> None:
    page.chmod(0o640)
    link = page.with_name("link.md")
    link.symlink_to(page.name)

    write_page(link, db=db)

    assert link.is_symlink()
    assert page.stat().st_mode & 0o777 == 0o640
    assert "1018.40" in page.read_text(encoding="utf-8")
    assert sorted(os.listdir(page.parent)) == ["README.md", "link.md"]


@pytest.mark.parametrize(
    ("command", "message", "exit_code"),
    [
        ("bench report speed --campaign nowhere", "no series with campaign 'nowhere'; known: bad, ngc", 1),
        ("bench report speed --sped", "No such option '--sped'", 2),
        ("bench report sped", "no command 'sped'", 2),
        ("bench query nonsense", "no query 'nonsense'; did you mean 'noise'?; known: ", 2),
        ("bench report speed 'x", "cannot be split into words (No closing quotation)", 2),
        ("bench ingest logs", "a page may only run bench report ...", 2),
        ("bench sql 'select 1'", "a page may only run bench report ...", 2),
        ("bench", "a page may only run bench report ...", 2),
        ("bench report", "a page may only run bench report ...", 2),
        ("bench report --write README.md", "a page may only run bench report ...", 2),
        ("bench --db other.duckdb report speed", "a page may only run bench report ...", 2),
        ("bench export index", "a page may only run bench report ...", 2),
        ("bench query --list", "a page may only run bench report ...", 2),
        ("bench query speed --list", "remove --output, --list and --sql", 2),
        ("bench query speed --sql", "remove --output, --list and --sql", 2),
        ("bench query rejects", "returns no rows. Check its parameters", 1),
        ("bench report speed --help", "prints help or a list", 2),
        ("bench report speed --output /etc/passwd", "remove --output, --list and --sql", 2),
        ("bench report speed --format csv", "a page is always Markdown", 2),
        ("bench query speed; touch gone", "unexpected extra arguments (touch gone)", 2),
    ],
)
def test_a_block_without_an_answer_is_named_and_nothing_is_written(
    db: Path, page: Path, command: str, message: str, exit_code: int
) -> None:
    page.write_text(f"# x\n\n<!-- {command} -->\nold\n<!-- /bench -->\n", encoding="utf-8")
    before = page.read_bytes()

    done = run_bench("report", "--write", page, db=db)

    assert (done.exit_code, done.stdout) == (exit_code, "")
    assert f"{page}:3: {command}: " in done.stderr.replace("\n", " ")
    assert message.lower() in done.stderr.lower()
    assert page.read_bytes() == before
    assert os.listdir(page.parent) == ["README.md"]


def test_a_page_without_blocks_says_how_one_looks(db: Path, page: Path) -> None:
    page.write_text("# x\n", encoding="utf-8")

    with pytest.raises(BenchledgerError, match=r"no block to write\. Put these two lines"):
        write_page(page, db=db)


def test_a_page_that_is_not_there_or_no_text_is_an_error(db: Path, page: Path) -> None:
    with pytest.raises(BenchledgerError, match="no such file"):
        write_page(page.with_name("other.md"), db=db)
    page.write_bytes(b"\xff\xfe")
    with pytest.raises(BenchledgerError, match="is not UTF-8 \\(byte 0\\)"):
        write_page(page, db=db)


@pytest.mark.parametrize("words", [("--check",), ("--write", "x.md", "speed"), ("--check", "speed")])
def test_write_and_check_stand_alone(db: Path, words: tuple[str, ...]) -> None:
    done = run_bench("report", *words, db=db)

    assert done.exit_code == 2
    assert "--write" in done.stderr


def test_a_folder_that_cannot_be_written_leaves_the_page(db: Path, page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Path, target: Path) -> None:
        raise OSError(28, "No space left on device", str(self))

    monkeypatch.setattr(Path, "replace", refuse)
    done = run_bench("report", "--write", page, db=db)

    assert (done.exit_code, page.read_text(encoding="utf-8")) == (1, PAGE)
    assert "No space left on device" in done.stderr
    assert os.listdir(page.parent) == ["README.md"]
