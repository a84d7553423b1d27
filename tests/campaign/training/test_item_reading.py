"""Items that are read: the same whether vectors are fresh or kept, with what is no text beside them."""

from __future__ import annotations

from io import BytesIO

import numpy as np
import pytest
from PIL import Image

import corollary as co
from corollary.campaign.items import Item, Picture
from corollary.campaign.settings import Settings
from corollary.campaign.training import item_reading, recalled
from corollary.campaign.training.item_reading import auto_encoder, read, to_read
from corollary.campaign.training.recalled import sha256_of
from corollary.learning.features.columns import FeaturesWarning
from corollary.learning.features.encoded import NAMES, PICTURES, RUNS, SEMANTIC, WORDS
from corollary.learning.meaning.label_texts import LabelText, label_texts
from corollary.learning.meaning.reader import read_items
from corollary.learning.session.training import ToRead

ONTO = co.Ontology.parse("animal > exclusive: bird, fish")
LABELS = tuple(label_texts(ONTO.labels, {"bird": "has feathers"}))
SAID = ("animal", "bird: has feathers", "fish")
TEXTS = (
    "a robin with feathers",
    "a pike in the water",
    "a stone on the hill",
    "",
    "a wren",
    "an eel",
)
ITEMS = [Item(f"i{n}", text=text) for n, text in enumerate(TEXTS)]


class Letters:
    """An encoder that counts letters, and texts that it was given."""

    name = "letters 1"
    asked = 0

    def encode(self, texts):
        Letters.asked += len(texts)
        return np.array(
            [[text.count(letter) for letter in "aeinrst"] for text in texts], np.float64
        )


@pytest.fixture
def letters(monkeypatch):
    Letters.asked = 0
    monkeypatch.setattr(recalled, "make_encoder", lambda _: Letters())


def test_what_is_read_comes_from_the_settings():
    settings = Settings(
        encoder="static",
        labels={"bird": {"definition": "has feathers"}, "gone": {"definition": "x"}},
    )
    assert to_read(settings, ONTO) == ToRead("static", LABELS)
    assert to_read(Settings(), ONTO) is None
    assert to_read(Settings(encoder="static", learner="crf"), ONTO) is None
    before = {"setting": "static", "name": "static 1"}
    assert to_read(settings, ONTO, before=before, only=True) == ToRead(
        "static", LABELS, "static 1", True
    )
    assert to_read(settings.changed({"encoder": "lexical"}), ONTO, before=before).name is None
    seen = before | {"pictures": True}
    assert to_read(settings, ONTO, before=seen) == ToRead(
        "static", LABELS, "static 1", pictures=True
    )


def test_vectors_that_were_kept_are_those_that_were_fresh(letters):
    wanted = ToRead("letters", LABELS)
    first = read(ITEMS, ONTO, wanted, {})
    assert first.encoder == {"name": "letters 1"}
    assert first.new.keys() == {"letters 1"}
    assert first.new["letters 1"].keys() == {sha256_of(text) for text in (*TEXTS, *SAID)}
    assert all(len(vector) == 2 * 7 for vector in first.new["letters 1"].values())
    assert Letters.asked == len(TEXTS) + len(LABELS)
    again = read(ITEMS, ONTO, wanted, first.new)
    assert (again.new, Letters.asked) == ({}, len(TEXTS) + len(LABELS))
    np.testing.assert_array_equal(again.X.features, first.X.features)
    np.testing.assert_array_equal(again.X.similarities, first.X.similarities)
    more = read([*ITEMS, Item("new", text="a new one")], ONTO, wanted, first.new)
    assert list(more.new["letters 1"]) == [sha256_of("a new one")]


def test_with_all_vectors_kept_no_encoder_is_needed(letters, monkeypatch):
    first = read(ITEMS, ONTO, ToRead("letters", LABELS), {})

    def missing(_):
        raise co.CorollaryError("pip install it")

    monkeypatch.setattr(recalled, "make_encoder", missing)
    again = read(ITEMS, ONTO, ToRead("letters", LABELS, "letters 1", True), first.new)
    np.testing.assert_array_equal(again.X.features, first.X.features)
    with pytest.raises(
        co.CorollaryError,
        match="the encoder for the texts cannot be made: pip inst",
    ):
        read(ITEMS, ONTO, ToRead("letters", LABELS, "letters 1", True), {})


