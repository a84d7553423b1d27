"""Who takes part in a campaign, what they may do, and how a token tells who someone is."""

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
#: What the secrets of links and of browsers that followed one begin with; then comes the second in which they end, so
#: that the hash vouches for that too.
LINK = "link."
SESSION = "session."
LINK_SECONDS = 7 * 24 * 3600.0
SESSION_SECONDS = 90 * 24 * 3600


class NotAllowed(CorollaryError):
    """Something that this person may not do."""


class OnlyLead(CorollaryError):
    """A change that would leave a campaign without a lead."""


class People:
    """Everyone who takes part; changes are stored before they hold."""

    def __init__(self, store: Store):
        self._store = store
        self._lock = Lock()
        self.read()

    def read(self) -> None:
        """Take everyone from the store, as it is now."""
        with self._lock:
            self._people = {person.name: person for person in self._store.annotators()}

    def all(self) -> list[Annotator]:
        """Everyone, in order of name."""
        return sorted(self._people.values(), key=lambda person: person.name)

    def get(self, name: str) -> Annotator:
        """Someone by name."""
        if name not in self._people:
            raise CorollaryError(f"nobody is called {name!r} in this campaign; invite them first")
        return self._people[name]

    def check(self, name: str, *, lead: bool = False) -> Annotator:
        """Someone who may answer, or act as a lead; NotAllowed otherwise."""
        person = self.get(name)
        if person.state == REVOKED:
            raise NotAllowed(f"{name!r} no longer takes part in this campaign")
        if lead and person.role != LEAD:
            raise NotAllowed(f"only a lead may do this; {name!r} is {_called(person.role)}")
        if person.role == READER:
            raise NotAllowed(f"{name!r} may read, not answer")
        return person

    def invite(self, name: str, role: str = ANNOTATOR) -> str:
        """A token for someone, new or not, to be shown once: only its hash is kept. An earlier one no longer works."""
        return self._invite(name, role, secrets.token_urlsafe(32))

    def link(self, name: str, role: str = ANNOTATOR, *, seconds: float = LINK_SECONDS) -> str:
        """The same for a link: it is no token, but is exchanged for one, once, within some time."""
        return self._invite(name, role, _ending(LINK, seconds))

    def linked(self, link: str) -> Annotator | None:
        """Who is invited by a link that still works."""
        return self._known(link) if _is_in_time(LINK, link) else None

    def join(self, link: str) -> str | None:
        """A token for a link, which no longer works then; it ends after 90 days. None where the link does not work."""
        with self._lock:
            person = self.linked(link)
            if person is None:
                return None
            token = _ending(SESSION, SESSION_SECONDS)
            self._put(replace(person, token_hash=hash_of(token)))
            return token

    def sign_out(self, token: str) -> None:
        """End a token that came from a link; that of a program stays."""
        with self._lock:
            person = self._known(token) if token.startswith(SESSION) else None
            if person is not None:
                self._put(replace(person, token_hash=None))

    def _invite(self, name: str, role: str, secret: str) -> str:
        if name in RESERVED:
            raise CorollaryError(
                f"the name {name!r} is taken by the campaign itself; choose another"
            )
        with self._lock:
            known = self._people.get(name) or Annotator(name=name, role=role)
            if role != LEAD:
                self._check_lead_left(known)
            self._put(replace(known, role=role, state=ACTIVE, token_hash=hash_of(secret)))
        return secret

    def revoke(self, name: str) -> None:
        """Let someone no longer take part; what they said stands."""
        with self._lock:
            person = self.get(name)
            self._check_lead_left(person)
            self._put(replace(person, state=REVOKED, token_hash=None, password_hash=None))

    def _check_lead_left(self, person: Annotator) -> None:
        """Refuse to let go of the only lead; under the lock, so that two leads cannot let go of each other."""
        others = (one for one in self._people.values() if one.name != person.name)
        if person.role == LEAD and not any(
            one.role == LEAD and one.state == ACTIVE for one in others
        ):
            raise OnlyLead(f"{person.name!r} is the only lead; make someone else a lead first")

    def set_password(self, name: str, password_hash: str | None) -> None:
        """Keep the hash of someone's password."""
        with self._lock:
            self._put(replace(self.get(name), password_hash=password_hash))

    def authenticate(self, token: str) -> Annotator | None:
        """Whose token this is; None if nobody's."""
        if token.startswith(LINK) or (
            token.startswith(SESSION) and not _is_in_time(SESSION, token)
        ):
            return None
        return self._known(token)

    def _known(self, secret: str) -> Annotator | None:
        wanted = hash_of(secret)
        found = None
        for person in self._people.values():  # all of them, so that the time tells nothing
            if person.token_hash is not None and secrets.compare_digest(person.token_hash, wanted):
                found = person
        return found if found is not None and found.state != REVOKED else None

    def _put(self, person: Annotator) -> None:
        self._store.put_annotator(person)
        self._people = {**self._people, person.name: person}


def _ending(kind: str, seconds: float) -> str:
    """A new secret of a kind that ends after some seconds."""
    return f"{kind}{int(time.time() + seconds)}.{secrets.token_urlsafe(32)}"


def _is_in_time(kind: str, secret: str) -> bool:
    """Whether a secret is of a kind and has not ended."""
    ends = secret.split(".")[1] if secret.startswith(kind) and secret.count(".") == 2 else ""
    return ends.isdecimal() and len(ends) < 15 and time.time() < int(ends)


def lead_of(people: Iterable[Annotator]) -> Annotator:
    """The first lead who is active, else any who takes part; a new one where there is none."""
    leads = [one for one in people if one.role == LEAD and one.state != REVOKED]
    leads.sort(key=lambda one: one.state != ACTIVE)
    return leads[0] if leads else Annotator(name=LEAD, role=LEAD)


def hash_of(token: str) -> str:
    """What is kept of a token: it has 256 random bits, so that a plain hash is safe."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def _called(role: str) -> str:
    return "an annotator" if role == ANNOTATOR else f"a {role}"
