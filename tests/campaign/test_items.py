"""Items, and the matrix that learners see of them."""

from __future__ import annotations

import sys
from io import BytesIO

import numpy as np
import pytest
from scipy import sparse

from corollary import CorollaryError
from corollary.campaign.items import (
    SIDE,
    Item,
    Picture,
    as_items,
    can_be_decoded,
    features_of,
    have_text,
    texts_and_fields,
    vectors_of,
)
from corollary.learning.features.columns import FeaturesWarning
from corollary.learning.features.tables_and_text import default_features


def picture(colour, *, size=(64, 48)):
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
    data = BytesIO()
    image.new("RGB", size, colour).save(data, "PNG")
    return Picture("p.png", "image/png", data.getvalue())


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ({"id": ""}, "must be a text that is not empty"),
        ({"id": "  "}, "must be a text that is not empty"),
        ({"id": 7}, "must be a text"),
        ({"id": "x" * 501}, "longer than 500"),
        ({"id": "a\0b"}, "NUL"),
        ({"id": "a", "text": "\ud800"}, "half a character"),
        ({"id": "a", "text": 3}, "must be text"),
        ({"id": "a", "fields": {1: 2}}, "must be a dict by name"),
        ({"id": "a", "fields": {"x": float("nan")}}, "the fields of item 'a'.*JSON"),
        ({"id": "a", "fields": {"x": {1, 2}}}, "the fields of item 'a'.*JSON"),
        ({"id": "a", "fields": None}, "must be a dict by name"),
        ({"id": "a", "image": b"GIF89a"}, "must be a Picture"),
    ],
)
def test_what_is_no_item(content, words):
    with pytest.raises(CorollaryError, match=words):
        Item(**content)


def test_pictures_that_could_carry_scripts_are_refused():
    with pytest.raises(CorollaryError, match="it must be image/png"):
        Picture("x.svg", "image/svg+xml", b"<svg/>")


def test_text_alone_is_what_default_features_makes_of_it():
    texts = ["a red bird", "a blue fish", "a red fish"]
    X = features_of([Item(str(i), text=text) for i, text in enumerate(texts)])
    assert abs(X - default_features(texts)[0]).max() == 0


def test_text_fields_and_vectors_stand_side_by_side():
    items = [
        Item("a", text="a red bird", fields={"size": 1.0, "vector": [1, 2.5]}),
        Item("b", text="a blue fish", fields={"size": 3.0, "vector": [3, 4]}),
        Item("c", fields={"vector": [5, 6]}),
    ]
    X = features_of(items)
    words = default_features(["a red bird", "a blue fish", ""])[0]
    sizes = default_features([{"size": 1.0}, {"size": 3.0}, {}])[0]
    assert sparse.issparse(X)
    assert np.array_equal(
        X.toarray(), np.hstack([words.toarray(), sizes, [[1, 2.5], [3, 4], [5, 6]]])
    )


def test_fields_alone_stay_dense():
    items = [Item(str(i), fields={"size": float(i)}) for i in range(4)]
    assert np.array_equal(features_of(items), default_features([item.fields for item in items])[0])


def test_fields_of_any_kind_can_be_learnt_from():
    fields = [
        {"x": {"a": [1]}, "y": 10**400, "z": None},
        {"x": [2], "y": 3, "z": None},
        {"x": "text"},
    ]
    with pytest.warns(FeaturesWarning):
        X = features_of([Item(str(i), "a bird", one) for i, one in enumerate(fields)])
    assert X.shape[0] == 3
    assert np.isfinite(X.toarray()).all()


def test_fields_without_a_value_are_no_fields():
    items = [Item("a", "a bird", {"x": None}), Item("b", "a fish", {"x": None})]
    assert abs(features_of(items) - default_features(["a bird", "a fish"])[0]).max() == 0


def test_pictures_are_pixels_where_there_is_no_vector():
    items = [
        Item("red", image=picture((255, 0, 0))),
        Item("none"),
        Item("grey", image=picture((51, 51, 51))),
    ]
    with pytest.warns(FeaturesWarning, match="16 x 16 pixels"):
        X = features_of(items)
    assert X.shape == (3, 3 * SIDE * SIDE + 1)
    assert np.array_equal(X[0, :-1].reshape(-1, 3), np.tile([1.0, 0, 0], (SIDE * SIDE, 1)))
    assert np.allclose(X[2, :-1], 0.2)
    assert X[:, -1].tolist() == [0, 1, 0]
    with_vectors = [
        Item(item.id, fields={"vector": [i]}, image=item.image) for i, item in enumerate(items)
    ]
    assert features_of(with_vectors).tolist() == [[0], [1], [2]]


