"""Releases beside the ontology in use: terms are the same by id, and every label is accounted for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import corollary as co
from corollary.logic.language.about import About, Retired
from corollary.logic.release import compare_releases

OBO = """format-version: 1.4

[Term]
id: C:1
name: cell

[Term]
id: C:2
name: nerve cell
is_a: C:1

[Term]
id: C:3
name: glia
is_a: C:1

[Term]
id: C:4
name: microglia
is_a: C:3

[Term]
id: C:5
name: stem cell
is_a: C:1

[Term]
id: C:6
name: odd cell
is_a: C:1
"""
NEXT = """format-version: 1.4

[Term]
id: C:1
name: cell

[Term]
id: C:2
name: neuron
synonym: "nerve cell" EXACT []
is_a: C:1

[Term]
id: C:3
name: glia
alt_id: C:4
is_a: C:2

[Term]
id: C:9
name: germ cell
is_a: C:1

[Term]
id: C:10
name: progenitor
is_a: C:1

[Term]
id: C:5
name: obsolete stem cell
is_obsolete: true
replaced_by: C:10

[Term]
id: C:6
name: obsolete odd cell
is_obsolete: true
consider: C:9
consider: C:2
"""


def load(tmp_path, text, **options):
    path = tmp_path / "release.obo"
    path.write_text(text)
    return co.Ontology.load(path, **options)


@pytest.fixture(params=[None, "name", "id"])
def names(request):
    return request.param


@pytest.mark.parametrize("later", ["name", "id"])
@pytest.mark.parametrize("with_ids", [True, False])
def test_terms_are_matched_by_id_whatever_they_are_called(tmp_path, names, later, with_ids):
    old = load(tmp_path, OBO, names=names)
    found = compare_releases(old, load(tmp_path, NEXT, names=later), about=None if with_ids else {})
    codes = names == "id"
    cell, nerve, glia, microglia, stem, odd = old.labels
    assert cell in found.onto.labels
    assert glia in found.onto.labels
    if codes:
        assert found.onto.labels == ("C:1", "C:2", "C:3", "C:9", "C:10")
        assert found.same == {stem: "C:10"}
    elif with_ids:
        assert found.onto.labels == ("cell", "neuron", "glia", "germ cell", "progenitor")
        assert found.same == {nerve: "neuron", stem: "progenitor"}
    if codes or with_ids:
        assert found.wider == {microglia: glia}
        assert found.gone.keys() == {odd}
        assert set(found.questions[odd]) == {found.onto.labels[3], found.onto.labels[1]}
        assert found.added == (found.onto.labels[3],) or found.added == found.onto.labels[3:]
        assert found.moved[glia] == ((cell,), (found.onto.labels[1],))
    else:  # without ids a former name is a synonym at best: a person has to say so
        assert found.questions[nerve] == ("neuron",)
        assert found.gone[microglia] == "not in the release"


def test_what_takes_the_place_of_one_term_alone_is_the_same_term(tmp_path):
    found = compare_releases(load(tmp_path, OBO), load(tmp_path, NEXT))
    assert found.same["stem cell"] == "progenitor"
    assert found.reasons["stem cell"] == "replaced by progenitor"


def test_the_lead_can_say_what_means_the_same(tmp_path):
    old, new = load(tmp_path, OBO), load(tmp_path, NEXT)
    found = compare_releases(old, new, follow={"odd cell": "germ cell", "microglia": "glia"})
    assert found.same["odd cell"] == "germ cell"
    assert found.same["microglia"] == "glia"
    assert not {**found.questions, **found.gone, **found.wider}
    with pytest.raises(co.OntologyError, match="follow: unknown label 'odd'"):
        compare_releases(old, new, follow={"odd": "glia"})
    with pytest.raises(co.OntologyError, match="follow: unknown label 'gila'.*did you mean 'glia'"):
        compare_releases(old, new, follow={"odd cell": "gila"})


def test_a_name_that_passes_to_another_term_is_not_taken_for_the_same():
    old = co.Ontology(list("xy"), about={"x": About(id="1"), "y": About(id="2")})
    new = co.Ontology(list("x"), about={"x": About(id="2")})
    found = compare_releases(old, new)
    assert found.same == {"y": "x", "x": None}
    assert found.gone == {"x": "not in the release"}
    swapped = co.Ontology(list("xy"), about={"x": About(id="2"), "y": About(id="1")})
    assert compare_releases(old, swapped).same == {"x": "y", "y": "x"}


def test_chains_of_retired_terms_are_followed_and_circles_end():
    old = co.Ontology(list("abc"))
    chain = [Retired("b", replaced_by=("c",)), Retired("c", replaced_by=("a",))]
    found = compare_releases(old, co.Ontology(list("a"), retired=chain))
    assert found.wider == {"b": "a", "c": "a"}
    circle = [Retired("b", replaced_by=("c",)), Retired("c", replaced_by=("b",))]
    found = compare_releases(old, co.Ontology(list("a"), retired=circle))
    assert found.gone.keys() == {"b", "c"}
    split = [Retired("b", replaced_by=("a", "c"))]
    assert compare_releases(old, co.Ontology(list("ac"), retired=split)).questions == {
        "b": ("a", "c")
    }


def test_soft_constraints_and_names_come_along_when_labels_stay_codes(tmp_path):
    old = load(tmp_path, OBO, names="id")
    new = co.Ontology.parse("cell > neuron\nrule (weight 2): cell >> neuron")
    new = co.Ontology(
        new.labels, new.constraints, about={"cell": About(id="C:1"), "neuron": About(id="C:2")}
    )
    found = compare_releases(old, new)
    assert found.onto == co.Ontology.parse('"C:1" > "C:2"\nrule (weight 2): "C:1" >> "C:2"')
    assert found.onto.about["C:2"].names == ("neuron",)
    assert found.names["C:2"] == ("nerve cell", "neuron")


def test_nothing_changes_where_the_release_is_the_same(tmp_path):
    onto = load(tmp_path, OBO)
    found = compare_releases(onto, onto)
    assert found.onto is onto
    assert not {**found.same, **found.wider, **found.gone, **found.moved}
    assert not found.added


TERMS = "abcdef"


@st.composite
def releases(draw):
    """An ontology of terms with ids, and a release that renames, merges, retires, drops and adds."""
    old = co.Ontology(list(TERMS), about={t: About(id=f"X:{t}") for t in TERMS})
    labels, about, retired = [], {}, []
    merged: dict[str, list[str]] = {}
    kept = [t for t in TERMS if draw(st.integers(0, 3)) == 0] or ["a"]
    fates = {}
    for t in TERMS:
        if t in kept:
            fates[t] = draw(st.sampled_from(["keeps", "renamed"]))
        else:
            fates[t] = draw(st.sampled_from(["merged", "replaced", "considered", "dropped"]))
    for t, fate in fates.items():
        other = draw(st.sampled_from(kept))
        if fate == "merged":
            merged.setdefault(other, []).append(f"X:{t}")
        elif fate == "replaced":
            retired.append(Retired(f"X:{t}", t, replaced_by=(f"X:{other}",)))
        elif fate == "considered":
            retired.append(Retired(f"X:{t}", t, consider=(f"X:{other}",)))
    for t in kept:
        label = t if fates[t] == "keeps" else f"new {t}"
        labels.append(label)
        about[label] = About(id=f"X:{t}", alt_ids=tuple(merged.get(t, ())))
    return old, co.Ontology([*labels, "fresh"], about=about, retired=retired), fates


@given(releases())
def test_every_label_is_accounted_for(drawn):
    old, new, fates = drawn
    found = compare_releases(old, new)
    for t, fate in fates.items():
        if fate == "keeps":
            assert t not in found.same
            assert t in found.onto
        elif fate == "renamed":
            assert found.same[t] == f"new {t}"
        elif fate in ("merged", "replaced"):
            assert found.wider[t] in found.onto
        else:
            assert found.gone[t]
            assert (t in found.questions) == (fate == "considered")
    assert found.added == ("fresh",)
