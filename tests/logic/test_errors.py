"""Every error of ours can be caught as one, and hints at what was probably meant."""

from __future__ import annotations

import pytest

from corollary.logic import errors
from corollary.logic.language.constraints import exclusive


@pytest.mark.parametrize("kind", [errors.OntologyError, errors.NotationError, errors.FormatError])
def test_errors_have_one_base(kind):
    assert issubclass(kind, errors.CorollaryError)
    assert issubclass(kind, ValueError)


def test_what_errors_carry():
    place = errors.NotationError("what is this?", line=3, column=7)
    assert (str(place), place.line, place.column) == ("what is this?", 3, 7)
    answers, rule = {"a": True, "b": True}, exclusive("a", "b")
    clash = errors.Contradiction("no", answers=answers, constraints=iter([rule]), item=4)
    assert (clash.answers, clash.constraints, clash.item) == (answers, (rule,), 4)
    answers["c"] = False
    assert "c" not in clash.answers


def test_the_nearest_name_is_hinted_at():
    assert errors.nearest("brid", ["fish", "bird"]) == "; did you mean 'bird'?"
    assert errors.nearest("brid", iter(["fish"])) == ""
    assert errors.nearest("", []) == ""
    assert errors.nearest("Card Arrival", ["card_arrival"]) == "; did you mean 'card_arrival'?"
    assert errors.nearest("exchange_via_ap", ["exchange_charge", "exchange_via_app"]).endswith(
        "'exchange_via_app'?"
    )
    assert (
        errors.nearest("extra", ["neutral", "anger"]) == ""
    )  # many letters in common, and another word


@pytest.mark.parametrize(
    ("a", "b", "n"),
    [
        ("", "abc", 3),
        ("anger", "agner", 1),
        ("bird", "bird", 0),
        ("birds", "brid", 2),
        ("ca", "abc", 3),
    ],
)
def test_slips_are_counted(a, b, n):
    assert errors.slips(a, b) == errors.slips(b, a) == n
