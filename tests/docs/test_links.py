"""Links in the files of the repository lead somewhere as they are, before the site is built."""

from __future__ import annotations

import re

import pytest

from .pages import ROOT

LINK = re.compile(r"\]\(([^)#:\s]+)(?:#[^)\s]*)?\)")
FENCED = re.compile(r"^ *```.*?^ *```", re.M | re.S)
FILES = sorted(
    {*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").glob("*.md")}
)


@pytest.mark.parametrize("file", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_leads_to_a_file(file):
    text = FENCED.sub("", file.read_text(encoding="utf-8"))
    gone = [target for target in LINK.findall(text) if not (file.parent / target).exists()]
    assert not gone
