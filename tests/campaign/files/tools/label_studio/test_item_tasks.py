"""Label Studio's tasks of whole items: annotations in, tasks out, and a campaign that comes back as it went."""

from __future__ import annotations

import json

import pytest

import corollary as co
from corollary.campaign.files.checking import Check
from corollary.campaign.files.exports.exports import export
from corollary.campaign.files.imports.file_form import Form
from corollary.campaign.files.imports.imports import check_import, read_items
from corollary.campaign.files.tools.formats import read_records
from corollary.campaign.files.tools.label_studio.item_tasks import deepest_ways, ways_by_label
from corollary.campaign.items import Item

from .payloads import ITEMS, ONTO, annotation, choices, question, task, taxonomy, written


def test_what_is_picked_is_yes_with_all_on_the_way(tmp_path):
    path = written(
        tmp_path,
        task(
            "robin", 1, [annotation(taxonomy(["animal", "bird"]), choices("sparrow", name="more"))]
        ),
        task("carp", 2, [annotation(choices("fish"), who={"id": 9, "email": "x@y.org"})]),
        task("cow", 3, [annotation(choices("mammal"), was_cancelled=True)]),
        task("oak", 4),
    )
    robin, carp, cow, oak = read_records(path, "label-studio")
    assert robin.labels == {"animal": True, "bird": True, "sparrow": True}
    assert (robin.who, carp.who, robin.place) == ("label-studio-7", "label-studio-9", "task 1")
    assert (robin.text, robin.fields) == ("the robin", {})
    assert carp.labels == {"fish": True}
    assert cow.labels == oak.labels == {}
    assert not cow.listed
    assert not oak.listed


def test_other_results_are_about_something_else(tmp_path):
    rating = {"from_name": "r", "to_name": "text", "type": "rating", "value": {"rating": 4}}
    (one,) = read_records(written(tmp_path, task(annotations=[annotation(rating)])), "label-studio")
    assert (one.labels, one.listed) == ({}, True)


def test_the_deepest_ways_name_all_that_is_yes():
    onto = co.Ontology.parse("animal > pet, bird\npet > parrot\nbird > parrot\n")
    found = deepest_ways(["animal", "pet", "bird", "parrot"], ways_by_label(onto))
    assert found == [["animal", "pet", "parrot"], ["animal", "bird", "parrot"]]


def test_an_import_takes_new_items_and_labels_of_old_ones(campaign, tmp_path):
    path = written(
        tmp_path,
        task("robin", 1, [annotation(taxonomy(["animal", "bird"]))]),
        task("eel", 2, [annotation(taxonomy(["animal", "fish"]))], size=9),
    )
    items, facts = read_items(path, campaign, form=Form(format="label-studio"))
    assert items == [Item("eel", text="the eel", fields={"size": 9})]
    assert set(facts) == {
        ("robin", "animal", True),
        ("robin", "bird", True),
        ("eel", "animal", True),
        ("eel", "fish", True),
    }
    found = check_import(path, ONTO, Form(format="label-studio", complete=True))
    assert ("eel", "plant", False) not in found.facts  # it follows, and need not be said
    assert ("eel", "sparrow", False) not in found.facts
    assert found.n_items == 2


def test_with_complete_what_was_not_picked_is_no(tmp_path):
    path = written(tmp_path, task("robin", 1, [annotation(taxonomy(["animal"]))]))
    found = check_import(path, ONTO, Form(format="label-studio", complete=True))
    assert {label for _, label, value in found.facts if not value} == {
        "bird",
        "fish",
        "mammal",
        "sparrow",
    }


@pytest.mark.parametrize(
    ("tasks", "told"),
    [
        (
            [task("robin", 1, [annotation(choices("brid"))])],
            "task 1.*unknown label 'brid'.*did you mean 'bird'",
        ),
        ([task("robin", 1, [annotation(choices("bird", "fish"))])], "cannot all be true"),
        (
            [task("robin", 1, [annotation(choices("bird")), annotation(choices("fish"), who=8)])],
            "cannot all be true",
        ),
        (
            [
                question(
                    annotations=[
                        annotation(choices(word), who=who) for word, who in (("Yes", 7), ("No", 8))
                    ]
                )
            ],
            "both yes and no, as label-studio-7 and label-studio-8 say",
        ),
        ([{"id": 1}], "no object"),
        ([{"data": {"text": "x"}}], "without an id"),
        ([], "nothing to import"),
    ],
)
def test_bad_files_are_told(campaign, tmp_path, tasks, told):
    with pytest.raises(co.CorollaryError, match=told):
        read_items(written(tmp_path, *tasks), campaign, form=Form(format="label-studio"))


def test_an_export_is_legal_and_comes_back(campaign, tmp_path):
    campaign.answer("lead", "robin", "sparrow", True)
    campaign.answer("lead", "carp", "fish", True)
    campaign.answer("lead", "oak", "plant", True)
    campaign.retrain(wait=True)
    path = tmp_path / "out.json"
    assert export(campaign, path) == len(ITEMS)
    tasks = {one["data"]["item"]: one for one in json.loads(path.read_text())}
    assert said(tasks["oak"]["annotations"][0]) == [["plant"]]
    assert said(tasks["robin"]["annotations"][0]) == [["animal", "bird", "sparrow"]]
    assert "annotations" not in tasks["cow"]
    onto = campaign.state.onto
    guessed = {name for way in said(tasks["cow"]["predictions"][0]) for name in way}
    onto.propagate({label: label in guessed for label in onto.labels})  # legal, and all of it
    worth = onto.joint_entropy(campaign.state.session.beliefs, campaign.state.facts)
    assert tasks["cow"]["predictions"][0]["score"] == pytest.approx(
        1 / (1 + worth[campaign.state.row("cow")])
    )
    check = Check(onto, complete=True)
    assert list(check.violations(read_records(path, "label-studio"))) == []
    back = check_import(path, onto, Form(format="label-studio"))
    assert {("robin", "sparrow", True), ("oak", "plant", True)} <= set(back.facts)
    assert [item.id for item in back.items()] == [item.id for item in ITEMS]


def said(one):
    (result,) = one["result"]
    return result["value"]["taxonomy"]
