"""What encoders made of texts and pictures: as it was kept with the campaign, or new; nothing is encoded twice.

Vectors are rounded to float16 before anything is done with them, so that those kept with a campaign are those that
were learnt from, to the bit; with these a model can be trained again where there is no encoder.
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
    """An encoder that was asked before: the vectors of some texts and pictures, and which of them are `new`."""

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
        """A row for each text, and each picture by its bytes; of a picture that cannot be decoded it is 0."""
        rows = [np.frombuffer(self._vectors[sha256_of(thing)], "<f2") for thing in things]
        return np.asarray(np.stack(rows), np.float32)

    @property
    def in_log(self) -> dict[str, Any]:
        """What the log has of it."""
        return {"name": self.name} | ({"pictures": True} if self.takes_pictures else {})


def recall(
    wanted: ToRead, texts: Sequence[str], pictures: Sequence[Picture], kept: Encodings
) -> Recalled:
    """The vectors of texts, and of pictures where the encoder takes them; it is made, and asked, only for new ones."""
    read: dict[str, str | Picture] = {sha256_of(text): text for text in texts}
    seen = read | {sha256_of(picture.data or b""): picture for picture in pictures}
    if wanted.name is not None:
        there = kept.get(wanted.name, {})
        if (seen if wanted.pictures else read).keys() <= there.keys():
            return Recalled(wanted.name, there, {}, takes_pictures=wanted.pictures)
    try:
        made = make_encoder(wanted.encoder)
    except CorollaryError as error:
        raise CorollaryError(
            f"there are texts to encode, and the encoder cannot be made: {error}"
        ) from error
    assert made is not None
    if wanted.only and made.name != wanted.name:
        raise CorollaryError(
            f"what the encoder {wanted.name!r} made of the texts was not kept, and here there is {made.name!r}"
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
    """Vectors of things by their hash; of pictures that cannot be decoded as many zeros as the others have numbers."""
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
        )  # the labels' texts are always there
        found |= dict.fromkeys(new.keys() - fine.keys(), nothing)
    return found


def sha256_of(thing: str | bytes) -> str:
    """What tells texts and pictures apart."""
    return hashlib.sha256(thing.encode() if isinstance(thing, str) else thing).hexdigest()
