"""What the commands on campaigns share: naming one, opening it, and who one is."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ..logic.errors import CorollaryError
from .progress import told_progress
from .reading import count
from .terminal import echo

if TYPE_CHECKING:
    from ..campaign.campaign import Campaign

Command = TypeVar("Command", bound=Callable[..., Any])

#: A path, or the address of a database; the environment keeps its password off the command line.
place_argument = click.argument("place", metavar="CAMPAIGN", envvar="COROLLARY_CAMPAIGN")
who_option = click.option(
    "--as", "who", metavar="NAME", help="Who you are. [the lead, if there is one only]"
)


@contextmanager
def opened(place: str, *, readonly: bool = False, busy: str = "") -> Iterator[Campaign]:
    """A campaign; `busy` says what to do instead while a server has it."""
    from ..campaign.campaign import Campaign
    from ..campaign.storage.records import StoreBusy

    with told_warnings():
        try:
            with told_progress("opening the campaign"):
                campaign = Campaign.open(place, readonly=readonly)
        except StoreBusy as error:
            reason = str(error).partition(";")[0]
            raise CorollaryError(
                f"{reason}. {busy or 'Stop it first (Ctrl-C), then try again'}."
            ) from None
        with campaign:
            yield campaign


@contextmanager
def told_warnings() -> Iterator[None]:
    """Warnings as notes that people can read."""
    with warnings.catch_warnings():
        warnings.showwarning = lambda message, *_, **__: echo(f"Note: {message}", err=True)
        yield


def person(campaign: Campaign, name: str | None) -> str:
    """The name of who calls, by default the only lead."""
    people = campaign.people()
    if name is None:
        leads = [
            one["name"] for one in people if one["role"] == "lead" and one["state"] == "active"
        ]
        if len(leads) != 1:
            raise CorollaryError(f"say who you are with --as NAME; leads are {', '.join(leads)}")
        return str(leads[0])
    if name not in [one["name"] for one in people]:
        known = ", ".join(one["name"] for one in people)
        raise CorollaryError(f"nobody is called {name!r} in this campaign; there is {known}")
    return name


def figures(counts: dict[str, Any]) -> str:
    """How far the labelling is, on one line: in items where one label holds for each."""
    return ", ".join([f"{counts['asked']:,} asked", how_far(counts), *saved_in_words(counts)])


def how_far(counts: dict[str, Any]) -> str:
    """How many items are labelled where one label holds for each, else how many labels of items are settled."""
    if counts["one"]:
        share = counts["done"] / (counts["items"] or 1)
        return f"{counts['done']:,} of {count(counts['items'], 'item')} labelled ({share:.1%})"
    share = counts["settled"] / (counts["cells"] or 1)
    return f"{counts['settled']:,} of {counts['cells']:,} labels of items settled ({share:.1%})"


def saved_in_words(counts: dict[str, Any]) -> list[str]:
    """What nobody had to be asked: items, if there are any, or questions."""
    saved = max(counts["saved"], 0)
    if counts["one"]:
        return [f"{count(saved, 'item')} accepted without a question"] if saved else []
    return [f"{count(saved, 'question')} saved"]