def test_another_version_of_an_encoder_starts_afresh_and_never_stands_in(letters):
    old = {"letters 0": {sha256_of(text): b"\0" * 14 for text in TEXTS[:2]}}
    found = read(ITEMS, ONTO, ToRead("letters", LABELS, "letters 0"), old)
    assert len(found.new["letters 1"]) == len(TEXTS) + len(LABELS)
    with pytest.raises(co.CorollaryError, match="the vectors of encoder 'letters 0' were not kept"):
        read(ITEMS, ONTO, ToRead("letters", LABELS, "letters 0", True), old)


def test_without_an_encoder_the_letters_are_read():
    found = read(ITEMS, ONTO, ToRead("lexical", LABELS), {})
    expected = read_items(ONTO, list(TEXTS), encoder="lexical", meaning={"bird": "has feathers"})
    np.testing.assert_array_equal(found.X.features, expected.features)
    np.testing.assert_array_equal(found.X.similarities, expected.similarities)
    assert (found.encoder, found.new) == ({"name": "lexical"}, {})


def test_what_is_no_text_stands_beside_it_on_one_scale(letters):
    plain = read(ITEMS, ONTO, ToRead("letters", LABELS), {}).X
    fields = [{"weight": 10.0**n, "colour": "red" if n % 2 else "grey"} for n in range(6)]
    items = [Item(one.id, one.text, more) for one, more in zip(ITEMS, fields, strict=True)]
    found = read(items, ONTO, ToRead("letters", LABELS), {}).X
    width = plain.shape[1]
    np.testing.assert_array_equal(found.features[:, :width], plain.features)
    np.testing.assert_array_equal(found.similarities, plain.similarities)
    beside = found.features[:, width:]
    assert np.square(beside).sum(axis=1).mean() == pytest.approx(
        0.49 * (beside.std(axis=0) > 0).mean(), rel=1e-5
    )
    vectors = [Item(one.id, one.text, {"vector": [n, 1.0, 2.0]}) for n, one in enumerate(ITEMS)]
    assert read(vectors, ONTO, ToRead("letters", LABELS), {}).X.shape == (6, width + 3)


def test_the_encoder_that_is_installed(monkeypatch):
    for there in ("sentences", "static", "lexical"):
        monkeypatch.setattr(item_reading, "best_encoder", lambda there=there: there)
        assert auto_encoder(ITEMS) == there
    assert auto_encoder([Item("a", fields={"vector": [1.0]}), Item("b", text=" ")]) is None


def test_names_and_synonyms_of_labels_are_read_beside_their_definitions():
    onto = co.Ontology(["GO:0008150", "bird"])
    about = {
        "GO:0008150": {"name": "life", "synonyms": "living; being"},
        "bird": {"definition": "It flies."},
    }
    wanted = to_read(Settings(encoder="lexical", labels=about), onto)
    assert wanted.labels == (
        LabelText("life; living; being", ("GO 0008150", "life", "living", "being")),
        LabelText("bird: It flies.", ("bird",)),
    )


SPACE = {"animal": [1.0, 1.0, 0.0], "bird: has feathers": [1.0, 0.0, 0.0], "fish": [0.0, 1.0, 0.0]}


class Colours(Letters):
    """It sees pictures too: red ones are birds, blue ones fish."""

    name = "colours 1"
    takes_pictures = True

    def encode(self, things):
        Letters.asked += len(things)
        return np.array(
            [
                SPACE.get(one, [0.1, 0.1, 1.0]) if isinstance(one, str) else mean_of(one)
                for one in things
            ]
        )


def mean_of(png):
    red, _, blue = (
        np.asarray(Image.open(BytesIO(png)).convert("RGB"), float).mean(axis=(0, 1)) / 255
    )
    return [red, blue, 0.1]


def picture(colour):
    out = BytesIO()
    Image.new("RGB", (4, 4), colour).save(out, "PNG")
    return Picture(f"{colour}.png", "image/png", out.getvalue())


@pytest.fixture
def colours(monkeypatch):
    Letters.asked = 0
    monkeypatch.setattr(recalled, "make_encoder", lambda _: Colours())


