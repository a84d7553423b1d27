"""What is said of a label, as one text."""

from __future__ import annotations

from corollary.logic.language.about import About


def test_names_come_first_each_once():
    said = About(("bird", "fowl"), ("fowl", "birdie"), ("It flies.", "It sings."))
    assert said.text == "bird; fowl; birdie: It flies.: It sings."


def test_nothing_said_is_nothing():
    assert (About().text, bool(About()), bool(About(synonyms=("fowl",)))) == ("", False, True)
