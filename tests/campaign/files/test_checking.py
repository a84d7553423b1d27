"""Labels of other people against an ontology: every violation has its reason, and nothing legal has one."""

from __future__ import annotations

from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

import corollary as co
from corollary.campaign.files.checking import CLASH, IMPLIED, MISSING, UNKNOWN, Check
from corollary.campaign.files.tools.formats import Record
from corollary.logic.language.about import About, Retired

ONTO = co.Ontology.parse(
    """animal > exclusive: bird, fish, mammal
bird > sparrow
fish > salmon
exactly one: animal, plant
"""
)


def worlds(onto):
    """All legal labellings, by brute force."""
    found = []
    for values in product((False, True), repeat=len(onto)):
        world = dict(zip(onto.labels, values, strict=True))
        try:
            onto.propagate(world)
        except co.Contradiction:
            continue
        found.append(world)
    return found


WORLDS = worlds(ONTO)


def check(*records, complete=False):
    return list(Check(ONTO, complete=complete).violations(records))


def listed(*labels, item="i", who=None):
    return Record("task 1", item, dict.fromkeys(labels, True), who=who)


@settings(max_examples=200, deadline=None)
@given(st.sets(st.sampled_from(ONTO.labels)), st.booleans())
def test_a_list_is_fine_exactly_where_it_is_a_legal_labelling(chosen, complete):
    found = check(listed(*chosen), complete=complete)
    kinds = {one.kind for one in found}
    agree = [world for world in WORLDS if all(world[label] for label in chosen)]
    assert (CLASH in kinds) == (not agree)
    if agree:
        implied = {label for label in ONTO.labels if all(world[label] for world in agree)} - chosen
        assert {one.labels[0] for one in found if one.kind == IMPLIED} == implied
        all_of_it = {label: label in chosen | implied for label in ONTO.labels}
        assert (MISSING in kinds) == ((complete or not chosen) and all_of_it not in WORLDS)


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(st.sampled_from(ONTO.labels), st.booleans()))
def test_answers_clash_exactly_where_no_labelling_agrees(said):
    records = [
        Record(f"line {n}", "i", {label: value}, listed=False)
        for n, (label, value) in enumerate(said.items())
    ]
    found = check(*records)
    agree = any(all(world[label] == value for label, value in said.items()) for world in WORLDS)
    assert bool(found) == (not agree)
    for one in found:
        assert one.kind == CLASH
        clashing = {label: said[label] for label in one.labels}
        assert not any(
            all(world[label] == value for label, value in clashing.items()) for world in WORLDS
        )
        assert one.constraints


def test_reasons_are_in_words():
    found = {
        one.kind: one
        for one in check(listed("sparrow", "salmon"), listed("brid"), listed(), listed("bird"))
    }
    assert "sparrow and salmon cannot be chosen together" in found[CLASH].message
    assert "sparrow implies bird" in found[CLASH].message
    assert "did you mean 'bird'" in found[UNKNOWN].message
    assert found[MISSING].message.startswith(
        "animal or plant must be chosen: exactly one of animal, plant"
    )
    assert found[IMPLIED].message.startswith("animal follows from bird: bird implies animal")


def test_people_are_checked_one_by_one():
    fine = [listed("animal", "bird", who="a"), listed("animal", "fish", who="b")]
    assert check(*fine) == []
    asked = [Record("line 1", "i", {"bird": True}, who=who, listed=False) for who in "ab"]
    no = Record("line 3", "i", {"animal": False}, who="b", listed=False)
    assert [(one.who, one.kind) for one in check(*asked, no)] == [("b", CLASH)]
    twice = Record("line 4", "i", {"bird": False}, who="a", listed=False)
    assert "both yes and no, see line 1" in check(*asked, twice)[0].message


def test_several_violations_of_an_item_are_all_told():
    found = check(listed("bird", "fish", "mammal", "plant", "rock"))
    assert [one.kind for one in found].count(
        CLASH
    ) == 3  # what is left after each is put aside: bird alone
    assert UNKNOWN in {one.kind for one in found}


def test_long_files_are_read_bit_by_bit():
    def many():
        for n in range(30_000):
            yield listed("animal", "bird" if n % 1000 else "plant", item=str(n))

    one = Check(ONTO)
    assert [int(found.item) for found in one.violations(many())] == list(range(0, 30_000, 1000))
    assert (one.items, one.labels) == (30_000, 60_000)


def test_the_narrowest_labels_suffice_if_asked():
    def found(*labels, complete=False):
        records = [listed(*labels)]
        return [
            one.kind for one in Check(ONTO, narrowest=True, complete=complete).violations(records)
        ]

    assert found("sparrow") == found("sparrow", complete=True) == []
    assert found("sparrow", "fish") == [CLASH]
    assert found(complete=True) == [MISSING]


def test_names_and_ids_are_taken_for_labels():
    about = {
        "bird": About(id="X:2", synonyms=("fowl", "animal")),
        "fish": About(id="X:3", synonyms=("animal",)),
    }
    check = Check(co.Ontology(["bird", "fish"], [co.exclusive("bird", "fish")], about=about))
    found = [one.message for one in check.violations([listed("Fowl"), listed("X:2", "X:3")])]
    assert found == ["bird and fish cannot be chosen together: at most one of bird, fish"]
    found = [one.message for one in check.violations([listed("animal")])]
    assert found == ["'animal' can mean 2 labels: 'bird', 'fish'; type the label"]
    asked = Record("line 1", "a", {"fowl": True, "X:2": False}, listed=False)
    assert [one.message for one in check.violations([asked])] == [
        "fowl and X:2 are the same label, once yes and once no"
    ]


def test_alternative_ids_and_obsolete_terms_are_named_as_such():
    about = {"bird": About(id="X:2", alt_ids=("X:7",))}
    retired = [
        Retired("X:3", "old bird", replaced_by=("X:2",)),
        Retired("X:4", "old thing", consider=("X:7", "X:9")),
        Retired("X:5", "nothing"),
    ]
    onto = co.Ontology(["bird"], about=about, retired=retired)
    names = (
        "X:2",
        "http://purl.obolibrary.org/obo/X_7",
        "old bird",
        "X:4",
        "nothing",
        "brid",
    )
    found = [one.message for one in Check(onto).violations([listed(*names)])]
    assert found == [
        "'http://purl.obolibrary.org/obo/X_7' is an alternative id of 'bird'; write 'bird'",
        "'old bird' is obsolete, replaced by 'bird'",
        "'X:4' is obsolete; consider 'bird' or 'X:9'",
        "'nothing' is obsolete, and the ontology names no term in its place",
        "'brid' is no label of the ontology; did you mean 'bird'?",
    ]
