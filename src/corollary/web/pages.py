"""The files of the page, read once at the start, so that no address can reach other files."""

from __future__ import annotations

import hashlib
import json
from html import escape
from importlib.resources import files
from importlib.resources.abc import Traversable
from string import Template
from typing import NamedTuple

from fastapi import APIRouter, Request
from starlette.responses import Response

from .errors import Refusal

router = APIRouter(include_in_schema=False)

TYPES = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "json": "application/json",
    "svg": "image/svg+xml",
    "png": "image/png",
    "ico": "image/x-icon",
    "webmanifest": "application/manifest+json",
    "txt": "text/plain; charset=utf-8",
}

#: The service worker, which keeps the page's files for reloads without the server.
WORKER = "worker.js"

#: What a browser shows of an invite link: whom it signs in, at the press of a button; of one's own, that the page
#: opens; or why it does not work.
JOIN = "join.html"
OWN_LINK = "own_link.html"
LINK = "link.html"


class Page(NamedTuple):
    """One file of the page."""

    content: bytes
    media_type: str
    etag: str


def read_pages() -> dict[str, Page]:
    """Return all files of the page by path."""
    pages = dict(_read(files("corollary.web") / "static", ""))
    pages[WORKER] = _informed(pages)
    return pages


def _informed(pages: dict[str, Page]) -> Page:
    """Return the service worker with the files to keep and their version: a changed file changes it."""
    kept = sorted(path for path in pages if path not in (WORKER, "index.html"))
    version = hashlib.sha256(
        "".join(page.etag for _, page in sorted(pages.items())).encode()
    ).hexdigest()[:16]
    shell = json.dumps({"version": version, "files": kept})
    return _page(
        f"const SHELL = {shell};\n".encode() + pages[WORKER].content, pages[WORKER].media_type
    )


def _read(folder: Traversable, prefix: str) -> list[tuple[str, Page]]:
    found: list[tuple[str, Page]] = []
    for entry in folder.iterdir() if folder.is_dir() else ():
        kind = TYPES.get(entry.name.rpartition(".")[2])
        if entry.is_dir():
            found += _read(entry, f"{prefix}{entry.name}/")
        elif kind is not None:
            found.append((prefix + entry.name, _page(entry.read_bytes(), kind)))
    return found


def _page(content: bytes, media_type: str) -> Page:
    return Page(content, media_type, f'"{hashlib.sha256(content).hexdigest()[:32]}"')


@router.api_route("/", methods=["GET", "HEAD"])
async def index(request: Request) -> Response:
    """Return the page."""
    return _serve(request, "index.html")


@router.api_route("/favicon.ico", methods=["GET", "HEAD"])
async def favicon(request: Request) -> Response:
    """Return the icon, for browsers that ask for it."""
    return _serve(
        request, "favicon.ico" if "favicon.ico" in request.app.state.pages else "favicon.svg"
    )


@router.api_route("/static/{path:path}", methods=["GET", "HEAD"])
async def static(request: Request, path: str) -> Response:
    """Return a file of the page."""
    return _serve(request, path)


def link_offered(request: Request, name: str, campaign: str, *, own: bool) -> Response:
    """Return the page of an invite link. It changes nothing, so that previews of a link do not use it up.

    The link that the terminal of this machine printed needs no press of a button. Its page goes on by
    itself as soon as somebody sees it.
    """
    page: Page = request.app.state.pages[OWN_LINK if own else JOIN]
    words = {"name": escape(name), "campaign": escape(campaign)}
    return Response(Template(page.content.decode()).substitute(words), media_type=page.media_type)


def link_refused(request: Request, refusal: Refusal) -> Response:
    """Return why an invite link does not work: a page for browsers, an error for programs."""
    if "text/html" not in request.headers.get("accept", ""):
        return refusal.response()
    page: Page = request.app.state.pages[LINK]
    words = {"title": escape(refusal.detail.rstrip(".")), "text": escape(refusal.hint)}
    content = Template(page.content.decode()).substitute(words)
    return Response(
        content, refusal.status_code, headers=refusal.headers, media_type=page.media_type
    )


def _serve(request: Request, path: str) -> Response:
    page: Page | None = request.app.state.pages.get(path)
    if page is None:
        raise Refusal(404, "There is no such file.")
    headers = {
        "ETag": page.etag,
        "Cache-Control": "no-cache",
    }  # browsers ask each time and get 304, never an old page
    if path == WORKER:
        headers["Service-Worker-Allowed"] = "../"  # it serves the page, which is one folder up
    if is_known(page.etag, request):
        return Response(status_code=304, headers=headers)
    return Response(page.content, headers=headers, media_type=page.media_type)


def is_known(etag: str, request: Request) -> bool:
    """Whether the browser has the current version."""
    asked = request.headers.get("if-none-match", "")
    return etag in [tag.strip().removeprefix("W/") for tag in asked.split(",")]
