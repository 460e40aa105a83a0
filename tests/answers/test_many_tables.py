"""A report of thousands of tables: what each of them asks of all others is worked out once."""

from __future__ import annotations

import polars as pl

from benchledger.answers.tables.presentation import presentation_of
from benchledger.answers.tables.rules import left_out_notes, rules_by_kin
from benchledger.answers.tables.table import Report, Table

KIN = ("campaign", "framework", "implementation", "model", "task")


def test_what_splits_a_report_is_worked_out_once_for_all_its_tables() -> None:
    tables = tuple(Table({"gpus": gpus, "model": "bert_base"}, None, pl.DataFrame()) for gpus in ("1", "8"))

    report = Report("speed", tables, pl.DataFrame())

    assert report.split_by == ("gpus",)
    assert report.split_by is report.split_by


def test_the_words_of_notes_are_read_once_for_a_report() -> None:
    presentation = presentation_of("speed")

    assert presentation.notes() is presentation.notes()


def test_a_rule_is_silent_where_it_tells_nothing_of_a_tables_own_kin() -> None:
    first, other = ({**dict.fromkeys(KIN), "campaign": name, "gpu_model": None, "rule": name} for name in ("a", "b"))
    telling = rules_by_kin([first, other])

    (note,) = left_out_notes(telling, [first], ["a", "b"], presentation_of("speed"))

    assert " b" in note
    assert " a" not in note.split(":")[-1]
