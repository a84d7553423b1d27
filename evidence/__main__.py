"""The evidence on the command line: `python -m evidence tables`, `compare` and `ladder`."""

from __future__ import annotations

from typing import Any

import click

from corollary.cli import Refused
from corollary.logic.errors import CorollaryError

from .commands import compare, ladder, make_tables


class Commands(click.Group):
    """Commands whose errors are one message without a traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:  # the reader has had enough (`| head`); click ends quietly
            raise
        except (CorollaryError, OSError) as error:
            raise Refused(str(error)) from error


@click.command(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Compare Corollary's choice of questions with that of other methods."""


for command in (make_tables.command, compare.command, ladder.command):
    main.add_command(command)

if __name__ == "__main__":
    main(prog_name="python -m evidence")
