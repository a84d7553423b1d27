"""Sign-in: tokens, cookies, roles by route, and protection against foreign pages."""

from __future__ import annotations

import re
import secrets
import time
from asyncio import get_running_loop
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from threading import Lock
from typing import Literal, NamedTuple
from urllib.parse import SplitResult, urlsplit

from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from starlette.responses import Response
from starlette.routing import compile_path

from ...campaign.campaign import Campaign
from ...campaign.people import SESSION_SECONDS, hash_of, lead_of
from ...campaign.storage.records import ANNOTATOR, LEAD, READER, REVOKED, Annotator
from ..errors import Refusal
from .passwords import verify
from .rate_limits import Turns

Mode = Literal["single", "team"]
OPEN = "open"
WATCHER = "reader or lead"
#: The rights of roles. Watchers see all labels; annotators do not, because they may be asked blind.
MAY = {
    OPEN: ("", READER, ANNOTATOR, LEAD),
    READER: (READER, ANNOTATOR, LEAD),
    WATCHER: (READER, LEAD),
    ANNOTATOR: (ANNOTATOR, LEAD),
    LEAD: (LEAD,),
}
SAFE = ("GET", "HEAD", "OPTIONS")
COOKIE = "corollary"
LONGEST_SECRET = 300
LOOPBACK = ("127.0.0.1", "localhost", "::1")
PAGE_HEADER = "x-corollary"
#: The source of a link that works.
NEW_LINK: dict[Mode, str] = {
    "single": "A link works once. Start the server again for a new one: the terminal prints it.",
    "team": "A link works once, and for some days. Ask your lead for another invite link.",
}

TOKEN_HINT = (
    'A lead makes one by POST /api/people with "program": true; in Python, while no server runs, '
    "corollary.Campaign.open(place).invite(name) gives one."
)
#: The roles of each route. The app refuses to start with a route that is not in this table.
ACCESS = {
    "GET /": OPEN,
    "GET /static/{path:path}": OPEN,
    "GET /favicon.ico": OPEN,
    "GET /join/{token}": OPEN,
    "GET /health": OPEN,
    "GET /metrics": READER,
    "GET /api/openapi.json": OPEN,
    "POST /api/login": OPEN,
    "POST /api/logout": OPEN,
    "GET /api/me": READER,
    "GET /api/progress": READER,
    "GET /api/labels": WATCHER,
    "GET /api/ontology": READER,
    "GET /api/export": WATCHER,
    "GET /api/events": READER,
    "POST /api/questions": ANNOTATOR,
    "GET /api/options": ANNOTATOR,
    "POST /api/answers": ANNOTATOR,
    "POST /api/undo": ANNOTATOR,
    "POST /api/flags": ANNOTATOR,
    "POST /api/doubts": ANNOTATOR,
    "GET /api/history": ANNOTATOR,
    "GET /api/explain": ANNOTATOR,
    "GET /api/items/{id:path}/image": ANNOTATOR,
    "GET /api/items/{id:path}": ANNOTATOR,
    "POST /api/leases/renew": ANNOTATOR,
    "POST /api/leases/release": ANNOTATOR,
    "GET /api/items": LEAD,
    "GET /api/item-list": LEAD,
    "GET /api/item-ids": LEAD,
    "POST /api/group-answers": LEAD,
    "POST /api/group-undo": LEAD,
    "GET /api/sure": LEAD,
    "GET /api/sure/audits": LEAD,
    "POST /api/sure/audits": LEAD,
    "POST /api/sure/accept": LEAD,
    "POST /api/items": LEAD,
    "POST /api/withdrawals": LEAD,
    "GET /api/witnesses": LEAD,
    "POST /api/reports": LEAD,
    "GET /api/ontology/versions": LEAD,
    "POST /api/ontology/preview": LEAD,
    "PUT /api/ontology": LEAD,
    "POST /api/ontology/release/preview": LEAD,
    "PUT /api/ontology/release": LEAD,
    "GET /api/people": LEAD,
    "POST /api/people": LEAD,
    "PATCH /api/people/{name:path}": LEAD,
    "GET /api/conflicts": LEAD,
    "GET /api/doubtful": LEAD,
    "GET /api/trust": LEAD,
    "POST /api/decisions": LEAD,
    "POST /api/gold": LEAD,
    "GET /api/flags": LEAD,
    "POST /api/flags/{seq}/settle": LEAD,
    "GET /api/leases": LEAD,
    "GET /api/log": LEAD,
    "GET /api/settings": LEAD,
    "GET /api/settings/about": LEAD,
    "PATCH /api/settings": LEAD,
    "POST /api/pause": LEAD,
    "POST /api/train": LEAD,
    "GET /api/webhooks": LEAD,
}


class Entry(NamedTuple):
    """A row of the table of routes, ready to be matched."""

    method: str
    path: str
    access: str
    pattern: re.Pattern[str]


