"""`corollary serve`: the labelling page of a campaign."""

from __future__ import annotations

import os
import sys
from threading import Thread
from typing import TYPE_CHECKING

import click

from ..logic.errors import CorollaryError
from .campaigns import figures, opened, place_argument
from .forms import size

if TYPE_CHECKING:
    from ..campaign.campaign import Campaign

BUSY = "Its page is open already; stop that server first (Ctrl-C) to serve it anew"


@click.command("serve")
@place_argument
@click.option("--host", default="127.0.0.1", show_default=True, help="Where to listen; others need --team.")
@click.option("--port", default=8000, show_default=True, help="0 takes any that is free.")
@click.option("--open", "browse", is_flag=True, help="Open the page in the browser.")
@click.option("--team", is_flag=True, help="Several people, each with an invitation.")
@click.option("--lead-link", is_flag=True, help="With --team: a new link for the lead; the one before ends.")
@click.option("--root-path", default="", metavar="/PREFIX", help="Under which a proxy serves the page.")
@click.option("--hostname", "hosts", multiple=True, metavar="NAME", help="A name the server goes by; repeatable.")
@click.option("--upload-limit", type=size, default="64MB", show_default=True, help="The largest file people may send.")
def command(
    place: str,
    *,
    host: str,
    port: int,
    browse: bool,
    team: bool,
    lead_link: bool,
    root_path: str,
    hosts: tuple[str, ...],
    upload_limit: int,
) -> None:
    """Serve the labelling page.

    \b
    corollary serve birds.sqlite --open
    corollary serve birds.sqlite --team --host 0.0.0.0 --port 8080
    corollary serve postgresql://me@host/db --team --root-path /birds

    Alone: the page is for this machine only, and the link that is printed works once. With --team each person signs
    in by an invitation; the lead makes these on the page, and gets their own link here at the first start. Put a
    proxy with https before it where people come over a network. Ctrl-C stops; every answer is safe on disk.
    """  # noqa: D301 (the backslash tells click to keep the lines)
    needs_web()
    from ..web.server import serve

    with opened(place, busy=BUSY) as campaign:
        begin_training(campaign)
        token = lead_token(campaign, renew=lead_link) if team else None

        def ready(address: str) -> None:
            link = f"{address}join/{token}" if token else address
            click.echo(f"{campaign.name}: {figures(campaign.progress())}")
            click.echo(f"{introduction(team=team, invited=token is not None)}\n\n  {link}\n\nCtrl-C stops.")
            if browse:
                open_page(link)

        serve(
            campaign,
            host=host,
            port=port,
            mode="team" if team else "single",
            root_path=root_path,
            hosts=hosts or None,
            upload_limit=upload_limit,
            ready=ready,
        )
        click.echo(f"stopped; {figures(campaign.progress())}")


def introduction(*, team: bool, invited: bool) -> str:
    """What the link is for."""
    if not team:
        return "Open this link on this machine; it works once:"
    return "The lead's link; keep it to yourself:" if invited else "The page; people come with their invitations:"


def needs_web() -> None:
    """Say what to install where the page's packages are missing."""
    from importlib.util import find_spec

    missing = [name for name in ("fastapi", "uvicorn", "argon2", "sqlalchemy") if find_spec(name) is None]
    if missing:
        raise CorollaryError(f"the page needs {', '.join(missing)}: pip install 'corollary[serve]'")


def begin_training(campaign: Campaign) -> None:
    """Learn from labels that were brought along; people can answer meanwhile."""
    figures = campaign.progress()
    if not figures["model"] and figures["settled"]:
        campaign.retrain()


def lead_token(campaign: Campaign, *, renew: bool) -> str | None:
    """A token for the lead who has no way in yet, or asks for a new one."""
    from ..campaign.storage.records import ACTIVE, LEAD

    leads = [one["name"] for one in campaign.people() if one["role"] == LEAD and one["state"] == ACTIVE]
    people = [campaign.person(name) for name in leads]
    if not renew and any(one.token_hash or one.password_hash for one in people):
        return None
    return campaign.invite(leads[0], LEAD)


def open_page(link: str) -> None:
    """Show a page in the browser, if there is one with windows; never wait for it."""
    import webbrowser

    windows = sys.platform in ("darwin", "win32") or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    if windows:
        Thread(target=webbrowser.open, args=(link,), daemon=True).start()
    else:
        click.echo("(no browser with windows here: open the link yourself)")
