"""Which engine serves which component."""

from __future__ import annotations

import corollary as co


def test_engines_tell_what_serves_each_component():
    onto = co.Ontology.parse(
        "animal > exclusive: bird, fish\nlabels: animal, bird, fish, a, b, c, d, x, y, z, lone\n"
        "a > b, c\nb > d\nc > d\nrule: x <-> (y <-> z)"
    )
    told = {engine.engine: engine for engine in onto.engines}
    assert set(told) == {"tree", "junction", "diagram"}
    assert set(told["tree"].labels) == {"animal", "bird", "fish", "lone"}
    assert told["tree"].components == 2
    assert str(told["junction"]).startswith("junction: 4 labels, size ")
    assert all(engine.guarantee == "exact" for engine in onto.engines)
