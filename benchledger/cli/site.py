"""`bench export site` and `bench site`: the ledger as pages."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click

import benchledger
from benchledger.cli.commands import REVEAL
from benchledger.cli.options import FOLDER, case_options, given
from benchledger.cli.settings import Settings
from benchledger.errors import UsageError


@click.command()
@click.argument("folder", type=FOLDER, required=False)
@click.option("--title", default="Training benchmarks", show_default=True, help="Title of the pages.")
@click.option("--serve", is_flag=True, help="Serve the pages on this machine until Ctrl-C; FOLDER may be left out.")
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Port of --serve. Default: a free one.")
@case_options
@click.pass_context
def site(
    ctx: click.Context, /, folder: Path | None, title: str, serve: bool, port: int, campaign: str | None, **filters: Any
) -> None:
    """Write the ledger as a site: static pages in FOLDER.

    The pages open from the folder or any web server, and load nothing from elsewhere. FOLDER is new, empty or an
    earlier site. Names and paths are pseudonyms.
    """
    settings = ctx.find_object(Settings) or Settings()
    if ctx.meta.get(REVEAL):
        raise click.UsageError("a site has pseudonyms only: leave --reveal out")
    if folder is None and not serve:
        raise click.UsageError("name the folder of the site, or add --serve for a look at it")
    with ExitStack() as stack:
        place = folder or Path(stack.enter_context(TemporaryDirectory(prefix="bench-site-")))
        written = benchledger.export_site(place, db=settings.db, title=title, campaign=campaign, **given(filters))
        told = f"{written.numbers} numbers of {written.runs} runs"
        if serve:
            _serve(settings, place, port, told)
        else:
            settings.say(f"{told}: open {written.page}")


def _serve(settings: Settings, folder: Path, port: int, told: str) -> None:
    from benchledger.site.serve import address_of, site_server

    with ExitStack() as stack:
        try:
            server = stack.enter_context(site_server(folder, port))
        except OSError as error:
            cure = "Name another port, or none for a free one"
            raise UsageError(f"--port {port}: {error.strerror}. {cure}") from error
        settings.say(f"{told}: open {address_of(server)} (Ctrl-C ends it)")
        server.serve_forever()
