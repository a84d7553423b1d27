"""What the commands print: nothing that items, labels or names bring along can steer the terminal."""

from __future__ import annotations

import re

import click

#: Colours as `click.style` writes them, which stay; else signs that terminals obey, or that turn the direction of text.
SIGNS = re.compile(
    "\x1b\\[(?:[012]|3[0-7])m|[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]"
)


def harmless(text: str) -> str:
    r"""The text with signs that a terminal would obey written out, as JSON does: \u001b."""
    return SIGNS.sub(
        lambda found: found[0] if len(found[0]) > 1 else f"\\u{ord(found[0]):04x}",
        text.replace("\r\n", "\n"),
    )


def echo(message: object = "", *, err: bool = False, nl: bool = True) -> None:
    """Print a line, whatever is in it."""
    click.echo(harmless(str(message)), err=err, nl=nl)
