"""Class expressions: broken, shared and wide ones."""

from __future__ import annotations

import pytest

from corollary.logic.errors import FormatError
from corollary.logic.formats import read, write
from corollary.logic.language.notation import parse

from ....fuzz.frame import within
from ..documents import worlds
from ..turtles import turtle


def test_a_formula_that_is_too_large_is_listed(tmp_path):
    made = parse("rule: " + " <-> ".join(f"x{k}" for k in range(60)))
    with pytest.raises(FormatError, match="too large as a class expression"):
        write(made, tmp_path / "x.ttl")
    assert len(write(made, tmp_path / "x.ttl", lossy=True)) == 1


@pytest.mark.parametrize("suffix", [".owl", ".ttl", ".nt"])
def test_a_formula_as_deep_as_it_may_be(tmp_path, suffix):
    made = parse("rule: " + "~" * 45 + "a")
    write(made, tmp_path / f"x{suffix}")
    assert worlds(read(tmp_path / f"x{suffix}")) == worlds(made)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "_:b owl:unionOf _:l . _:l rdf:first :B ; rdf:rest _:l . :A rdfs:subClassOf _:b .",
            "it never ends",
        ),
        ("_:b owl:unionOf _:l . _:l rdf:first :B . :A rdfs:subClassOf _:b .", "it just stops"),
        ("_:b owl:unionOf :B . :A rdfs:subClassOf _:b .", "it just stops"),
        ("_:b owl:complementOf _:b . :A rdfs:subClassOf _:b .", "contains itself"),
        (
            "".join(f"_:b{k} owl:unionOf ( _:b{k + 1} _:b{k + 1} ) . " for k in range(40))
            + ":A rdfs:subClassOf _:b0 .",
            "share parts",
        ),
    ],
)
def test_broken_expressions(text, message):
    with pytest.raises(FormatError, match=message):
        turtle(text)


@pytest.mark.parametrize("joined", ["owl:unionOf", "owl:oneOf"])
def test_what_shared_and_wide_expressions_say_is_told_at_once(joined):
    wide = "".join(f"_:b{k} {joined} ( {f'_:b{k + 1} ' * 40} ) . " for k in range(5))
    restriction = (
        ":A rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :p ; owl:someValuesFrom _:b0 ] ."
    )
    with within():
        (line,) = turtle(wide + restriction + " :A a owl:Class .").not_expressed
    assert len(line) < 2_000
    assert "more)" in line


def test_lists_that_share_their_ends_are_refused_before_they_are_written_out():
    cells = "".join(
        f"_:l{k} rdf:first :c{k} ; rdf:rest _:l{k + 1} . :A{k} owl:unionOf _:l{k} . "
        for k in range(2_000)
    )
    with within(), pytest.raises(FormatError, match="share parts"):
        turtle(cells.replace("_:l2000", "rdf:nil"))
