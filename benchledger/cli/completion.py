"""`bench completion`: prints the shell's script for tab completion."""

from __future__ import annotations

import click

SHELLS = ("bash", "zsh", "fish")
PROGRAM = "bench"


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print the tab-completion script for SHELL.

    It completes commands, options and their choices.
    """
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    if kind is None:
        raise click.UsageError(f"no completion for {shell}; known: {', '.join(SHELLS)}")
    # click's own source() would start the shell to ask for its version.
    script = kind(ctx.find_root().command, {}, PROGRAM, f"_{PROGRAM.upper()}_COMPLETE")
    click.echo(script.source_template % script.source_vars())
