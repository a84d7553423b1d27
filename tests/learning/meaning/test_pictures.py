"""Pictures as a model takes them, and what is told of those that cannot be opened."""

from __future__ import annotations

import sys
from io import BytesIO

import numpy as np
import pytest
from PIL import Image

from corollary.learning.meaning import encoders
from corollary.learning.meaning.encoders import Encoding
from corollary.learning.meaning.pictures import UnreadablePicture, open_picture
from corollary.logic.errors import CorollaryError


def png(image, **options):
    out = BytesIO()
    image.save(out, "PNG", **options)
    return out.getvalue()


def test_bytes_a_path_and_an_open_picture_are_the_same(tmp_path):
    image = Image.new("RGBA", (3, 5), "red")
    (tmp_path / "a.png").write_bytes(png(image))
    for thing in (png(image), tmp_path / "a.png", image):
        found = open_picture(thing, 0)
        assert (found.mode, found.size) == ("RGB", (3, 5))
        np.testing.assert_array_equal(np.asarray(found)[0, 0], [255, 0, 0])


def test_a_picture_stands_upright_as_people_see_it():
    turned = Image.Exif()
    turned[0x0112] = 6  # by a quarter
    assert open_picture(png(Image.new("RGB", (3, 5)), exif=turned), 0).size == (5, 3)


def test_what_cannot_be_opened_is_named_by_its_place(tmp_path):
    whole = png(Image.effect_noise((64, 64), 50))
    for thing, told in (
        (b"no picture", "it is no picture of a kind that Pillow knows"),
        (whole[: len(whole) // 2], "truncated"),
        (tmp_path / "gone.png", "FileNotFoundError: .*gone.png"),
        (3, "it must be bytes, a Path or an image of Pillow, got 3"),
    ):
        with pytest.raises(
            UnreadablePicture, match=f"the picture of item 7 cannot be opened: .*{told}"
        ):
            open_picture(thing, 7)


def test_its_place_is_that_among_all_items_however_they_are_batched(monkeypatch):
    class Sizes:
        name = "sizes"

        def encode(self, things):
            return [open_picture(thing, k).size for k, thing in enumerate(things)]

    monkeypatch.setattr(encoders, "BATCH", 2)
    things, told = [png(Image.new("L", (n, 1))) for n in (1, 2, 3)], []
    assert Encoding(Sizes()).of(
        things, progress=lambda done, of: told.append((done, of))
    ).shape == (3, 2)
    assert told == [(2, 3), (3, 3)]
    with pytest.raises(UnreadablePicture, match="the picture of item 3 "):
        Encoding(Sizes()).of([*things, b""])


def test_without_pillow_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(CorollaryError, match=r"pip install 'corollary\[pictures\]'"):
        open_picture(b"", 0)
