"""Items that are read: what an encoder makes of their texts, beside the rest of them; no text is encoded twice.

Vectors are rounded to float16 before anything is done with them, so that those kept with a campaign are those that
were learnt from, to the bit; with these a model can be trained again where there is no encoder.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from ...learning.features.encoded import Encoded
from ...learning.features.spaces import Reduced, Standard
from ...learning.meaning.encoders import Encoding, Vectors, make_encoder
from ...learning.meaning.label_texts import label_texts
from ...learning.meaning.lexical import Lexical
from ...learning.meaning.reader import BESIDE, Reader, check_texts
from ...logic.errors import CorollaryError
from ...logic.ontology import Ontology
from ..items import Item, have_text, texts_and_rest
from ..setting_facts import AUTO
from ..settings import STATIC, Settings
from ..storage.records import Encodings


class ToRead(NamedTuple):
    """What a model that reads is made from, besides the items and all else.

    `encoder` is the setting, `labels` what is read of each label. `name` is the encoder as the log has it, with its
    version; with `only` no other will do.
    """

    encoder: str
    labels: tuple[str, ...]
    name: str | None = None
    only: bool = False


def to_read(
    settings: Settings, onto: Ontology, *, before: Mapping[str, str] | None = None, only: bool = False
) -> ToRead | None:
    """What is read under some settings; None where nothing is. `before` is the encoder of a model in the log."""
    if settings.reads_with is None:
        return None
    name = before["name"] if before is not None and before["setting"] == settings.reads_with else None
    told = {label: _said(about) for label, about in settings.labels.items() if label in onto.index}
    return ToRead(settings.reads_with, tuple(label_texts(onto.labels, told) or ()), name, only)


def _said(about: Mapping[str, str]) -> str:
    """What there is to read of a label besides itself: its name and synonyms, and its definition."""
    called = "; ".join(about[part] for part in ("name", "synonyms") if about.get(part))
    return ": ".join(part for part in (called, about.get("definition", "")) if part)


def auto_encoder(items: Iterable[Item]) -> str | None:
    """The encoder for items that is installed: the setting to store; None where they have no text."""
    if not have_text(items):
        return None
    return Lexical.name if make_encoder(AUTO) is None else STATIC


class Recalled:
    """An encoder that was asked before: the vectors of some texts, and which of them are `new`."""

    def __init__(self, name: str, vectors: dict[str, bytes], new: dict[str, bytes]):
        self.name = name
        self._vectors = vectors
        self.new = new

    def encode(self, texts: Sequence[str], /) -> Vectors:
        """A row for each text."""
        rows = [np.frombuffer(self._vectors[sha256_of(text)], "<f2") for text in texts]
        return np.asarray(np.stack(rows), np.float32)


def recall(wanted: ToRead, texts: Sequence[str], kept: Encodings) -> Recalled:
    """The vectors of texts, as they were kept; the encoder is made, and asked, only where some are new."""
    by_hash = {sha256_of(text): text for text in texts}
    if wanted.name is not None:
        there = kept.get(wanted.name, {})
        if by_hash.keys() <= there.keys():
            return Recalled(wanted.name, there, {})
    try:
        made = make_encoder(wanted.encoder)
    except CorollaryError as error:
        raise CorollaryError(f"there are texts to encode, and the encoder cannot be made: {error}") from error
    assert made is not None
    if wanted.only and made.name != wanted.name:
        raise CorollaryError(
            f"what the encoder {wanted.name!r} made of the texts was not kept, and here there is {made.name!r}"
        )
    there = dict(kept.get(made.name, {}))
    new = [sha256 for sha256 in by_hash if sha256 not in there]
    rounded = Encoding(made).of([by_hash[sha256] for sha256 in new]).astype("<f2")
    found = {sha256: row.tobytes() for sha256, row in zip(new, rounded, strict=True)}
    return Recalled(made.name, there | found, found)


class Read(NamedTuple):
    """Items that were read, by which encoder, and what of its vectors is new."""

    X: Encoded
    name: str
    new: Encodings


def read(items: Sequence[Item], onto: Ontology, wanted: ToRead, kept: Encodings) -> Read:
    """Items as learners see them that can read: their texts, with what else there is of them beside it."""
    texts, rest = texts_and_rest(items)
    texts = check_texts(texts)
    if wanted.encoder == Lexical.name:
        reader, name, new = Reader(onto, wanted.labels, encoder=None), Lexical.name, {}
    else:
        recalled = recall(wanted, [*texts, *wanted.labels], kept)
        reader, name, new = Reader(onto, wanted.labels, encoder=recalled), recalled.name, recalled.new
    found = reader.fit(texts).read(texts)
    beside = [BESIDE * _on_one_scale(block) for block in rest]
    features = np.hstack([found.features, *beside]) if beside else found.features
    return Read(Encoded(features, found.similarities, found.kinds), name, {name: new} if new else {})


def _on_one_scale(block: Any) -> Vectors:
    """Features whose rows are about as long as an embedding."""
    if sparse.issparse(block):
        return Reduced(block, random=np.random.RandomState(0)).of(block)
    return Standard(block).of(block)


def sha256_of(text: str) -> str:
    """What tells texts apart."""
    return hashlib.sha256(text.encode()).hexdigest()
