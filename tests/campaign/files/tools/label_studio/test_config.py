"""Label Studio's labelling configs, made from ontologies and read back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import corollary as co
from corollary.campaign.files.exports.exports import export
from corollary.campaign.files.tools.label_studio.config import (
    choices_config,
    controls_of,
    ontology_of,
    questions_config,
    taxonomy_config,
    ways_of,
)
from corollary.logic.language.constraints import Exclusive

from .....fuzz.frame import within
from .payloads import ONTO

DIAMOND = co.Ontology.parse("animal > pet, bird\npet > parrot\nbird > parrot, crow\n")


def parents_of(onto):
    found = {label: set() for label in onto.labels}
    for one in onto.constraints:
        if hasattr(one, "parent"):
            for child in one.children:
                found[child].add(one.parent)
    return found


def naive_ways(onto):
    """All ways from a root, found upwards from each label."""
    parents = parents_of(onto)

    def up(label):
        if not parents[label]:
            return {(label,)}
        return {(*way, label) for parent in parents[label] for way in up(parent)}

    return {way for label in onto.labels for way in up(label)}


@st.composite
def dags(draw):
    labels = [f"l{n}" for n in range(draw(st.integers(1, 7)))]
    rules = []
    for n, label in enumerate(labels):
        above = draw(st.lists(st.sampled_from(labels[:n]), unique=True, max_size=2)) if n else []
        rules += [co.implies(label, parent) for parent in above]
    return co.Ontology(labels, rules)


@given(dags())
def test_a_tree_has_every_way_and_gives_the_same_ontology_back(onto):
    assert set(ways_of(onto)) == naive_ways(onto)
    assert len(list(ways_of(onto))) == len(naive_ways(onto))
    back = ontology_of(taxonomy_config(onto))
    assert set(back.labels) == set(onto.labels)
    assert parents_of(back) == parents_of(onto)


def test_a_label_with_two_parents_stands_under_both_and_is_one_again():
    (control,) = controls_of(taxonomy_config(DIAMOND))
    assert ("animal", "pet", "parrot") in control.ways
    assert ("animal", "bird", "parrot") in control.ways
    back = ontology_of(taxonomy_config(DIAMOND))
    assert back.propagate({"parrot": True}) == {
        "parrot": True,
        "pet": True,
        "bird": True,
        "animal": True,
    }
    assert any("parrot" in told and "pet, bird" in told for told in back.not_expressed)


def test_names_with_markup_survive():
    onto = co.Ontology(["a<b", 'say "x" & y', "日本"], [co.implies("a<b", "日本")])
    assert set(ontology_of(taxonomy_config(onto)).labels) == set(onto.labels)
    assert list(controls_of(choices_config(onto))[0].values) == list(onto.labels)


def test_a_single_choice_excludes_the_others():
    config = '<View><Choices name="c" toName="t"><Choice value="a"/><Choice value="b" alias="bee"/></Choices></View>'
    onto = ontology_of(config)
    assert onto.labels == ("a", "bee")
    assert onto.constraints == (Exclusive(("a", "bee")),)
    assert not ontology_of(config.replace("toName", 'choice="multiple" toName')).constraints


def test_questions_have_three_answers():
    (control,) = controls_of(questions_config())
    assert list(control.values) == ["Yes", "No", "Can't tell"]
    assert control.single
    assert control.name == "answer"


@pytest.mark.parametrize(
    ("config", "told"),
    [
        ("<View>", "not good XML"),
        ("<View/>", "no labels"),
        ("<View><Taxonomy name='a' toName='b'><Choice/></Taxonomy></View>", "no value"),
        ('<!DOCTYPE x [<!ENTITY a "b">]><View/>', "document type"),
    ],
)
def test_bad_configs_are_told(config, told):
    with pytest.raises(co.CorollaryError, match=told):
        ontology_of(config)


def test_a_tree_that_grows_beyond_use_is_refused():
    rules = [co.implies(f"{a}{n}", f"{b}{n - 1}") for n in range(1, 20) for a in "xy" for b in "xy"]
    onto = co.Ontology([f"{a}{n}" for n in range(20) for a in "xy"], rules)
    with pytest.raises(co.CorollaryError, match="choices_config"):
        taxonomy_config(onto)


def test_deep_trees_are_refused_in_time():
    deep = "".join(f'<Choice value="c{n}">' for n in range(100_000)) + "</Choice>" * 100_000
    with within(), pytest.raises(co.CorollaryError, match="have more than 100 levels"):
        ontology_of(f'<View><Taxonomy name="t" toName="x">{deep}</Taxonomy></View>')
    nested = "<View>" * 100_000 + "</View>" * 100_000
    with within(), pytest.raises(co.CorollaryError, match="there are no labels in it"):
        ontology_of(nested)


def test_labels_that_no_tree_can_show_are_refused_in_time():
    below = [co.subsumes(f"l{n}", f"l{n + 1}") for n in range(4_999)]
    with within(), pytest.raises(co.CorollaryError, match="labels is more than 100 deep"):
        taxonomy_config(co.Ontology([f"l{n}" for n in range(5_000)], below))
    rungs = [co.subsumes(f"{a}{n}", f"a{n + 1}", f"b{n + 1}") for n in range(60) for a in "ab"]
    ladder = co.Ontology([f"{a}{n}" for n in range(61) for a in "ab"], rungs)
    with within(), pytest.raises(co.CorollaryError, match="has more than 50,000 choices"):
        list(ways_of(ladder))


@pytest.mark.parametrize("config", [None, 5, b"<View/>"])
def test_a_config_is_a_text(config):
    with pytest.raises(co.CorollaryError, match="must be text"):
        ontology_of(config)


def test_the_config_of_a_campaign(campaign, tmp_path):
    path = tmp_path / "config.xml"
    export(campaign, path)
    assert set(ontology_of(path.read_text()).labels) == set(ONTO.labels)
