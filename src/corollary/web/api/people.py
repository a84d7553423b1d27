"""People: sign-in, invitations, roles and passwords."""

from __future__ import annotations

from typing import Annotated, cast

from fastapi import APIRouter, Path, Request, Response
from starlette.concurrency import run_in_threadpool

from ...campaign.campaign import Campaign
from ...campaign.state.measured_costs import asked_for
from ...campaign.storage.records import LEAD, REVOKED, Annotator
from .. import schemas
from ..access.passwords import hash_password
from ..context import Person, Served
from ..errors import Refusal
from ..pages import link_offered, link_refused
from .lookups import own_answers

router = APIRouter(tags=["people"])


@router.get("/api/me")
def me(request: Request, campaign: Served, person: Person) -> schemas.Me:
    """The caller, and the data that the page needs at its start."""
    with campaign.lock:
        state = campaign.state
        settings = campaign.settings
        since = state.paused_since(person.name)
        version = state.version
        counts = state.counts()
    answers, today = own_answers(campaign, person.name)
    names = person.role == LEAD or settings.show_names
    return schemas.Me(
        name=person.name,
        role=cast(schemas.Role, person.role),
        mode=request.app.state.door.mode,
        campaign=campaign.name,
        about=campaign.about,
        guidelines=settings.guidelines,
        lead=_lead(campaign) if names else None,
        paused=since is not None,
        paused_since=since,
        trouble=None if campaign.trouble is None else str(campaign.trouble),
        answers=answers,
        today=today,
        show_consequences=settings.show_consequences,
        show_names=settings.show_names,
        whole_items=asked_for(settings, state.onto) != "labels",
        one=state.one,
        lease_seconds=settings.lease_seconds,
        ontology=version,
        counts=schemas.Counts(**counts),
    )


def _lead(campaign: Campaign) -> str | None:
    leads = [one.name for one in campaign.annotators() if one.role == LEAD and one.state != REVOKED]
    return leads[0] if leads else None


@router.post("/api/login")
async def login(wanted: schemas.SignIn, request: Request, response: Response) -> schemas.Fine:
    """Sign in with an invitation's token, or with a name and a password: a cookie is set."""
    door = request.app.state.door
    buckets = request.app.state.buckets
    if wanted.token is not None and wanted.name is None and wanted.password is None:
        secret = await run_in_threadpool(door.join, wanted.token)
    elif wanted.token is None and wanted.name is not None and wanted.password is not None:
        buckets.take("password", wanted.name)
        secret = await door.sign_in(wanted.name, wanted.password)
        buckets.give_back("password", wanted.name)
    else:
        raise Refusal(400, "Send either a token, or a name and a password.")
    door.set_cookie(response, secret, request)
    return schemas.Fine()


@router.post("/api/logout")
def logout(request: Request, response: Response) -> schemas.Fine:
    """Sign out of this browser."""
    door = request.app.state.door
    door.sign_out(door.cookie_of(request.headers) or "")
    door.delete_cookie(response, request)
    return schemas.Fine()


@router.get("/join/{token}", include_in_schema=False)
def join(token: str, request: Request, campaign: Served) -> Response:
    """An invite link: a page that names the person; its button signs in.

    A lead's own link signs in at once.
    """
    door = request.app.state.door
    try:
        person = door.invited(token)
    except Refusal as refusal:
        return link_refused(request, refusal)
    return link_offered(request, person.name, campaign.name, own=door.is_own(token))


@router.get("/api/people")
def people(request: Request) -> list[schemas.PersonOut]:
    """Return everyone who takes part, in order of name, with their figures."""
    return [schemas.PersonOut(**one) for one in request.app.state.figures.get()["annotators"]]


@router.post("/api/people", status_code=201)
def invite(wanted: schemas.Invite, campaign: Served) -> schemas.Invited:
    """Invite someone by a link, or a program by a token. It is shown this once; only a hash is kept."""
    if any(one.name == wanted.name for one in campaign.annotators()):
        hint = "To renew the invitation: PATCH /api/people/{name} with 'renew'."
        raise Refusal(409, f"{wanted.name!r} takes part already.", code="already_there", hint=hint)
    return schemas.Invited(
        name=wanted.name, role=wanted.role, **_invite(campaign, wanted.name, wanted.role, wanted)
    )


def _invite(
    campaign: Campaign, name: str, role: str, wanted: schemas.Invitation
) -> dict[str, str | None]:
    if wanted.program:
        return {"token": campaign.invite(name, role), "link": None}
    return {
        "token": None,
        "link": f"join/{campaign.invite_by_link(name, role, seconds=3600 * wanted.hours)}",
    }


@router.patch("/api/people/{name:path}")
def change(
    name: Annotated[str, Path(max_length=200, description="Their name.")],
    wanted: schemas.PersonChange,
    campaign: Served,
    person: Person,
) -> schemas.PersonChanged:
    """Pause, revoke or invite someone anew, or give them another role or a password; effective at once."""
    them = _named(campaign, name)
    if wanted.revoked and (wanted.role or wanted.renew or wanted.password):
        raise Refusal(
            400, "Someone who no longer takes part needs no role, invitation or password."
        )
    if wanted.revoked:
        campaign.revoke(name)
    shown: dict[str, str | None] = {"token": None, "link": None}
    if wanted.role or wanted.renew:
        shown = _invite(campaign, name, wanted.role or them.role, wanted)
    if wanted.password is not None:
        campaign.set_password(name, hash_password(wanted.password))
    if wanted.paused is not None:
        (campaign.pause if wanted.paused else campaign.resume)(name, who=person.name)
    them = _named(campaign, name)
    with campaign.lock:
        paused = campaign.state.paused_since(name) is not None
    return schemas.PersonChanged.model_validate(
        {"name": name, "role": them.role, "state": them.state, "paused": paused, **shown}
    )


def _named(campaign: Campaign, name: str) -> Annotator:
    for one in campaign.annotators():
        if one.name == name:
            return one
    raise Refusal(
        404,
        f"Nobody is called {name!r} in this campaign.",
        hint="Invite them first: POST /api/people.",
    )
