"""`bench audit`: what it prints, its exit code, and what it does without Great Expectations."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import duckdb
import pytest

from benchledger.auditing import audit as audit_module
from benchledger.definitions.checks import load_checks
from benchledger.errors import install_line
from tests.auditing.cases import CASES, Make
from tests.cli.bench import run_bench
from tests.views.conftest import Ledger

LedgerOf = Callable[[Make], Path]


@pytest.mark.parametrize(
    ("check", "options", "code"),
    [("private_text", (), 1), ("clock_backwards", (), 0), ("clock_backwards", ("--strict",), 1), ("no_campaign", ("--strict",), 0)],
)  # fmt: skip
def test_errors_end_it_with_1_and_warnings_if_it_is_strict(
    check: str, options: tuple[str, ...], code: int, ledger_of: LedgerOf
) -> None:
    db = ledger_of(CASES[check][0])

    assert run_bench("audit", "--check", check, *options, db=db).exit_code == code
    assert run_bench("audit", "--check", check, *options, db=ledger_of(CASES[check][1])).exit_code == 0


def test_the_table_names_run_place_line_and_values(ledger_of: LedgerOf) -> None:
    out = run_bench("audit", "--check", "clock_backwards", db=ledger_of(CASES["clock_backwards"][0])).stdout

    assert [cell.strip() for cell in out.splitlines()[2].split("|")][1:4] == ["clock_backwards", "warning", "1"]
    row = [cell.strip() for cell in out.splitlines()[-3].split("|")]
    assert row[1:-1] == ["2026-11-21 04:00:08 after 2026-11-21 04:00:10", "-2", "0", "key1", "c/2.log:2"]
    assert out.splitlines()[-1] == "1 check: 0 errors, 1 warning, 0 notes"


def test_json_has_the_checks_and_the_findings(ledger_of: LedgerOf) -> None:
    db = ledger_of(CASES["clock_backwards"][0])
    out = json.loads(run_bench("audit", "--format", "json", db=db).stdout)

    assert {check["check"] for check in out["checks"]} == set(load_checks())
    places = [(one["check"], one["place"], one["line"]) for one in out["findings"]]
    assert ("clock_backwards", "c/2.log", 2) in places


def test_a_long_list_is_cut_and_v_lists_all(ledger_of: LedgerOf) -> None:
    db = ledger_of(lambda ledger: [ledger.sighting(None, str(number), "empty") for number in range(23)])

    assert (
        "and 3 more; all of them: bench -v audit --check empty_log\n"
        in run_bench("audit", "--check", "empty_log", db=db).stdout
    )
    assert run_bench("-v", "audit", "--check", "empty_log", db=db).stdout.count("/None.log") == 23


def test_findings_are_grouped_by_cause_the_most_frequent_first(ledger_of: LedgerOf) -> None:
    def contradicted(ledger: Ledger) -> None:
        for number in range(33):
            run = ledger.run(ledger.summary(5.0 + number))
            name, used, other = (
                ("gpus", str(number + 2), str(number + 3)) if number < 3 else ("precision", "fp32", "fp16")
            )
            ledger.insert("fact", run_id=run, name=name, value=used, source="log", used=True)
            ledger.insert("fact", run_id=run, name=name, value=other, source="name", place="dlperf.toml:7", used=False)

    db = ledger_of(contradicted)
    out = run_bench("audit", db=db).stdout
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in out.splitlines() if "name_against" in line]
    causes = json.loads(run_bench("audit", "--check", "name_against_content", "--format", "json", db=db).stdout)[
        "causes"
    ]

    assert [(row[2], row[3].partition(":")[0]) for row in rows] == [("30", "precision"), ("3", "gpus")]
    assert len(out.splitlines()) <= 40
    assert [(cause["cause"], cause["findings"]) for cause in causes] == [
        ("precision by names of dlperf.toml:7", 30),
        ("gpus by names of dlperf.toml:7", 3),
    ]


def test_it_says_where_no_published_number_leads_to_its_own_logs(ledger_of: LedgerOf) -> None:
    said = "published numbers lead to logs of their own here"
    breaks = CASES["against_published"][0]
    elsewhere = ledger_of(lambda ledger: (breaks(ledger), ledger.write("update published set logs = 'away'")))

    assert said in run_bench("audit", "--check", "against_published", db=elsewhere).stdout
    assert said not in run_bench("audit", "--check", "against_published", db=ledger_of(breaks)).stdout


def test_without_great_expectations_it_says_how_to_install_it(
    ledger_of: LedgerOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "great_expectations", None)
    done = run_bench("audit", db=ledger_of(CASES["empty_log"][1]))

    assert done.exit_code == 2
    needed = "the audit needs Great Expectations, which is not installed. Install it with:"
    assert f"{needed}\n  {install_line('audit')}\n" in done.stderr


def test_a_check_that_never_ends_is_stopped_and_named(ledger_of: LedgerOf, monkeypatch: pytest.MonkeyPatch) -> None:
    db = ledger_of(CASES["trials_disagree"][1])
    with closing(duckdb.connect(str(db))) as con:
        con.execute(
            """create or replace view speed_table as
               with recursive endless(cell) as (select 1 union all select cell + 1 from endless) from endless"""
        )
    monkeypatch.setattr(audit_module, "LONGEST_S", 0.5)

    result = run_bench("audit", db=db)

    assert result.exit_code == 1
    assert "did not end within 0.5 s" in result.stderr


def test_text_of_a_log_is_harmless_in_every_form(ledger_of: LedgerOf, tmp_path: Path) -> None:
    nasty = "<script>alert(1)</script>|`x`\x1b[31m\n=cmd()"
    db = ledger_of(lambda ledger: ledger.sighting(None, "a", "empty", path=nasty))
    page = tmp_path / "audit.html"
    table = run_bench("audit", "--check", "empty_log", "--page", page, db=db).stdout
    markdown = run_bench("audit", "--check", "empty_log", "--format", "markdown", db=db).stdout
    html = page.read_text(encoding="utf-8")

    assert "\x1b" not in table + markdown + html
    assert r"<script>alert(1)</script>|`x`\x1b[31m\n=cmd()" in table
    assert "<script" not in markdown + html
    assert "&lt;script&gt;alert(1)&lt;/script&gt;|`x`\\x1b[31m\\n=cmd()" in html


def test_the_page_needs_nothing_else(ledger_of: LedgerOf, tmp_path: Path) -> None:
    page = tmp_path / "audit.html"
    run_bench("audit", "--page", page, db=ledger_of(CASES["clock_backwards"][0]))
    html = page.read_text(encoding="utf-8")

    assert not [word for word in ("http://", "https://", "src=", "<link", "@import", "url(") if word in html]
    assert "default-src 'none'" in html
    assert "prefers-color-scheme: dark" in html
    assert html.count("<td class=\"name\"><a href=\"#clock_backwards\">") == 1  # fmt: skip
