"""Records of people and models, checked."""

from __future__ import annotations

import numpy as np
import pytest

from corollary import CorollaryError
from corollary.campaign.storage.records import Annotator, Model


@pytest.mark.parametrize(
    ("made", "told"),
    [
        ({"name": "  "}, "a name must be a text of 1 to 200 characters"),
        ({"name": "x" * 201}, "a name must be a text of 1 to 200 characters"),
        ({"name": "a\0b"}, "a name must be a text of 1 to 200 characters"),
        (
            {"name": "ann", "role": "boss"},
            "the role of 'ann' must be one of lead, annotator, reader, got 'boss'",
        ),
        (
            {"name": "ann", "state": "gone"},
            "the state of 'ann' must be one of active, paused, revoked, got 'gone'",
        ),
    ],
)
def test_who_cannot_take_part(made, told):
    with pytest.raises(CorollaryError, match=told):
        Annotator(**made)


def test_secrets_are_not_shown():
    ann = Annotator(name="ann", token_hash="abc", password_hash="def")
    assert "abc" not in repr(ann)
    assert "def" not in repr(ann)


def test_models_are_told_apart_by_their_bits():
    beliefs = np.random.default_rng(0).random((4, 6))
    one = Model(version=1, upto=3, beliefs=beliefs)
    assert one.sha256 == Model(version=2, upto=5, beliefs=np.asfortranarray(beliefs)).sha256
    assert one.sha256 != Model(version=1, upto=3, beliefs=np.nextafter(beliefs, 1)).sha256
