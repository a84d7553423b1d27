"""The site builds without a warning, and asks nobody for anything when it is read."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

from .pages import ROOT

pytestmark = pytest.mark.slow

pytest.importorskip("mkdocs", reason="the site is built by mkdocs: pip install 'corollary[docs]'")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    target = tmp_path_factory.mktemp("site")
    built = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(target)],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stdout + built.stderr
    return target


def test_every_page_of_the_navigation_is_there(site):
    names = {str(path.relative_to(site)) for path in site.rglob("*.html")}
    assert {
        "index.html",
        "quickstart.html",
        "reference/commands.html",
        "reproduction.html",
    } <= names
    assert len(names) > 30


def test_nothing_is_loaded_from_elsewhere(site):
    loads = re.compile(
        r"<(?:script|img|iframe|source)\b[^>]*\bsrc=\"?(?:https?:)?//|<link\b[^>]*\bhref=\"?(?:https?:)?//[^>]*"
        r"rel=\"?(?:stylesheet|preconnect)|@import|url\(\"?https?://"
    )
    for page in site.rglob("*.html"):
        found = loads.search(page.read_text(encoding="utf-8"))
        assert found is None, f"{page.relative_to(site)}: {found[0]}"


def test_formulas_are_mathml(site):
    text = (site / "mathematics.html").read_text(encoding="utf-8")
    assert text.count("<math") > 50
    assert "FORMULA" not in text
    assert not re.search(
        r"\\(?:frac|sum|theta|mathrm|log)\b", re.sub(r"<annotation.*?</annotation>", "", text)
    )


def test_the_reference_has_the_names(site):
    text = (site / "reference" / "python.html").read_text(encoding="utf-8")
    for name in (
        "corollary.Ontology",
        "corollary.Session",
        "corollary.Session.ask",
        "corollary.Contradiction",
    ):
        assert f'id="{name}"' in text
