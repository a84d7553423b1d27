"""ARCHITECTURE.md speaks of files that are there."""

from __future__ import annotations

import re

import pytest

from .pages import ROOT

TEXT = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
PATHS = sorted(set(re.findall(r"`([a-z_./]+(?:\.py|\.js|/))`", TEXT)))


def test_there_are_paths_to_hold():
    assert len(PATHS) > 40
    assert len(re.findall(r"^\| .* \| .*`.*\|$", TEXT, re.MULTILINE)) >= 20


@pytest.mark.parametrize("path", PATHS)
def test_every_path_is_there(path):
    assert (ROOT / "src" / "corollary" / path).exists() or (ROOT / path).exists()
