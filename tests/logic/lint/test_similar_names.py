"""Similar names against all pairs, one by one; slips in small ontologies, and names that are no slips."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import corollary as co
from corollary.logic.errors import slips
from corollary.logic.lint.similar_names import (
    SHORTEST,
    SHORTEST_IN_PLACE,
    is_one_slip,
    is_typing_slip,
    similar_names,
)


def found(text):
    onto = co.Ontology.parse(text)
    return similar_names(onto.labels, onto.constraints)


def swapped(name):
    return {name[:i] + name[i + 1] + name[i] + name[i + 2 :] for i in range(len(name) - 1)}


def doubled(name):
    return {name[: i + 1] + name[i:] for i in range(len(name))}


@given(st.text("abc", max_size=6), st.text("abc", max_size=6))
def test_slips_by_definition(one, other):
    if one == other:
        return
    assert is_one_slip(one, other) == (slips(one, other) == 1)
    assert is_typing_slip(one, other) == (
        other in swapped(one) | doubled(one) or one in doubled(other)
    )


@given(
    st.lists(st.from_regex("[abC][ab]{2,11}", fullmatch=True), unique=True, max_size=10),
    st.booleans(),
)
def test_all_pairs(labels, in_place):
    constraints = [co.exclusive(*labels)] if in_place and len(labels) > 1 else []
    expected = []
    for one, other in combinations(labels, 2):
        a, b = one.casefold(), other.casefold()
        typing = b in swapped(a) | doubled(a) or a in doubled(b)
        least = SHORTEST if typing or not constraints else SHORTEST_IN_PLACE
        if a == b or (slips(a, b) == 1 and max(len(a), len(b)) >= least):
            expected.append((one, other))
    assert similar_names(labels, constraints) == expected


@pytest.mark.parametrize(
    ("text", "pair"),
    [
        ("exclusive: anger, agner, joy", ("anger", "agner")),
        ("negative > anger, sadness\npositive > agner, joy", ("anger", "agner")),
        (
            "exactly one: exchange_via_app, exchange_via_ap, top_up",
            ("exchange_via_app", "exchange_via_ap"),
        ),
        ("exclusive: bird, Bird", ("bird", "Bird")),
        ('exclusive: "main dish", Main_dish', ("main dish", "Main_dish")),
        ("animal > bird\nrule: birds >> flies", ("bird", "birds")),
        ("animal > bird\nanimel > fish", ("animal", "animel")),
        ("rule (weight 2): animol >> big\nanimal > bird", ("animol", "animal")),
        ("labels: anger, angr", ("anger", "angr")),
        ("a > reverted_payment\nb > revertd_payment", ("reverted_payment", "revertd_payment")),
    ],
)
def test_slips_are_found(text, pair):
    assert found(text) == [pair]


@pytest.mark.parametrize(
    "text",
    [
        'labels: "GO:00001", "GO:00002", cat, car, "class 1", "class 2"',
        'labels: hepatitis_a, "hepatitis b", type_i, type_ii, type_iii, typeA, typeB',
        "place > country, county\nthing > planet\nliving > plant",
        "exclusive: fountain, mountain",
        'exclusive: "eastern toad", "western toad"',
    ],
)
def test_names_that_differ_on_purpose_are_left_alone(text):
    assert found(text) == []
