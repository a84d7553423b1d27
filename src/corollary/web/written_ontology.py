"""The ontology in force as it is sent, written and packed once, because it can be large."""

from __future__ import annotations

import gzip
import hashlib
from threading import Lock
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from ..campaign.campaign import Campaign
from ..campaign.labels.label_places import Places
from ..campaign.live.next_question import pick_template, template_of
from ..campaign.settings import Settings, synonyms_of
from ..logic.ontology import Ontology
from ..logic.readable import Names
from ..logic.wording import question_in_words
from . import schemas
from .pages import is_known
from .schemas.from_campaign import rules_out

#: Shorter texts are not packed.
PACKED_FROM = 10_000
#: Of 9; more takes longer and gains little.
LEVEL = 5


class WrittenOntology:
    """The last written ontology; it is written again if the ontology or its words change."""

    def __init__(self, campaign: Campaign):
        self._campaign = campaign
        self._lock = Lock()
        self._of: tuple[Any, ...] = ()
        self._body = b""
        self._packed = b""
        self._etag = ""

    def response(self, request: Request) -> Response:
        """Return the ontology, or 304 if the browser has the current one."""
        body, packed, etag = self._current()
        headers = {"ETag": etag, "Cache-Control": "private, no-cache", "Vary": "Accept-Encoding"}
        if is_known(etag, request):
            return Response(status_code=304, headers=headers)
        if packed and _takes_packed(request):
            return Response(
                packed,
                headers={**headers, "Content-Encoding": "gzip"},
                media_type="application/json",
            )
        return Response(body, headers=headers, media_type="application/json")

    def _current(self) -> tuple[bytes, bytes, str]:
        campaign = self._campaign
        with self._lock:
            with campaign.lock:
                state = campaign.state
                now = (state.onto, state.version, campaign.settings, campaign.names)
            if len(self._of) != len(now) or any(
                one is not other for one, other in zip(self._of, now, strict=True)
            ):
                self._body = written(*now).model_dump_json().encode()
                self._packed = (
                    gzip.compress(self._body, LEVEL) if len(self._body) >= PACKED_FROM else b""
                )
                self._etag = f'"{hashlib.sha256(self._body).hexdigest()[:32]}"'
                self._of = now
            return self._body, self._packed, self._etag


def _takes_packed(request: Request) -> bool:
    """Whether the caller accepts gzip; `gzip;q=0` refuses it."""
    wanted = [
        one.replace(" ", "").lower()
        for one in request.headers.get("accept-encoding", "").split(",")
    ]
    return any(
        one.split(";")[0] == "gzip" and not one.endswith((";q=0", ";q=0.0")) for one in wanted
    )


def written(onto: Ontology, version: int, settings: Settings, names: Names) -> schemas.OntologyOut:
    """Return an ontology with the displayed names of its labels."""
    assert names is not None
    places = Places(onto)
    about = settings.labels
    return schemas.OntologyOut(
        version=version,
        text=str(onto),
        labels=[
            schemas.LabelInfo(
                label=label,
                name=names[label],
                synonyms=synonyms_of(about.get(label, {})),
                asks=question_in_words("{item}", names[label], template_of(label, settings)),
                parents=places.parents.get(label, []),
                children=places.children.get(label, []),
                definition=about.get(label, {}).get("definition"),
                question=about.get(label, {}).get("question"),
            )
            for label in onto.labels
        ],
        asks=pick_template(settings),
        rules=rules_out(onto.constraints, names=names),
    )
