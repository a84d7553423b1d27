"""Which engine serves which component."""

from __future__ import annotations

import corollary as co
from corollary.logic.engines import Budget
from corollary.logic.engines.choice import choose_engine

from .hierarchies import hierarchy, with_exclusions


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


def test_a_hierarchy_with_exclusions_that_no_small_diagram_fits_gets_a_junction_tree():
    edges = [(2, 0), (3, 0), (3, 1), (4, 1), (5, 2), (6, 3), (7, 4), (8, 2), (8, 3)]
    part = with_exclusions(hierarchy(9, edges), [(2, 4), (5, 6), (6, 8)])
    assert len(part.groups) == 3
    assert choose_engine(part, Budget()).name == "diagram"
    engine = choose_engine(part, Budget(states=640))
    assert engine.name == "junction"
    assert engine.guarantee == "exact"


def test_a_hierarchy_with_exclusions_that_nothing_fits_is_pruned_where_an_error_is_allowed():
    edges = [(2, 0), (3, 0), (3, 1), (4, 1), (5, 2), (6, 3), (7, 4), (8, 2), (8, 3)]
    part = with_exclusions(hierarchy(9, edges), [(2, 4), (5, 6), (6, 8)])
    assert choose_engine(part, Budget(states=2)).name == "pruned junction"
    assert choose_engine(part, Budget(states=2, error=0)).name == "belief propagation"
