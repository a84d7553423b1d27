"""Files of items and labels as a whole: what is taken, what is refused, and that items stay alike."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from corollary.campaign.campaign import Campaign
from corollary.campaign.files.imports.file_form import Form
from corollary.campaign.files.imports.imports import check_for, check_import, read_items
from corollary.campaign.items import Item, Picture
from corollary.campaign.storage.records import Annotator
from corollary.campaign.storage.store import Store
from corollary.logic.errors import CorollaryError

from .refusals import ONTO, PNG, refused

LEAD = Annotator(name="lead", role="lead")


# -- what is read ------------------------------------------------------------------------------------------------------


def test_json_lines(write):
    lines = [
        {"id": 1, "text": "robin", "labels": ["bird"], "size": 3, "tags": ["x", {"y": 1}]},
        {"id": "b", "labels": {"fish": True, "bird": None}},
        {"id": "c", "text": None, "labels": "city"},
    ]
    path = write("x.jsonl", "\n".join(map(json.dumps, lines)) + "\n\n")
    found = check_import(path, ONTO)
    assert list(found.items()) == [
        Item("1", "robin", {"size": 3, "tags": '["x", {"y": 1}]'}),
        Item("b"),
        Item("c"),
    ]
    assert found.facts == [("1", "bird", True), ("b", "fish", True), ("c", "city", True)]


# -- labels ------------------------------------------------------------------------------------------------------------


def test_labels_only_of_items_that_are_there(write, campaign):
    path = write("x.csv", "id,text,bird\na,other,yes\n")
    with pytest.raises(
        CorollaryError, match="item 'a' is in the campaign already.* pass only_labels=True"
    ):
        read_items(path, campaign)
    assert read_items(path, campaign, form=Form(only_labels=True)) == ([], [("a", "bird", True)])
    with pytest.raises(CorollaryError, match="has no labels"):
        read_items(write("x.csv", "id,text\na,other\n"), campaign, form=Form(only_labels=True))


# -- what is broken ----------------------------------------------------------------------------------------------------


def test_sizes_endings_and_places(write, tmp_path):
    path = write("x.csv", "id,text\na,ok\n")
    text = refused(path, Form(limit=10))
    assert "has 13 bytes, and at most 10 bytes are taken" in text
    assert "pass limit=13" in text
    assert "the ending '.xlsx' is not known" in refused(write("x.xlsx", "no"))
    assert "there is no file or folder" in refused(tmp_path / "none.csv")
    write("empty/readme.md", "no")
    assert "holds no picture" in refused(tmp_path / "empty")


def test_nothing_is_imported_from_a_file_with_a_mistake(write, campaign):
    before = campaign.state.seq, campaign.state.ids
    with pytest.raises(CorollaryError, match="Nothing was imported"):
        campaign.add("lead", *read_items(write("x.csv", "id,labels\nc,bird\nd,brid\n"), campaign))
    assert (campaign.state.seq, campaign.state.ids) == before


# -- items that are not like those that are there ----------------------------------------------------------------------


def vectors(n, width=3, start=0):
    lines = (
        f"{k},{WORDS[k % 2]},{' '.join(str((k % 2) * w) for w in range(width))}"
        for k in range(start, start + n)
    )
    return "id,text,vector\n" + "\n".join(lines) + "\n"


WORDS = ("a robin", "a carp")


@pytest.fixture
def embedded(write, tmp_path):
    with Campaign.create(tmp_path / "embedded.sqlite", (), ONTO, name="zoo") as made:
        made.add("lead", *read_items(write("first.csv", vectors(10)), made))
        yield made


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        (
            "x.csv",
            "id,text\nx,a pike\n",
            "line 2: it has no vector, but earlier items have one of 3 numbers",
        ),
        (
            "x.csv",
            vectors(2, width=4, start=20),
            "line 2: its vector has 4 numbers, those of earlier items have 3",
        ),
        ("x.json", '[{"id": 77, "data": {"text": "x"}}]', "it has no vector"),
        ("p/a.png", PNG, "a.png: it has no vector"),
    ],
)
def test_a_second_file_without_fitting_vectors_is_refused_as_a_whole(
    write, embedded, name, content, told
):
    path = write(name, content)
    before = embedded.state.seq, embedded.state.ids
    with pytest.raises(CorollaryError, match=told):
        embedded.add("lead", *read_items(path.parent if name.startswith("p/") else path, embedded))
    with pytest.raises(CorollaryError, match="item 'x': it has no vector"):
        embedded.add("lead", [Item("x", "a pike")])
    assert (embedded.state.seq, embedded.state.ids) == before
    embedded.add("lead", *read_items(write("y.csv", vectors(2, start=20)), embedded))
    assert len(embedded.state.ids) == 12


def test_vectors_for_some_items_only_are_refused_with_the_way_out(write, campaign):
    with pytest.raises(CorollaryError, match=r"line 2: it has a vector.*pass ignore="):
        read_items(write("x.csv", "id,vector\nx,1 2\n"), campaign)
    items, _ = read_items(
        write("x.csv", "id,vector,text\nx,1 2,pike\n"), campaign, form=Form(ignore=("vector",))
    )
    assert [(item.id, item.text) for item in items] == [("x", "pike")]
    with pytest.raises(CorollaryError, match="item 'b': it has no vector"):
        Campaign.create(
            "never.sqlite", [Item("a", fields={"vector": [1]}), Item("b")], ONTO, name="zoo"
        )
    assert not Path("never.sqlite").exists()


def test_text_fields_and_pictures_may_be_missing_and_training_goes_on(write, campaign, tmp_path):
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
    whole = io.BytesIO()
    image.effect_noise((64, 64), 50).convert("RGB").save(whole, "PNG")
    for name, data in (("p/good.png", whole.getvalue()), ("p/cut.png", whole.getvalue()[:2000])):
        write(name, data)
    found = check_for(tmp_path / "p", campaign)
    assert found.notes == ["the picture of item 'cut.png' cannot be read and counts as missing"]
    campaign.add("lead", found.items())
    campaign.add("lead", [Item("bare"), Item("odd", fields={"size": {"cm": [3]}})])
    campaign.answer("lead", "a", "bird", True)
    campaign.answer("lead", "b", "fish", True)
    status = campaign.retrain(wait=True)
    assert status["error"] is None
    assert campaign.progress()["model"] == 1
    notes = campaign.progress()["training"]["notes"]
    assert "the picture of item 'cut.png' cannot be read and counts as missing" in notes


@pytest.mark.parametrize(
    "late",
    [
        Item("late", "a pike"),
        Item("late", "a pike", {"vector": [1.0]}),
        Item("late", "a pike", {"vector": "no"}),
        Item("late", "a pike", {"odd": {"x": [1]}}, Picture("p.png", "image/png", PNG)),
    ],
)
def test_items_stored_before_they_were_checked_do_not_end_training(tmp_path, late):
    place = tmp_path / "old.sqlite"
    items = [Item(str(k), WORDS[k % 2], {"vector": [float(k % 2), 1.0]}) for k in range(8)]
    Store.create(
        place, name="old", ontology_text=str(ONTO), items=[*items, late], annotators=[LEAD]
    ).close()
    with Campaign.open(place) as campaign:
        for k in range(8):
            campaign.answer("lead", str(k), ("bird", "fish")[k % 2], True)
        assert campaign.retrain(wait=True)["error"] is None
        progress = campaign.progress()
        assert progress["model"] == 1
        assert any(
            "1 of 9 items have no vector of 2 numbers" in note
            for note in progress["training"]["notes"]
        )
        campaign.add("lead", [Item("more", "a carp", {"vector": [1.0, 1.0]})])