def _entry(line: str, access: str) -> Entry:
    method, path = line.split(" ")
    return Entry(method, path, access, compile_path(path)[0])


ENTRIES = tuple(_entry(line, access) for line, access in ACCESS.items())


def entry_of(method: str, path: str) -> Entry | None:
    """Return the row of the table for a request; None if there is no such route."""
    method = "GET" if method == "HEAD" else method
    return next(
        (entry for entry in ENTRIES if entry.method == method and entry.pattern.match(path)), None
    )


@dataclass(frozen=True, slots=True)
class Caller:
    """The caller, and whether a cookie identified them, so that a foreign page may be behind it."""

    person: Annotator
    by_cookie: bool


class Session(NamedTuple):
    """A sign-in with a password; it ends when the password changes."""

    name: str
    password_hash: str
    ends: float


class Door:
    """Identifies people by their secrets.

    Tokens are in the campaign, hashed. Who signs in with a password gets a secret of this process. In single user
    mode one link works once and gives the lead a new token; restarting the server does not sign anybody out.
    """

    def __init__(self, campaign: Campaign, mode: Mode):
        self._campaign = campaign
        self.mode = mode
        self._lock = Lock()
        # In a pool of its own, because argon2 takes 64 MB and a tenth of a second each time.
        self._verifying = ThreadPoolExecutor(
            max_workers=2, thread_name_prefix="corollary-passwords"
        )
        self._waiting = Turns(
            "sign-ins", each=4, all=60, wait=5
        )  # a class of thirty is not too many
        self._sessions: dict[str, Session] = {}
        self._link: str | None = None
        self._used: set[str] = set()  # links that worked, hashed
        self._cookie = f"{COOKIE}_{hash_of(f'{campaign.name} {campaign.made_at}')[:8]}"

    def new_link(self) -> str:
        """Return the secret of a link for the lead, which works once and replaces the earlier one."""
        token = secrets.token_urlsafe(32)
        self._link = hash_of(token)
        return token

    def invited(self, token: str) -> Annotator:
        """Return the person whom a link would sign in; nothing changes."""
        if self.is_own(token):
            return lead_of(self._campaign.annotators())
        person = self._campaign.linked(token) or self.known(token)
        if person is None:
            used = hash_of(token) in self._used
            message = (
                "This link was used already." if used else "This link does not work, or no longer."
            )
            raise Refusal(401, message, hint=NEW_LINK[self.mode])
        return person

    def is_own(self, token: str) -> bool:
        """Whether this is the link of single user mode, which only this machine's terminal shows."""
        return self._link is not None and secrets.compare_digest(self._link, hash_of(token))

    def join(self, token: str) -> str:
        """Return the secret for the cookie of a person with a link or a token."""
        with self._lock:
            person = self.invited(token)
            given = hash_of(token)
            if given == self._link:
                token = self._campaign.invite_by_link(person.name, LEAD)
                self._link = None
            secret = self._campaign.join(token)
            if secret is None:
                return token
            self._used.add(given)
            return secret

    def stranger(self, sent: Headers) -> Refusal:
        """Return the refusal of callers who are not signed in."""
        headers = {"WWW-Authenticate": "Bearer"}
        if self._is_link(token := sent.get("authorization", "").partition(" ")[2].strip()):
            was = " (and it was used already)" if hash_of(token) in self._used else ""
            message = f"This is the secret of a link{was}: a link signs a browser in, once. Programs need a token."
            return Refusal(401, message, code="link_as_token", hint=TOKEN_HINT, headers=headers)
        if self.mode == "team":
            return Refusal(401, "Please sign in.", headers=headers)
        message = "Please open the link that the terminal printed when the server started."
        return Refusal(401, message, code="link_needed", hint=NEW_LINK[self.mode], headers=headers)

    def _is_link(self, token: str) -> bool:
        """Whether the secret of a link was sent instead of a token."""
        hashed = hash_of(token)
        return bool(token) and (
            hashed == self._link or hashed in self._used or self._campaign.linked(token) is not None
        )

    async def sign_in(self, name: str, password: str) -> str:
        """Return the secret for the cookie of a person with a password; refuse if too many wait."""
        person = next((one for one in self._campaign.annotators() if one.name == name), None)
        kept = None if person is None else person.password_hash
        leave = self._waiting.take(name)
        try:
            right = await get_running_loop().run_in_executor(
                self._verifying, verify, kept, password
            )
        finally:
            leave()
        if person is None or person.state == REVOKED or person.password_hash is None or not right:
            raise Refusal(
                401, "The name or the password is not right.", hint="Passwords are set by a lead."
            )
        secret = secrets.token_urlsafe(32)
        with self._lock:
            now = time.time()
            sessions = {hashed: one for hashed, one in self._sessions.items() if one.ends > now}
            sessions[hash_of(secret)] = Session(name, person.password_hash, now + SESSION_SECONDS)
            self._sessions = sessions
        return secret

    def sign_out(self, secret: str) -> None:
        """End a session of a password or a link; tokens of programs stay."""
        with self._lock:
            password = self._sessions.pop(hash_of(secret), None)
        if password is None:
            self._campaign.sign_out(secret)

    def known(self, secret: str) -> Annotator | None:
        """Return the person with this secret, if they still take part."""
        if not 0 < len(secret) <= LONGEST_SECRET:
            return None
        session = self._sessions.get(hash_of(secret))
        if session is None:
            return self._campaign.authenticate(secret)
        person = next(
            (one for one in self._campaign.annotators() if one.name == session.name), None
        )
        if person is None or person.state == REVOKED or session.ends < time.time():
            return None
        return person if person.password_hash == session.password_hash else None

    def caller(self, headers: Headers) -> Caller | None:
        """Return the caller of a request, by token or else by cookie."""
        scheme, _, token = headers.get("authorization", "").partition(" ")
        if scheme:
            person = self.known(token.strip()) if scheme.lower() == "bearer" else None
            return None if person is None else Caller(person, by_cookie=False)
        person = self.known(self.cookie_of(headers) or "")
        return None if person is None else Caller(person, by_cookie=True)

    def cookie_name(self, headers: Headers) -> str:
        """Return the cookie's name, which is unique for each campaign on a host, because cookies ignore ports."""
        port = headers.get("host", "").rpartition(":")[2]
        return f"{self._cookie}_{port}" if port.isdecimal() else self._cookie

    def cookie_of(self, headers: Headers) -> str | None:
        """Return the secret in the cookie."""
        name = self.cookie_name(headers)
        for line in headers.getlist("cookie"):
            try:
                cookies = SimpleCookie(line)
            except CookieError:  # of another program on this host
                continue
            if name in cookies:
                return cookies[name].value
        return None

    def set_cookie(self, response: Response, secret: str, request: HTTPConnection) -> None:
        """Set the cookie with the secret, hidden from scripts, other sites and other paths."""
        response.set_cookie(
            self.cookie_name(request.headers),
            secret,
            max_age=SESSION_SECONDS,
            path=_home(request),
            secure=request.url.scheme == "https",
            httponly=True,
            samesite="strict",
        )

    def delete_cookie(self, response: Response, request: HTTPConnection) -> None:
        """Delete the cookie."""
        name = self.cookie_name(request.headers)
        response.delete_cookie(name, path=_home(request), httponly=True, samesite="strict")


