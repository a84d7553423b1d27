from __future__ import annotations

import pytest

from corollary.logic.errors import OntologyError
from corollary.logic.formats import read, with_siblings_exclusive
from corollary.logic.language.constraints import Exclusive
from corollary.logic.language.notation import parse

from .documents import worlds


def added(text):
    before = parse(text)
    after = with_siblings_exclusive(before)
    assert after.labels == before.labels
    assert after.constraints[: len(before.constraints)] == before.constraints
    extra = after.constraints[len(before.constraints) :]
    assert all(isinstance(constraint, Exclusive) for constraint in extra)
    assert all("assumed" in str(constraint.source) for constraint in extra)
    return {constraint.labels for constraint in extra}


def test_children_of_one_parent_and_roots():
    text = "animal > bird, fish\nbird > robin\nfish > cod, eel\nplant > tree"
    assert added(text) == {("bird", "fish"), ("cod", "eel"), ("animal", "plant")}


def test_children_said_one_by_one():
    assert added("a > b\na > c\na > b") == {("b", "c")}


def test_a_tree_has_one_world_for_each_label_and_one_more():
    tree = parse("a > b, c, d\nb > e, f\nc > g")
    assert len(worlds(with_siblings_exclusive(tree))) == len(tree.labels) + 1


def test_what_is_said_already_is_not_added():
    assert added("a > exclusive: b, c") == set()


def test_a_grandchild_that_is_also_said_to_be_a_child_is_no_sibling():
    assert added("a > b, c, d\nb > d") == {("b", "c")}


def test_several_parents():
    assert added("a > x, y\nb > x, z") == {("x", "y"), ("x", "z"), ("a", "b")}


def test_equivalent_labels_count_as_one():
    assert added("a > b, c, d\nequivalent: b, c\nequivalent: c, e") == {("b", "d")}
    assert added("equivalent: a, b\na > x\nb > y") == {("x", "y")}


def test_labels_that_stand_alone_are_roots():
    assert added("labels: a, b, c") == {("a", "b", "c")}
    assert added("labels: a") == set()


def test_a_cycle_is_named():
    with pytest.raises(OntologyError, match="cycle: (a > b > a|b > a > b)"):
        added("a > b\nb > a")


def test_siblings_exclusive_is_a_switch(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("bird,animal\nfish,animal\nstone,\n")
    assert len(read(path).constraints) == 2
    added = read(path, siblings_exclusive=True).constraints[2:]
    assert set(added) == {Exclusive(("bird", "fish")), Exclusive(("animal", "stone"))}
