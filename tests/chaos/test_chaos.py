"""The short form of `make chaos`: every fault once, on either kind of database."""

from __future__ import annotations

from random import Random

import pytest

from ..campaign.servers import Server
from .scene import Scene

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(("kind", "fallible"), [("sqlite", True), ("postgresql", False)])
def test_whatever_goes_wrong_nothing_is_lost_or_twice_and_nobody_is_stuck(kind, fallible):
    database = Server() if kind == "postgresql" else None
    scene, dice = None, Random(1)
    try:
        scene = Scene(kind, items=200, people=8, database=database, fallible=fallible)
        for fault in scene.faults:
            scene.round(fault, dice, seconds=0.3)
        assert scene.acknowledged > 50
    finally:
        if scene is not None:
            scene.close()
        if database is not None:
            database.remove()
