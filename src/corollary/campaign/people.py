"""The people of a campaign, their rights, and the tokens that identify them."""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Iterable
from dataclasses import replace
from threading import Lock

from ..logic.errors import CorollaryError
from .storage.records import ACTIVE, ANNOTATOR, LEAD, READER, REVOKED, Annotator
from .storage.store import Store

RESERVED = ("import", "system")
#: The prefixes of secrets of links, and of browsers that followed one. The second of their end comes
#: next, so that the hash covers it too.
LINK = "link."
SESSION = "session."
LINK_SECONDS = 7 * 24 * 3600.0
SESSION_SECONDS = 90 * 24 * 3600


class NotAllowed(CorollaryError):
    """This person may not do this."""


class OnlyLead(CorollaryError):
    """The change would leave a campaign without a lead."""


class People:
    """Everyone who takes part; changes are stored before they take effect."""

    def __init__(self, store: Store):
        self._store = store
        self._lock = Lock()
        self.read()

    def read(self) -> None:
        """Read everyone from the store."""
        with self._lock:
            self._people = {person.name: person for person in self._store.annotators()}

    def all(self) -> list[Annotator]:
        """Return everyone, in order of name."""
        return sorted(self._people.values(), key=lambda person: person.name)

    def get(self, name: str) -> Annotator:
        """Return a person by name, or raise CorollaryError."""
        if name not in self._people:
            raise CorollaryError(f"nobody is called {name!r} in this campaign; invite them first")
        return self._people[name]

    def check(self, name: str, *, lead: bool = False) -> Annotator:
        """Return a person who may answer, or act as a lead; raise NotAllowed otherwise."""
        person = self.get(name)
        if person.state == REVOKED:
            raise NotAllowed(f"{name!r} no longer takes part in this campaign")
        if lead and person.role != LEAD:
            raise NotAllowed(f"only a lead may do this; {name!r} is {_called(person.role)}")
        if person.role == READER:
            raise NotAllowed(f"{name!r} may read, not answer")
        return person

    def invite(self, name: str, role: str = ANNOTATOR) -> str:
        """Invite a person, new or not, and return a token to be shown once.

        Only its hash is kept. An earlier token no longer works.
        """
        return self._invite(name, role, secrets.token_urlsafe(32))

    def link(self, name: str, role: str = ANNOTATOR, *, seconds: float = LINK_SECONDS) -> str:
        """Invite a person by a link, which `join` exchanges for a token, once, within `seconds`."""
        return self._invite(name, role, _ending(LINK, seconds))

    def linked(self, link: str) -> Annotator | None:
        """Return the person invited by a link that still works; else None."""
        return self._known(link) if _is_in_time(LINK, link) else None

    def join(self, link: str) -> str | None:
        """Return a token for a link, which then no longer works; None if it did not work.

        The token ends after 90 days.
        """
        with self._lock:
            person = self.linked(link)
            if person is None:
                return None
            token = _ending(SESSION, SESSION_SECONDS)
            self._put(replace(person, token_hash=hash_of(token)))
            return token

    def sign_out(self, token: str) -> None:
        """End a token that came from a link; tokens of programs stay."""
        with self._lock:
            person = self._known(token) if token.startswith(SESSION) else None
            if person is not None:
                self._put(replace(person, token_hash=None))

    def _invite(self, name: str, role: str, secret: str) -> str:
        if name in RESERVED:
            raise CorollaryError(f"the name {name!r} is reserved for the campaign; choose another")
        with self._lock:
            known = self._people.get(name) or Annotator(name=name, role=role)
            if role != LEAD:
                self._check_lead_left(known)
            self._put(replace(known, role=role, state=ACTIVE, token_hash=hash_of(secret)))
        return secret

    def revoke(self, name: str) -> None:
        """Remove a person; their answers stay in effect."""
        with self._lock:
            person = self.get(name)
            self._check_lead_left(person)
            self._put(replace(person, state=REVOKED, token_hash=None, password_hash=None))

    def _check_lead_left(self, person: Annotator) -> None:
        """Raise OnlyLead for the only lead; under the lock, so that two leads cannot remove each other."""
        others = (one for one in self._people.values() if one.name != person.name)
        if person.role == LEAD and not any(
            one.role == LEAD and one.state == ACTIVE for one in others
        ):
            raise OnlyLead(f"{person.name!r} is the only lead; make someone else a lead first")

    def set_password(self, name: str, password_hash: str | None) -> None:
        """Store the hash of a person's password."""
        with self._lock:
            self._put(replace(self.get(name), password_hash=password_hash))

    def authenticate(self, token: str) -> Annotator | None:
        """Return the person with this token; None if there is none."""
        if token.startswith(LINK) or (
            token.startswith(SESSION) and not _is_in_time(SESSION, token)
        ):
            return None
        return self._known(token)

    def _known(self, secret: str) -> Annotator | None:
        wanted = hash_of(secret)
        found = None
        for person in self._people.values():  # all of them, so that the time reveals nothing
            if person.token_hash is not None and secrets.compare_digest(person.token_hash, wanted):
                found = person
        return found if found is not None and found.state != REVOKED else None

    def _put(self, person: Annotator) -> None:
        self._store.put_annotator(person)
        self._people = {**self._people, person.name: person}


def _ending(kind: str, seconds: float) -> str:
    """Return a new secret that ends after some seconds."""
    return f"{kind}{int(time.time() + seconds)}.{secrets.token_urlsafe(32)}"


def _is_in_time(kind: str, secret: str) -> bool:
    """Whether a secret is of a kind and has not ended."""
    ends = secret.split(".")[1] if secret.startswith(kind) and secret.count(".") == 2 else ""
    return ends.isdecimal() and len(ends) < 15 and time.time() < int(ends)


def lead_of(people: Iterable[Annotator]) -> Annotator:
    """Return the first active lead, else another one who is not revoked, else a new one."""
    leads = [one for one in people if one.role == LEAD and one.state != REVOKED]
    leads.sort(key=lambda one: one.state != ACTIVE)
    return leads[0] if leads else Annotator(name=LEAD, role=LEAD)


def hash_of(token: str) -> str:
    """Return the hash of a token; a plain hash is safe, because a token has 256 random bits."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def _called(role: str) -> str:
    return "an annotator" if role == ANNOTATOR else f"a {role}"
