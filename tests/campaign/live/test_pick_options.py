"""What can be picked of an item, and the likeliest of it."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import corollary as co
from corollary.campaign.live.pick_options import likeliest, options_of, with_those_above
from corollary.campaign.state.label_places import Places

ONTO = co.Ontology.parse("a > exclusive: b, c, d\nd > exclusive: e, f\nexclusive: a, g, h")
PARENTS = Places(ONTO).parents
chances = st.lists(st.floats(0.05, 0.95), min_size=len(ONTO), max_size=len(ONTO)).map(np.array)


def blank():
    return np.full(len(ONTO), -1, np.int8)


def naive(beliefs):
    """Each label's probability to be the narrowest that holds: over all legal worlds."""
    odds = beliefs / (1 - beliefs)
    worlds = [[], *([label, *above(label)] for label in ONTO.labels)]
    weights = [np.prod([odds[ONTO.index[label]] for label in world]) for world in worlds]
    return dict(zip(ONTO.labels, np.array(weights[1:]) / sum(weights), strict=True))


def above(label):
    return [up for parent in PARENTS.get(label, ()) for up in (parent, *above(parent))]


@given(chances)
def test_the_likeliest_come_first_and_with_what_is_above_them(beliefs):
    found, chance = options_of(ONTO, beliefs, blank()), naive(beliefs)
    told = [chance[label] for label in found.labels]
    assert all(one >= other - 1e-9 for one, other in pairwise(told))
    assert (found.open, found.pickable, found.one, found.none) == (8, 8, True, True)
    few = likeliest(found, 2, PARENTS)
    assert sorted(few.ends) == sorted(found.labels[:2])
    assert set(few.labels) == {one for label in few.ends for one in (label, *above(label))}
    assert list(few.labels) == [label for label in found.labels if label in few.labels]
    assert (few.open, few.pickable, few.none, few.one) == (8, 8, True, True)


def test_all_are_there_where_few_are_enough_or_several_may_hold():
    found = options_of(ONTO, np.full(8, 0.5), blank())
    assert likeliest(found, None, PARENTS) is found
    assert likeliest(found, 8, PARENTS) is found
    both = co.Ontology.parse("labels: a, b, c")
    several = options_of(both, np.full(3, 0.5), np.full(3, -1, np.int8))
    assert likeliest(several, 1, {}) is several


def test_what_is_known_is_no_option():
    known = blank()
    known[[ONTO.index[label] for label in ("a", "g", "h")]] = 1, 0, 0
    found = options_of(ONTO, np.full(8, 0.5), known)
    assert sorted(found.labels) == ["b", "c", "d", "e", "f"]
    assert set(likeliest(found, 1, PARENTS).labels) <= set("bcdef")  # a is above them, and not open


def test_those_above_in_a_graph_with_several_ways():
    assert with_those_above(["x"], {"x": ["y", "z"], "y": ["top"], "z": ["top"]}) == {
        "x",
        "y",
        "z",
        "top",
    }
