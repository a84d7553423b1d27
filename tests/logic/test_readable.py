"""What people read in place of labels: spelled out, or by the names that were given, with codes beside them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corollary.logic.readable import AS_WRITTEN, called, readable_names, spelled_out


@pytest.mark.parametrize(
    ("label", "words"),
    [
        ("freeze_account", "freeze account"),
        ("FreezeAccount", "freeze account"),
        ("freezeAccount", "freeze account"),
        ("FREEZE_ACCOUNT", "freeze account"),
        ("New_York", "New York"),
        ("ATM_support", "ATM support"),
        ("DNARepair", "DNA repair"),
        ("class_1", "class 1"),
        ("_bird_", "bird"),
    ],
)
def test_labels_are_spelled_out(label, words):
    assert spelled_out(label) == words


@pytest.mark.parametrize(
    "label",
    "Bird,red fish,iPhone,PhD,McDonald,out-of-scope,GO:0008150,GO_0008150,C50.9,__,DNA,http://example.org/a_b".split(
        ","
    ),
)
def test_words_and_codes_stay_as_they_are(label):
    assert spelled_out(label) == label


def test_codes_stand_beside_names():
    given = {"GO:0008150": "biological  process", "freeze_account": "Freeze Account"}
    assert readable_names(["GO:0008150", "freeze_account", "pay_bill", "Bird"], given) == {
        "GO:0008150": "biological process (GO:0008150)",
        "freeze_account": "Freeze Account",
        "pay_bill": "pay bill",
        "Bird": "Bird",
    }


def test_names_that_clash_keep_the_label_beside_them():
    assert readable_names(["pay_bill", "PayBill", "bird", "X:1"], {"X:1": "bird"}) == {
        "pay_bill": "pay bill (pay_bill)",
        "PayBill": "pay bill (PayBill)",
        "bird": "bird",
        "X:1": "bird (X:1)",
    }


@given(st.lists(st.text("aAbB_", min_size=1, max_size=6), unique=True), st.data())
def test_no_two_labels_read_the_same(labels, data):
    given = (
        data.draw(st.dictionaries(st.sampled_from(labels), st.text("aAb_ ", max_size=3)))
        if labels
        else {}
    )
    names = readable_names(labels, given)
    assert list(names) == labels
    assert len(set(names.values())) == len(labels)


def test_labels_as_they_are_written():
    assert called("freeze_account", AS_WRITTEN) == "freeze_account"
    assert (list(AS_WRITTEN), len(AS_WRITTEN)) == ([], 0)


def test_called_by_the_name_that_is_given():
    assert (called("a_b"), called("a_b", {}), called("a_b", {"a_b": "A, B"})) == (
        "a b",
        "a b",
        "A, B",
    )
