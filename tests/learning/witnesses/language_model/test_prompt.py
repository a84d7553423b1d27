from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

import corollary as co
from corollary.learning.witnesses.language_model.prompt import MOST_RULES, messages, schema

ONTO = co.Ontology.parse("animal > exclusive: bird, fish\nflies (weight 2) > bird\nplant > tree")


def task(labels=ONTO.labels, **more):
    asked = {"meaning": {}, "percent": False} | more
    return messages(ONTO, labels, "a robin", **asked)[0]["content"]


def test_labels_come_with_what_they_mean_and_the_rules_between_them():
    text = task(("bird", "fish"), meaning={"bird": "has\n feathers", "tree": "has leaves"})
    assert '- "bird": has feathers\n- "fish"\n' in text
    assert (
        "- each of bird, fish implies animal\n- at most one of bird, fish\n- mostly: bird implies flies\n"
        in text
    )
    assert "tree" not in text
    assert "[line" not in text
    assert 'each value is "yes" or "no"' in text
    assert "a whole number from 0 (no) to 100 (yes)" in task(percent=True)


def test_a_label_without_rules_is_asked_for_without_any():
    (asked, _) = messages(co.Ontology(["a"]), ("a",), "x", meaning={}, percent=True)
    assert "Rules" not in asked["content"]


def test_rules_left_out_are_counted():
    labels = [f"l{n}" for n in range(200)]
    onto = co.Ontology(["top", *labels], [co.implies(label, "top") for label in labels])
    (asked, _) = messages(onto, ("top",), "x", meaning={}, percent=True)
    assert asked["content"].count("implies top") == MOST_RULES
    assert "- and 100 more\n" in asked["content"]


@given(st.text())
def test_whatever_an_item_says_it_stays_one_json_string_in_a_message_of_its_own(item):
    system, user = messages(ONTO, ONTO.labels, item, meaning={}, percent=False)
    assert system["content"] == task()
    assert user["role"] == "user"
    assert json.loads(user["content"]) == {"item": item}


def test_the_schema_has_these_labels_and_no_others():
    found = schema(("a", "b"), percent=False)
    assert list(found["properties"]) == ["a", "b"]
    assert found["properties"]["b"] == {"type": ["string", "null"], "enum": ["yes", "no", None]}
    assert (found["required"], found["additionalProperties"]) == (["a", "b"], False)
    assert schema(("a",), percent=True)["properties"] == {"a": {"type": ["integer", "null"]}}
