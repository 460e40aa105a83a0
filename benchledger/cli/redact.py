"""`bench redact`: makes logs and archives fit for publishing."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

import benchledger
from benchledger.cli.options import FOLDER, form_option
from benchledger.cli.settings import Settings
from benchledger.exports.values import json_text

if TYPE_CHECKING:
    from benchledger.publishing.redact import RedactResult

SHOWN = 5
SECRETS_SHOWN = 50
_REST = "and {} more: -v lists them"


@click.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option("--out", required=True, type=FOLDER, help="Output folder.")
@click.option(
    "--key-file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="File with the pseudonym key; default: the ledger's key.",
)
@click.option("--accept", is_flag=True, help="Exit 0 even if secrets or private file names were found.")
@form_option
@click.pass_obj
def redact(
    settings: Settings, /, paths: tuple[Path, ...], out: Path, key_file: Path | None, accept: bool, form: str
) -> None:
    """Copy logs and archives under PATHS with private names replaced.

    Line numbers, kinds of archives, and the order and times of members stay the same. Nothing is overwritten. With
    neither a key file nor a ledger, the pseudonyms are valid for this call only. Exit 1 in three cases: something was
    left out; a secret (a password, token or key) was found: its places are listed, so revoke it; or a file, folder or
    member of an archive is named after a host or user of the logs: rename it.
    """
    result = benchledger.redact(*paths, out=out, db=settings.db, key_file=key_file or settings.key_file)
    if form == "json":
        click.echo(json_text(result))
    else:
        click.echo(f"files: {result.files} written, {result.files_left_out} left out")
        if result.archives or result.archives_left_out:
            click.echo(f"archives: {result.archives} written, {result.archives_left_out} left out")
            click.echo(f"members of archives: {result.members} written, {result.members_left_out} left out")
        for kind, count in sorted(result.replaced.items()):
            click.echo(f"{kind}: {count} replaced, {result.distinct[kind]} different")
    _say_left_out(settings, result)
    if is_empty := not result.files and not result.left_out and not result.archives:
        settings.say("nothing to copy: PATHS contain no files. Name the folder with the logs")
    has_secrets = result.replaced["secret"] > 0
    if has_secrets:
        _say_secrets(settings, result, accept)
    if result.named:
        _say_named(settings, result, accept)
    is_told = (has_secrets or bool(result.named)) and not accept
    click.get_current_context().exit(int(is_empty or bool(result.left_out) or is_told))


def _say_left_out(settings: Settings, result: RedactResult) -> None:
    settings.say_first([f"left out: {path}: {why}" for path, why in result.left_out], SHOWN, _REST)
    if result.own_key:
        settings.say("no key file and no ledger: the next call will use other pseudonyms. Keep them with --key-file")


def _say_secrets(settings: Settings, result: RedactResult, accept: bool) -> None:
    settings.say_first([f"secret: {path}:{line}" for path, line in result.secrets], SECRETS_SHOWN, _REST)
    cure = "" if accept else "; with --accept, the exit code is 0"
    settings.say(f"secrets are replaced in the copy. Whoever has the original can use these secrets: change them{cure}")


def _say_named(settings: Settings, result: RedactResult, accept: bool) -> None:
    settings.say_first([f"named after a host or user: {path}" for path in result.named], SHOWN, _REST)
    cure = "" if accept else "; with --accept, the exit code is 0"
    settings.say(f"the copies have these names, too: rename the files or folders, then repeat the command{cure}")
