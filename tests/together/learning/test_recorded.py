"""The questions on record are asked bit for bit as they were, whatever is changed inside."""

from __future__ import annotations

import json

import pytest

from .recorded import CAMPAIGNS, POOLS, RECORD, SESSIONS

# People err in some sessions on record, which is warned of.
pytestmark = pytest.mark.filterwarnings("ignore::corollary.learning.session.hearing.ClashWarning")
#: Last digits of values may differ between processors; which questions are asked may not.
CLOSE = 1e-9


@pytest.fixture(scope="module")
def recorded():
    return json.loads(RECORD.read_text(encoding="utf-8"))


def check(found, expected):
    """Whether all is equal, and numbers are but for their last digits."""
    if isinstance(expected, list):
        assert isinstance(found, list)
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            check(one, other)
    elif isinstance(expected, float):
        assert found == pytest.approx(expected, rel=CLOSE)
    else:
        assert found == expected


@pytest.mark.parametrize("name", [*SESSIONS, *CAMPAIGNS])
def test_the_questions_on_record_are_asked(name, recorded):
    check((SESSIONS | CAMPAIGNS)[name](), recorded[name])


@pytest.mark.parametrize("name", POOLS)
def test_a_pool_asks_the_questions_on_record(name, recorded, monkeypatch):
    from ...scale.conftest import Inline

    monkeypatch.setattr("corollary.scale.pool.Cluster", Inline)
    check(POOLS[name](), recorded[name])
