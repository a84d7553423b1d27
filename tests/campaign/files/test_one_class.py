"""When labelled items look like one class each, and when they do not."""

from __future__ import annotations

import pytest

import corollary as co
from corollary.campaign.files.one_class import one_class_note

LOOSE = "exclusive: bird, fish\nbird > exclusive: robin, duck\nfish > exclusive: carp, trout"
ONE_LEAF = [(str(i), ["robin", "duck", "carp", "trout"][i % 4], True) for i in range(8)]
NONE = [("none", label, False) for label in ("bird", "fish")]


def note_of(text, facts):
    return one_class_note(co.Ontology.parse(text), facts)


def test_one_leaf_each_gives_the_lines_to_write():
    note = note_of(LOOSE, ONE_LEAF)
    assert note.startswith("the 8 items with known labels have one of each exclusive group. If")
    lines = note.splitlines()[1:]
    assert lines == [
        "  exactly one: bird, fish",
        "  bird > exactly one: robin, duck",
        "  fish > exactly one: carp, trout",
    ]
    assert (
        note_of("\n".join(lines), ONE_LEAF) is None
    )  # it can be written just so, and then there is nothing to say


def test_a_few_that_are_nothing_get_a_label_of_their_own():
    note = note_of(LOOSE, [*ONE_LEAF, *NONE])
    assert "(1 of them none at the top: out_of_scope would name that)" in note
    assert "exactly one: bird, fish, out_of_scope" in note
    many = [(f"{name} {i}", label, value) for i in range(9) for name, label, value in NONE]
    assert (
        note_of(LOOSE, [*ONE_LEAF, *many]) is None
    )  # most are none of them: that is no class that was forgotten


@pytest.mark.parametrize(
    "more",
    [
        [("a bird", "bird", True)],  # of which kind nobody said
        [("a bird", "bird", True), ("a bird", "robin", False), ("a bird", "duck", False)],
        [("who knows", "fish", False)],
    ],
)
def test_one_item_without_a_class_says_nothing(more):
    assert note_of(LOOSE, [*ONE_LEAF, *more]) is None


def test_few_items_and_other_ontologies_say_nothing():
    assert note_of(LOOSE, ONE_LEAF[:4]) is None
    assert note_of("bird > robin, duck", [(str(i), "robin", True) for i in range(9)]) is None
    assert note_of("exclusive: a, b", [("x", "a", True)]) is None
    assert note_of("labels: a, b", []) is None


def test_groups_that_no_item_reaches_are_left_alone():
    note = note_of(LOOSE, [(str(i), "robin", True) for i in range(6)])
    assert "fish >" not in note
