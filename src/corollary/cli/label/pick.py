"""A pick in the terminal: which is it? The likeliest nine by their numbers, any other by a few letters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ..terminal import echo

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

#: Options that have a key, and the key that finds any other.
SHOWN = 9
FIND = "/"


def show_options(ends: Sequence[str], none: bool, names: Mapping[str, str]) -> None:
    """The first options with their numbers, and the ways to the others."""
    echo(f"  {numbered(ends, names)}")
    more = f"{FIND} finds any of {len(ends) - SHOWN:,} more" if len(ends) > SHOWN else ""
    ways = [way for way in (more, "n none of these" if none else "", "space can't tell") if way]
    echo(click.style(f"  {', '.join(ways)}", dim=True))


def numbered(labels: Sequence[str], names: Mapping[str, str]) -> str:
    """`1 book hotel   2 meal plan`, the first nine."""
    return "   ".join(f"{n} {names[label]}" for n, label in enumerate(labels[:SHOWN], 1))


def picked(
    ends: Sequence[str],
    none: bool,
    names: Mapping[str, str],
    pressed: str,
    about: Mapping[str, Mapping[str, str]],
) -> list[str] | None:
    """What a key picks: a label, none of them, or after some letters any; None where it picks nothing."""
    if pressed.isdecimal() and 1 <= int(pressed) <= min(SHOWN, len(ends)):
        return [ends[int(pressed) - 1]]
    if pressed in ("n", "N", "x", "X"):
        if none:
            return []
        echo("  one of them is true: pick it, or space for can't tell")
    return found(ends, names, about) if pressed == FIND else None


def found(
    ends: Sequence[str], names: Mapping[str, str], about: Mapping[str, Mapping[str, str]]
) -> list[str] | None:
    """The label that someone's letters find in its names, synonyms or id; of several a number picks one.

    Nothing typed goes back.
    """
    from ...campaign.reading.option_search import called_by

    called = {label: called_by(label, names[label], about.get(label, {})) for label in ends}
    fitting: list[str] = []
    while (
        typed := click.prompt("  a few letters of it", default="", show_default=False)
        .strip()
        .lower()
    ):
        if typed.isdecimal() and 1 <= int(typed) <= min(SHOWN, len(fitting)):
            return [fitting[int(typed) - 1]]
        fitting = [label for label in ends if any(typed in name for name in called[label])]
        exact = [label for label in fitting if typed in called[label]]
        if len(fitting) == 1 or len(exact) == 1:
            return (exact or fitting)[:1]
        echo(
            f"  {numbered(fitting, names)}{', ...' if len(fitting) > SHOWN else ''}"
            if fitting
            else "  no open label"
        )
    return None
