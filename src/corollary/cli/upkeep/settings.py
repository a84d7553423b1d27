"""`corollary settings`: show the settings of a campaign, explain them, and change one."""

from __future__ import annotations

import json
from itertools import groupby
from typing import TYPE_CHECKING, Any

import click

from ...logic.errors import CorollaryError, nearest
from ..campaigns import opened, person, place_argument, who_option
from ..terminal import echo

if TYPE_CHECKING:
    from ...campaign.campaign import Campaign

BUSY = (
    "Change it on its page, under Settings, or with its API (PATCH /api/settings), or stop it first"
)
LONGEST = 60  # characters of a value in the list


@click.command("settings")
@place_argument
@click.argument("name", metavar="[NAME", required=False)
@click.argument("value", metavar="[VALUE]]", required=False)
@who_option
def command(place: str, name: str | None, value: str | None, *, who: str | None) -> None:
    """Show the settings of a campaign, or change one.

    \b
    corollary settings birds.sqlite
    corollary settings birds.sqlite overlap
    corollary settings birds.sqlite overlap 0.1
    corollary settings birds.sqlite item_cost none

    With a NAME, this setting is explained. With a VALUE too, it is changed, and the effect is shown.
    Write shares as 0.1 or 10%, switches as yes, no, on or off, and an empty value as none.
    """  # noqa: D301 (click keeps the lines after a backslash)
    if name is None or value is None:
        with opened(place, readonly=True) as campaign:
            found = _described(campaign)
        show_all(found) if name is None else show_one(_named(found, name))
        return
    with opened(place, busy=BUSY) as campaign:
        before = _named(_described(campaign), name)
        campaign.change_settings(person(campaign, who), {name: value})
        after = _named(_described(campaign), name)
    if after["value"] == before["value"]:
        echo(f"{name} was {written(after['value'])} already: nothing changed.")
        return
    echo(f"{name}: {written(before['value'])} -> {written(after['value'])}. {after['now']}")


def show_all(found: list[dict[str, Any]]) -> None:
    """Show every setting on a line, under its heading.

    Those that are changed show their default.
    """
    width = max(len(one["name"]) for one in found)
    for n, (group, settings) in enumerate(groupby(found, key=lambda one: one["group"])):
        echo(f"{chr(10) if n else ''}{group}")
        for one in settings:
            changed = (
                "" if one["value"] == one["default"] else f" (default {brief(one['default'])})"
            )
            echo(f"  {one['name']:<{width}}  {brief(one['value'])}{changed}")


def show_one(one: dict[str, Any]) -> None:
    """Explain a setting."""
    lines = {
        "Value": written(one["value"]),
        "Default": written(one["default"]),
        "May be": one["allowed"],
        "Does": one["does"],
        "Changing it now": one["now"],
    }
    for head, text in lines.items():
        echo(f"{head + ':':<16} {text}")


def written(value: Any) -> str:
    """Return a value as people may type it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None:
        return "none"
    return (
        f"{value:g}"
        if isinstance(value, float)
        else value
        if isinstance(value, str)
        else json.dumps(value)
    )


def brief(value: Any) -> str:
    """Return a value as a short text: for texts by label, their number."""
    if isinstance(value, dict):
        return f"texts of {len(value):,} label{'' if len(value) == 1 else 's'}" if value else "none"
    text = written(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."


def _described(campaign: Campaign) -> list[dict[str, Any]]:
    from ...campaign.settings import described

    return described(campaign.settings)


def _named(found: list[dict[str, Any]], name: str) -> dict[str, Any]:
    by_name = {one["name"]: one for one in found}
    if name not in by_name:
        raise CorollaryError(
            f"no setting {name!r}{nearest(name, by_name)}; there is: {', '.join(by_name)}"
        )
    return by_name[name]
