"""Items that are read: the same whether vectors are fresh or kept, with what is no text beside them."""

from __future__ import annotations

import numpy as np
import pytest

import corollary as co
from corollary.campaign.items import Item
from corollary.campaign.settings import Settings
from corollary.campaign.training import item_reading
from corollary.campaign.training.item_reading import ToRead, auto_encoder, read, recall, sha256_of, to_read
from corollary.learning.meaning.reader import read_items

ONTO = co.Ontology.parse("animal > exclusive: bird, fish")
LABELS = ("animal", "bird: has feathers", "fish")
TEXTS = ("a robin with feathers", "a pike in the water", "a stone on the hill", "", "a wren", "an eel")
ITEMS = [Item(f"i{n}", text=text) for n, text in enumerate(TEXTS)]


class Letters:
    """An encoder that counts letters, and texts that it was given."""

    name = "letters 1"
    asked = 0

    def encode(self, texts):
        Letters.asked += len(texts)
        return np.array([[text.count(letter) for letter in "aeinrst"] for text in texts], np.float64)


@pytest.fixture
def letters(monkeypatch):
    Letters.asked = 0
    monkeypatch.setattr(item_reading, "make_encoder", lambda _: Letters())


def test_what_is_read_comes_from_the_settings():
    settings = Settings(encoder="static", labels={"bird": {"definition": "has feathers"}, "gone": {"definition": "x"}})
    assert to_read(settings, ONTO) == ToRead("static", LABELS)
    assert to_read(Settings(), ONTO) is None
    assert to_read(Settings(encoder="static", learner="crf"), ONTO) is None
    before = {"setting": "static", "name": "static 1"}
    assert to_read(settings, ONTO, before=before, only=True) == ToRead("static", LABELS, "static 1", True)
    assert to_read(settings.changed({"encoder": "lexical"}), ONTO, before=before).name is None


def test_vectors_that_were_kept_are_those_that_were_fresh(letters):
    wanted = ToRead("letters", LABELS)
    first = read(ITEMS, ONTO, wanted, {})
    assert first.name == "letters 1"
    assert first.new.keys() == {"letters 1"}
    assert first.new["letters 1"].keys() == {sha256_of(text) for text in (*TEXTS, *LABELS)}
    assert all(len(vector) == 2 * 7 for vector in first.new["letters 1"].values())
    assert Letters.asked == len(TEXTS) + len(LABELS)
    again = read(ITEMS, ONTO, wanted, first.new)
    assert (again.new, Letters.asked) == ({}, len(TEXTS) + len(LABELS))
    np.testing.assert_array_equal(again.X.features, first.X.features)
    np.testing.assert_array_equal(again.X.similarities, first.X.similarities)
    more = read([*ITEMS, Item("new", text="a new one")], ONTO, wanted, first.new)
    assert list(more.new["letters 1"]) == [sha256_of("a new one")]


def test_vectors_are_rounded_before_they_are_used(letters):
    found = recall(ToRead("letters", LABELS), TEXTS, {})
    vectors = found.encode(TEXTS)
    np.testing.assert_array_equal(vectors, vectors.astype(np.float16))
    exact = Letters().encode(TEXTS[:1])
    np.testing.assert_allclose(vectors[:1], exact / np.linalg.norm(exact), atol=1e-3)
    np.testing.assert_array_equal(vectors[3], 0)


def test_with_all_vectors_kept_no_encoder_is_needed(letters, monkeypatch):
    first = read(ITEMS, ONTO, ToRead("letters", LABELS), {})

    def missing(_):
        raise co.CorollaryError("pip install it")

    monkeypatch.setattr(item_reading, "make_encoder", missing)
    again = read(ITEMS, ONTO, ToRead("letters", LABELS, "letters 1", True), first.new)
    np.testing.assert_array_equal(again.X.features, first.X.features)
    with pytest.raises(co.CorollaryError, match="there are texts to encode, and the encoder cannot be made: pip inst"):
        read(ITEMS, ONTO, ToRead("letters", LABELS, "letters 1", True), {})


def test_another_version_of_an_encoder_starts_afresh_and_never_stands_in(letters):
    old = {"letters 0": {sha256_of(text): b"\0" * 14 for text in TEXTS[:2]}}
    found = read(ITEMS, ONTO, ToRead("letters", LABELS, "letters 0"), old)
    assert len(found.new["letters 1"]) == len(TEXTS) + len(LABELS)
    with pytest.raises(co.CorollaryError, match="what the encoder 'letters 0' made of the texts was not kept"):
        read(ITEMS, ONTO, ToRead("letters", LABELS, "letters 0", True), old)


def test_without_an_encoder_the_letters_are_read():
    found = read(ITEMS, ONTO, ToRead("lexical", LABELS), {})
    expected = read_items(ONTO, list(TEXTS), encoder="lexical", meaning={"bird": "has feathers"})
    np.testing.assert_array_equal(found.X.features, expected.features)
    np.testing.assert_array_equal(found.X.similarities, expected.similarities)
    assert (found.name, found.new) == ("lexical", {})


def test_what_is_no_text_stands_beside_it_on_one_scale(letters):
    plain = read(ITEMS, ONTO, ToRead("letters", LABELS), {}).X
    fields = [{"weight": 10.0**n, "colour": "red" if n % 2 else "grey"} for n in range(6)]
    items = [Item(one.id, one.text, more) for one, more in zip(ITEMS, fields, strict=True)]
    found = read(items, ONTO, ToRead("letters", LABELS), {}).X
    width = plain.shape[1]
    np.testing.assert_array_equal(found.features[:, :width], plain.features)
    np.testing.assert_array_equal(found.similarities, plain.similarities)
    beside = found.features[:, width:]
    assert np.square(beside).sum(axis=1).mean() == pytest.approx(0.49 * (beside.std(axis=0) > 0).mean(), rel=1e-5)
    vectors = [Item(one.id, one.text, {"vector": [n, 1.0, 2.0]}) for n, one in enumerate(ITEMS)]
    assert read(vectors, ONTO, ToRead("letters", LABELS), {}).X.shape == (6, width + 3)


def test_the_encoder_that_is_installed(monkeypatch):
    assert auto_encoder(ITEMS) in ("static", "lexical")
    monkeypatch.setattr(item_reading, "make_encoder", lambda _: None)
    assert auto_encoder(ITEMS) == "lexical"
    assert auto_encoder([Item("a", fields={"vector": [1.0]}), Item("b", text=" ")]) is None


def test_names_and_synonyms_of_labels_are_read_beside_their_definitions():
    onto = co.Ontology(["GO:0008150", "bird"])
    about = {"GO:0008150": {"name": "life", "synonyms": "living; being"}, "bird": {"definition": "It flies."}}
    wanted = to_read(Settings(encoder="lexical", labels=about), onto)
    assert wanted.labels == ("life; living; being", "bird: It flies.")
