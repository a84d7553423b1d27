"""The rows of a campaign besides events: people, leases, ontologies, models; and the errors of a store."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ...logic.errors import CorollaryError
from ..events import now, storable

if TYPE_CHECKING:
    from ...logic.engines import Floats


class StoreError(CorollaryError):
    """A campaign cannot be opened, read or written."""


class StoreBusy(StoreError):
    """Another process has the campaign open for writing."""


class StoreTaken(StoreError):
    """Another process had the campaign open meanwhile, so that memory may be out of date."""


class StoreWarning(UserWarning):
    """The campaign works, but is not as safe as it should be."""


LEAD = "lead"
ANNOTATOR = "annotator"
READER = "reader"
#: Vectors of encoders, by the encoder's name, then by the SHA-256 of the text: float16, as bytes.
Encodings = dict[str, dict[str, bytes]]
ROLES = (LEAD, ANNOTATOR, READER)
ACTIVE = "active"
PAUSED = "paused"
REVOKED = "revoked"
STATES = (ACTIVE, PAUSED, REVOKED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotator:
    """Someone who takes part; only hashes of secrets are kept."""

    name: str
    role: str = ANNOTATOR
    state: str = ACTIVE
    token_hash: str | None = field(default=None, repr=False)
    password_hash: str | None = field(default=None, repr=False)
    made_at: str = field(default_factory=now)

    def __post_init__(self) -> None:
        if not self.name.strip() or not storable(self.name) or len(self.name) > 200:
            raise CorollaryError(f"a name must be a text of 1 to 200 characters, got {self.name!r}")
        if self.role not in ROLES:
            raise CorollaryError(
                f"the role of {self.name!r} must be one of {', '.join(ROLES)}, got {self.role!r}"
            )
        if self.state not in STATES:
            raise CorollaryError(
                f"the state of {self.name!r} must be one of {', '.join(STATES)}, got {self.state!r}"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """A question that someone holds until `expires` (UTC, ISO 8601); a label of None is the whole item."""

    id: str
    item: str
    label: str | None
    who: str
    expires: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OntologyVersion:
    """A version of the ontology's text; `places` are the lines of its constraints in the user's file."""

    version: int
    text: str
    who: str
    at: str
    places: tuple[str, ...] = ()


def hash_of(beliefs: Floats) -> str:
    """Return the hash of the bytes of beliefs."""
    return hashlib.sha256(np.ascontiguousarray(beliefs, np.float64).tobytes()).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Model:
    """The beliefs of a model trained on the events up to `upto`, stored only to start faster."""

    version: int
    upto: int
    beliefs: Floats

    @property
    def sha256(self) -> str:
        """The hash of the bytes of the beliefs, which identifies the model."""
        return hash_of(self.beliefs)
