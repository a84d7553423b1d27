"""Methods by name."""

from __future__ import annotations

from corollary.experiment.methods import method_named


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
