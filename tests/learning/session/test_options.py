"""The options of a session: fields are checked when they are made, and flat settings are grouped."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, fields

import numpy as np
import pytest

import corollary as co
from corollary.learning.session.options import experiment, grouped


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: co.Asking(score="best"), "no score 'best'"),
        (lambda: co.Asking(pick="often"), "pick must be"),
        (lambda: co.Asking(stay="here"), "stay must be"),
        (lambda: co.Asking(share_at_random=2), "share_at_random must be a number from 0 to 1"),
        (lambda: co.Asking(diverse="yes"), "diverse must be True or False"),
        (lambda: co.Asking(costs=[1.0]), "costs must be a dict"),
        (lambda: co.Asking(device=0), "device must be the name"),
        (lambda: co.Experiment(refresh="now"), "refresh must be"),
        (lambda: co.Experiment(propagate="yes"), "propagate must be True or False"),
        (lambda: co.Annotators(fallible="yes"), "fallible must be True or False"),
        (lambda: co.Annotators(fallible=True, prices={"ann": 0}), "'ann' must have a price above"),
        (lambda: co.Annotators(prices={"ann": 2.0}), "prices matter only .* fallible=True"),
        (lambda: co.Annotators(witnesses={"m": [[0.5]]}), "witnesses matter only"),
    ],
)
def test_what_cannot_be_is_an_error_at_once(make, message):
    with pytest.raises(co.CorollaryError, match=message):
        make()


@pytest.mark.parametrize("kind", [co.Asking, co.Experiment, co.Reading, co.Annotators])
def test_options_are_frozen_and_each_field_is_described(kind):
    made = kind()
    with pytest.raises(FrozenInstanceError):
        made.names = {}
    documented = (kind.__doc__ or "") + (co.Asking.__doc__ or "") * issubclass(kind, co.Asking)
    assert all(f"    {field.name} : " in documented for field in fields(kind))


def test_settings_side_by_side_are_grouped():
    found = grouped({"learner": "crf", "stay": "item", "encoder": None, "fallible": True})
    assert found == {
        "learner": "crf",
        "asking": co.Asking(stay="item"),
        "reading": co.Reading(encoder=None),
        "annotators": co.Annotators(fallible=True),
    }
    assert type(grouped({"stay": None})["asking"]) is co.Asking
    assert grouped({"refresh": "never"}) == {"asking": co.Experiment(refresh="never")}
    whole = co.Asking(score="gain")
    assert grouped({"stay": "item", "asking": whole}) == {"asking": whole}


def test_an_experiment_keeps_all_fields_of_asking():
    asking = co.Asking(score="gain", costs={"a": 2.0}, stay=None)
    found = experiment(asking)
    assert all(getattr(found, one.name) == getattr(asking, one.name) for one in fields(co.Asking))
    assert experiment(found) is found
    assert np.all(found.held_out is None)
