"""What the pages call a button is what it says: names in italics that begin with a capital are on the page."""

from __future__ import annotations

import re

import pytest

from .pages import PAGES, ROOT

NAMED = re.compile(r"(?<![*\w])\*([A-Z][^*\n]{2,40})\*(?!\*)")
#: Italics that are no buttons.
OTHER = {"Active Learning amidst Logical Knowledge"}
GUIDES = [
    page
    for page in PAGES
    if "howto" in page.parts or "tutorials" in page.parts or page.name == "quickstart.md"
]
STATIC = ROOT / "src" / "corollary" / "web" / "static"


@pytest.fixture(scope="module")
def on_the_page() -> str:
    files = [*STATIC.rglob("*.js"), *STATIC.rglob("*.html")]
    return "\n".join(path.read_text(encoding="utf-8") for path in files).replace("’", "'")


@pytest.mark.parametrize("guide", GUIDES, ids=lambda path: path.name)
def test_buttons_are_called_what_they_say(guide, on_the_page):
    named = {
        name.replace("’", "'") for name in NAMED.findall(guide.read_text(encoding="utf-8"))
    } - OTHER
    assert not {name for name in named if name not in on_the_page}
