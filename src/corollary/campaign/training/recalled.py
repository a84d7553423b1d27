"""Vectors of texts and pictures, kept with the campaign, so that nothing is encoded twice.

Vectors are rounded to float16 before they are used. So the kept vectors are those that the model
was trained on, to the bit. With them a model can be trained again without the encoder.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...learning.meaning.encoders import Encoding, Vectors, make_encoder
from ...learning.session.training import ToRead
from ...logic.errors import CorollaryError
from ..items import Picture, can_be_decoded
from ..storage.records import Encodings


class Recalled:
    """The vectors that an encoder made for some texts and pictures; `new` are those made now."""

    def __init__(
        self,
        name: str,
        vectors: dict[str, bytes],
        new: dict[str, bytes],
        *,
        takes_pictures: bool = False,
    ):
        self.name = name
        self._vectors = vectors
        self.new = new
        self.takes_pictures = takes_pictures

    def encode(self, things: Sequence[str | bytes], /) -> Vectors:
        """Return a row for each text or picture (by its bytes); zeros if it cannot be decoded."""
        rows = [np.frombuffer(self._vectors[sha256_of(thing)], "<f2") for thing in things]
        return np.asarray(np.stack(rows), np.float32)

    @property
    def in_log(self) -> dict[str, Any]:
        """The encoder as the log keeps it."""
        return {"name": self.name} | ({"pictures": True} if self.takes_pictures else {})


def recall(
    wanted: ToRead, texts: Sequence[str], pictures: Sequence[Picture], kept: Encodings
) -> Recalled:
    """Return the vectors of texts and, if the encoder takes them, of pictures.

    The encoder is made and used only for things without a kept vector.
    """
    read: dict[str, str | Picture] = {sha256_of(text): text for text in texts}
    seen = read | {sha256_of(picture.data or b""): picture for picture in pictures}
    if wanted.name is not None:
        there = kept.get(wanted.name, {})
        if (seen if wanted.pictures else read).keys() <= there.keys():
            return Recalled(wanted.name, there, {}, takes_pictures=wanted.pictures)
    try:
        made = make_encoder(wanted.encoder)
    except CorollaryError as error:
        raise CorollaryError(f"the encoder for the texts cannot be made: {error}") from error
    assert made is not None
    if wanted.only and made.name != wanted.name:
        raise CorollaryError(
            f"the vectors of encoder {wanted.name!r} were not kept, and the encoder here is {made.name!r}"
        )
    takes_pictures = (
        wanted.pictures if wanted.only else bool(getattr(made, "takes_pictures", False))
    )
    there = dict(kept.get(made.name, {}))
    things = seen if takes_pictures else read
    new = _encode(
        Encoding(made),
        {sha256: thing for sha256, thing in things.items() if sha256 not in there},
        there,
    )
    return Recalled(made.name, there | new, new, takes_pictures=takes_pictures)


def _encode(
    encoding: Encoding, new: Mapping[str, str | Picture], there: Mapping[str, bytes]
) -> dict[str, bytes]:
    """Return vectors by hash; a picture that cannot be decoded gets zeros."""
    fine = {
        sha256: thing if isinstance(thing, str) else thing.data
        for sha256, thing in new.items()
        if isinstance(thing, str) or can_be_decoded(thing)
    }
    rounded = encoding.of(list(fine.values())).astype("<f2")
    found = {sha256: row.tobytes() for sha256, row in zip(fine, rounded, strict=True)}
    if len(fine) < len(new):
        nothing = bytes(
            len(next(iter((found or there).values())))
        )  # there is always a vector, because labels have texts
        found |= dict.fromkeys(new.keys() - fine.keys(), nothing)
    return found


def sha256_of(thing: str | bytes) -> str:
    """Return the hash that identifies a text or picture."""
    return hashlib.sha256(thing.encode() if isinstance(thing, str) else thing).hexdigest()
