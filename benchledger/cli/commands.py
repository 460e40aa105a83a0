"""The command groups: load a command when it is called, and turn our errors into messages and exit codes."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any, NoReturn

import click

from benchledger.cli.signals import stopped_by
from benchledger.errors import BenchledgerError, DatabaseError, UsageError, need_utf8, suggestion

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

# In a context's meta: how often --reveal was said.
REVEAL = "benchledger.reveal"
_WORDS = "benchledger.words"
# Errors that no value of a ledger causes, and commands that show none.
UNRELATED_ERRORS = (click.ClickException, click.Abort, OSError, AssertionError, KeyboardInterrupt, SystemExit)
UNEXPLAINED_COMMANDS = ("formats", "ingest", "lake", "merge", "redact", "run")
# At a signal, these commands complete the current call of DuckDB; all others are ended after a few seconds.
WRITING_COMMANDS = (*UNEXPLAINED_COMMANDS, "data", "exclude", "forget", "reproduce")
# These write only with some options or subcommands, and call end_if_unheard otherwise.
SOMETIMES_WRITING = ("db", "history")


class CommandError(click.ClickException):
    """One of our own errors, printed as one message; the command ends with the error's exit code."""

    def __init__(self, error: BenchledgerError) -> None:
        from benchledger.exports.values import escaped_lines

        super().__init__(escaped_lines(str(error)))
        self.exit_code = error.exit_code  # type: ignore[misc]  # click calls it a class variable


def end_process(reason: str) -> NoReturn:
    """Prints an error and ends the process at once, because its main thread is in a call that ignores interrupts."""
    CommandError(DatabaseError(reason)).show()
    os._exit(DatabaseError.exit_code)


class KnownGroup(click.Group):
    """A group that lists its commands if one is unknown; its help shows their first sentences uncut."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the commands into the help."""
        found = [(name, command) for name in self.list_commands(ctx) if (command := self.get_command(ctx, name))]
        with formatter.section("Commands"):
            formatter.write_dl([(name, command.get_short_help_str(limit=1000)) for name, command in found])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Resolves a command as click does; the message for an unknown command lists the known ones."""
        known = self.list_commands(ctx)
        if args and not args[0].startswith("-") and args[0] not in known:
            ctx.fail(f"no command {args[0]!r}{suggestion(args[0], known)}; known: {', '.join(known)}")
        return super().resolve_command(ctx, args)


class MainGroup(KnownGroup):
    """The outermost group: it loads a command when it is called, and handles all errors.

    `lazy` has the sentence of each command that help shows without loading it.
    """

    def __init__(self, *args: Any, lazy: dict[str, str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.lazy = lazy

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click passes it
        return sorted(self.lazy)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - as above
        if cmd_name not in self.lazy:
            return None
        command = getattr(import_module(f"benchledger.cli.{cmd_name}"), cmd_name)
        return command if isinstance(command, click.Command) else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the commands into the help without loading them, so that help costs little more than click."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, self.lazy[name]) for name in self.list_commands(ctx)])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Returns the commands and options with this beginning, without loading a command."""
        from click.shell_completion import CompletionItem

        names = [name for name in self.list_commands(ctx) if name.startswith(incomplete)]
        options = click.Command.shell_complete(self, ctx, incomplete)
        return [*(CompletionItem(name, help=self.lazy[name]) for name in names), *options]

    def make_context(self, *args: Any, **more: Any) -> click.Context:
        """Parses as click does, which also prints help; reports it like any command if the output cannot be written."""
        try:
            words = list(args[1] if len(args) > 1 else more["args"])
            ctx = super().make_context(*args, **more)
            ctx.meta[_WORDS] = words
            return ctx
        except KeyboardInterrupt:
            stop(click.Context(self))
        except OSError as error:
            _tell(error)
            raise

    def invoke(self, ctx: click.Context) -> Any:
        """Runs the command; turns our own errors into message and exit code, Ctrl-C into 130, SIGTERM into 143."""
        try:
            return super().invoke(ctx)
        except click.exceptions.Exit:
            raise
        except BaseException as error:  # a panic of polars is no Exception
            if is_interrupt(error):
                stop(ctx)
            if isinstance(error, click.NoSuchOption) and any(error.option_name in one.opts for one in self.params):
                name = error.option_name
                raise click.UsageError(
                    f"{name} goes before the command: bench {name} ... {ctx.invoked_subcommand}"
                ) from error
            _tell(error)
            _refuse_odd_words(ctx)
            _explain_failure(ctx, error)
            raise


