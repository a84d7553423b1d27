"""The graph of an ontology: labels, lines and brackets."""

from __future__ import annotations

import corollary as co

from .drawn import ONTO, legend, lines, signs, texts


def test_labels_lines_and_brackets() -> None:
    ax = co.plot.ontology(ONTO)
    assert set(texts(ax).values()) == set(ONTO.labels)
    # penguin implies animal, but by way of bird
    assert lines(ax) == {"bird implies animal", "fish implies animal", "penguin implies bird"}
    assert not signs(ax)
    assert legend(ax) == ["implies, right to left", "at most one"]
    assert [line.get_gid() for line in ax.get_lines() if line.get_gid()] == ["group 0"]


def test_a_group_in_several_columns_has_a_letter() -> None:
    onto = co.Ontology(["a", "b", "c"], [co.implies("b", "a"), co.exactly_one("b", "c")])
    ax = co.plot.ontology(onto)
    assert [text.get_text() for text in ax.texts if not text.get_gid()] == ["A", "A"]
    assert legend(ax)[-2:] == ["exactly one", "same letter: one group"]
