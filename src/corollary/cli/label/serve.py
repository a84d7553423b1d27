"""`corollary serve`: the labelling page of a campaign."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from secrets import token_urlsafe
from threading import Thread
from typing import TYPE_CHECKING, Any

import click

from ...logic.errors import CorollaryError
from ..campaigns import figures, opened, place_argument
from ..forms import size
from ..terminal import echo

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from ...campaign.campaign import Campaign
    from ...web.webhooks.hooks import Webhooks

SECRET_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
PASSWORD_IN_ADDRESS = (
    "Write http://NAME:PASSWORD@... there: its webhooks have no other place for a password.\n"
)
NEW_PASSWORD = (
    "The password is new with each start: to keep one, set COROLLARY_BASIC_AUTH to NAME:PASSWORD.\n"
)
STUDIO = "label-studio"  # its name where none is given
BUSY = "If that is a server, its page is open already; to serve it anew, stop that process first (Ctrl-C)"


@click.command("serve")
@place_argument
@click.option(
    "--host", default="127.0.0.1", show_default=True, help="Where to listen; others need --team."
)
@click.option("--port", default=8000, show_default=True, help="0 takes any that is free.")
@click.option("--open", "browse", is_flag=True, help="Open the page in the browser.")
@click.option("--team", is_flag=True, help="Several people, each with an invitation.")
@click.option(
    "--lead-link", is_flag=True, help="With --team: a new link for the lead; the one before ends."
)
@click.option(
    "--root-path", default="", metavar="/PREFIX", help="Under which a proxy serves the page."
)
@click.option(
    "--hostname",
    "hosts",
    multiple=True,
    metavar="NAME",
    help="A name the server goes by; repeatable.",
)
@click.option(
    "--trusted-proxy",
    "proxies",
    multiple=True,
    metavar="ADDRESS",
    help="The proxy whose X-Forwarded-* headers are trusted.",
)
@click.option(
    "--upload-limit",
    type=size,
    default="64MB",
    show_default=True,
    help="The largest file people may send.",
)
@click.option(
    "--label-studio", is_flag=True, help="Serve a machine learning backend for Label Studio too."
)
@click.option(
    *("--basic-auth", "auth"),
    envvar="COROLLARY_BASIC_AUTH",
    metavar="NAME:PASSWORD",
    help="That Label Studio must send; better set as COROLLARY_BASIC_AUTH. [a new one each time]",
)
@click.option(
    "--no-password",
    is_flag=True,
    help="With --label-studio, alone: any program of this machine may send.",
)
@click.option(
    "--webhook",
    "hooks",
    multiple=True,
    metavar="URL",
    help="Tell this address what happens; repeatable.",
)
@click.option(
    "--webhook-secret-file",
    "secret",
    type=SECRET_FILE,
    help="The secret that signs them. Needed with --webhook.",
)
@click.option(
    "--webhook-event",
    "events",
    multiple=True,
    help="answer, undo, decision, accept, conflict, model, report. [all]",
)
@click.option(
    "--webhook-private", "private", is_flag=True, help="Webhooks may call private addresses."
)
@click.option(
    "--complete",
    is_flag=True,
    help="With --label-studio: labels that were not picked from a list are no.",
)
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
    proxies: tuple[str, ...],
    upload_limit: int,
    label_studio: bool,
    auth: str | None,
    no_password: bool,
    complete: bool,
    **telling: Any,
) -> None:
    """Serve the labelling page.

    \b
    corollary serve birds.sqlite --open
    corollary serve birds.sqlite --team --host 0.0.0.0 --port 8080
    corollary serve postgresql://me@host/db --team --root-path /birds
    COROLLARY_BASIC_AUTH=me:secret corollary serve birds.sqlite --label-studio

    Alone, the page is for this machine only, and the printed link works once.

    With --team each person signs in by an invitation. The lead makes invitations on the page, and
    gets their own link here at the first start. If people come over a network, put a proxy with
    https before the server, and name its address with --trusted-proxy (127.0.0.1 if it runs here).
    Ctrl-C stops; every answer is safe on disk.

    With --label-studio people may answer in Label Studio: connect a model there with the printed
    address. It gets predictions that keep the rules; the lowest score marks the best question.
    Annotations come here under the names of the people, and contradictions wait for the lead.
    New items are added. To call a machine of its own network, Label Studio must be started with
    ML_BLOCK_LOCAL_IP=false and SSRF_PROTECTION_ENABLED=false.

    With --webhook another program gets each answer, undo, decision, conflict and model. Each is a
    POST of JSON, signed with the secret, in the order of the log. A message is sent again until it
    is accepted. GET /api/webhooks shows the state.
    """  # noqa: D301 (click keeps the lines after a backslash)
    needs_web()
    from ...web.server import EVERYWHERE, serve

    if label_studio:
        check_backend(host, auth, team=team, no_password=no_password)
    elif complete or no_password:
        name = "--complete" if complete else "--no-password"
        raise click.UsageError(
            f"{name} is about what comes from Label Studio: give --label-studio too"
        )
    made = None if auth or no_password else f"{STUDIO}:{token_urlsafe(24)}"
    with opened(place, busy=BUSY) as campaign:
        begin_training(campaign)
        beside = backend_of(campaign, auth or made, complete=complete) if label_studio else {}
        token = lead_token(campaign, renew=lead_link) if team else None
        webhooks = webhooks_of(campaign, **telling)

        def ready(address: str) -> None:
            link = f"{address}join/{token}" if token else address
            echo(f"{campaign.name}: {figures(campaign.progress())}")
            echo(f"{introduction(team=team, invited=token is not None)}\n\n  {link}\n")
            if host in EVERYWHERE and not hosts:
                echo(
                    "Where that name is not known, put the address of this machine in its place.\n"
                )
            for prefix in beside:
                there = f"{address.partition('join/')[0]}{prefix[1:]}"
                there = there.replace("://", f"://{made}@", 1) if made else there
                echo(f"For Label Studio, Settings, Model:\n\n  {there}\n")
                if not no_password:
                    echo(NEW_PASSWORD if made else PASSWORD_IN_ADDRESS)
            echo("Ctrl-C stops.")
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
            trusted_proxies=proxies,
            beside=beside,
            webhooks=webhooks,
            ready=ready,
        )
        echo(f"stopped; {figures(campaign.progress())}")


def webhooks_of(
    campaign: Campaign,
    *,
    hooks: Sequence[str],
    secret: Path | None,
    events: Sequence[str],
    private: bool,
) -> Webhooks | None:
    """Return the webhooks of the options, if any."""
    if not hooks:
        if secret is not None or events or private:
            raise click.UsageError("give --webhook too: its other options need it")
        return None
    if secret is None:
        raise click.UsageError(
            "--webhook-secret-file is missing: webhooks are signed, give a file with a secret"
        )
    from ...web.webhooks.hooks import Webhooks

    signed_with = secret.read_text(encoding="utf-8").strip()
    return Webhooks(campaign, hooks, signed_with, events=events, private=private)


def check_backend(host: str, auth: str | None, *, team: bool, no_password: bool) -> None:
    """Raise an error if anybody but Label Studio could write labels.

    Without a password only the caller's address can be checked, and behind a team's proxy it is
    the proxy's. So only your own machine may do without.
    """
    from ...web.access.sign_in import LOOPBACK

    if no_password and auth is not None:
        raise CorollaryError(
            "there is a password (--basic-auth, COROLLARY_BASIC_AUTH) and --no-password: choose one"
        )
    if no_password and (team or host not in LOOPBACK):
        where = "with --team" if team else f"at {host!r}"
        raise CorollaryError(
            f"{where} anybody could send labels: leave out --no-password, and tell Label Studio"
        )
    if auth is not None and not all(auth.partition(":")):
        raise CorollaryError(
            "the name and the password for Label Studio are to be given as NAME:PASSWORD"
        )


def backend_of(campaign: Campaign, auth: str | None, *, complete: bool) -> dict[str, ASGIApp]:
    """The backend for Label Studio, by the prefix of its address."""
    from ...web.label_studio.backend import PREFIX, make_backend

    name, _, password = (auth or "").partition(":")
    return {
        PREFIX: make_backend(
            campaign, basic_auth=(name, password) if auth else None, complete=complete
        )
    }


def introduction(*, team: bool, invited: bool) -> str:
    """What the link is for."""
    if not team:
        return "Open this link on this machine; it works once:"
    return (
        "The lead's link; it works once, within a week:"
        if invited
        else "The page; people come with their invitations:"
    )


def needs_web() -> None:
    """Say what to install where the page's packages are missing."""
    from importlib.util import find_spec

    missing = [
        name for name in ("fastapi", "uvicorn", "argon2", "sqlalchemy") if find_spec(name) is None
    ]
    if missing:
        raise CorollaryError(f"the page needs {', '.join(missing)}: pip install 'corollary[serve]'")


def begin_training(campaign: Campaign) -> None:
    """Learn from labels that were brought along; people can answer meanwhile."""
    figures = campaign.progress()
    if not figures["model"] and figures["settled"]:
        campaign.retrain()


def lead_token(campaign: Campaign, *, renew: bool) -> str | None:
    """The secret of a link for the lead who has no way in yet, or asks for a new one."""
    from ...campaign.people import lead_of
    from ...campaign.storage.records import ACTIVE, LEAD

    people = campaign.annotators()
    leads = (one for one in people if one.role == LEAD and one.state == ACTIVE)
    if not renew and any(one.token_hash or one.password_hash for one in leads):
        return None
    return campaign.invite_by_link(lead_of(people).name, LEAD)


def open_page(link: str) -> None:
    """Show a page in the browser, if there is one with windows; never wait for it."""
    import webbrowser

    windows = (
        sys.platform in ("darwin", "win32")
        or os.environ.get("DISPLAY")
        or os.environ.get("WAYLAND_DISPLAY")
    )
    if windows:
        Thread(target=webbrowser.open, args=(link,), daemon=True).start()
    else:
        echo("(no browser with windows here: open the link yourself)")
