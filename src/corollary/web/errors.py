"""Errors in the shape of the API, never a traceback."""

from __future__ import annotations

import json
import logging
import secrets
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from ..campaign.live.drafts import Withdrawn
from ..campaign.people import NotAllowed, OnlyLead
from ..campaign.state.unreadable import Unreadable
from ..campaign.storage.records import StoreError
from ..logic.errors import Contradiction, CorollaryError

LOG = logging.getLogger("corollary.web")
SHOWN = 5  # the most mistakes of a request that are listed

CODES = {
    400: ("bad_request", "Compare the request with the API's description at /api/openapi.json."),
    401: (
        "not_signed_in",
        "Open your invite link again, or send the token as 'Authorization: Bearer ...'.",
    ),
    403: ("not_allowed", "Ask a lead of this campaign."),
    404: ("not_found", "Check the address; the API's description is at /api/openapi.json."),
    405: (
        "wrong_method",
        "The API's description at /api/openapi.json says which methods an address takes.",
    ),
    413: ("too_large", "Send less at once, or let the server's owner raise the limit."),
    429: ("too_many_requests", "Wait a moment, then try again."),
    503: (
        "not_stored",
        "Send it again with the same key: whether it was stored or not, it counts once.",
    ),
}


class Refusal(HTTPException):
    """A refused request: status, a code for programs, a message and a hint for people."""

    def __init__(
        self,
        status: int,
        message: str,
        *,
        code: str = "",
        hint: str = "",
        headers: Mapping[str, str] | None = None,
    ):
        super().__init__(status, message, dict(headers or {}))
        self.code = code
        self.hint = hint

    def response(self) -> Response:
        """The answer to the client."""
        return error_response(
            self.status_code, self.detail, code=self.code, hint=self.hint, headers=self.headers
        )


def error_response(
    status: int,
    message: str,
    *,
    code: str = "",
    hint: str = "",
    headers: Mapping[str, str] | None = None,
) -> Response:
    """Return an error in the shape of the API."""
    usual, advice = CODES.get(status, (HTTPStatus(status).phrase.lower().replace(" ", "_"), ""))
    content = {"error": {"code": code or usual, "message": message, "hint": hint or advice}}
    body = json.dumps(
        content
    ).encode()  # plain ASCII: half a character in a message cannot break it
    return Response(body, status, headers=headers, media_type="application/json")


def unexpected(error: BaseException, *, method: str, route: str) -> Response:
    """Return the answer to an error of this program; the log has the details under its id."""
    number = secrets.token_hex(4)
    LOG.error("error %s at %s %s", number, method, route, exc_info=error)
    hint = f"Try again. If it stays, tell whoever runs this server to look for {number} in its log."
    return error_response(500, "The server had an error.", code="server_error", hint=hint)


def add_error_handlers(app: FastAPI) -> None:
    """Register handlers that answer expected errors in the shape of the API."""
    app.add_exception_handler(CorollaryError, _of_campaign)
    app.add_exception_handler(RequestValidationError, _of_validation)
    app.add_exception_handler(HTTPException, _of_http)
    app.add_exception_handler(Refusal, _of_refusal)


def campaign_response(error: CorollaryError) -> Response:
    """Return the answer to an error of the campaign."""
    if isinstance(error, NotAllowed):
        return error_response(403, str(error))
    if isinstance(error, StoreError):
        LOG.error("the store failed: %s", error)  # it may name the database, its host and its user
        return error_response(
            503, "The campaign cannot be written or read right now.", headers={"Retry-After": "1"}
        )
    if isinstance(error, Unreadable):
        hint = "Nothing was changed. Send it again with the same key once a lead has repaired the campaign."
        return error_response(
            503, str(error), code="read_only", hint=hint, headers={"Retry-After": "60"}
        )
    if isinstance(error, Contradiction):
        hint = "Take one of the answers back, or change the rule."
        return error_response(409, str(error), code="contradiction", hint=hint)
    if isinstance(error, OnlyLead):
        return error_response(409, str(error), code="only_lead", hint="Nothing was changed.")
    if isinstance(error, Withdrawn):
        return error_response(
            409,
            str(error),
            code="withdrawn",
            hint="Nothing was changed. Ask for the next question.",
        )
    return error_response(400, str(error), code="refused", hint="Nothing was changed.")


async def _of_campaign(_: Request, error: Exception) -> Response:
    assert isinstance(error, CorollaryError)
    return campaign_response(error)


async def _of_validation(_: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    found = error.errors()
    mistakes = "; ".join(_mistake(one) for one in found[:SHOWN])
    more = f"; and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
    hint = "Compare the request with the API's description at /api/openapi.json."
    return error_response(422, f"{mistakes}{more}", code="invalid", hint=hint)


def _mistake(one: dict[str, Any]) -> str:
    """Return place and fault without the value, which may be long or secret."""
    return f"{'.'.join(map(str, one['loc']))}: {one['msg']}"


async def _of_http(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return error_response(error.status_code, str(error.detail), headers=error.headers)


async def _of_refusal(_: Request, error: Exception) -> Response:
    assert isinstance(error, Refusal)
    return error.response()
