"""What people type for a label."""

from __future__ import annotations

import pytest

import corollary as co
from corollary.logic.label_search import find_label
from corollary.logic.language.about import About

ONTO = co.Ontology(
    ["CL:1", "CL:2", "glia"],
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
    ],
)
def test_labels_ids_names_and_synonyms_are_found(text, label):
    assert find_label(ONTO, text) == label


def test_what_is_ambiguous_or_unknown_is_said():
    with pytest.raises(co.OntologyError, match="can mean 2 labels: 'CL:1', 'CL:2'"):
        find_label(ONTO, "brain cell")
    with pytest.raises(co.OntologyError, match="unknown label 'neurom'.*did you mean 'neuron'"):
        find_label(ONTO, "neurom")
    assert find_label(co.Ontology(["a"]), "x", {"a": About(names=("x",))}) == "a"
