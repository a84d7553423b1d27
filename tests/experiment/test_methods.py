"""Methods by name."""

from __future__ import annotations

import pytest

from corollary.experiment.methods import method_named
from corollary.logic.errors import CorollaryError
from evidence.strategies.forms import OnMarginals


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


def test_a_strategy_of_ones_own() -> None:
    own = OnMarginals("log")
    method = method_named(own)
    assert method.score is own
    assert (method.name, method.propagate, method.predict) == (repr(own), True, "posterior")
    assert method_named(own, predict="beliefs").predict == "beliefs"


def test_unknown_names() -> None:
    for wrong in ("margin:items", "posterior:", "bald", "Log", "LOG-cp", "CP", "", OnMarginals, 3):
        with pytest.raises(CorollaryError, match="no method"):
            method_named(wrong)
    with pytest.raises(CorollaryError, match="did you mean 'LOG-CP'"):
        method_named("LOGCP")
    with pytest.raises(CorollaryError, match="predict must be 'beliefs' or 'posterior'"):
        method_named("log", predict="truth")
