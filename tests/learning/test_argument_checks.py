"""Arguments: what fits comes back, what does not is told by its name."""

from __future__ import annotations

import numpy as np
import pytest

from corollary import CorollaryError, NotExpressedWarning, Ontology
from corollary.learning.argument_checks import (
    array_of,
    check_choice,
    check_flag,
    check_onto,
    check_whole,
    is_number,
    list_of,
    random_of,
    shown,
)


def test_relations_are_left_out_with_a_warning():
    onto = Ontology.parse("exclusive: person, place\nrelation lives_in(person, place)")
    with pytest.warns(NotExpressedWarning, match=r"relations \(1\) are left out"):
        assert check_onto(onto) is onto


def test_what_fits_comes_back():
    onto = Ontology(["a"])
    assert check_onto(onto) is onto
    check_choice("stay", None, (None, "item"))
    assert [check_flag("flag", value) for value in (True, np.True_, 0, 1)] == [
        True,
        True,
        False,
        True,
    ]
    assert [check_whole("n", value, least=2) for value in (2, np.int8(3))] == [2, 3]
    assert array_of("facts", [[1, 0]]).shape == (1, 2)
    assert list_of("labels", (label for label in "ab")) == ["a", "b"]
    assert random_of(3).random() == np.random.RandomState(3).random()


@pytest.mark.parametrize(
    ("check", "told"),
    [
        (lambda: check_onto("animals"), "the ontology must be an Ontology, .* got 'animals'"),
        (
            lambda: check_choice("stay", "label", (None, "item")),
            "stay must be None or 'item', got 'label'",
        ),
        (
            lambda: check_choice("stay", ["item"], ("item", "label")),
            "stay must be 'item' or 'label'",
        ),
        (lambda: check_flag("propagate", "yes"), "propagate must be True or False, got 'yes'"),
        (lambda: check_flag("propagate", 2), "propagate must be True or False, got 2"),
        (lambda: check_whole("n", True), "n must be a whole number from 0, got True"),
        (lambda: check_whole("n", 1.0), "n must be a whole number from 0, got 1.0"),
        (lambda: check_whole("n", 1, least=2), "n must be a whole number from 2, got 1"),
        (lambda: check_whole("n", 2**63), "n must be a whole number"),
        (lambda: array_of("facts", [[1], [1, 2]]), "facts must be like an array"),
        (lambda: list_of("labels", "bird"), "labels must be a list, got 'bird'"),
        (lambda: list_of("labels", {"bird": True}), "labels must be a list, got {'bird': True}"),
        (lambda: list_of("labels", 3), "labels must be a list, got 3"),
        (lambda: random_of("seed"), "random_state must be .* got 'seed'"),
    ],
)
def test_what_does_not_is_told(check, told):
    with pytest.raises(CorollaryError, match=told):
        check()


@pytest.mark.parametrize("value", [1, -2.5, np.float32(1), np.int8(3)])
def test_numbers(value):
    assert is_number(value)


@pytest.mark.parametrize(
    "value", [True, "1", None, float("nan"), -np.inf, pytest.param(10**400, id="400 digits")]
)
def test_what_is_no_number(value):
    assert not is_number(value)


def test_messages_stay_short():
    class Silent:
        def __repr__(self):
            raise RuntimeError

    assert shown("x" * 200) == "'" + "x" * 76 + "..."
    assert shown(Silent()) == "a Silent"
    assert shown(10**5000) == "a int"
