"""The reference says what the comments in the database say."""

from __future__ import annotations

from docs.make_reference import PAGE, REFERENCE, pages


def test_the_pages_are_as_make_docs_writes_them() -> None:
    reference, page = pages()

    assert REFERENCE.read_text(encoding="utf-8") == reference, "run `make docs`"
    assert PAGE.read_text(encoding="utf-8") == page, "run `make docs`"


def test_the_reference_has_tables_views_macros_and_their_columns() -> None:
    text = REFERENCE.read_text(encoding="utf-8")

    assert "### speed_table\n\nOne row per series" in text
    assert "\n| efficiency | double | " in text
    assert "\n`leaderboard_of(campaign_glob)`\n" in text
    assert "| None |" not in text