def test_pictures_and_labels_meet_in_one_space(colours):
    items = [
        Item("a", image=picture("red")),
        Item("b", image=picture("blue")),
        Item("c"),
        Item("d", image=picture("red")),
    ]
    found = read(items, ONTO, ToRead("colours", LABELS), {})
    assert found.encoder == {"name": "colours 1", "pictures": True}
    assert found.X.kinds == (PICTURES,)
    (alike,) = found.X.similarities
    bird, fish = ONTO.index["bird"], ONTO.index["fish"]
    assert alike[0, bird] > alike[0, fish]
    assert alike[1, bird] < alike[1, fish]
    np.testing.assert_allclose(alike[2], alike[[0, 1, 3]].mean(axis=0), rtol=1e-6)
    np.testing.assert_array_equal(found.X.features[[2]], [[0, 0, 0]])
    assert Letters.asked == 1 + len(LABELS) + 2  # no text, and two pictures are the same
    # With all of it kept, the log tells that pictures were taken, and nothing is asked.
    again = read(items, ONTO, ToRead("colours", LABELS, "colours 1", True, True), found.new)
    assert (again.encoder, again.new, Letters.asked) == (found.encoder, {}, 6)
    np.testing.assert_array_equal(again.X.features, found.X.features)
    np.testing.assert_array_equal(again.X.similarities, found.X.similarities)
    # A picture that is new is asked for, even where none of the texts is.
    more = [*items, Item("e", image=picture("green"))]
    assert (
        len(
            read(more, ONTO, ToRead("colours", LABELS, "colours 1", pictures=True), found.new).new[
                "colours 1"
            ]
        )
        == 1
    )


def test_texts_and_pictures_stand_side_by_side(colours):
    items = [
        Item("a", text="a robin", image=picture("red")),
        Item("b", text="an eel"),
        Item("c", image=picture("blue")),
    ]
    found = read(items, ONTO, ToRead("colours", LABELS), {}).X
    assert found.kinds == (SEMANTIC, WORDS, RUNS, NAMES, PICTURES)
    assert found.shape == (3, 6)
    vectors = [Item(one.id, one.text, {"vector": [1.0, 2.0]}, one.image) for one in items]
    assert read(vectors, ONTO, ToRead("colours", LABELS), {}).X.shape == (3, 8)


def test_an_encoder_of_texts_leaves_the_pixels_of_pictures_beside(letters):
    items = [Item("a", text="a robin", image=picture("red")), Item("b", text="an eel")]
    with pytest.warns(FeaturesWarning, match="seen as 16 x 16 pixels"):
        found = read(items, ONTO, ToRead("letters", LABELS), {})
    assert found.encoder == {"name": "letters 1"}
    assert found.X.shape == (2, 7 + 3 * 256 + 1)


def test_a_model_of_a_log_that_took_no_pictures_is_made_again_without_them(colours):
    """By a program of before, with an encoder that could have: what it learnt from is what counts."""
    items = [Item("a", text="a robin", image=picture("red")), Item("b", text="an eel")]
    with pytest.warns(FeaturesWarning, match="pixels"):
        found = read(items, ONTO, ToRead("colours", LABELS, "colours 1", only=True), {})
    assert found.encoder == {"name": "colours 1"}
    assert found.X.kinds == (SEMANTIC, WORDS, RUNS, NAMES)


def test_a_picture_that_cannot_be_decoded_counts_as_missing_and_is_told(colours):
    broken = Picture("b.png", "image/png", b"\x89PNG\r\n\x1a\n")
    items = [Item("a", image=picture("red")), Item("b", image=broken), Item("c")]
    told = "the picture of item 'b' cannot be read and counts as missing"
    with pytest.warns(FeaturesWarning, match=told):
        found = read(items, ONTO, ToRead("colours", LABELS), {})
    np.testing.assert_array_equal(found.X.similarities[0, 1], found.X.similarities[0, 2])
    assert (
        len(found.new["colours 1"]) == 1 + len(LABELS) + 2
    )  # it is kept too, so that no decoder is asked again
    with pytest.warns(FeaturesWarning, match=told):
        again = read(items, ONTO, ToRead("colours", LABELS, "colours 1", True, True), found.new)
    np.testing.assert_array_equal(again.X.features, found.X.features)
    alone = {"colours 1": {key: found.new["colours 1"][key] for key in map(sha256_of, ("", *SAID))}}
    with pytest.warns(FeaturesWarning, match=told):
        late = read([items[1], items[2]], ONTO, ToRead("colours", LABELS), alone)
    assert not late.X.features.any()
