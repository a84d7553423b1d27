"""Methods by name."""

from __future__ import annotations

import pytest

from corollary.experiment.methods import method_named
from corollary.logic.errors import CorollaryError


def test_method_names() -> None:
    assert (method_named("LOG-CP").score, method_named("LOG-CP").propagate) == ("log", True)
    assert (method_named("log").score, method_named("log").propagate) == ("log", True)
    assert not method_named("ENTROPY").propagate
    assert not method_named("POSTERIOR").propagate
    assert [method_named(name).predict for name in ("LOG-CP", "expected", "posterior", "gain")] == [
        "beliefs",
        "beliefs",
        "posterior",
        "posterior",
    ]
    assert method_named("log", predict="posterior").predict == "posterior"


def test_strategies_and_forms() -> None:
    margin = method_named("margin:items")
    assert (margin.score, margin.form, margin.propagate, margin.predict) == (
        "margin",
        "items",
        True,
        "posterior",
    )
    marginals = method_named("LOG-CP:marginals")
    assert (marginals.score, marginals.form, marginals.propagate) == ("log", "marginals", True)
    assert not method_named("LOG:marginals").propagate
    assert method_named("log:marginals", predict="beliefs").predict == "beliefs"
    assert method_named("posterior").form is None
    for wrong in (
        "margin:cells",
        "MARGIN:items",
        "log:items",
        "posterior:",
        "margin:",
        "log:margins",
        "bald",
        3,
    ):
        with pytest.raises(CorollaryError, match="no method"):
            method_named(wrong)
    with pytest.raises(CorollaryError, match="did you mean 'badge:items'"):
        method_named("bagde:items")
