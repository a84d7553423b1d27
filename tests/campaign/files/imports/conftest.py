"""Files to import, and a campaign to import them into."""

from __future__ import annotations

from pathlib import Path

import pytest

from corollary.campaign.campaign import Campaign
from corollary.campaign.items import Item

from .refusals import ONTO


@pytest.fixture
def write(tmp_path):
    def write(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


@pytest.fixture
def campaign(tmp_path):
    place = tmp_path / "zoo.sqlite"
    with Campaign.create(
        place, [Item("a", text="robin"), Item("b", text="carp")], ONTO, name="zoo"
    ) as made:
        yield made
