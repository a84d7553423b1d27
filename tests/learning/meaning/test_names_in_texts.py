"""Names found in texts: against a search of every name at every word, and what they say of other labels."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import corollary as co
from corollary.learning.meaning.names_in_texts import (
    NamesInTexts,
    key_of,
    said_by_names,
    singular,
    words_of,
)

CELLS = [["cell"], ["stem cell"], ["hematopoietic stem cell", "HSC"], ["body"], ["ALL"]]
WORDS = st.sampled_from(["stem", "cell", "cells", "line", "ALL", "all", "Bodies", "body"])
PHRASES = st.lists(WORDS, min_size=1, max_size=6).map(" ".join)


def named_naively(names, text):
    """Try every name at every word, then drop what is inside something longer."""
    written = words_of(text)
    words = [singular(word) for word in written]
    found = set()
    for label, called in enumerate(names):
        for name in called:
            key = key_of(name)
            for start in range(len(words) - len(key) + 1):
                end = start + len(key)
                if key and key in (tuple(words[start:end]), tuple(written[start:end])):
                    found.add((start, end, label))
    return sorted(
        {
            label
            for start, end, label in found
            if not any(a <= start and end <= b and b - a > end - start for a, b, _ in found)
        }
    )


@given(
    st.lists(st.lists(PHRASES, max_size=2), min_size=1, max_size=5), st.lists(PHRASES, max_size=4)
)
def test_they_are_those_that_a_search_of_everything_finds(names, texts):
    found = NamesInTexts(names)(texts)
    assert found.shape == (len(texts), len(names))
    for i, text in enumerate(texts):
        assert np.flatnonzero(found[[i]].toarray()[0]).tolist() == named_naively(names, text)


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("Hematopoietic stem-cells divide", [2]),
        ("a STEM CELL beside a cell", [0, 1]),
        ("HSC or hsc", [2]),
        ("all of the bodies", [3]),
        ("ALL, the body's own", [3, 4]),
        ("cellular; multicell; bodyguard", []),
        ("", []),
    ],
)
def test_whole_words_whatever_their_case_hyphens_and_plurals(text, labels):
    assert NamesInTexts(CELLS)([text]).indices.tolist() == labels


@pytest.mark.parametrize(
    ("one", "several"),
    [
        ("cell", "cells"),
        ("body", "bodies"),
        ("movie", "movies"),
        ("cause", "causes"),
        ("box", "boxes"),
        ("virus", "viruses"),
        ("match", "matches"),
        ("potato", "potatoes"),
        ("illness", "illnesses"),
        ("toe", "toes"),
    ],
)
def test_plurals(one, several):
    assert singular(one) == singular(several.upper())


def test_words_that_only_look_like_plurals_stay_apart():
    apart = ("plane", "plan", "care", "car", "bus", "basis", "base", "gas", "ga")
    assert len({singular(word) for word in apart}) == len(apart)


def test_names_without_letters_or_words_are_not_looked_for():
    assert NamesInTexts([["7", "__", ""], ["w2"]])(["7 __ W2s w2"]).indices.tolist() == [1]


ONTO = co.Ontology.parse("animal > exclusive: bird, fish\nbird > robin\nplace > city")


@pytest.mark.parametrize(
    ("named", "said"),
    [
        ([], {}),
        (["robin"], {"robin": 1, "bird": 1, "animal": 1, "fish": -1, "place": -1, "city": -1}),
        (
            ["bird", "fish"],
            {"robin": -1, "bird": 0.5, "animal": 1, "fish": 0.5, "place": -1, "city": -1},
        ),
    ],
)
def test_what_a_name_says_of_all_labels(named, said):
    found = said_by_names(ONTO, NamesInTexts([[label] for label in ONTO.labels])([" ".join(named)]))
    np.testing.assert_array_equal(found, [[said.get(label, 0) for label in ONTO.labels]])


def test_a_label_that_cannot_hold_says_only_itself():
    onto = co.Ontology.parse("a > b\nexclusive: a, b\nc > d")
    named = NamesInTexts([[label] for label in onto.labels])(["b", "c"])
    found = said_by_names(onto, named)
    assert found[0, onto.index["b"]] == found[1, onto.index["c"]] == 1
    assert found[1, onto.index["b"]] == -1
