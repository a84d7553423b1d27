"""What labels are called and mean, from tables and ontology files."""

from __future__ import annotations

import pytest

from corollary import CorollaryError, Ontology
from corollary.campaign.files.imports.label_words import words_in
from corollary.campaign.labels.written_ontology import said_by
from corollary.logic.language.about import About

ONTO = Ontology(["bird", "GO:1"])


def test_further_names_are_synonyms():
    about = {
        "GO:1": About(("process", "doing"), ("act",), ("It goes on.", "It ends.")),
        "bird": About(synonyms=("fowl",)),
    }
    assert said_by(about) == {
        "GO:1": {"name": "process", "definition": "It goes on. It ends.", "synonyms": "doing; act"},
        "bird": {"synonyms": "fowl"},
    }


def test_a_table_says_what_it_likes(tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text(
        "label,name,question,other\nGO:1, process ,,x\nbird,,Is {item} a bird?,\n", encoding="utf-8"
    )
    assert words_in(path, ONTO) == {
        "GO:1": {"name": "process"},
        "bird": {"question": "Is {item} a bird?"},
    }


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "name\nx\n",
            "needs a column label, and one or more of name, definition, synonyms, question",
        ),
        (
            "label,name\nbrid,x\n",
            "line 2: unknown label 'brid'; did you mean 'bird'?",
        ),
    ],
)
def test_slips_are_told_with_their_place(tmp_path, text, told):
    path = tmp_path / "labels.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(CorollaryError) as caught:
        words_in(path, ONTO)
    assert told in str(caught.value)
