from __future__ import annotations

from time import monotonic

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import corollary as co
from corollary.learning.witnesses.rules import rules as rules_module

ONTO = co.Ontology(["fish", "bird", "big bird"], [co.exclusive("fish", "bird")])
NAN = float("nan")


def swims(text):
    return {"fish": 0.75} if "swim" in text else None


def flies(text):
    return {"bird": "fli" in text, "fish": False}


def test_what_rules_say_is_a_table_for_each():
    found = co.ask_rules(ONTO, ["it swims", "it flies"], [swims, flies])
    assert list(found) == ["swims", "flies"]
    np.testing.assert_array_equal(found["swims"], [[0.75, NAN, NAN], [NAN, NAN, NAN]])
    np.testing.assert_array_equal(found["flies"], [[0, 0, NAN], [0, 1, NAN]])
    assert co.ask_rules(ONTO, [], [swims])["swims"].shape == (0, 3)
    items = [{"legs": 2}, {"legs": 0}]
    found = co.ask_rules(ONTO, items, {"two legs": lambda item: {"bird": item["legs"] == 2}})
    np.testing.assert_array_equal(found["two legs"][:, 1], [1, 0])


@settings(max_examples=60, deadline=None)
@given(st.lists(st.dictionaries(st.sampled_from(ONTO.labels), st.floats(0, 1))), st.integers(1, 5))
def test_every_cell_is_what_was_said_of_it(said, step):
    told = []
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(rules_module, "STEP", step)
        found = co.ask_rules(
            ONTO, said, {"echo": lambda one: one or None}, progress=lambda *far: told.append(far)
        )
    expected = [[one.get(label, NAN) for label in ONTO.labels] for one in said]
    np.testing.assert_array_equal(found["echo"], np.array(expected).reshape(-1, 3))
    assert told == [
        (min(start + step, len(said)), len(said)) for start in range(0, len(said), step)
    ]


def raises(text):
    raise KeyError("wings")


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ([raises], "the rule 'raises' failed on item 0 (“it swims”): KeyError: 'wings'"),
        (
            {"r": lambda text: "fish"},
            "the rule 'r' must give back a dict, label: True or False, or None; for item 0",
        ),
        (
            {"r": lambda text: {"fihs": True}},
            "the rule 'r' names an unknown label 'fihs'; did you mean 'fish'?",
        ),
        (
            {"r": lambda text: {"fish": 2}},
            "the rule 'r' must say True, False or a probability; of 'fish' for item 0",
        ),
        ({"r": lambda text: {"fish": NAN}}, "it said nan"),
        ({"r": lambda text: {"fish": "yes"}}, "it said 'yes'"),
        ([lambda text: None], "a rule needs a name; pass rules without one as a dict"),
        ([swims, swims], "two rules are called 'swims'"),
        ([3], "a rule is a function of an item, got 3"),
        ("swims", "rules must be a list, got 'swims'"),
    ],
)
def test_what_is_wrong_with_a_rule_is_told_with_its_name_and_item(rules, message):
    with pytest.raises(co.CorollaryError) as caught:
        co.ask_rules(ONTO, ["it swims"], rules)
    assert message in str(caught.value)


def test_a_pattern_that_takes_for_ever_is_stopped_and_a_function_is_not(tmp_path, monkeypatch):
    monkeypatch.setattr(rules_module, "SECONDS", 0.05)
    (tmp_path / "rules.txt").write_text("slow: /(a+)+$/ -> fish\n")
    (slow,) = co.read_rules(tmp_path / "rules.txt")
    with pytest.raises(co.CorollaryError) as caught:
        co.ask_rules(ONTO, ["fine", "a" * 60 + "b"], [slow])
    assert "the rule 'slow'" in str(caught.value)
    assert "line 1] took more than 0.05 s on item 1 (“aaaa" in str(caught.value)
    begun = monotonic()

    def thinks(text):
        while monotonic() - begun < 0.2:
            pass
        return {"fish": True}

    assert co.ask_rules(ONTO, ["aaa"], [thinks])["thinks"][0, 0] == 1
