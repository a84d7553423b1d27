"""The command line: one file per command, each loaded when it is needed and thin over the library."""

from __future__ import annotations

import re
import sys
from importlib import import_module
from io import TextIOWrapper
from keyword import iskeyword
from typing import Any

import click

from .. import __version__
from ..logic.errors import CorollaryError

COMMANDS = (
    *("demo", "new", "serve", "ask", "status", "import", "export", "undo", "backup", "restore", "replay"),
    *("lint", "check", "explain", "convert", "datasets", "simulate", "compare"),
)
#: Arguments of the library that are options of a command.
OPTIONS = (
    *("lossy", "format", "broader", "names", "siblings_exclusive"),
    *("id", "image", "ignore", "encoding", "limit", "only_labels", "replace"),
)


class Refused(click.ClickException):
    """Input that cannot be worked with: one message, no traceback, exit status 2."""

    exit_code = 2


class Commands(click.Group):
    """A group that imports a command's module when the command is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 (click's signature)
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 (click's signature)
        if cmd_name not in COMMANDS:
            return None
        module = f"{cmd_name}_" if iskeyword(cmd_name) else cmd_name
        command: click.Command = import_module(f".{module}", __name__).command
        return command

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:  # the reader has had enough (`| head`); click ends quietly
            raise
        except (CorollaryError, OSError) as error:
            raise Refused(in_shell_words(str(error), command=ctx.invoked_subcommand)) from error


def in_shell_words(message: str, *, command: str | None) -> str:
    """The library's advice (`pass lossy=True`, `pass format='skos'`) as options of the command."""
    advice = rf"\bpass ({'|'.join(OPTIONS)})=(?:True\b|'([^']*)'|(\d+))?"
    for found in re.finditer(advice, message):
        option = "--" + found[1].replace("_", "-")
        if option == "--format":
            option = {"convert": "--from or --to", "new": "--ontology-format"}.get(command or "", option)
        message = message.replace(found[0], " ".join(filter(None, ("pass", option, found[2], found[3]))))
    return message


@click.command(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="corollary")
def main() -> None:
    """Ask one question; get its corollaries for free."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without ∴ shows ?, and no traceback
