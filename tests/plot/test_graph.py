from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib import pyplot as plt
from matplotlib.axes import Axes

import corollary as co
from corollary.logic.constraints import Constraint
from corollary.plot.layout import above, groups_of, parents_of, places

ONTO = co.Ontology(
    ["animal", "bird", "fish", "penguin", "red"],
    [co.subsumes("animal", "bird", "fish", "penguin"), co.exclusive("bird", "fish"), co.implies("penguin", "bird")],
)


def texts(ax: Axes) -> dict[str, str]:
    return {text.get_gid(): text.get_text() for text in ax.texts if text.get_gid()}


def signs(ax: Axes) -> dict[str, str]:
    return {gid.removeprefix("sign of "): text for gid, text in texts(ax).items() if gid.startswith("sign of ")}


def lines(ax: Axes) -> set[str]:
    return {patch.get_gid() for patch in ax.patches if patch.get_gid()}


def legend(ax: Axes) -> list[str]:
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_labels_lines_and_brackets() -> None:
    ax = co.plot.ontology(ONTO)
    assert set(texts(ax).values()) == set(ONTO.labels)
    # penguin implies animal, but by way of bird
    assert lines(ax) == {"bird implies animal", "fish implies animal", "penguin implies bird"}
    assert not signs(ax)
    assert legend(ax) == ["implies, right to left", "at most one"]
    assert [line.get_gid() for line in ax.get_lines() if line.get_gid()] == ["group 0"]


def test_states_are_told_by_signs_and_dashes() -> None:
    ax = co.plot.ontology(ONTO, {"bird": True, "red": False})
    assert signs(ax) == {"animal": "✓", "bird": "✓", "fish": "✗", "penguin": "?", "red": "✗"}
    boxes = [patch for patch in ax.patches if not patch.get_gid()]
    assert [box.get_linestyle() for box in boxes] == ["--", "-", "--", "-", "-"]
    assert len({box.get_facecolor() for box in boxes}) == 5
    words = ["✓ yes", "✗ no", "✓ yes, implied", "✗ no, implied", "? open"]
    assert legend(ax)[:5] == words
    row = co.plot.ontology(ONTO, np.array([-1, 1, -1, -1, 0]))
    assert signs(row) == signs(ax)


def test_open_labels_show_their_posterior() -> None:
    beliefs = {"animal": 0.5, "bird": 0.2, "fish": 0.2, "penguin": 0.9, "red": 0.999}
    ax = co.plot.ontology(ONTO, {"bird": True}, beliefs=beliefs)
    q = ONTO.posterior([list(beliefs.values())], [[-1, 1, -1, -1, -1]])[0]
    assert signs(ax)["penguin"] == f"{100 * q[3]:.0f} %"
    assert signs(ax)["red"] == ">99 %"
    assert signs(ax)["bird"] == "✓"
    assert "% open" in legend(ax)
    assert signs(co.plot.ontology(ONTO, beliefs=np.full(5, 0.001)))["animal"] == "<1 %"


def test_what_cannot_be_drawn_is_written_below() -> None:
    rules = [co.formula(f"a{n} | b") for n in range(8)]
    onto = co.Ontology(["b", *(f"a{n}" for n in range(8))], [co.implies("a1", "b"), co.implies("b", "a1"), *rules])
    ax = co.plot.ontology(onto, labels=onto.labels[:5])
    below = [text.get_text() for text in ax.texts if not text.get_gid()]
    assert below == ["b implies a1, in a circle", *(f"rule: a{n} | b" for n in range(4)), "5 of 9 labels"]
    assert [text.get_text() for text in co.plot.ontology(onto).texts][-1] == "and 3 more constraints that are not drawn"


def test_a_part_comes_with_what_it_is_under() -> None:
    ax = co.plot.ontology(ONTO, labels=["penguin"])
    assert set(texts(ax)) == {"animal", "bird", "penguin"}


def test_a_group_in_several_columns_has_a_letter() -> None:
    onto = co.Ontology(["a", "b", "c"], [co.implies("b", "a"), co.exactly_one("b", "c")])
    ax = co.plot.ontology(onto)
    assert [text.get_text() for text in ax.texts if not text.get_gid()] == ["A", "A"]
    assert legend(ax)[-2:] == ["exactly one", "same letter: one group"]