def _refuse_odd_words(ctx: click.Context) -> None:
    """Raises CommandError if a word of the command is no UTF-8: of paths alone that can be read."""
    for word in ctx.meta[_WORDS]:
        try:
            need_utf8(word)
        except UsageError as error:
            raise CommandError(error) from error


def _explain_failure(ctx: click.Context, error: BaseException) -> None:
    """Raises CommandError for an unexpected error of a command that reads the ledger: damage of it, or our mistake."""
    db, name = getattr(ctx.obj, "db", None), ctx.invoked_subcommand
    if db is None or name in UNEXPLAINED_COMMANDS or isinstance(error, UNRELATED_ERRORS) or not db.is_file():
        return
    from benchledger.upkeep.check import Result, failed_checks

    failed: list[Result] | None = None
    with suppress(Exception):
        failed = failed_checks(db)
    what = f"{' '.join(filter(None, ('bench', name)))} failed ({type(error).__name__}: {error})"
    if failed:
        told = "; ".join(f"{held.what}: {held.found}. {held.cure}" for held in failed)
        raise CommandError(BenchledgerError(f"{what}. {db}: fails bench db check: {told}")) from error
    if ctx.obj.verbosity <= 0:
        whole = "" if failed is None else f", not of {db}, which passes bench db check"
        report = "Please report it with the traceback, which bench -v shows (-v before the command)"
        raise CommandError(BenchledgerError(f"{what}: an error of benchledger{whole}. {report}")) from error


def is_interrupt(error: BaseException | None) -> bool:
    # During a query DuckDB handles Ctrl-C itself, and raises its own error or that of the interrupted operation.
    while error is not None:
        if isinstance(error, KeyboardInterrupt) or str(error).lower().rstrip(".!").endswith("interrupted"):
            return True
        error = error.__cause__ or error.__context__
    return False


def _tell(error: BaseException) -> None:
    if isinstance(error, BenchledgerError):
        raise CommandError(error) from error
    from benchledger.cli.memory_limit import is_out_of_memory

    if is_out_of_memory(error):
        what = f"memory ran out ({str(error).partition(chr(10))[0] or 'no more from the system'})"
        cure = "Raise the limit on memory, use fewer processes (--jobs 1) or select less"
        raise CommandError(BenchledgerError(f"{what}. {cure}")) from error
    # Where the SQL is a person's own, the command names it. All else was written for the tables and views of a ledger.
    if (duckdb := sys.modules.get("duckdb")) is not None and isinstance(error, duckdb.Error):
        what = f"DuckDB refuses a statement of benchledger ({str(error).partition(chr(10))[0]})"
        cure = "If tables, views or macros of the ledger were changed, bench db check names them"
        raise CommandError(BenchledgerError(f"{what}. {cure}")) from error
    # click itself ends a command whose output pipe is closed.
    if isinstance(error, OSError) and not isinstance(error, BrokenPipeError):
        raise CommandError(BenchledgerError(_what_of(error))) from error


def _what_of(error: OSError) -> str:
    what = error.strerror or error
    frame = error.__traceback__
    while frame is not None and frame.tb_next is not None:
        frame = frame.tb_next
    # The error of an open file that cannot be written contains no name. All our prints go through click.echo.
    if frame is not None and frame.tb_frame.f_code is click.echo.__code__:
        return f"standard output: {what}. It goes to a place that cannot be written or is full: name another"
    place = f"{error.filename}: " if error.filename else ""
    return f"{place}{what}. Check that the folder exists, may be written and has space"


def stop(ctx: click.Context, what_is_left: str = "") -> NoReturn:
    """Ends a command after Ctrl-C or SIGTERM, and says what is left of its work."""
    name, code = stopped_by()
    click.echo(f"\nstopped by {name}{what_is_left}", err=True)
    ctx.exit(code)