@pytest.mark.filterwarnings(
    "ignore:pictures without a field:corollary.learning.features.columns.FeaturesWarning"
)
def test_pictures_that_cannot_be_read_count_as_missing():
    good = picture((255, 0, 0))
    broken = [
        Picture("p.png", "image/png", b"no picture"),
        Picture("p.png", "image/png", good.data[:-30]),
    ]
    items = [Item("good", image=good), Item("a", image=broken[0]), Item("b", image=broken[1])]
    with pytest.warns(
        FeaturesWarning,
        match="2 pictures, the first of item 'a', cannot be read and count as missing",
    ):
        X = features_of(items)
    assert X[:, -1].tolist() == [0, 1, 1]
    assert not X[1:, :-1].any()
    assert [can_be_decoded(item.image) for item in items] == [True, False, False]
    with pytest.raises(CorollaryError, match="images=True"):
        features_of([Item("a", image=Picture("p.png", "image/png"))])


def test_without_pillow_the_way_out_is_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(CorollaryError, match="a field 'vector'.*pip install pillow"):
        features_of([Item("a", image=Picture("p.png", "image/png", b"x"))])
    with pytest.warns(FeaturesWarning, match="the pictures are not learnt from"):
        X = features_of(
            [Item("a", "a bird", image=Picture("p.png", "image/png", b"x")), Item("b", "a fish")]
        )
    assert abs(X - default_features(["a bird", "a fish"])[0]).max() == 0


def test_items_with_nothing_to_learn_from():
    with pytest.raises(CorollaryError, match="nothing to learn from"):
        features_of([Item("a"), Item("b", text="  ")])
    with pytest.raises(CorollaryError, match="no items"):
        features_of([])


def test_items_from_what_people_have():
    things = [Item("a"), "robin", {"id": "c", "text": "a trout", "colour": "red"}]
    assert list(as_items(things)) == [
        Item("a"),
        Item("2", "robin"),
        Item("c", "a trout", {"colour": "red"}),
    ]
    for wrong in (3, {"text": "no id"}, None):
        with pytest.raises(CorollaryError, match="item 1 must be"):
            list(as_items([wrong]))


@pytest.mark.parametrize("things", [None, 5, "a text", {"a": "text"}])
def test_what_is_no_list_of_items(things):
    with pytest.raises(CorollaryError, match="items must be a list of them"):
        list(as_items(things))


def test_a_picture_needs_a_name():
    with pytest.raises(CorollaryError, match="name"):
        Picture(5, "image/png")


def test_texts_to_read_and_the_features_of_the_rest():
    items = [
        Item(
            "a",
            text="Robin",
            fields={"about": "a small bird with a red breast", "weight": 20, "sort": "x"},
        ),
        Item(
            "b",
            text=" ",
            fields={"about": "lives in cold and clear water", "weight": 900, "sort": "x"},
        ),
        Item("c", text="Stone", fields={"weight": 5, "sort": "x"}),
        Item("d", fields={"sort": "x"}),
    ]
    texts, (rest,) = texts_and_fields(items)
    assert texts == [
        "Robin. a small bird with a red breast",
        "lives in cold and clear water",
        "Stone",
        "",
    ]
    others = [
        Item(one.id, fields={name: one.fields.get(name) for name in ("weight", "sort")})
        for one in items
    ]
    np.testing.assert_array_equal(rest, features_of(others))
    vector = {"vector": [1.0, 2.0]}
    items = [Item("a", text="one", fields=vector), Item("b", text="two", fields=vector)]
    assert texts_and_fields(items) == (["one", "two"], [])
    np.testing.assert_array_equal(vectors_of(items), [[[1.0, 2.0]] * 2])
    assert texts_and_fields([Item("a", text="one")]) == (["one"], [])


def test_whether_there_is_text():
    assert have_text([Item("a"), Item("b", text="words")])
    assert have_text([Item("a", fields={"about": "some words that tell something"})])
    assert not have_text(
        [Item("a", text=" ", fields={"vector": [1.0], "n": 3}), Item("b", fields={"n": None})]
    )
    assert not have_text([])
