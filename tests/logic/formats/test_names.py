"""Names of labels: chosen, and told where they do not serve."""

from __future__ import annotations

import pytest

from corollary.logic.errors import FormatError

from .turtles import turtle

NAMED = (
    ':A a owl:Class ; rdfs:label "Ah"@en , "Aah"@de . :B a owl:Class ; rdfs:label " Be\\n  e " .'
)


def test_names():
    assert turtle(NAMED).labels == ("Ah", "Be e")
    assert turtle(NAMED, language="de").labels == ("Aah", "Be e")
    assert turtle(NAMED, names="fragment").labels == ("A", "B")
    assert turtle(NAMED, names="iri").labels == (
        "http://zoo.org/animals#A",
        "http://zoo.org/animals#B",
    )
    assert turtle("<http://zoo.org/a%20b> a owl:Class .").labels == ("a b",)


def test_a_class_without_a_name_of_its_own_leaves_the_others_theirs():
    assert turtle(NAMED + ":C a owl:Class .").labels == ("Ah", "Be e", "C")
    assert turtle(NAMED + ":C a owl:Class .", language="de").labels == ("Aah", "Be e", "C")
    assert turtle(NAMED + ':C a owl:Class ; rdfs:label "Ah" .').labels == ("A", "Be e", "C")
    assert turtle(NAMED + ":Ah a owl:Class .").labels == ("A", "Be e", "http://zoo.org/animals#Ah")
    assert turtle(NAMED + ":C a owl:Class .", names="label").labels == ("Ah", "Be e", "C")
    two = ":A a owl:Class . <http://zoo.org/plants/A> a owl:Class ."
    assert turtle(two).labels == ("http://zoo.org/animals#A", "http://zoo.org/plants/A")
    assert turtle(two, names="fragment").labels == turtle(two).labels


@pytest.mark.parametrize(
    ("text", "names", "message"),
    [
        (NAMED, "colour", "names must be one of label, fragment, iri; got 'colour'"),
    ],
)
def test_names_that_do_not_serve(text, names, message):
    with pytest.raises(FormatError, match=message):
        turtle(text, names=names)
