"""What people type for a label."""

from __future__ import annotations

import pytest

import corollary as co
from corollary.logic.language.about import About

ONTO = co.Ontology(
    ["CL:1", "CL:2", "glia", "frozen_account"],
    about={
        "CL:1": About(id="CL:1", names=("neuron",), synonyms=("nerve cell", "brain cell")),
        "CL:2": About(id="CL:2", names=("astrocyte",), synonyms=("brain cell",)),
        "glia": About(id="http://example.org/cells#G3", alt_ids=("CL:9",)),
    },
)


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("CL:1", "CL:1"),
        ("CL_1", "CL:1"),
        ("http://purl.obolibrary.org/obo/CL_1", "CL:1"),
        ("neuron", "CL:1"),
        ("Nerve  Cell", "CL:1"),
        ("G3", "glia"),
        ("CL:9", "glia"),
        ("Glia", "glia"),
        ("neuron (CL:1)", "CL:1"),
        ("frozen account", "frozen_account"),
    ],
)
def test_labels_ids_names_and_synonyms_are_found(text, label):
    assert ONTO.find(text) == label


def test_what_is_ambiguous_or_unknown_is_said():
    with pytest.raises(co.OntologyError, match="can mean 2 labels: 'CL:1', 'CL:2'"):
        ONTO.find("brain cell")
    with pytest.raises(co.OntologyError, match="unknown label 'neurom'.*did you mean 'neuron'"):
        ONTO.find("neurom")
    with pytest.raises(co.OntologyError, match="unknown label 7"):
        ONTO.find(7)


def test_facts_explanations_and_costs_take_names():
    onto = co.Ontology(
        ["CL:0", "CL:1"],
        [co.implies("CL:1", "CL:0")],
        about={"CL:0": About(id="CL:0", names=("cell",)), "CL:1": About(names=("neuron",))},
    )
    assert onto.propagate({"neuron": True}) == {"CL:0": True, "CL:1": True}
    assert onto.explain({"neuron": True}, "cell").answers == {"CL:1": True}
    session = co.Session(onto, [[0.0], [1.0]], asking=co.Asking(costs={"Neuron": 2.5}))
    assert session.ask() is not None
    with pytest.raises(co.CorollaryError, match="'neuron' means 'CL:1', which has another value"):
        onto.propagate({"CL:1": False, "neuron": True})
    with pytest.raises(co.CorollaryError, match="costs: unknown label 'ann'"):
        co.Session(onto, [[0.0], [1.0]], asking=co.Asking(costs={"ann": 2.5}))
