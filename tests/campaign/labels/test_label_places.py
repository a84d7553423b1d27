"""Where a label stands in the ontology, with what is known of an item."""

from __future__ import annotations

import corollary as co
from corollary.campaign.labels.label_places import Place, Places

TEXT = "animal > bird, fish\nbird > robin, penguin\npet > penguin\nlabels: animal, bird, fish, robin, penguin, pet, red"


def test_the_way_down_children_and_siblings():
    places = Places(co.Ontology.parse(TEXT))
    assert places.path("robin") == ["animal", "bird"]
    assert places.of("bird", {"animal": True, "robin": False}) == Place(
        path=(("animal", True),),
        children=(("robin", False), ("penguin", None)),
        siblings=(("fish", None),),
    )
    assert places.of("red", {"red": True}) == Place((), (), ())


def test_of_several_parents_the_one_written_first():
    places = Places(co.Ontology.parse(TEXT))
    assert places.path("penguin") == ["animal", "bird"]
    assert places.of("penguin", {}).siblings == (("robin", None),)


def test_a_cycle_ends():
    places = Places(co.Ontology.parse("a > b\nb > c\nc > a"))
    assert places.path("a") == ["a", "b", "c"]
    assert [label for label, _ in places.of("a", {}).path] == ["b", "c"]
