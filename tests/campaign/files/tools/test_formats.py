"""Every tool's format: what goes there comes back, what is not said stays open, what is wrong is told with its line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import corollary as co
from corollary.campaign.files.imports.file_form import Form
from corollary.campaign.files.imports.imports import check_import
from corollary.campaign.files.tools.formats import FORMATS
from corollary.campaign.items import Item

from .snapshots import ONTO, closed, snapshot_of, some_answers, there_and_back, write_lines

TOOLS = ("prodigy", "doccano", "argilla", "spacy", "huggingface")


together = settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.mark.parametrize("format", TOOLS)
@pytest.mark.parametrize("predictions", [True, False])
@together
@given(answers=some_answers(), seed=st.integers(0, 9))
def test_what_is_known_comes_back_and_nothing_else(
    answers: dict[str, dict[str, bool]], seed: int, format: str, predictions: bool, tmp_path: Path
) -> None:
    beliefs = np.random.default_rng(seed).random((len(answers), len(ONTO)))
    beliefs[:, ::2] = beliefs[:, ::2].round()  # some models claim to know
    snapshot = snapshot_of(answers, beliefs=beliefs)
    found = there_and_back(snapshot, format, tmp_path / "file", predictions=predictions)
    wanted = {item: ONTO.propagate(said) for item, said in answers.items()}
    got = closed(found)
    known_by_lines = format == "prodigy"  # an item of which nothing is known has no example
    base = ONTO.propagate({})
    assert got == {
        item: facts for item, facts in wanted.items() if facts != base or not known_by_lines
    }


@pytest.mark.parametrize("format", ["prodigy", "doccano", "argilla", "spacy"])
@given(
    text=st.text(min_size=1, max_size=30),
    size=st.floats(allow_nan=False, allow_infinity=False),
    word=st.text(),
)
@together
def test_texts_and_fields_come_back(
    format: str, text: str, size: float, word: str, tmp_path: Path
) -> None:
    try:
        item = Item("a", text=text, fields={"size": size, "word": word})
    except co.CorollaryError:  # NUL, half a character
        return
    if not text.strip():
        return
    found = there_and_back(
        snapshot_of({"a": {"bird": True}}, items=[item]), format, tmp_path / "file"
    )
    assert list(found.items()) == [item]


# -- what is wrong is told, with its line ------------------------------------------------------------------------------


GOOD: dict[str, dict[str, Any]] = {
    "prodigy": {"text": "a", "label": "bird", "answer": "accept"},
    "doccano": {"id": 1, "text": "a", "label": ["bird"]},
    "argilla": {"id": "1", "fields": {"text": "a"}, "responses": {}},
    "spacy": {"text": "a", "cats": {"bird": 1}},
}


@pytest.mark.parametrize(
    ("format", "bad", "told"),
    [
        ("prodigy", {"answer": "yes"}, "'answer' must be one of accept, reject, ignore, got 'yes'"),
        (
            "prodigy",
            {"_task_hash": 2**31},
            "'_task_hash' must be a whole number of 32 bits with a sign",
        ),
        ("prodigy", {"_input_hash": "1"}, "'_input_hash' must be a whole number"),
        (
            "prodigy",
            {"options": [{"id": "bird"}], "accept": ["fish"]},
            "'accept' names 'fish', which is none of",
        ),
        ("prodigy", {"options": ["bird"]}, "'options' must be a list of objects with an id"),
        ("prodigy", {"text": "", "id": None}, "neither an id nor a text"),
        ("prodigy", {"label": "brid"}, "unknown label 'brid'; did you mean 'bird'?"),
        ("prodigy", {"meta": 3}, "'meta' must be an object in braces"),
        ("doccano", {"label": [[0, 3, "bird"]]}, "about parts of the text"),
        ("doccano", {"label": "brid"}, "unknown label 'brid'"),
        ("doccano", {"text": 3}, "'text' must be text, got '3'"),
        ("doccano", {"id": 1.5}, "an id must be a text or a whole number"),
        ("argilla", {"responses": [1]}, "'responses' must be an object of lists by question"),
        (
            "argilla",
            {"responses": {"labels": [1]}},
            "the responses to 'labels' must be a list of objects",
        ),
        ("argilla", {"responses": {"labels": [{"value": 3}]}}, "must be a list of labels"),
        (
            "argilla",
            {"responses": {"a": [{"value": "x"}], "b": [{"value": "y"}]}},
            "several questions",
        ),
        ("spacy", {"cats": {"bird": 2}}, "cats: 'bird' must be a number from 0 to 1, got '2'"),
        ("spacy", {"cats": {"bird": "yes"}}, "got 'yes'"),
        ("spacy", {"cats": {"bird": 1, "fish": 1}}, "bird"),
    ],
)
def test_a_bad_line_is_told_and_nothing_is_imported(
    format: str, bad: dict[str, Any], told: str, tmp_path: Path
) -> None:
    good = GOOD[format]
    path = write_lines(tmp_path / "x.jsonl", [good, good | {"id": 2, "text": "b"} | bad])
    with pytest.raises(
        co.CorollaryError,
        match="(?s)line 2.*" + told.replace("?", r"\?") + ".*[Nn]othing was imported",
    ):
        check_import(path, ONTO, Form(format=format))


@pytest.mark.parametrize("format", GOOD)
def test_a_line_that_is_no_json_is_told(format: str, tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(json.dumps(GOOD[format]) + '\n{"text": \n')
    with pytest.raises(co.CorollaryError, match="line"):
        check_import(path, ONTO, Form(format=format))


def test_every_format_of_label_studio_has_its_module():
    assert {name for name in FORMATS if name.startswith("label-studio")} == {
        "label-studio", "label-studio-questions", "label-studio-min", "label-studio-config"
    }  # fmt: skip
