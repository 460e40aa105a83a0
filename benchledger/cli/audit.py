"""`bench audit`: runs the checks of schema/expectations/ on the ledger."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

import benchledger
from benchledger.cli.import_blocker import allow_imports
from benchledger.cli.options import FILE, output_options
from benchledger.cli.output import frame_table, print_frame, write_file, write_text
from benchledger.cli.render import table_text
from benchledger.cli.reveal import headed, revealed
from benchledger.cli.settings import Settings
from benchledger.errors import counted
from benchledger.exports.values import escaped

if TYPE_CHECKING:
    from benchledger.auditing.audit import Audit

# A terminal shows at most this many findings per check; the other forms have all.
SHOWN = 20
# Of each check in the overview, and the width of a finding in it.
CAUSES = 2
ABOUT = 90
_CAUSE = "cause (first finding)"


@click.command()
@click.option("--check", "checks", multiple=True, metavar="NAME", help="Run only this check (repeatable).")
@click.option("--strict", is_flag=True, help="Exit 1 on warnings, too.")
@click.option(
    "--page",
    type=FILE,
    metavar="FILE",
    help="Also write an HTML page.",
)
@output_options
@click.pass_obj
def audit(
    settings: Settings, checks: tuple[str, ...], strict: bool, page: Path | None, form: str, output: Path | None
) -> None:
    """Check the whole ledger and list suspicious values.

    Nothing is changed. Exit 1 if a finding is an error.
    """
    allow_imports()  # Great Expectations needs them
    done = revealed(benchledger.audit(db=settings.db, checks=checks), output or page)
    if page is not None:
        from benchledger.exports.audit import audit_page

        write_file(page, headed(audit_page(done, settings.db.name), "html", page))
    _print(settings, done, form, output, bool(checks))
    click.get_current_context().exit(int(done.count("error") > 0 or (strict and done.count("warning") > 0)))


def _print(settings: Settings, done: Audit, form: str, output: Path | None, chosen: bool) -> None:
    from benchledger.exports.audit import audit_text

    if form == "parquet":
        print_frame(done.findings, form, output)
    elif form == "table":
        whole = settings.verbosity > 0 or output is not None
        text = _table(done, None if whole else SHOWN) if whole or chosen else _causes(done)
        write_text(headed(text, form, output), output)
    else:
        write_text(headed(audit_text(done, form), form, output), output)


def _table(done: Audit, most: int | None) -> str:
    from benchledger.exports.audit import by_check

    blocks = [frame_table(done.checks)]
    for check, severity, sentence, found in by_check(done):
        blocks += [escaped(f"{check} ({severity}): {sentence}"), frame_table(found.head(most or found.height))]
        if most is not None and found.height > most:
            blocks.append(f"and {found.height - most} more; all of them: bench -v audit --check {check}")
    return "\n\n".join([*blocks, *map(escaped, done.remarks), _counts(done)])


def _causes(done: Audit) -> str:
    """Returns the causes of the findings, some of each check, in two screens."""
    rows, more = [], []
    for (check, severity), causes in done.causes.group_by("check", "severity", maintain_order=True):
        for cause in causes.head(CAUSES).iter_rows(named=True):
            # May be NULL in a ledger that another program changed.
            about = cause["about"] or ""
            about = about if len(about) <= ABOUT else f"{about[: ABOUT - 1]}…"
            rows.append(
                [str(severity), str(check), str(cause["findings"]), about, cause["cell"] or cause["run_key"] or ""]
            )
        if causes.height > CAUSES:
            rest = int(causes[CAUSES:]["findings"].sum())
            more.append(f"{check}: {counted(rest, 'more finding')} of {counted(causes.height - CAUSES, 'cause')}")
    heads = ("severity", "check", "findings", _CAUSE, "first")
    blocks = [table_text(heads, rows, ("check", _CAUSE, "findings", "severity"))] if rows else []
    blocks += ["\n".join(more)] if more else []
    hint = ["all findings of a check: bench audit --check NAME; of all: bench -v audit"] if rows else []
    return "\n\n".join([*blocks, *map(escaped, done.remarks), *hint, _counts(done)])


def _counts(done: Audit) -> str:
    counts = ", ".join(counted(done.count(severity), severity) for severity in ("error", "warning", "note"))
    return f"{counted(done.checks.height, 'check')}: {counts}"