def check_role(entry: Entry, caller: Caller) -> None:
    """Refuse callers whose role may not call a route."""
    if caller.person.role not in MAY[entry.access]:
        meant = "readers and leads" if entry.access == WATCHER else f"{entry.access}s"
        raise Refusal(403, f"This is for {meant}; you are {_called(caller.person.role)}.")


def check_origin(method: str, headers: Headers) -> None:
    """Refuse requests of foreign pages in a signed-in person's name, by the browser's headers."""
    if method in SAFE:
        return
    hint = "Browsers say so by themselves, and pages send 'X-Corollary: 1'; programs use 'Authorization: Bearer ...'."
    if headers.get(PAGE_HEADER) != "1":
        raise Refusal(403, "The header X-Corollary is missing.", code="foreign", hint=hint)
    site = headers.get("sec-fetch-site")
    origin = headers.get("origin")
    if site is None and origin is None:
        raise Refusal(
            403,
            "Neither Origin nor Sec-Fetch-Site says where this comes from.",
            code="foreign",
            hint=hint,
        )
    if site is not None:
        own = site == "same-origin"
    else:
        own = _host_of(str(origin)).netloc.lower() == headers.get("host", "").lower()
    if not own:
        hint = "If this is your own page: let the proxy in front pass the Host header on."
        raise Refusal(
            403, "This request does not come from a page of this server.", code="foreign", hint=hint
        )


def check_host(headers: Headers, hosts: tuple[str, ...] | None) -> None:
    """Refuse host names that are not the server's own, against DNS rebinding."""
    if hosts is None:
        return
    if _host_of(f"//{headers.get('host', '')}").hostname not in hosts:
        raise Refusal(
            400, "This server does not go by that name.", code="wrong_host", hint=f"Use {hosts[0]}."
        )


def _host_of(address: str) -> SplitResult:
    """Return the parts of an address; empty if it is invalid."""
    try:
        return urlsplit(address)
    except ValueError:
        return urlsplit("")


def _home(request: HTTPConnection) -> str:
    """Return the path of the page: the prefix of a proxy, or the root."""
    root = str(request.scope.get("root_path", "")).strip("/")
    return f"/{root}/" if root else "/"


def _called(role: str) -> str:
    return "an annotator" if role == ANNOTATOR else f"a {role}"
