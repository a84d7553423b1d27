"""The page's files, and the headers that guard it."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from urllib.parse import urljoin

import pytest

from corollary.web.pages import _informed, read_pages


def test_every_file_of_the_page_is_served_with_its_type(anyone):
    pages = read_pages()
    assert "index.html" in pages
    kinds = {
        "js": "text/javascript",
        "css": "text/css",
        "svg": "image/svg+xml",
        "html": "text/html",
    }
    for path in pages:
        got = anyone.get(f"/static/{path}")
        assert got.status_code == 200
        kind = kinds.get(path.rpartition(".")[2])
        assert kind is None or got.headers["content-type"].startswith(kind)
        assert got.headers["x-content-type-options"] == "nosniff"


def test_a_file_that_is_known_is_not_sent_again(anyone):
    first = anyone.get("/")
    assert first.headers["content-type"] == "text/html; charset=utf-8"
    again = anyone.get("/", headers={"If-None-Match": f'"other", W/{first.headers["etag"]}'})
    assert (again.status_code, again.content) == (304, b"")
    assert anyone.call("HEAD", "/").headers["etag"] == first.headers["etag"]


def test_the_worker_knows_every_file_and_may_serve_the_page(anyone):
    got = anyone.get("/static/worker.js")
    assert got.headers["service-worker-allowed"] == "../"
    assert "worker-src 'self'" in got.headers["content-security-policy"]
    shell = json.loads(got.text.splitlines()[0].removeprefix("const SHELL = ").removesuffix(";"))
    assert {*shell["files"], "index.html", "worker.js"} == set(read_pages())
    assert "service-worker-allowed" not in anyone.get("/static/js/main.js").headers


@pytest.mark.parametrize("path", ["index.html", "js/main.js", "worker.js"])
def test_any_change_of_a_file_is_another_worker(path):
    pages = read_pages()
    changed = {**pages, path: pages[path]._replace(content=b"//", etag='"another"')}
    assert _informed(pages).content.splitlines()[0] != _informed(changed).content.splitlines()[0]


@pytest.mark.parametrize(
    "path",
    [
        "../app.py",
        "%2e%2e/app.py",
        "..%2fapp.py",
        "/etc/passwd",
        "js/../../app.py",
        "",
        ".",
        "nothing.js",
        "a\\b",
    ],
)
def test_no_other_file_is_reached(anyone, path):
    assert anyone.get(f"/static/{path}").status_code == 404


@pytest.mark.parametrize("path", ["/", "/join/nonsense"])
def test_nothing_from_elsewhere_and_nothing_inline(anyone, path):
    page = anyone.get(path, headers={"Accept": "text/html"})
    policy = page.headers["content-security-policy"]
    for part in (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "frame-ancestors 'none'",
    ):
        assert part in policy
    assert "unsafe" not in policy
    assert page.headers["referrer-policy"] == "no-referrer"
    assert page.headers["x-frame-options"] == "DENY"
    assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\bstyle=|\bon[a-z]+=|https?://", page.text)


@pytest.mark.parametrize("path", ["/", "/join/nonsense"])
def test_addresses_in_the_page_are_relative_and_there(anyone, path):
    page = anyone.get(path, headers={"Accept": "text/html"})
    found = re.findall(r'(?:src|href)="([^"#]+)"', page.text)
    assert found
    for address in found:
        assert not address.startswith(("/", "http"))
        assert anyone.get(urljoin(path, address)).status_code == 200, address


def test_the_files_are_part_of_the_package():
    assert (files("corollary.web") / "static" / "index.html").is_file()
