"""What labels mean in words: names made readable, definitions beside them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corollary.learning.meaning.label_texts import LabelText, joined, label_texts, readable
from corollary.logic.errors import CorollaryError


@pytest.mark.parametrize(
    ("name", "spoken"),
    [
        ("credit_limit", "credit limit"),
        ("creditLimit", "credit limit"),
        ("CreditLimit", "credit limit"),
        ("CREDIT-LIMIT", "credit limit"),
        ("rollover_401k", "rollover 401k"),
        ("HTTPServer", "HTTP server"),
        ("DNA binding", "DNA binding"),
        ("w2", "w2"),
        ("GO:0008150", "GO 0008150"),
        ("animals/birds", "animals birds"),
        ("Vögel", "vögel"),
        ("鳥", "鳥"),
        ("__", "__"),
    ],
)
def test_names_are_made_readable(name, spoken):
    assert readable(name) == spoken


@given(st.text(min_size=1))
def test_no_name_becomes_nothing_and_what_is_readable_stays(name):
    spoken = readable(name)
    assert spoken
    assert readable(spoken).lower() == spoken.lower() or any(letter.isupper() for letter in spoken)


def test_a_definition_stands_behind_the_name_unless_it_begins_with_it():
    assert joined("bird", "has feathers") == "bird: has feathers"
    assert joined("bird", "  Birds   have\nfeathers ") == "Birds have feathers"
    assert joined("bird", " ") == "bird"


def test_what_is_read_of_labels():
    labels = ("small_bird", "fish")
    bird, fish = LabelText("small bird", ("small bird",)), LabelText("fish", ("fish",))
    assert label_texts(labels, "auto") == [bird, fish]
    assert label_texts(labels, {"fish": "has fins."}) == [
        bird,
        LabelText("fish: has fins.", ("fish",)),
    ]
    assert label_texts(labels, None) is None
    codes = ("GO:0008150", "C50.9", "7", "w2")
    found = label_texts(codes, dict.fromkeys(codes, "a life "))
    assert [one.text for one in found] == ["a life"] * 4
    found = label_texts(codes, {"7": " "})
    assert [one.text for one in found] == ["GO 0008150", "C50 9", "7", "w2"]


@pytest.mark.parametrize(
    ("said", "names"),
    [
        ("stream; brook: flowing water; wet", ("stream", "brook")),
        ("stream", ("stream",)),
        ("Flowing water.", ()),
        ("; ", ()),
    ],
)
def test_what_is_said_of_a_label_begins_with_its_other_names(said, names):
    (found,) = label_texts(("river",), {"river": said})
    assert found.names == ("river", *names)


@pytest.mark.parametrize(
    ("meaning", "told"),
    [
        ("names", "must be 'auto', None, or a dict"),
        (["a"], "must be 'auto', None, or a dict"),
        ({"fsh": "has fins"}, "meaning: unknown label 'fsh'.*fish"),
        ({"fish": 3}, "meaning: 'fish' must have a text, got 3"),
    ],
)
def test_what_cannot_be_a_meaning(meaning, told):
    with pytest.raises(CorollaryError, match=told):
        label_texts(("fish", "bird"), meaning)
