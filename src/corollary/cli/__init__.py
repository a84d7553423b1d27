"""The command line: one file per command, each loaded when it is needed and thin over the library.

A heading of the help is a folder.
"""

from __future__ import annotations

import re
import sys
from importlib import import_module
from io import TextIOWrapper
from keyword import iskeyword
from typing import Any

import click

from .. import __version__
from ..logic.errors import CorollaryError, nearest
from .terminal import harmless

#: The commands as the help lists them: under headings, in the order in which one needs them.
GROUPS = {
    "Label": (
        "demo",
        "new",
        "serve",
        "ask",
        "status",
        "export",
        "import",
        "undo",
        "sure",
        "witness",
    ),
    "Look after a campaign": ("settings", "update", "withdraw", "backup", "restore", "replay"),
    "Work on a large pool": ("pool",),
    "Work on an ontology": ("lint", "explain", "convert", "check"),
    "Compare methods": ("datasets", "simulate"),
}
#: The folders of the headings.
FOLDERS = dict(zip(GROUPS, ("label", "upkeep", "pools", "ontologies", "experiments"), strict=True))
COMMANDS = tuple(name for names in GROUPS.values() for name in names)
START = (
    "\b\nStart with `corollary demo`; with items and labels of your own: `corollary new --help`."
)
#: Arguments of the library that are options of a command.
OPTIONS = (
    *(
        "lossy",
        "format",
        "broader",
        "hierarchy",
        "imports",
        "names",
        "siblings_exclusive",
        "language",
    ),
    *("id", "text", "image", "ignore", "encoding", "limit", "only_labels", "replace"),
)
#: Packages of the extra `serve`.
SERVE = ("sqlalchemy", "fastapi", "starlette", "pydantic", "uvicorn", "argon2")


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
        folder = next(FOLDERS[heading] for heading, names in GROUPS.items() if cmd_name in names)
        command: click.Command = import_module(f".{folder}.{module}", __name__).command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if (
            name[0].isalpha() and name not in COMMANDS
        ):  # options that are unknown are click's to refuse
            ctx.fail(f"there is no command {name!r}{nearest(name, COMMANDS)}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        width = formatter.width - 6 - max(map(len, COMMANDS))
        for heading, names in GROUPS.items():
            commands = [(name, self.get_command(ctx, name)) for name in names]
            with formatter.section(heading):
                formatter.write_dl(
                    [(f"{name:<8}", one.get_short_help_str(width)) for name, one in commands if one]
                )

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:  # the reader has had enough (`| head`); click ends quietly
            raise
        except ModuleNotFoundError as missing:
            if missing.name not in SERVE:
                raise
            raise Refused(
                f"campaigns need the package {missing.name}: pip install 'corollary[serve]'"
            ) from missing
        except (CorollaryError, OSError) as error:
            raise Refused(
                harmless(in_shell_words(str(error), command=ctx.invoked_subcommand))
            ) from error


def in_shell_words(message: str, *, command: str | None) -> str:
    """The library's advice (`pass lossy=True`, `pass format='skos'`) as options of the command."""
    advice = rf"\bpass ({'|'.join(OPTIONS)})=(?:True\b|'([^']*)'|(\d+))?"
    for found in re.finditer(advice, message):
        option = "--" + found[1].replace("_", "-")
        if option == "--format":
            option = {"convert": "--from or --to", "new": "--ontology-format"}.get(
                command or "", option
            )
        message = message.replace(
            found[0], " ".join(filter(None, ("pass", option, found[2], found[3])))
        )
    return message


@click.command(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]}, epilog=START)
@click.version_option(__version__, prog_name="corollary")
def main() -> None:
    """Ask one question; get its corollaries for free."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without ∴ shows ?, and no traceback