def test_too_many_labels_and_too_little_room_are_told() -> None:
    many = co.Ontology([f"label {n}" for n in range(81)])
    with pytest.raises(co.CorollaryError, match="81 labels cannot be read in one figure, at most 80 can: pass labels="):
        co.plot.ontology(many)
    assert len(texts(co.plot.ontology(many, labels=many.labels[:60]))) == 60
    _, ax = plt.subplots(figsize=(2, 1))
    with pytest.raises(co.CorollaryError, match="60 labels cannot be read on axes of .* they need .* larger"):
        co.plot.ontology(many, labels=many.labels[:60], ax=ax)
    _, ax = plt.subplots(figsize=(8, 6))
    assert co.plot.ontology(ONTO, ax=ax) is ax


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"facts": {"brd": True}}, "unknown label 'brd'; did you mean 'bird'"),
        ({"facts": [1, 0]}, r"facts are those of one item: 5 numbers, or by label; got shape \(2,\)"),
        ({"facts": {"bird": True, "fish": True}}, "bird"),
        ({"facts": {"bird": 0.5}}, "True or False"),
        ({"beliefs": {"bird": 0.5}}, "none of 'animal'"),
        ({"beliefs": [2.0] * 5}, "between 0 and 1"),
        ({"labels": ["fihs"]}, "did you mean 'fish'"),
        ({"labels": []}, "no labels"),
    ],
)
def test_what_cannot_be_so_is_told(arguments: dict[str, object], told: str) -> None:
    with pytest.raises(co.CorollaryError, match=told):
        co.plot.ontology(ONTO, **arguments)  # type: ignore[arg-type]


NAMES = [f"l{n}" for n in range(9)]
pairs = st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES)).filter(lambda pair: pair[0] != pair[1])


@given(st.lists(pairs, max_size=25))
def test_the_layout_keeps_what_is_implied_and_nothing_overlaps(found: list[tuple[str, str]]) -> None:
    constraints = [co.implies(child, parent) for child, parent in found]
    parents = parents_of(NAMES, constraints)
    # the naive twin: with the pairs that do not close a circle, in their order, the closure is the same
    kept: dict[str, set[str]] = {label: {label} for label in NAMES}
    for child, parent in found:
        if child not in kept[parent]:
            for label in NAMES:
                if child in kept[label]:
                    kept[label] |= kept[parent]
    assert {label: above(label, parents) | {label} for label in NAMES} == kept
    for label, own in parents.items():  # and no parent follows from another
        assert not any(a in above(b, parents) for a in own for b in own if a != b), label
    at = places(parents)
    for a, b in combinations(NAMES, 2):
        assert at[a].column != at[b].column or abs(at[a].row - at[b].row) >= 1
    for label, own in parents.items():
        assert at[label].column == 1 + max((at[parent].column for parent in own), default=-1)


@settings(max_examples=60)
@given(st.lists(st.lists(st.sampled_from(NAMES), min_size=2, max_size=4, unique=True), max_size=8))
def test_groups_exclude_just_what_the_constraints_do(found: list[list[str]]) -> None:
    constraints: list[Constraint] = [co.exclusive(*labels) for labels in found]
    said = {frozenset(pair) for labels in found for pair in combinations(labels, 2)}
    groups = groups_of(NAMES, constraints)
    assert {frozenset(pair) for group in groups for pair in combinations(group.labels, 2)} == said
    assert len(groups) <= len(found)


def test_pairs_are_joined_and_parts_of_groups_say_less() -> None:
    pairs = [co.exclusive(a, b) for a, b in combinations("abc", 2)]
    assert groups_of("abc", pairs) == [("at most one", ("a", "b", "c"))]
    assert groups_of("ab", [co.exactly_one("a", "b", "c")]) == [("at most one", ("a", "b"))]
    assert groups_of("ab", [co.at_least_one("a", "b", "c"), co.equivalent("a", "b")]) == [("all or none", ("a", "b"))]
